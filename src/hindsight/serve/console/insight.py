"""The page of insights: what recall finds and how fast, how the store grows, where tasks fail, and which memories earn their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.records import Layer, Status
from hindsight.serve.console.charts import Chart, lying, stacked
from hindsight.serve.console.rendering import page
from hindsight.serve.console.words import language_of, value, word
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.learn.patterns import Patterns
    from hindsight.memory import Hindsight
    from hindsight.ports import RetrievalRow
    from hindsight.records import Memory

WEEKS = 12
READ_MEMORIES = 2_000
READ_RETRIEVALS = 1_000
_LISTED = 10
_SLOW = 0.95


@dataclass(frozen=True, slots=True)
class Recalled:
    """Numbers of logged retrievals. ``hit_rate``: the share that showed something; times are milliseconds, stages slowest first."""

    number: int
    hit_rate: float
    empty_rate: float
    median_ms: float
    slow_ms: float
    stages: tuple[tuple[str, float, float], ...]


def insight(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""

    async def overview(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        namespace = request.query_params.get("namespace", "").strip() or None
        language = language_of(request)
        logged = await memory.retrievals(namespace=namespace, limit=READ_RETRIEVALS)
        memories = await _newest(memory, namespace)
        patterns = await memory.patterns(namespace=namespace, limit=_LISTED)
        say, named = partial(word, language=language), partial(value, language=language)
        figures = recalled(logged)
        charts = {
            "latency": lying([(name, typical) for name, typical, _ in figures.stages], say("median_ms"), unit=" ms"),
            "growth": growth(memories, zone=memory.zone, named=named),
            "outcomes": outcomes(patterns, say("succeeded"), named("failure")),
        }
        return page(
            request,
            "insight",
            zone=memory.zone,
            figures=figures,
            charts=charts,
            patterns=patterns,
            most=most_shown(memories, logged),
            never=[(each, None) for each in never_shown(memories, logged)],
            lessons=lessons(memories, logged, patterns),
            read=(len(memories), len(logged)),
            full=(len(memories) >= READ_MEMORIES, len(logged) >= READ_RETRIEVALS),
            namespace=namespace or memory.namespace,
        )

    return [Route("/insight", overview)]


def recalled(logged: Sequence[RetrievalRow]) -> Recalled:
    """What the log of retrievals says; zeros where it is empty."""
    if not logged:
        return Recalled(0, 0.0, 0.0, 0.0, 0.0, ())
    hits = sum(bool(row.shown) for row in logged) / len(logged)
    took = sorted(row.took_ms for row in logged)
    by_stage: dict[str, list[float]] = {}
    for row in logged:
        for name, each in dict(row.detail.get("timings_ms", {})).items():
            by_stage.setdefault(str(name), []).append(float(each))
    stages = sorted(
        ((name, median(each), _slowest(sorted(each))) for name, each in by_stage.items()), key=lambda stage: (-stage[1], stage[0])
    )
    return Recalled(len(logged), hits, 1 - hits, median(took), _slowest(took), tuple(stages))


def growth(memories: Sequence[Memory], *, zone: Any, named: Any) -> Chart:
    """New memories of each of the last weeks, by layer; a week begins on its Monday."""
    counts: Counter[tuple[date, Layer]] = Counter()
    for each in memories:
        counts[_monday(each.created_at.astimezone(zone).date()), each.layer] += 1
    last = max((week for week, _ in counts), default=None)
    weeks = [last - timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)] if last is not None else []
    return stacked([f"{week:%m-%d}" for week in weeks], [(named(layer), [counts[week, layer] for week in weeks]) for layer in Layer])


def outcomes(patterns: Patterns, succeeded: str, failed: str) -> Chart:
    """How tasks of each span of time ended."""
    spans = patterns.trend
    series = [(succeeded, [each.runs - each.failures for each in spans]), (failed, [each.failures for each in spans])]
    return stacked([each.begins[5:10] for each in spans], series)


def most_shown(memories: Sequence[Memory], logged: Sequence[RetrievalRow]) -> list[tuple[Memory, int]]:
    """The memories that retrievals showed most, with how often."""
    counts = _shown(logged)
    found = [(each, counts[each.id]) for each in memories if counts[each.id]]
    return sorted(found, key=lambda pair: (-pair[1], str(pair[0].id)))[:_LISTED]


def never_shown(memories: Sequence[Memory], logged: Sequence[RetrievalRow]) -> list[Memory]:
    """Active memories that no retrieval showed, the oldest first."""
    counts = _shown(logged)
    found = [each for each in memories if each.status == Status.ACTIVE and not counts[each.id] and not each.use_count]
    return sorted(found, key=lambda each: (each.created_at, str(each.id)))[:_LISTED]


def lessons(memories: Sequence[Memory], logged: Sequence[RetrievalRow], patterns: Patterns) -> list[tuple[Memory, int, int]]:
    """Lessons with how often they were shown and in how many failed tasks all the same, the most shown first."""
    counts, failed = _shown(logged), {use.id: use.failed for use in patterns.shown_and_failed}
    found = [(each, counts[each.id], failed.get(str(each.id), 0)) for each in memories if each.lesson is not None]
    return sorted(found, key=lambda row: (-row[1], -row[2], str(row[0].id)))[:_LISTED]


def _shown(logged: Sequence[RetrievalRow]) -> Counter[UUID]:
    return Counter(id for row in logged for id in row.shown)


async def _newest(memory: Hindsight, namespace: str | None) -> list[Memory]:
    """The newest memories that the caller may see but quarantined ones, at most ``READ_MEMORIES``."""
    statuses = (Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)
    return list((await memory.list(namespace=namespace, limit=READ_MEMORIES, status=statuses)).items)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _slowest(ordered: Sequence[float]) -> float:
    """The 95th percentile of numbers in order."""
    return ordered[min(int(len(ordered) * _SLOW), len(ordered) - 1)]
