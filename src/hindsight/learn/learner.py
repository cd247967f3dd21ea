"""What happens when a task ends, beyond its episode: lessons, and credit for what was recalled."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hindsight.errors import VersionConflict
from hindsight.learn.episodes import runs_of
from hindsight.learn.feedback import Feedback
from hindsight.learn.lessons import ORDER_TAG, contrast, lessons_of, refuted
from hindsight.ports import Clock, LearningStore, RecordStore, Write
from hindsight.records import Filter, Kind, Outcome, Source, Status
from hindsight.remember.attribute import Attribution, validated
from hindsight.remember.commit import event_of
from hindsight.remember.task import TaskReport
from hindsight.remember.triggers import TaskKept, TaskTrigger
from hindsight.remember.writer import Writer

_LOG = logging.getLogger(__name__)
EARLIER = 50
"""So many earlier episodes are looked at: for tools that are known, and to compare with a task that succeeded."""
KEPT = (Status.ACTIVE, Status.PENDING)
"""Also an episode whose text waits for review tells which tools were called and how it ended."""


class TaskLearner(TaskTrigger):
    """Keeps the episode of a task, and what the task teaches."""

    def __init__(self, store: RecordStore, writer: Writer, learning: LearningStore, clock: Clock) -> None:
        super().__init__(store, writer)
        self._learning = learning
        self._clock = clock

    async def finished(self, report: TaskReport | Mapping[str, Any], attribution: Attribution, *, namespace: str | None = None) -> TaskKept:
        """As :meth:`TaskTrigger.finished`; lessons that the task teaches are stored, and what helped it is credited."""
        given = report if isinstance(report, TaskReport) else validated(TaskReport, report, "task: ")
        kept = await super().finished(given, attribution, namespace=namespace)
        chosen = attribution.namespace_for(namespace)
        own = Filter(namespace=chosen, agent=attribution.principal.agent, scope="own", kinds=(Kind.EPISODE,), statuses=KEPT)
        drafts = lessons_of(given, await self._known_tools(own) if given.error or any(call.error for call in given.calls) else ())
        if given.outcome is Outcome.SUCCESS and given.task_type is not None:
            filter = own.model_copy(update={"task_types": (given.task_type,)})
            earlier = runs_of((await self._store.list(filter, limit=EARLIER)).items)
            found = contrast(given, earlier)
            drafts += [found] if found is not None else []
            await self._retire_refuted(given, filter.model_copy(update={"kinds": (Kind.PROCEDURE,), "tags": (ORDER_TAG,)}), attribution)
        if given.outcome is Outcome.SUCCESS and given.session_id is not None:
            await Feedback(self._store, self._learning, attribution, self._clock).credit(chosen, given.session_id)
        if not drafts:
            return kept
        # What was learnt may be learnt again in every task: known lessons are told by their keys, and stay as they are.
        placed = [draft.model_copy(update={"namespace": chosen}) for draft in drafts]
        learned = await self._writer.store(placed, attribution, verbatim=False)
        return replace(kept, learned=tuple(learned))

    async def _known_tools(self, own: Filter) -> set[str]:
        """The tools of the agent's last episodes."""
        return {tool for episode in (await self._store.list(own, limit=EARLIER)).items for tool in episode.tools}

    async def _retire_refuted(self, report: TaskReport, filter: Filter, attribution: Attribution) -> None:
        """A task that succeeded without the steps that an inferred lesson demands shows that the lesson was wrong."""
        succeeded = [call.tool for call in report.calls if not call.error]
        now = self._clock.now()
        for lesson in (await self._store.list(filter, limit=EARLIER)).items:
            if lesson.source is Source.OBSERVED or not refuted(lesson.tools, succeeded):
                continue
            if any(event.action == "reviewed" for event in await self._store.history(lesson.id)):
                continue  # a person decided on it; the next reflection shows the evidence against it
            changes = {
                "status": Status.SUPERSEDED,
                "valid_to": now,
                "version": lesson.version + 1,
                "updated_at": max(now, lesson.created_at),
            }
            event = event_of("superseded", attribution.principal, now, reason="a task succeeded without the steps that it demands")
            try:
                await self._store.commit([Write(memory=lesson.model_copy(update=changes), event=event, expected_version=lesson.version)])
            except VersionConflict:
                _LOG.info("lesson_changed_meanwhile", extra={"lesson": str(lesson.id)})
