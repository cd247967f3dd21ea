"""Which records hold a term, and how often: read from FTS5 once, then kept while records are only added."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.filtering import as_rows
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value

_SQL = load("terms.sql")
_TAIL = 2_000
_KEPT_POSTINGS = 1_500_000
"""Postings (5 or 6 bytes each) that one namespace may keep in memory, or so many a record:"""
_KEPT_A_RECORD = 32
_ENTRY = 64
_NOWHERE: Places = np.empty(0, dtype=np.int64)
_COUNTS = 100_000
"""Terms whose numbers of documents are kept."""
_ESTIMATED = 5_000
"""The number of documents of a term that is held more often is estimated, where the engine counts by visiting each and knows about how many."""


class Found(NamedTuple):
    """The places that hold a term, ascending, and how often each, up to 65,535."""

    places: NDArray[np.int32]
    occurrences: NDArray[np.unsignedinteger]

    def at(self, places: Places) -> NDArray[np.unsignedinteger]:
        """How often each of ``places`` holds the term."""
        if not len(self.places):
            return np.zeros(len(places), dtype=np.uint8)
        found = np.minimum(np.searchsorted(self.places, places.astype(np.int32)), len(self.places) - 1)
        return np.where(self.places[found] == places, self.occurrences[found], 0)


class Postings:
    """The posting lists of one namespace.

    Lists kept in memory cover the places below a base; what was added since is counted from the records' own tokens (the
    tail). A long tail is appended to them. Where a record's tokens changed or it was erased, its place leaves every list and joins those of the
    tokens that it has now; where many did at once, all begins anew. Of a term that more than ``most`` records hold only so many are read,
    each time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._edition = -1
        self._retold = 0
        self._base = 0
        self._end = 0
        self._tail: dict[str, list[tuple[int, int]]] = {}
        self._kept: OrderedDict[str, Found] = OrderedDict()
        self._size = 0
        self._counts: dict[str, int] = {}
        self._estimates: dict[str, int] | None = None

    def collect(self, db: Database, view: View, terms: Sequence[str], reading: Sequence[bool]) -> list[Found | None]:
        """For each term the places that hold it; None where ``reading`` says not to read them and they are not in memory."""
        with self._lock:
            if self._ahead_of(view):
                return [_read(db, view, term, self._most) if read else None for term, read in zip(terms, reading, strict=True)]
            self._follow(db, view)
            wanted = (read or term in self._kept for term, read in zip(terms, reading, strict=True))
            return [self._get(db, view, term) if want else None for term, want in zip(terms, wanted, strict=True)]

    def held(self, db: Database, view: View, terms: Sequence[str]) -> NDArray[np.int64]:
        """How many documents hold each term, without reading which."""
        with self._lock:
            if self._ahead_of(view):
                return np.array([_count(db, term) for term in terms], dtype=np.int64)
            self._follow(db, view)
            return np.array([self._held(db, view, term) for term in terms], dtype=np.int64)

    def _ahead_of(self, view: View) -> bool:
        """Whether this is a slow reader: with a view from before a change, or in a transaction that does not see all of its view."""
        return view.behind or view.edition < self._edition or (view.edition == self._edition and len(view.retold) < self._retold)

    def _follow(self, db: Database, view: View) -> None:
        retold = np.unique(np.concatenate([*view.retold[self._retold :], _NOWHERE])) if view.edition == self._edition else _NOWHERE
        self._retold = len(view.retold)
        if view.edition != self._edition or len(retold) > _TAIL:
            self._edition, self._base, self._end = view.edition, view.count, view.count
            self._tail.clear()
            self._kept.clear()
            self._counts.clear()
            self._estimates = None
            self._size = 0
        elif len(retold := retold[retold < self._end]):
            self._append_tail()
            self._reword(db, view, retold)
        for place, term, count in _tokens(db, view, np.arange(self._end, view.count)):
            self._tail.setdefault(term, []).append((place, count))
        self._end = view.count
        if self._end - self._base > _TAIL:
            self._append_tail()

    def _append_tail(self) -> None:
        for term in self._tail.keys() & self._kept.keys():
            longer = self._with_tail(term, self._kept[term])
            self._size += len(longer.places) - len(self._kept[term].places)
            self._kept[term] = longer
        for term in self._tail.keys() & self._counts.keys():
            self._counts[term] += len(self._tail[term])
        self._tail.clear()
        self._base = self._end

    def _reword(self, db: Database, view: View, places: Places) -> None:
        """Take records out of all lists, and in again with the tokens they have now."""
        joining: dict[str, list[tuple[int, int]]] = {}
        for place, term, count in _tokens(db, view, places[view.live[places]]):
            joining.setdefault(term, []).append((place, count))
        gone = places.astype(np.int32)
        for term, kept in self._kept.items():
            self._kept[term] = _replaced(kept, gone, joining.get(term, ()))
        self._size = sum(len(kept.places) + _ENTRY for kept in self._kept.values())
        self._counts.clear()

    def _get(self, db: Database, view: View, term: str) -> Found:
        kept = self._kept.get(term)
        if kept is None:
            found = _read(db, view, term, self._most)
            # Else not all of them, or by a slow reader, to whom some below are not there yet.
            if view.count >= self._base and len(found.places) < self._most:
                self._keep(view, term, _before(self._base, found))
            return found
        self._kept.move_to_end(term)
        if view.count < self._end:  # a slow reader with a view from before the last additions
            return _before(view.count, self._with_tail(term, kept))
        return self._with_tail(term, kept)

    def _held(self, db: Database, view: View, term: str) -> int:
        late = sum(place < view.count for place, _ in self._tail.get(term, ()))
        below = self._counts.get(term)
        if below is not None and view.count >= self._base:
            return below + late
        if self._estimates is None:
            self._estimates = dict(rows(db, _SQL["estimates"], {"prefix": f"{view.code}:", "least": _ESTIMATED}))
        estimated = self._estimates.get(term)
        count = _count(db, term) if estimated is None else min(estimated, view.count)
        if view.count >= self._base:
            if len(self._counts) >= _COUNTS:
                self._counts.clear()
            self._counts[term] = count - late
        return count

    def _with_tail(self, term: str, kept: Found) -> Found:
        tail = self._tail.get(term)
        if tail is None:
            return kept
        late = np.array(sorted(tail), dtype=np.int64)
        return Found(np.concatenate([kept.places, late[:, 0].astype(np.int32)]), np.concatenate([kept.occurrences, _small(late[:, 1])]))

    def _keep(self, view: View, term: str, entry: Found) -> None:
        self._kept[term] = entry
        self._size += len(entry.places) + _ENTRY
        while self._size > max(_KEPT_POSTINGS, _KEPT_A_RECORD * view.count) and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped.places) + _ENTRY


def _tokens(db: Database, view: View, places: Places) -> Iterator[tuple[int, str, int]]:
    """The place, each term and how often it stands there, of the records at ``places`` (ascending)."""
    if len(places):
        wanted = view.rows[places]
        for row, text in rows(db, _SQL["texts"], (to_json(wanted.tolist()),)):
            place = int(places[np.searchsorted(wanted, row)])
            yield from ((place, term, count) for term, count in Counter(text.split(" ")).items())


def _replaced(kept: Found, gone: NDArray[np.int32], joining: Sequence[tuple[int, int]]) -> Found:
    """A list without the places ``gone``, with those ``joining``."""
    if len(kept.places):
        near = np.minimum(np.searchsorted(kept.places, gone), len(kept.places) - 1)
        held = near[kept.places[near] == gone]
        if len(held):
            kept = Found(np.delete(kept.places, held), np.delete(kept.occurrences, held))
    if joining:
        late = np.array(joining, dtype=np.int64)
        places = np.concatenate([kept.places, late[:, 0].astype(np.int32)])
        order = np.argsort(places, kind="stable")
        return Found(places[order], np.concatenate([kept.occurrences, _small(late[:, 1])])[order])
    return kept


def _before(count: int, found: Found) -> Found:
    seen = int(np.searchsorted(found.places, count))
    return Found(found.places[:seen], found.occurrences[:seen])


def _count(db: Database, term: str) -> int:
    return int(value(db, _SQL["frequency"], (term,)) or 0)


def _read(db: Database, view: View, term: str, most: int) -> Found:
    documents = as_rows(value(db, _SQL["hits"], {"term": term, "most": most}))  # ascending, one entry an occurrence
    starts = np.flatnonzero(np.diff(documents, prepend=-1))
    occurrences = np.diff(starts, append=len(documents))
    places = view.places(documents[starts])
    known = places >= 0
    return Found(places[known].astype(np.int32), _small(occurrences[known]))


def _small(occurrences: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    few: type[np.unsignedinteger] = np.uint8 if occurrences.max(initial=0) < 256 else np.uint16
    small: NDArray[np.unsignedinteger] = np.minimum(occurrences, 65_535).astype(few)
    return small
