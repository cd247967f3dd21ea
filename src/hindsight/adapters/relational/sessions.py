"""What stands before and after a record in its session."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.cache import Places, View
from hindsight.adapters.relational.filtering import Mask


class SessionOrder:
    """The places of a namespace by (session, position, row).

    A full sort is kept while only few records came since; those few are merged in where their session is asked for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._order: Places = np.empty(0, dtype=np.int64)
        self._sessions: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._sorted = 0
        self._keys: tuple[NDArray[np.int32], NDArray[np.int64]] = (self._sessions, self._order)
        self._version = -1

    def members(self, view: View, sessions: NDArray[np.int64]) -> Places:
        """Places that belong to one of ``sessions``, by (session, position, row)."""
        with self._lock:
            self._bring_up_to(view)
            order, sorted_sessions, count = self._order, self._sessions, self._sorted
        wanted = np.unique(sessions[sessions >= 0]).astype(np.int32)
        starts = np.searchsorted(sorted_sessions, wanted, side="left")
        ends = np.searchsorted(sorted_sessions, wanted, side="right")
        places = order[_ranges(starts, ends)]
        if view.count > count:
            late = count + np.flatnonzero(np.isin(view.column("session")[count:], wanted))
            if len(late):
                places = np.concatenate([places, late])
                places = places[_sorting(view, places)]
        return places

    def _bring_up_to(self, view: View) -> None:
        if view.version == self._version:
            return
        self._version = view.version
        session, position = view.column("session")[: self._sorted], view.column("position")[: self._sorted]
        same = view.count >= self._sorted and np.array_equal(self._keys[0], session) and np.array_equal(self._keys[1], position)
        if same and view.count - self._sorted <= 256 + self._sorted // 10:
            return
        self._order = _sorting(view, np.arange(view.count))
        self._sessions = view.column("session")[self._order]
        self._keys = (view.column("session").copy(), view.column("position").copy())
        self._sorted = view.count


def _sorting(view: View, places: Places) -> Places:
    return np.lexsort((view.rows[places], view.column("position")[places], view.column("session")[places]))


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers of the half-open ranges, one after the other."""
    lengths = ends - starts
    offsets = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return offsets + np.arange(int(lengths.sum()))


def neighbours(view: View, order: SessionOrder, mask: Mask, places: Places, reach: int) -> NDArray[np.int64]:
    """``(n, 2 * reach)`` rows at -reach..-1, 1..reach of each place in its session, -1 for none.

    A place that is itself outside the mask has the neighbours it would have inside.
    """
    result = np.full((len(places), 2 * reach), -1, dtype=np.int64)
    known = np.flatnonzero(places >= 0)
    known = known[view.column("session")[places[known]] >= 0]
    if not len(known):
        return result
    asked = places[known]
    members = order.members(view, view.column("session")[asked].astype(np.int64))
    by_place = np.argsort(members)
    index = by_place[np.searchsorted(members, asked, sorter=by_place)]
    inside = mask[members]
    kept = inside.copy()
    kept[index] = True
    index = np.cumsum(kept)[index] - 1
    members, inside = members[kept], inside[kept]
    sessions = view.column("session")[members]
    # Rank among the visible members: a hidden one takes the rank of the next visible.
    rank: NDArray[np.int64] = np.cumsum(inside) - inside
    visible, visible_sessions = members[inside], sessions[inside]
    hidden = ~inside[index]
    for column, step in enumerate([*range(-reach, 0), *range(1, reach + 1)]):
        target = rank[index] + step - (hidden & (step > 0))
        fits = (target >= 0) & (target < len(visible))
        fits[fits] = visible_sessions[target[fits]] == sessions[index][fits]
        result[known[fits], column] = view.rows[visible[target[fits]]]
    return result


def first_of_each(sessions: NDArray[np.int32], limit: int) -> Mask:
    """Of entries sorted by session, the first ``limit`` of each."""
    if not len(sessions):
        return np.zeros(0, dtype=np.bool_)
    starts = np.flatnonzero(np.diff(sessions, prepend=sessions[0] - 1))
    position = np.arange(len(sessions)) - np.repeat(starts, np.diff(starts, append=len(sessions)))
    return position < limit
