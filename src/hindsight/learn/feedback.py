"""How recalled memories proved themselves: judgements of callers, and credit for tasks that went well with them.

Votes never touch trust, which is the channel's and a person's matter. They move a memory's usefulness
(:func:`hindsight.recall.score.usefulness`), by which recall ranks it; what harms again and again comes before a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from hindsight.errors import InvalidInput, NotFound, VersionConflict
from hindsight.ports import Clock, LearningStore, RecordStore, RetrievalRow, Vote, Write
from hindsight.recall.score import usefulness
from hindsight.records import CHANNEL_TRUST, Channel, Memory, Status
from hindsight.remember.attribute import Attribution
from hindsight.remember.commit import event_of
from hindsight.telemetry import counts

Verdict = Literal["helpful", "harmful", "unused"]
VERDICTS: tuple[Verdict, ...] = ("helpful", "harmful", "unused")
HARMFUL_FOR_REVIEW = 2
"""So many harmful votes, and a usefulness below :data:`DOUBTED`, bring a memory before a person."""
DOUBTED = 0.85
_ATTEMPTS = 10


def is_doubted(memory: Memory) -> bool:
    """Whether its votes say that a person should look at it."""
    return memory.harmful >= HARMFUL_FOR_REVIEW and usefulness(memory.helpful, memory.harmful) < DOUBTED


class Feedback:
    """Votes of one caller."""

    def __init__(self, store: RecordStore, learning: LearningStore, attribution: Attribution, clock: Clock) -> None:
        self._store = store
        self._learning = learning
        self._attribution = attribution
        self._clock = clock

    async def give(self, retrieval: UUID, verdict: str, ids: Sequence[UUID] = ()) -> list[UUID]:
        """Judge what a retrieval showed (all of it, or ``ids``); the memories whose counters changed.

        A second judgement of the same memory in the same retrieval replaces the first.

        Raises:
            NotFound: there is no such retrieval of this caller in the log.
            InvalidInput: the verdict is unknown, or a memory was not shown.
        """
        if verdict not in VERDICTS:
            raise InvalidInput(f"verdict: {verdict!r} is not one of {', '.join(VERDICTS)}.")
        row = await self.retrieval(retrieval)
        strange = [id for id in ids if id not in row.shown]
        if strange:
            raise InvalidInput(f"ids: retrieval {retrieval} did not show {', '.join(map(str, strange[:3]))}; judge what it showed.")
        judged = list(dict.fromkeys(ids or row.shown))
        counts().judged(verdict, len(judged))
        return await self._judge(row, next(each for each in VERDICTS if each == verdict), judged)

    async def retrieval(self, id: UUID) -> RetrievalRow:
        """A retrieval of this caller, as it was logged; ``NotFound`` where there is none."""
        row = await self._store.retrieval(id)
        principal = self._attribution.principal
        if row is None or row.agent != principal.agent or not principal.may_use(row.namespace):
            raise NotFound(f"there is no retrieval {id} of this caller; its id stands in the answer of memory_retrieve (`id`).")
        return row

    async def retrievals(self, namespace: str | None, *, limit: int) -> list[RetrievalRow]:
        """Logged retrievals of this caller, newest first."""
        chosen = self._attribution.namespace_for(namespace)
        return await self._learning.latest_retrievals(chosen, self._attribution.principal.agent, limit=limit)

    async def credit(self, namespace: str, session_id: str) -> list[UUID]:
        """A task went well: what was recalled into its session, and nobody judged, helped. Each memory is credited once."""
        credited: list[UUID] = []
        for row in reversed(await self._learning.retrievals_of(namespace, self._attribution.principal.agent, session_id)):
            judged = {vote.memory_id for vote in await self._learning.votes(row.id)}
            fresh = [id for id in row.shown if id not in judged and id not in credited]
            credited += [*fresh, *judged]
            await self._judge(row, "helpful", fresh)
        return credited

    async def _judge(self, row: RetrievalRow, verdict: Verdict, ids: Sequence[UUID]) -> list[UUID]:
        standing = {vote.memory_id: vote for vote in await self._learning.votes(row.id)} if ids else {}
        changed = []
        for id in ids:
            before = standing.get(id)
            memory = await self._store.get(id)
            if memory is None or (before is not None and before.verdict == verdict):
                continue
            counted = await self._may_blame(memory, row.id) if verdict == "harmful" else verdict == "helpful" and self._may_praise(memory)
            now = self._clock.now()
            await self._learning.vote(Vote(row.id, id, self._attribution.principal.agent, verdict, counted), now)
            if await self._count(memory, before if before is not None and before.counted else None, verdict if counted else None, now):
                changed.append(id)
        return changed

    async def _may_blame(self, memory: Memory, retrieval: UUID) -> bool:
        """Blame of what a more trusted channel said counts once for each agent: no one sinks another's memory by repeating itself."""
        principal = self._attribution.principal
        if CHANNEL_TRUST[principal.channel] >= memory.trust:
            return True
        return not await self._learning.blamed(memory.id, principal.agent, retrieval)

    def _may_praise(self, memory: Memory) -> bool:
        """An agent's praise of its own memory undoes harm, but lifts nothing above where it began."""
        principal = self._attribution.principal
        own = memory.agent == principal.agent and principal.channel is not Channel.USER
        return not own or usefulness(memory.helpful + 1, memory.harmful) <= 1.0

    async def _count(self, memory: Memory, before: Vote | None, verdict: Verdict | None, now: datetime) -> bool:
        """Move the counters from one verdict to the other; False where nothing moves or the memory is gone."""
        if before is None and verdict is None:
            return False
        for _ in range(_ATTEMPTS):
            helpful = memory.helpful + (verdict == "helpful") - (before is not None and before.verdict == "helpful")
            harmful = memory.harmful + (verdict == "harmful") - (before is not None and before.verdict == "harmful")
            new = memory.model_copy(
                update={
                    "helpful": max(0, helpful),
                    "harmful": max(0, harmful),
                    "use_count": memory.use_count + (before is None),
                    "last_used_at": now,
                    "version": memory.version + 1,
                    "updated_at": max(now, memory.created_at),
                }
            )
            event = event_of("used", self._attribution.principal, now, reason=verdict)
            try:
                await self._store.commit([Write(memory=new, event=event, expected_version=memory.version)])
            except VersionConflict:
                fresh = await self._store.get(memory.id)
                if fresh is None or fresh.status is Status.QUARANTINED:
                    return False
                memory = fresh
            else:
                return True
        raise VersionConflict(f"memory {memory.id} keeps changing; give the feedback again.", current=memory.version)
