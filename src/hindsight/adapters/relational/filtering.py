"""A filter becomes a mask over the columns of a namespace: who may see, what is asked for, what is valid now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.attributes import enum_code
from hindsight.adapters.relational.cache import View
from hindsight.adapters.relational.codes import codes_with_member, codes_with_prefix, find_code
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, value
from hindsight.adapters.relational.recent import Recent
from hindsight.records import LAYER_OF, Filter, Status, Visibility, utc
from hindsight.text.fold import fold

Mask = NDArray[np.bool_]
_SQL = load("graph.sql")
_KEPT = 16
_APPROVED = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED})


class _Kept(NamedTuple):
    """A mask, and the version and the moments (from, until) that it is right for."""

    version: int
    since: float
    until: float
    mask: Mask

    def serves(self, view: View, moment: float) -> bool:
        return self.version == view.version and self.since <= moment < self.until


class Masks:
    """The last few masks of a namespace: one retrieval asks many times with the same filter."""

    def __init__(self) -> None:
        self._kept: Recent[Filter, _Kept] = Recent(_KEPT)
        self._last: tuple[Filter, _Kept] | None = None

    def get(self, db: Database, view: View, filter: Filter, now: datetime) -> Mask:
        """The mask of ``filter``; ``now`` is the time where the filter names none."""
        moment = utc(filter.now or now).timestamp()
        last = self._last
        if last is not None and last[0] is filter and last[1].serves(view, moment):  # the same object need not be hashed
            return last[1].mask
        # Each retrieval has its own present, which seldom makes a difference.
        asked = filter if filter.now is None else filter.model_copy(update={"now": None})
        kept = self._kept.get(asked)
        if kept is None or not kept.serves(view, moment):
            kept = _Kept(view.version, moment, _next_change(view, moment), build_mask(db, view, asked, moment))
            if view.behind:
                return kept.mask
            self._kept.put(asked, kept)
        self._last = (filter, kept)
        return kept.mask


def build_mask(db: Database, view: View, filter: Filter, now: float) -> Mask:
    """Which places pass the filter at ``now`` (Unix seconds)."""
    mask = view.live & _visible(db, view, filter)
    for name, wanted in (
        ("kind", filter.kinds),
        ("kind", tuple(kind for kind, layer in LAYER_OF.items() if layer in filter.layers)),
        ("outcome", filter.outcomes),
        ("source", filter.sources),
        ("channel", filter.channels),
    ):
        if wanted:
            mask &= _one_of(view.column(name), [enum_code(name, each) for each in wanted])
    _by_text(db, view, filter, mask)
    if filter.avoid is not None:
        mask &= view.column("avoid") == filter.avoid
    _by_time(view, filter, now, mask)
    return mask


def _visible(db: Database, view: View, filter: Filter) -> Mask:
    """Own records of the asked statuses, and shared ones of others that were approved."""
    statuses = set(filter.statuses) | ({Status.SUPERSEDED} if filter.at is not None else set())
    own: Mask = view.column("agent") == find_code(db, "agent", filter.agent)
    shared: Mask = view.column("visibility") == enum_code("visibility", Visibility.SHARED)
    status = view.column("status")
    asked = _one_of(status, [enum_code("status", each) for each in statuses])
    if filter.scope == "own":
        return own & asked
    shared &= asked & approved(view)
    return shared if filter.scope == "shared" else (own & asked) | shared


def approved(view: View) -> Mask:
    """Records that neither await review nor are quarantined."""
    return _one_of(view.column("status"), [enum_code("status", each) for each in _APPROVED])


def _by_text(db: Database, view: View, filter: Filter, mask: Mask) -> None:
    if filter.task_types:
        mask &= _one_of(view.column("task_type"), [find_code(db, "task_type", each) for each in filter.task_types])
    if filter.session_id is not None:
        mask &= view.column("session") == _known(find_code(db, "session", filter.session_id))
    if filter.speaker is not None:
        mask &= view.column("speaker") == _known(find_code(db, "speaker", fold(filter.speaker)))
    if filter.key_prefix:
        mask &= _one_of(view.column("key"), codes_with_prefix(db, "key", filter.key_prefix).tolist())
    if filter.tags:
        mask &= _one_of(view.column("tags"), _with_any(db, "tags", filter.tags))
    if filter.tools:
        mask &= _one_of(view.column("tools"), _tool_codes(db, filter))
    if filter.entities:
        mask &= _mentions(db, view, filter.entities)


def _by_time(view: View, filter: Filter, now: float, mask: Mask) -> None:
    # Comparisons with NaN (no such time) are false, which is what is wanted everywhere here.
    mask &= ~(view.column("expires") <= now)
    at = now if filter.at is None else utc(filter.at).timestamp()
    mask &= ~(view.column("valid_from") > at)
    mask &= ~(view.column("valid_to") <= at)
    if filter.since is not None:
        since = utc(filter.since).timestamp()
        mask &= (event_start(view) >= since) | (view.column("ends") > since)
    if filter.until is not None:
        mask &= event_start(view) < utc(filter.until).timestamp()


def event_start(view: View) -> NDArray[np.float64]:
    """When it happened, or, where unknown, was written."""
    occurred = view.column("occurred")
    return np.where(np.isnan(occurred), view.column("created"), occurred)


def _next_change(view: View, now: float) -> float:
    """When the passing of time alone changes what is valid or expired."""
    later = [column[column > now].min(initial=np.inf) for column in map(view.column, ("expires", "valid_from", "valid_to"))]
    return float(min(later))


def _tool_codes(db: Database, filter: Filter) -> list[int]:
    if filter.tools_match == "chain":
        return [find_code(db, "tools", to_json(filter.tools))]
    if filter.tools_match == "any":
        return _with_any(db, "tools", filter.tools)
    sets = [set(codes_with_member(db, "tools", tool).tolist()) for tool in set(filter.tools)]
    return sorted(set.intersection(*sets))


def _with_any(db: Database, field: str, members: Iterable[str]) -> list[int]:
    return sorted({code for member in members for code in codes_with_member(db, field, member).tolist()})


def _mentions(db: Database, view: View, names: Sequence[str]) -> Mask:
    mask = np.zeros(view.count, dtype=np.bool_)
    for name in names:
        places = view.places(as_rows(value(db, _SQL["rows_of_name"], (view.code, fold(name)))))
        mask[places[places >= 0]] = True
    return mask


def as_rows(joined: str | None) -> NDArray[np.int64]:
    """Rows from SQL's ``group_concat``: one text is much cheaper to read than one tuple a row."""
    return np.fromstring(joined, dtype=np.int64, sep=",") if joined else np.empty(0, dtype=np.int64)


def _one_of(column: NDArray[np.signedinteger], codes: Sequence[int]) -> Mask:
    """Where the column holds one of ``codes``; -1 (unknown, none) never counts as a match."""
    wanted = [code for code in codes if code >= 0]
    if column.dtype.itemsize == 1 and len(wanted) > 1:  # a table of 256 entries beats a search
        table = np.zeros(256, dtype=np.bool_)
        table[wanted] = True
        mask: Mask = table[column.view(np.uint8)]
    elif len(wanted) == 1:
        mask = column == wanted[0]
    else:
        mask = np.isin(column, np.asarray(wanted, dtype=column.dtype))
    return mask


def _known(code: int) -> int:
    """A code that matches nothing where the value is unknown: -1 would match records without any."""
    return code if code >= 0 else -2
