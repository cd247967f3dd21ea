"""Where the agent fails: by task type, tool and error, over time; which lessons were shown in vain or never; and what to do about it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Literal

from hindsight.learn.episodes import Run, run_of
from hindsight.learn.learner import KEPT
from hindsight.ports import Clock, LearningStore, RecordStore
from hindsight.records import Filter, Kind, Memory, Status
from hindsight.remember.attribute import Attribution

Remedy = Literal["review_rule", "loosen_filter", "ingest_document", "reflect"]
PERIODS = 8
MOST = 5_000
_LEAST_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """Failures of one kind. ``runs`` counts all ended tasks of the type that used the tool; ``remedy`` is what to do next and why."""

    task_type: str | None
    tool: str | None
    error: str | None
    failures: int
    runs: int
    rate: float
    remedy: Remedy
    advice: str


@dataclass(frozen=True, slots=True)
class Period:
    """Ended tasks of one span of time; ``begins`` is an ISO date."""

    begins: str
    runs: int
    failures: int


@dataclass(frozen=True, slots=True)
class LessonUse:
    """A lesson, how often it was shown, and how often the task failed all the same."""

    id: str
    text: str
    shown: int
    failed: int


@dataclass(frozen=True, slots=True)
class Patterns:
    """What the episodes of a caller show."""

    runs: int
    failures: int
    cells: tuple[Cell, ...]
    trend: tuple[Period, ...]
    shown_and_failed: tuple[LessonUse, ...]
    never_shown: tuple[LessonUse, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


class PatternFinder:
    """Looks through the episodes that a caller may see."""

    def __init__(self, store: RecordStore, learning: LearningStore, attribution: Attribution, clock: Clock) -> None:
        self._store = store
        self._learning = learning
        self._attribution = attribution
        self._clock = clock

    async def find(self, *, namespace: str | None = None, limit: int = 20) -> Patterns:
        """The most frequent kinds of failure, the newest episodes counted (at most ``MOST``)."""
        chosen = self._attribution.namespace_for(namespace)
        agent = self._attribution.principal.agent
        base = Filter(namespace=chosen, agent=agent, now=self._clock.now())
        episodes = (await self._store.list(base.model_copy(update={"kinds": (Kind.EPISODE,), "statuses": KEPT}), limit=MOST)).items
        pairs = [(memory, run) for memory in episodes if (run := run_of(memory)) is not None]
        lessons = await self._lessons(base)
        waiting = (await self._store.list(base.model_copy(update={"kinds": (Kind.RULE,), "statuses": (Status.PENDING,)}), limit=MOST)).items
        shown = await self._learning.times_shown([lesson.id for lesson in lessons]) if lessons else {}
        failed = await self._shown_in_failures(chosen, agent, pairs)
        uses = [LessonUse(str(each.id), each.content, shown.get(each.id, 0), failed[str(each.id)]) for each in lessons]
        runs = [run for _, run in pairs]
        return Patterns(
            runs=len(runs),
            failures=sum(run.failed for run in runs),
            cells=tuple(_cells(runs, lessons, waiting, {use.id: use.shown for use in uses})[:limit]),
            trend=_trend(pairs),
            shown_and_failed=tuple(sorted((use for use in uses if use.failed), key=lambda use: -use.failed)[:limit]),
            never_shown=tuple([use for use in uses if not use.shown][:limit]),
        )

    async def _lessons(self, base: Filter) -> list[Memory]:
        found = await self._store.list(base.model_copy(update={"kinds": (Kind.RULE, Kind.PROCEDURE)}), limit=MOST)
        return [memory for memory in found.items if memory.lesson is not None]

    async def _shown_in_failures(self, namespace: str, agent: str, pairs: Sequence[tuple[Memory, Run]]) -> Counter[str]:
        """How many failed tasks had each memory recalled into their session."""
        counts: Counter[str] = Counter()
        for memory, run in pairs:
            if run.failed and memory.session_id is not None and memory.agent == agent:
                rows = await self._learning.retrievals_of(namespace, agent, memory.session_id)
                counts.update({str(id) for row in rows for id in row.shown})
        return counts


def _cells(runs: Sequence[Run], lessons: Sequence[Memory], waiting: Sequence[Memory], shown: dict[str, int]) -> list[Cell]:
    counts: Counter[tuple[str | None, str | None, str | None]] = Counter(
        (run.task_type, run.failing, run.error) for run in runs if run.failed
    )
    totals: Counter[tuple[str | None, str | None]] = Counter()
    for run in runs:
        totals.update((run.task_type, tool) for tool in {None, *run.tools})
    cells = []
    for (task_type, tool, error), failures in counts.items():
        if failures < _LEAST_FAILURES:
            continue
        total = totals[task_type, tool]
        remedy, advice = _remedy(task_type, tool, lessons, waiting, shown)
        cells.append(Cell(task_type, tool, error, failures, total, round(failures / total, 4), remedy, advice))
    return sorted(cells, key=lambda cell: (-cell.failures, -cell.rate, str(cell.task_type), str(cell.tool), str(cell.error)))


def _remedy(
    task_type: str | None, tool: str | None, lessons: Sequence[Memory], waiting: Sequence[Memory], shown: dict[str, int]
) -> tuple[Remedy, str]:
    """What would help most: decide on a rule that waits, let a lesson through, learn about the tool, or reflect."""
    rule = next((each for each in waiting if _about(each, task_type, tool)), None)
    if rule is not None:
        return "review_rule", f"a rule about it waits for review: hindsight review approve {rule.id}"
    own = [each for each in lessons if _about(each, task_type, tool)]
    hidden = next((each for each in own if not shown.get(str(each.id))), None)
    if hidden is not None:
        return "loosen_filter", f"the lesson {hidden.id} was never recalled: retrieve with fewer filters or a lower min_relevance"
    if tool is not None:
        return "ingest_document", f"import a document that describes {tool}: hindsight import FILE"
    return "reflect", "look for the cause: hindsight review reflect"


def _about(memory: Memory, task_type: str | None, tool: str | None) -> bool:
    if tool is not None:
        return bool(memory.tools) and memory.tools[-1] == tool
    return task_type is not None and memory.task_type == task_type


def _trend(pairs: Sequence[tuple[Memory, Run]]) -> tuple[Period, ...]:
    """Equal spans from the first to the last task, at least a day each."""
    if not pairs:
        return ()
    times = [memory.event_time for memory, _ in pairs]
    begin = min(times).replace(hour=0, minute=0, second=0, microsecond=0)
    span = max(timedelta(days=1), timedelta(days=-(-((max(times) - begin).days + 1) // PERIODS)))
    counted: dict[int, list[Run]] = defaultdict(list)
    for memory, run in pairs:
        counted[int((memory.event_time - begin) / span)].append(run)
    return tuple(
        Period((begin + number * span).date().isoformat(), len(counted[number]), sum(run.failed for run in counted[number]))
        for number in range(max(counted) + 1)
    )
