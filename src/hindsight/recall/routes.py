"""Second stage: candidates from several routes, each with its own limit, the filter applied inside every one.

First the routes that need only the query (vector, keyword, graph, lessons). Then, around what they found, the neighbourhood:
turns beside the best hits, members of the best sessions or days; and what lies in the time asked for. All are reads of the store
one after another, so that they run on one snapshot without leaving its thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from hindsight.errors import IndexUnavailable
from hindsight.ports import Columns, RecordStore, Rows, Scored
from hindsight.recall.evidence import REACH, QueryVectors, Range
from hindsight.recall.features import standardiser
from hindsight.recall.understand import Understood
from hindsight.records import Filter
from hindsight.text.tokens import query_tokens

Floats = NDArray[np.float32]

_DAY = 86_400.0
_GROUPS = 3
"""Members of so many best sessions, or days, become candidates."""
_MAX_RANGES = 6
_COARSE = timedelta(days=200)
"""A longer range tells too little to look for what lies in it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates each route may give. ``beside``: how many of the best have their neighbours looked at."""

    vector: int = 80
    keyword: int = 70
    graph: int = 40
    lessons: int = 10
    time: int = 160
    beside: int = 40
    members: int = 90
    hops: int = 2


@dataclass(slots=True)
class Candidates:
    """What each route found, as it comes, so that a timeout keeps what is there. ``ranges``: the time asked for, in Unix seconds."""

    found: dict[str, Scored] = field(default_factory=dict)
    ranges: tuple[Range, ...] = ()

    def rows(self) -> Rows:
        """Every row found, ascending, none twice."""
        arrays = [scored.rows for scored in self.found.values()]
        return np.unique(np.concatenate(arrays)) if arrays else np.empty(0, dtype=np.int64)

    def rows_of(self, route: str) -> Rows:
        """What one route found; nothing where it did not run."""
        return self.found[route].rows if route in self.found else np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Routing:
    """What every route is given; ``failed`` names what turned out not to answer, which is then asked no more."""

    store: RecordStore
    filter: Filter
    query: Understood
    vectors: QueryVectors | None
    enabled: Sequence[str]
    limits: Limits
    failed: list[str] = field(default_factory=list)


async def run_routes(routing: Routing, candidates: Candidates) -> None:
    """Run the enabled routes and put what each finds into ``candidates``."""
    await _first_wave(routing, candidates)
    rows = candidates.rows()
    timed = "time" in routing.enabled and bool(routing.query.times or routing.query.anchored)
    if not len(rows) and not timed:
        return
    columns = await routing.store.columns(routing.filter, rows)
    base = _base(candidates, rows)
    if timed:
        candidates.ranges = (*resolve_ranges(routing.query, columns), *await _from_events(routing))[:_MAX_RANGES]
        candidates.found["time"] = await _in_time(routing, candidates.ranges)
    if "neighbourhood" in routing.enabled and len(rows):
        candidates.found["neighbourhood"] = await _neighbourhood(routing, rows, base, columns)


async def _first_wave(routing: Routing, candidates: Candidates) -> None:
    store, filter, query, limits = routing.store, routing.filter, routing.query, routing.limits
    found = candidates.found
    if "vector" in routing.enabled and (nearest := await _nearest(routing, filter, limits.vector)) is not None:
        found["vector"] = nearest
    if "keyword" in routing.enabled and query.terms:
        found["keyword"] = await store.search_terms(filter, [*query.terms, *query.said], limit=limits.keyword)
    if "graph" in routing.enabled and query.entities:
        names = [entity.norm for entity in query.entities]
        found["graph"] = await store.search_entities(filter, names, hops=limits.hops, limit=limits.graph)
    if "lessons" in routing.enabled and query.terms and filter.avoid is None:
        found["lessons"] = await store.search_terms(filter.model_copy(update={"avoid": True}), query.terms, limit=limits.lessons)


async def _nearest(routing: Routing, filter: Filter, limit: int) -> Scored | None:
    """The nearest by vector; None where the query has none, or the index of vectors does not answer."""
    if routing.vectors is None or "vector" in routing.failed:
        return None
    try:
        return await routing.store.search_vector(filter, routing.vectors.adapted, limit=limit, centre=False)
    except IndexUnavailable:
        routing.failed.append("vector")
        return None


def _base(candidates: Candidates, rows: Rows) -> Floats:
    """A first mixed match from what the vector and keyword routes said, for choosing sessions and days."""
    total = np.zeros(len(rows), dtype=np.float32)
    for name, weight in (("vector", 1.0), ("keyword", 0.8)):
        if name in candidates.found and len(candidates.found[name].rows):
            scores = scores_of(candidates.found[name], rows, missing=float(candidates.found[name].scores.min()))
            total += np.float32(weight) * standardiser(scores)(scores)
    return total


def scores_of(scored: Scored, rows: Rows, *, missing: float) -> Floats:
    """The route's scores of ``rows`` (ascending), ``missing`` for those that it did not find."""
    result = np.full(len(rows), missing, dtype=np.float32)
    if len(rows):
        places = np.minimum(np.searchsorted(rows, scored.rows), len(rows) - 1)
        known = rows[places] == scored.rows
        result[places[known]] = scored.scores[known]
    return result


async def _neighbourhood(routing: Routing, rows: Rows, base: Floats, columns: Columns) -> Scored:
    """Turns beside the best, the best sessions' members, and for what has no session the records of the best days."""
    limits = routing.limits
    best = np.argsort(-base, kind="stable")
    sessions = _best_groups(columns.session, base, best)
    days = np.floor(np.nan_to_num(columns.occurred, nan=-_DAY) / _DAY).astype(np.int64)
    parts: list[Rows] = [await _beside(routing, rows[best[: limits.beside]])]
    if len(sessions):
        parts.append(await routing.store.session_rows(routing.filter, sessions, limit=limits.members))
    if np.mean(columns.session >= 0) <= 0.5:
        parts.extend([await _day(routing, int(day)) for day in _best_groups(days, base, best).tolist()])
    found = np.unique(np.concatenate(parts))
    fresh = found[~np.isin(found, rows)]
    return Scored(fresh, np.ones(len(fresh), dtype=np.float32))


def _best_groups(codes: NDArray[np.int64], base: Floats, best: NDArray[np.int64]) -> NDArray[np.int64]:
    """The groups (codes from 0 up) with the best of the 60 best rows: by their best and the mean of their best three."""
    chosen = best[:60]
    chosen = chosen[codes[chosen] >= 0]
    groups, member = np.unique(codes[chosen], return_inverse=True)
    if not len(groups):
        return groups
    # ``chosen`` is best first, so the first three of a group are its best.
    order = np.argsort(member, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(member))[:-1]))
    within = np.empty(len(chosen), dtype=np.int64)
    within[order] = np.arange(len(chosen)) - starts[member[order]]
    top = np.bincount(member, weights=np.where(within < 3, base[chosen], 0.0)) / 3
    strength = base[chosen[order[starts]]] + 0.3 * top
    return groups[np.argsort(-strength, kind="stable")[:_GROUPS]]


async def _beside(routing: Routing, rows: Rows) -> Rows:
    beside = await routing.store.neighbours(routing.filter, rows, reach=REACH)
    return beside[beside >= 0]


async def _day(routing: Routing, day: int) -> Rows:
    """The records of a day that match best."""
    start = datetime.fromtimestamp(day * _DAY, UTC)
    filter, end = _between(routing.filter, start, start + timedelta(days=1)), start + timedelta(days=1)
    found = await _nearest(routing, filter, routing.limits.members)
    if found is None:
        found = await routing.store.search_time(filter, start, end, limit=routing.limits.members)
    return found.rows


async def _in_time(routing: Routing, ranges: Sequence[Range]) -> Scored:
    """What matches best among the events in the ranges asked for; events near them where none lies inside."""
    if not ranges:
        return Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    spans = [(datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC)) for start, end in ranges]
    narrow = [span for span in spans if span[1] - span[0] <= _COARSE][:_MAX_RANGES]
    each = max(20, routing.limits.time // max(len(narrow), 1))
    found = [await _within(routing, start, end, each) for start, end in narrow]
    rows = np.unique(np.concatenate([*found, np.empty(0, dtype=np.int64)]))
    if not len(rows):
        return await routing.store.search_time(routing.filter, *spans[0], limit=each // 2)
    return Scored(rows, np.ones(len(rows), dtype=np.float32))


async def _within(routing: Routing, start: datetime, end: datetime, limit: int) -> Rows:
    """The best ``limit`` rows in [start, end), half by vector and half by keyword; any, where neither finds so many."""
    filter = _between(routing.filter, start, end)
    found: list[Rows] = []
    if routing.query.terms:
        terms = [*routing.query.terms, *routing.query.said]
        found.append((await routing.store.search_terms(filter, terms, limit=limit // 2)).rows)
    if (nearest := await _nearest(routing, filter, limit // 2)) is not None:
        found.append(nearest.rows)
    if sum(map(len, found)) < limit // 2:
        found.append((await routing.store.search_time(filter, start, end, limit=limit // 2)).rows)
    return np.unique(np.concatenate([*found, np.empty(0, dtype=np.int64)]))


async def _from_events(routing: Routing) -> list[Range]:
    """The times that the query counts from an event ("the week before the trip"), the event being what matches its name best."""
    ranges = []
    for anchored in routing.query.anchored[:_MAX_RANGES]:
        found = await routing.store.search_terms(routing.filter, query_tokens(anchored.anchor), limit=1)
        moments = (await routing.store.columns(routing.filter, found.rows)).occurred
        if not len(moments) or np.isnan(moments[0]):
            continue
        day = datetime.fromtimestamp(float(moments[0]), UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        time = anchored.resolve(day, day + timedelta(days=1))
        if time is not None:
            ranges.append((time.start.timestamp(), time.end.timestamp()))
    return ranges


def resolve_ranges(query: Understood, columns: Columns) -> tuple[Range, ...]:
    """The times that the query names, in Unix seconds. What names no year is also tried in each year that the candidates
    span, where the year it was read in has none: "in June" of an old conversation is not this June.
    """
    moments = columns.occurred[~np.isnan(columns.occurred)]
    ranges: dict[Range, None] = {}
    for time, dateless in zip(query.times, query.dateless, strict=True):
        own = (time.start.timestamp(), time.end.timestamp())
        shifts = [own]
        if dateless and len(moments) and not (moments.min() < own[1] and own[0] <= moments.max()):
            shifts = [moved for moved in _in_years(time.start, time.end, moments) if moved is not None] or shifts
        ranges.update(dict.fromkeys(shifts))
    return tuple(ranges)[:_MAX_RANGES]


def _in_years(start: datetime, end: datetime, moments: NDArray[np.float64]) -> list[Range | None]:
    first, last = (datetime.fromtimestamp(float(edge), UTC).year for edge in (moments.min(), moments.max()))
    return [_moved(start, end, year) for year in range(last, first - 1, -1)][:3]


def _moved(start: datetime, end: datetime, year: int) -> Range | None:
    try:
        moved = start.replace(year=year)
    except ValueError:  # 29 February
        return None
    return (moved.timestamp(), (moved + (end - start)).timestamp())


def _between(filter: Filter, start: datetime, end: datetime) -> Filter:
    return filter.model_copy(update={"since": _later(filter.since, start), "until": _earlier(filter.until, end)})


def _later(first: datetime | None, second: datetime) -> datetime:
    return second if first is None else max(first, second)


def _earlier(first: datetime | None, second: datetime) -> datetime:
    return second if first is None else min(first, second)
