"""Vectors of a namespace that stay in the database: an index names candidates, the store's own vectors decide.

A process that scans a namespace holds all its vectors (:mod:`hindsight.adapters.relational.matrix`). Here it holds none: of the few rows
that an index names, or that a narrow filter leaves, it fetches the vectors and compares them as the matrix does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.matrix import Found, Vectors
from hindsight.adapters.relational.passages import PassageMatrix
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.ports import Centring, Rows, Vector, VectorIndex
from hindsight.records import Filter
from hindsight.vectors import blended_mean, inverse_norms, weighted_sum

_SQL = load("cache.sql")
SCANNED = 1000.0
"""A filter that leaves n of N records is not left to the index where n² is at most so many times N: all n are fetched and compared. That
costs as much as n; the index has to look at N / n times the rows wanted.
"""
_SCANNED_AFTER_ALL = 40_000
"""So many are scanned where the index finds too few of them."""
_TIMES_WANTED = 4
"""So many times the rows wanted are taken from the index: its order is rough."""
_LEAST_WANTED = 320
_SAMPLE = 8192
"""The mean of a language is made of so many of its vectors; all, where there are no more."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_DRIFT = 0.05
_HELD = 3
_NOWHERE: Places = np.empty(0, dtype=np.int64)


class NamespaceVectors(Protocol):
    """The vectors of a namespace at one moment, by place; see :class:`hindsight.adapters.relational.matrix.Vectors`."""

    def search(self, query: Vector, language: str | None, mask: NDArray[np.bool_], limit: int, *, centre: bool = True) -> Found:
        """The nearest places inside the mask and their cosines, best first."""
        ...

    def scores(self, query: Vector, language: str | None, places: Places, *, centre: bool = True) -> NDArray[np.float32]:
        """Cosines of given places, NaN where there is no vector."""
        ...

    def centred(self, places: Places) -> Vector:
        """Centred vectors of length 1; zeros where there is no vector."""
        ...

    def centred_query(self, query: Vector, language: str | None) -> Vector:
        """The query's vector as searches compare it."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """Of the documents, by language code, and of queries, by language name (also the seeds of languages without documents)."""

    by_code: Mapping[int, Vector]
    by_name: Mapping[str, Vector]


class SampledMeans:
    """The means of a namespace's languages. The owner of the cache lets one thread at a time call it.

    The sample is the same in every process: the vectors of the rows with the smallest digests of their numbers. As with the matrix, a mean
    moves once its language grew or shrank by 5 %.
    """

    def __init__(self, dimension: int, centring: Centring | None) -> None:
        self._dimension = dimension
        self._centring = centring
        self._counts: dict[int, int] = {}
        self._version = -1
        self._means = Means({}, self._seeds())

    def of(self, db: Database, view: View) -> Means:
        """The means for a view just taken."""
        if view.version != self._version:
            languages = view.column("language")
            counts = np.bincount(languages[view.live].astype(np.int64), minlength=1)
            drifted = [code for code in np.flatnonzero(counts).tolist() if self._drifted(code, int(counts[code]))]
            if drifted:
                names = dict(rows(db, _SQL["languages"]))
                by_code = dict(self._means.by_code)
                for code in drifted:
                    by_code[code] = self._mean_of(db, view, np.flatnonzero(view.live & (languages == code)), names.get(code, ""))
                    self._counts[code] = int(counts[code])
                self._means = Means(by_code, self._seeds() | {names.get(code, ""): mean for code, mean in by_code.items()})
            self._version = view.version
        return self._means

    def _drifted(self, code: int, count: int) -> bool:
        used = self._counts.get(code)
        return used is None or abs(count - used) > _DRIFT * used

    def _mean_of(self, db: Database, view: View, places: Places, language: str) -> Vector:
        if self._centring is None:
            return np.zeros(self._dimension, dtype=np.float32)
        sampled = places
        if len(places) > _SAMPLE:
            digests = view.rows[places].astype(np.uint64) * _SPREAD
            sampled = np.sort(places[np.argpartition(digests, _SAMPLE)[:_SAMPLE]])
        data, scales = _fetch(db, view, sampled, self._dimension)
        there = np.flatnonzero(scales > 0)
        share = len(places) / max(len(sampled), 1)
        seeds = self._centring.seeds
        return blended_mean(
            seeds.get(language, seeds.get("")),
            self._centring.weight,
            weighted_sum(data, scales, there) * share,
            round(len(there) * share),
        )

    def _seeds(self) -> dict[str, Vector]:
        return dict(self._centring.seeds) if self._centring is not None else {}


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom to ask for candidates, and about what."""

    index: VectorIndex
    namespace: str
    filter: Filter
    now: datetime


class StoredVectors:
    """The vectors of a namespace as they are fetched for one request on one snapshot."""

    def __init__(self, db: Database, view: View, means: Means, dimension: int) -> None:
        self._db = db
        self._view = view
        self._means = means
        self._dimension = dimension
        self._held: list[tuple[Places, Vectors]] = []

    def scores(self, query: Vector, language: str | None, places: Places, *, centre: bool = True) -> NDArray[np.float32]:
        """Cosines of given places, NaN where there is no vector."""
        query = self.centred_query(query, language) if centre else query
        known, where = np.unique(places, return_inverse=True)
        return self._part(known).scores(query, None, np.arange(len(known)), centre=False)[where]

    def centred(self, places: Places) -> Vector:
        """Centred vectors of length 1; zeros where there is no vector."""
        known, where = np.unique(places, return_inverse=True)
        return self._part(known).centred(np.arange(len(known)))[where]

    def centred_query(self, query: Vector, language: str | None) -> Vector:
        """See :meth:`Vectors.centred_query`."""
        return self._made(_NOWHERE, *_fetch(self._db, self._view, _NOWHERE, self._dimension)).centred_query(query, language)

    def _part(self, places: Places) -> Vectors:
        """The vectors of places, numbered anew in their order; what was fetched for the request before is not fetched again."""
        for held, vectors in self._held:
            if np.array_equal(held, places):
                return vectors
        for held, vectors in self._held:
            if np.isin(places, held).all():
                return self._keep(places, self._made(places, *_taken(vectors, np.searchsorted(held, places))))
        return self._keep(places, self._made(places, *_fetch(self._db, self._view, places, self._dimension)))

    def _keep(self, places: Places, vectors: Vectors) -> Vectors:
        self._held = [(places, vectors), *self._held[: _HELD - 1]]
        return vectors

    def _made(self, places: Places, data: NDArray[np.int8], scales: NDArray[np.float32]) -> Vectors:
        languages = self._view.column("language")[places]
        inverse = np.zeros(len(places), dtype=np.float32)
        for code in np.unique(languages).tolist():
            chosen = np.flatnonzero(languages == code)
            mean = self._means.by_code.get(code, np.zeros(self._dimension, dtype=np.float32))
            inverse[chosen] = inverse_norms(data, scales, mean, chosen)
        passages = PassageMatrix(self._dimension)
        if len(places) and (found := rows(self._db, _SQL["some_passages"], (to_json(self._view.rows[places].tolist()), self._view.code))):
            owners = np.searchsorted(self._view.rows[places], np.fromiter((row for row, _, _ in found), dtype=np.int64, count=len(found)))
            passages.put(owners, _scales(found), b"".join(part for _, _, part in found))
            passages.settle(languages, self._means.by_code)
        return Vectors(data, scales, inverse, languages, self._means.by_code, self._means.by_name, passages.view())


class IndexedVectors(StoredVectors):
    """The ``NamespaceVectors`` of one request, with candidates from an index."""

    def __init__(self, db: Database, view: View, means: Means, dimension: int, asked: Asked) -> None:
        super().__init__(db, view, means, dimension)
        self._asked = asked

    def search(self, query: Vector, language: str | None, mask: NDArray[np.bool_], limit: int, *, centre: bool = True) -> Found:
        """The nearest places inside the mask and their cosines, best first.

        Raises:
            IndexUnavailable: the index cannot be asked.
        """
        query = self.centred_query(query, language) if centre else query
        places = self._candidates(query, mask, limit)
        part = self._part(places)
        found, scores = part.search(query, None, np.ones(len(places), dtype=np.bool_), limit, centre=False)
        return places[found], scores

    def _candidates(self, query: Vector, mask: NDArray[np.bool_], limit: int) -> Places:
        """Places inside the mask among which the nearest are, ascending."""
        allowed = np.flatnonzero(mask)
        if len(allowed) ** 2 <= SCANNED * len(mask):
            return allowed
        asked, wanted = self._asked, max(_LEAST_WANTED, _TIMES_WANTED * limit)
        found: Places = np.empty(0, dtype=np.int64)
        batches = asked.index.nearest(self._db, asked.namespace, self._view.code, asked.filter, asked.now, query, wanted)
        for batch in batches:
            places = self._view.places(batch)
            places = places[places >= 0]
            found = np.union1d(found, places[mask[places]])
            if len(found) >= wanted:
                return found
        if len(found) < limit and len(allowed) <= _SCANNED_AFTER_ALL:
            return allowed
        return found


def _taken(vectors: Vectors, places: Places) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    return vectors.data[places], vectors.scales[places]


def _fetch(db: Database, view: View, places: Places, dimension: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Raw vectors of places (ascending); the scale 0 where there is none."""
    data = np.zeros((len(places), dimension), dtype=np.int8)
    scales = np.zeros(len(places), dtype=np.float32)
    wanted: Rows = view.rows[places]
    found: list[Any] = rows(db, _SQL["some_vectors"], (to_json(wanted.tolist()), view.code)) if len(places) else []
    if found:
        at = np.searchsorted(wanted, np.fromiter((row for row, _, _ in found), dtype=np.int64, count=len(found)))
        data[at] = np.frombuffer(b"".join(part for _, _, part in found), dtype=np.int8).reshape(-1, dimension)
        scales[at] = _scales(found)
    return data, scales


def _scales(found: list[Any]) -> NDArray[np.float32]:
    return np.fromiter((scale for _, scale, _ in found), dtype=np.float32, count=len(found))
