"""Keyword search: the engine supplies which documents hold a term and how often, ``hindsight.text.bm25`` scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.filtering import Mask
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.postings import Postings
from hindsight.adapters.relational.queries import Database, load, rows, value
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
_KEPT = 8


def indexed_text(namespace: int, tokens: Sequence[str]) -> str:
    """The text given to the index: each token with the namespace's number before it."""
    return " ".join(index_terms(namespace, tokens))


def index_terms(namespace: int, tokens: Sequence[str]) -> list[str]:
    """Tokens as FTS5's ascii tokenizer keeps them (ASCII capitals lowered, no white space inside, not endless), with the namespace's number."""
    if not tokens:
        return []
    folded = _BREAK.join([token[:_MAX_TOKEN] for token in tokens]).translate(_FOLD)
    return [f"{namespace}:{token}" for token in folded.split(_BREAK) if token]


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
    frequent: dict[str, float]


class TermSearch:
    """Keyword search in one namespace; the scores of the last few queries are kept for :meth:`scores`."""

    def __init__(self) -> None:
        self._kept: Recent[tuple[str, ...], _Scores] = Recent(_KEPT)
        self._postings = Postings()
        self._norms: tuple[int, int, NDArray[np.float32]] | None = None

    def search(self, db: Database, view: View, terms: Sequence[str], mask: Mask, limit: int) -> tuple[Places, NDArray[np.float32]]:
        """The best places inside the mask and their scores, best first."""
        if not mask.any():
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        found = self._scores(db, view, terms)
        places = np.flatnonzero(mask & (found.scores > 0))
        count = max(limit, _COMPLETED) if found.frequent else limit
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
        """The idf of each term, and (places, terms) what each adds to BM25. Terms too frequent to find documents by count as absent."""
        documents, norms = self._statistics(view)
        keys = [next(iter(index_terms(view.code, [term])), "") for term in terms]
        frequent = _frequent(db, documents, keys) if documents > LARGE else {}
        asked = [number for number, key in enumerate(keys) if key and key not in frequent]
        found = self._postings.collect(db, view, [keys[number] for number in asked])
        held = np.array([len(holders) for holders, _ in found], dtype=np.int64)
        weights = np.zeros(len(terms), dtype=np.float32)
        weights[asked] = np.where(held > 0, idf(documents, held), 0.0)
        at = np.full(view.count, -1, dtype=np.int32)
        at[places] = np.arange(len(places), dtype=np.int32)
        counts = np.zeros((len(terms), len(places)), dtype=np.int64)
        if held.any():
            holders, occurrences = (np.concatenate(part) for part in zip(*found, strict=True))
            among = at.take(holders)
            inside = np.flatnonzero(among >= 0)
            counts[np.repeat(np.array(asked), held)[inside], among[inside]] = occurrences[inside]
        worth: NDArray[np.float32] = weights[:, None] * saturation(counts, norms[places])
        return weights, worth.T

    def _scores(self, db: Database, view: View, terms: Sequence[str]) -> _Scores:
        key = tuple(dict.fromkeys(index_terms(view.code, terms)))
        kept = self._kept.get(key)
        if kept is None or kept.version != view.version:
            kept = self._score_all(db, view, key)
            self._kept.put(key, kept)
        return kept

    def _score_all(self, db: Database, view: View, terms: Sequence[str]) -> _Scores:
        documents, norms = self._statistics(view)
        frequent = _frequent(db, documents, terms) if documents > LARGE else {}
        found = self._postings.collect(db, view, [term for term in terms if term not in frequent])
        counts = np.array([len(places) for places, _ in found], dtype=np.int64)
        if not counts.sum():
            return _Scores(view.version, np.zeros(view.count, dtype=np.float32), frequent)
        places, occurrences = (np.concatenate(part) for part in zip(*found, strict=True))
        worth = np.repeat(idf(documents, counts), counts) * saturation(occurrences, norms.take(places))
        scores = np.bincount(places, weights=worth, minlength=view.count).astype(np.float32)
        return _Scores(view.version, scores, frequent)

    def _completed(self, db: Database, view: View, found: _Scores, places: Places) -> NDArray[np.float32]:
        """Scores with the frequent terms added, counted in the documents' own indexed texts."""
        scores = found.scores[places]
        if not found.frequent or not len(places):
            return scores
        _, norms = self._statistics(view)
        texts = dict(rows(db, _SQL["texts"], (to_json(view.rows[places].tolist()),)))
        counts = np.zeros((len(places), len(found.frequent)), dtype=np.int64)
        for number, row in enumerate(view.rows[places].tolist()):
            tokens = texts.get(row, "").split(" ")
            counts[number] = [tokens.count(name) for name in found.frequent]
        for number, weight in enumerate(found.frequent.values()):
            scores = scores + np.float32(weight) * saturation(counts[:, number], norms[places])
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


def _frequent(db: Database, documents: int, terms: Sequence[str]) -> dict[str, float]:
    """The terms too frequent to find documents by, with their idf; none where the query has no rarer ones."""
    frequencies = np.array([value(db, _SQL["frequency"], (term,)) or 0 for term in terms], dtype=np.int64)
    often = frequencies > FREQUENT * documents
    if not (~often & (frequencies > 0)).any():
        return {}
    weights = idf(documents, frequencies)
    return {term: weight for term, weight, frequent in zip(terms, weights.tolist(), often.tolist(), strict=True) if frequent}
