"""Searches over one namespace: vector, keyword, time, entities, sessions; every one inside the filter's mask."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational import sessions
from hindsight.adapters.relational.cache import NamespaceCache, Places, View
from hindsight.adapters.relational.codes import find_code
from hindsight.adapters.relational.filtering import Mask, Masks, as_rows, event_start
from hindsight.adapters.relational.graph import spread
from hindsight.adapters.relational.image import Images
from hindsight.adapters.relational.indexed import NamespaceVectors, SampledMeans
from hindsight.adapters.relational.queries import Database
from hindsight.adapters.relational.terms import Reach, TermSearch
from hindsight.ports import Centring, Columns, Rows, Scored, TermHits, Vector
from hindsight.records import Filter

_DAY = 86_400.0
_AS_STORED = tuple(
    "occurred created valid_from valid_to precision kind outcome source status role avoid position language length "
    "trust confidence importance priority helpful harmful".split()
)


class Namespace:
    """What a process keeps of one namespace."""

    def __init__(self, code: int, dimension: int | None, centring: Centring | None, reach: Reach, images: Images | None = None) -> None:
        self.code = code
        self.lock = threading.Lock()
        """Held while the cache is brought up to date."""
        self.cache = NamespaceCache(code, dimension, centring, images)
        self.means = SampledMeans(dimension or 0, centring)
        self.masks = Masks()
        self.terms = TermSearch(reach)
        self.order = sessions.SessionOrder()


@dataclass(frozen=True, slots=True)
class Search:
    """One request on one namespace: its view and its filter, at one moment. ``vectors`` is None where they are not needed or not kept."""

    db: Database
    namespace: Namespace
    filter: Filter
    view: View
    vectors: NamespaceVectors | None
    now: datetime

    def mask(self) -> Mask:
        """Which places pass the filter."""
        return self.namespace.masks.get(self.db, self.view, self.filter, self.now)

    def visible(self) -> Rows:
        """Every row that passes."""
        return self.view.rows[self.mask()]

    def by_vector(self, vector: Vector, language: str | None, limit: int, *, centre: bool = True) -> Scored:
        """Nearest by centred cosine."""
        if self.vectors is None or limit < 1:
            return nothing()
        return self._scored(*self.vectors.search(vector, language, self.mask(), limit, centre=centre))

    def centred(self, vector: Vector, language: str | None) -> Vector:
        """The query vector as searches compare it."""
        return vector if self.vectors is None else self.vectors.centred_query(vector, language)

    def by_terms(self, terms: Sequence[str], limit: int) -> Scored:
        """Best by BM25."""
        if limit < 1:
            return nothing()
        return self._scored(*self.namespace.terms.search(self.db, self.view, terms, self.mask(), limit))

    def by_time(self, start: float, end: float, limit: int) -> Scored:
        """Events in [start, end) score 1; one whose imprecise time only overlaps scores the overlapping share, at least a half; an event
        outside scores below a half, falling with its distance in units of the range's length (a day at least).
        """
        places = np.flatnonzero(self.mask())
        begins = event_start(self.view)[places]
        ends = np.maximum(self.view.column("ends")[places], begins)
        inside = (begins >= start) & (begins < end)
        overlap = np.minimum(ends, end) - np.maximum(begins, start)
        share = np.clip(overlap / np.maximum(ends - begins, 1e-9), 0.0, 1.0)
        distance = np.maximum(np.maximum(start - ends, begins - end), 0.0)
        near = 0.5 / (1.0 + distance / max(end - start, _DAY))
        scores = np.where(inside & (ends <= end), 1.0, np.where(overlap > 0, 0.5 + 0.5 * share, near)).astype(np.float32)
        order = np.lexsort((-self.view.rows[places], -begins, -scores))[: max(limit, 0)]
        return self._scored(places[order], scores[order])

    def by_entities(self, names: Sequence[str], hops: int, limit: int) -> Scored:
        """Spreading activation; a record scores the activation of its entities, each damped by how many records mention it."""
        agent = find_code(self.db, "agent", self.filter.agent)
        scores = np.zeros(self.view.count, dtype=np.float32)
        for joined, activation in spread(self.db, self.namespace.code, agent, names, hops, enough=4 * limit):
            places = self.view.places(as_rows(joined))
            places = places[places >= 0]
            scores[places] += np.float32(activation / np.sqrt(max(len(places), 1)))
        places = np.flatnonzero(self.mask() & (scores > 0))
        order = np.lexsort((-places, -scores[places]))[: max(limit, 0)]
        return self._scored(places[order], scores[places][order])

    def vector_scores(self, rows: Rows, vector: Vector, language: str | None, *, centre: bool = True) -> NDArray[np.float32]:
        """Centred cosines, NaN where a row has no vector."""
        result = np.full(len(rows), np.nan, dtype=np.float32)
        places = self.view.places(rows)
        if self.vectors is not None:
            result[places >= 0] = self.vectors.scores(vector, language, places[places >= 0], centre=centre)
        return result

    def term_scores(self, rows: Rows, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25, 0 where no term matches."""
        result = np.zeros(len(rows), dtype=np.float32)
        places = self.view.places(rows)
        result[places >= 0] = self.namespace.terms.scores(self.db, self.view, terms, places[places >= 0])
        return result

    def term_hits(self, rows: Rows, terms: Sequence[str]) -> TermHits:
        """What each term adds to the BM25 of rows; zeros for a row that is not in the namespace."""
        places = self.view.places(rows)
        idf, found = self.namespace.terms.hits(self.db, self.view, terms, places[places >= 0])
        worth = np.zeros((len(rows), len(terms)), dtype=np.float32)
        worth[places >= 0] = found
        return TermHits(idf, worth)

    def columns(self, rows: Rows) -> Columns:
        """Attributes of rows; one that is not in the namespace has NaN, -1 and False."""
        return _columns(self.view, rows)

    def neighbours(self, rows: Rows, reach: int) -> NDArray[np.int64]:
        """Visible rows before and after each row in its session."""
        return sessions.neighbours(self.view, self.namespace.order, self.mask(), self.view.places(rows), reach)

    def session_rows(self, codes: NDArray[np.int64], limit: int) -> Rows:
        """Visible rows of sessions, at most ``limit`` of each, by (session, position)."""
        places = self.namespace.order.members(self.view, codes)
        places = places[self.mask()[places]]
        return self.view.rows[places[sessions.first_of_each(self.view.column("session")[places], limit)]]

    def _scored(self, places: Places, scores: NDArray[np.float32]) -> Scored:
        return Scored(self.view.rows[places], scores)


def nothing() -> Scored:
    """No rows."""
    return Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


def _columns(view: View, rows: Rows) -> Columns:
    places = view.places(rows)
    missing = places < 0
    some_missing, held = bool(missing.any()), np.maximum(places, 0)

    def of(name: str) -> Any:
        column = view.column(name)
        values = column.take(held) if len(column) else np.empty(len(places), dtype=column.dtype)
        if some_missing:
            values[missing] = {"f": np.nan, "b": False}.get(column.dtype.kind, -1)
        return values

    wide = {name: of(name).astype(np.int64) for name in ("session", "speaker", "task_type")}
    return Columns(rows=rows, **wide, **{name: of(name) for name in _AS_STORED})
