"""Keyword search: the engine supplies which documents hold a term and how often, ``hindsight.text.bm25`` scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.filtering import Mask
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.postings import Found, Postings
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.adapters.relational.recent import Recent
from hindsight.text.bm25 import idf, length_norms, saturation

_SQL = load("terms.sql")
_MAX_TOKEN = 200
_BREAK = "\0"
_FOLD = {code: chr(code + 32) for code in range(ord("A"), ord("Z") + 1)} | dict.fromkeys([*range(1, 33), 127], "_")

FREQUENT = 0.05
"""In a large namespace, terms in more than this share of the documents do not find documents, they only add to the score."""
LARGE = 200_000
_COMPLETED = 400
_KEPT = 4


def indexed_text(namespace: int, tokens: Sequence[str]) -> str:
    """The text given to the index: each token with the namespace's number before it."""
    return " ".join(index_terms(namespace, tokens))


def index_terms(namespace: int, tokens: Sequence[str]) -> list[str]:
    """Tokens as FTS5's ascii tokenizer keeps them (ASCII capitals lowered, no white space inside, not endless), with the namespace's number."""
    if not tokens:
        return []
    folded = _BREAK.join([token[:_MAX_TOKEN] for token in tokens]).translate(_FOLD)
    return [f"{namespace}:{token}" for token in folded.split(_BREAK) if token]


class Reach(NamedTuple):
    """How many postings one query may read.

    Args:
        scored: of the terms that find documents, the rarest first; the other terms of a long text only add to the score.
        a_record: a record of the namespace, to learn how often candidates hold its terms; the rest is counted in the candidates' texts.
        a_term: of one term. Where more records hold it, a question of nothing rarer finds among so many.
    """

    scored: int = 400_000
    a_record: int = 4
    a_term: int = 1_000_000_000


class TokenIndex(Protocol):
    """What a transaction does to the full-text index."""

    def index(self, row: int, text: str) -> None:
        """Put a record in; ``text`` is :func:`indexed_text`."""
        ...

    def unindex(self, row: int, text: str) -> None:
        """Take a record out; ``text`` is what is indexed, or was to be."""
        ...


@dataclass(slots=True)
class _Scores:
    """BM25 of every place by the terms that find documents, and the terms still to be added to the best ones."""

    version: int
    scores: NDArray[np.float32]
    later: list[tuple[str, float, Found | None]]
    """These, their idf, and their postings where they are in memory."""


class TermSearch:
    """Keyword search in one namespace; the scores of the last few queries are kept for :meth:`scores`."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._kept: Recent[tuple[str, ...], _Scores] = Recent(_KEPT)
        self._postings = Postings(reach.a_term)
        self._norms: tuple[int, int, NDArray[np.float32]] | None = None

    def search(self, db: Database, view: View, terms: Sequence[str], mask: Mask, limit: int) -> tuple[Places, NDArray[np.float32]]:
        """The best places inside the mask and their scores, best first."""
        if not mask.any():
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        found = self._scores(db, view, terms)
        places = np.flatnonzero(mask & (found.scores > 0))
        count = max(limit, _COMPLETED) if found.later else limit
        if len(places) > count:
            scores = found.scores[places]
            places = places[np.argpartition(scores, len(scores) - count)[len(scores) - count :]]
        scores = self._completed(db, view, found, places)
        order = np.lexsort((-places, -scores))[:limit]
        return places[order], scores[order]

    def scores(self, db: Database, view: View, terms: Sequence[str], places: Places) -> NDArray[np.float32]:
        """BM25 of given places."""
        return self._completed(db, view, self._scores(db, view, terms), places)

    def hits(self, db: Database, view: View, terms: Sequence[str], places: Places) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The idf of each term, and (places, terms) what each adds to BM25."""
        documents, norms = self._statistics(view)
        keys = [next(iter(index_terms(view.code, [term])), "") for term in terms]
        asked = [number for number, key in enumerate(keys) if key]
        wanted = [keys[number] for number in asked]
        weights = np.zeros(len(terms), dtype=np.float32)
        found: list[Found | None] = []
        if len(places):
            held, found = self._gathered(db, view, wanted, max(self._reach.scored, self._reach.a_record * view.count), finding=False)
        else:  # who asks for no record needs no list
            held = self._postings.held(db, view, wanted)
        weights[asked] = np.where(held > 0, idf(documents, held), 0.0)
        counts = np.zeros((len(terms), len(places)), dtype=np.int64)
        if found:
            counts[asked] = _occurrences(db, view, wanted, found, places)
        worth: NDArray[np.float32] = weights[:, None] * saturation(counts, norms[places])
        return weights, worth.T

    def _scores(self, db: Database, view: View, terms: Sequence[str]) -> _Scores:
        key = tuple(dict.fromkeys(index_terms(view.code, terms)))
        kept = self._kept.get(key)
        if kept is None or kept.version != view.version:
            kept = self._score_all(db, view, key)
            if not view.behind:
                self._kept.put(key, kept)
        return kept

    def _score_all(self, db: Database, view: View, terms: Sequence[str]) -> _Scores:
        documents, norms = self._statistics(view)
        held, found = self._gathered(db, view, terms, self._reach.scored, finding=True)
        scores = np.zeros(view.count, dtype=np.float64)
        later = []
        only_adding = _only_adding(held, documents, self._reach.scored).tolist()
        for term, weight, each, adding in zip(terms, idf(documents, held), found, only_adding, strict=True):
            if adding or each is None:
                later.append((term, float(weight), each))
            else:
                scores[each.places] += weight * saturation(each.occurrences, norms.take(each.places))
        return _Scores(view.version, scores.astype(np.float32), later)

    def _gathered(
        self, db: Database, view: View, terms: Sequence[str], most: int, *, finding: bool
    ) -> tuple[NDArray[np.int64], list[Found | None]]:
        """How many documents hold each term, and which; of the most frequent terms, beyond ``most`` postings, only where that is in memory.
        ``finding``: the rarest term is needed in any case.
        """
        if view.count * len(terms) <= most:
            found = self._postings.collect(db, view, terms, [True] * len(terms))
            return np.array([0 if each is None else len(each.places) for each in found], dtype=np.int64), found
        held = self._postings.held(db, view, terms)
        return held, self._postings.collect(db, view, terms, _rarest(held, most, least=int(finding)).tolist())

    def _completed(self, db: Database, view: View, found: _Scores, places: Places) -> NDArray[np.float32]:
        """Scores with the terms added that find nothing."""
        scores = found.scores[places]
        if found.later and len(places):
            _, norms = self._statistics(view)
            terms, weights, postings = zip(*found.later, strict=True)
            for weight, counts in zip(weights, _occurrences(db, view, terms, postings, places), strict=True):
                scores = scores + np.float32(weight) * saturation(counts, norms[places])
        return scores

    def _statistics(self, view: View) -> tuple[int, NDArray[np.float32]]:
        """The number of indexed documents of the namespace, and the length norms of all places."""
        kept = self._norms
        if kept is None or kept[0] != view.version:
            lengths = view.column("length")
            indexed = view.live & (lengths > 0)
            documents = int(np.count_nonzero(indexed))
            mean = float(lengths[indexed].mean()) if documents else 0.0
            kept = self._norms = (view.version, documents, length_norms(lengths, mean))
        return kept[1:]


def _rarest(held: NDArray[np.int64], most: int, *, least: int) -> NDArray[np.bool_]:
    """The rarest terms, by how many documents hold each, with at most so many postings together; the ``least`` rarest of those held in any case."""
    order = np.argsort(held, kind="stable")
    chosen = np.empty(len(held), dtype=np.bool_)
    chosen[order] = np.cumsum(held[order]) <= most
    chosen[order[held[order] > 0][:least]] = True
    return chosen


def _only_adding(held: NDArray[np.int64], documents: int, most: int) -> NDArray[np.bool_]:
    """Which terms find no documents and only add to the scores of those that the others found."""
    adding = ~_rarest(held, most, least=1)
    often = held > FREQUENT * documents
    if documents > LARGE and (~often & (held > 0)).any():
        adding |= often
    return adding


def _occurrences(db: Database, view: View, terms: Sequence[str], found: Sequence[Found | None], places: Places) -> NDArray[np.int64]:
    """(terms, places) how often each holds each: from postings, or counted in the documents' own indexed texts."""
    counts = np.zeros((len(terms), len(places)), dtype=np.int64)
    missing = [number for number, each in enumerate(found) if each is None]
    for number, each in enumerate(found):
        if each is not None:
            counts[number] = each.at(places)
    if missing and len(places):
        texts = dict(rows(db, _SQL["texts"], (to_json(np.unique(view.rows[places]).tolist()),)))
        for column, row in enumerate(view.rows[places].tolist()):
            tokens = Counter(texts.get(row, "").split(" "))
            counts[missing, column] = [tokens[terms[number]] for number in missing]
    return counts
