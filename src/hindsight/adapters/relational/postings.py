"""Which records hold a term, and how often: read from FTS5 once, then kept while records are only added."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.filtering import as_rows
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value

Found = tuple[Places, NDArray[np.integer]]

_SQL = load("terms.sql")
_TAIL = 2_000
_KEPT_POSTINGS = 1_500_000
"""Postings (10 bytes each) that one namespace may keep in memory."""
_ENTRY = 64


class Postings:
    """The posting lists of one namespace.

    Lists kept in memory cover the places below a base; what was added since is counted from the records' own tokens (the
    tail). A long tail, or a record whose tokens changed, begins anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edition = -1
        self._base = 0
        self._end = 0
        self._tail: dict[str, list[tuple[int, int]]] = {}
        self._kept: OrderedDict[str, Found] = OrderedDict()
        self._size = 0

    def collect(self, db: Database, view: View, terms: list[str]) -> list[Found]:
        """For each term the places that hold it, ascending, and how often."""
        with self._lock:
            if view.edition < self._edition:  # a slow reader with a view from before a change
                return [_read(db, view, term) for term in terms]
            self._follow(db, view)
            return [self._get(db, view, term) for term in terms]

    def _follow(self, db: Database, view: View) -> None:
        if view.edition != self._edition or view.count - self._base > _TAIL:
            self._edition, self._base, self._end = view.edition, view.count, view.count
            self._tail.clear()
            self._kept.clear()
            self._size = 0
        if view.count > self._end:
            added = view.rows[self._end :]
            for row, text in rows(db, _SQL["texts"], (to_json(added.tolist()),)):
                place = self._end + int(np.searchsorted(added, row))
                for term, count in Counter(text.split(" ")).items():
                    self._tail.setdefault(term, []).append((place, count))
            self._end = view.count

    def _get(self, db: Database, view: View, term: str) -> Found:
        kept = self._kept.get(term)
        if kept is None:
            places, occurrences = _read(db, view, term)
            below = int(np.searchsorted(places, self._base))
            self._keep(term, (places[:below], np.minimum(occurrences[:below], 65_535).astype(np.uint16)))
            return places, occurrences
        self._kept.move_to_end(term)
        if view.count < self._end:  # a slow reader with a view from before the last additions
            return _before(view.count, self._with_tail(term, kept))
        return self._with_tail(term, kept)

    def _with_tail(self, term: str, kept: Found) -> Found:
        tail = self._tail.get(term)
        if tail is None:
            return kept
        late = np.array(sorted(tail), dtype=np.int64)
        return np.concatenate([kept[0], late[:, 0]]), np.concatenate([kept[1], late[:, 1]])

    def _keep(self, term: str, entry: Found) -> None:
        self._kept[term] = entry
        self._size += len(entry[0]) + _ENTRY
        while self._size > _KEPT_POSTINGS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped[0]) + _ENTRY


def _before(count: int, found: Found) -> Found:
    seen = int(np.searchsorted(found[0], count))
    return found[0][:seen], found[1][:seen]


def _read(db: Database, view: View, term: str) -> Found:
    documents = as_rows(value(db, _SQL["hits"], (term,)))  # ascending, one entry an occurrence
    starts = np.flatnonzero(np.diff(documents, prepend=-1))
    occurrences = np.diff(starts, append=len(documents))
    places = view.places(documents[starts])
    known = places >= 0
    return places[known], occurrences[known]
