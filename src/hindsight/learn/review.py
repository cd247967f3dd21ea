"""What waits for a person: pending rules, quarantined memories, conflicts, memories that harmed. Agents decide on nothing here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput, NotFound, VersionConflict
from hindsight.learn.candidates import digest
from hindsight.learn.conflicts import Conflict, Conflicts
from hindsight.learn.feedback import HARMFUL_FOR_REVIEW, is_doubted
from hindsight.learn.reopening import reopen
from hindsight.learn.stated import stated_lessons
from hindsight.ports import Clock, Decision, LearningStore, RecordStore, Write
from hindsight.records import LAYER_OF, Channel, Kind, Layer, Memory, Status, Visibility
from hindsight.remember.attribute import Attribution, read_draft
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.writer import Writer
from hindsight.text.fold import fold

Why = Literal["pending", "quarantined", "conflict", "harmful"]
POSTPONED_DAYS = 7


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to decide.

    Args:
        memory: the record.
        why: what brought it here.
        grounds: what a mined candidate rests on (:class:`hindsight.learn.candidates.Grounds` as JSON); empty for others.
        conflicts: the records that it contradicts.
        decisions: what was decided on it before.
    """

    memory: Memory
    why: Why
    grounds: dict[str, Any] = field(default_factory=dict)
    conflicts: tuple[Memory, ...] = ()
    decisions: tuple[Decision, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "why": self.why,
            "memory": self.memory.model_dump(mode="json"),
            "grounds": self.grounds,
            "conflicts": [{"id": str(each.id), "content": each.content, "priority": each.priority} for each in self.conflicts],
            "decisions": [
                {"decision": each.decision, "actor": each.actor, "at": each.at.isoformat(), "reason": each.reason}
                for each in self.decisions
            ],
        }


class Reviews:
    """The queue and its decisions, for one caller, who must be a person with the scope ``review``."""

    def __init__(self, store: RecordStore, learning: LearningStore, writer: Writer, attribution: Attribution, clock: Clock) -> None:
        self._store = store
        self._learning = learning
        self._writer = writer
        self._attribution = attribution
        self._clock = clock
        self._conflicts = Conflicts(store)

    async def queue(self, namespace: str | None = None, *, limit: int = 100) -> list[ReviewItem]:
        """What waits, the oldest first: pending, quarantined, then conflicts, then memories that harmed.

        Raises:
            AccessDenied: the caller may not review.
        """
        chosen, now = self._reviewer(namespace), self._clock.now()
        waiting = await self._not_refused(chosen, await self._learning.awaiting(chosen, now, limit=limit))
        found: list[tuple[Memory, Why]] = [(memory, "pending" if memory.status is Status.PENDING else "quarantined") for memory in waiting]
        found += [(memory, "conflict") for memory in await self._learning.in_conflict(chosen, limit=limit)]
        doubted = await self._learning.doubted(chosen, now, harmful=HARMFUL_FOR_REVIEW, limit=limit)
        found += [(memory, "harmful") for memory in doubted if is_doubted(memory)]
        grounds = await self._learning.grounds([memory.id for memory, _ in found])
        items = []
        for memory, why in found[:limit]:
            decisions = tuple(await self._learning.decisions(memory.id))
            if why == "conflict" and _postponed(decisions, now):
                continue
            others = [other for id in memory.conflicts_with if (other := await self._store.get(id)) is not None]
            items.append(ReviewItem(memory, why, grounds.get(memory.id, {}), tuple(others), decisions))
        return items

    async def _not_refused(self, namespace: str, waiting: list[Memory]) -> list[Memory]:
        """Without what says the same as something that was rejected: it stays inactive, and nobody is asked again."""
        said = {memory.id: said_signature(memory.content) for memory in waiting if memory.status is Status.PENDING}
        refused = await self._learning.rejected(namespace, list(set(said.values()))) if said else set()
        return [memory for memory in waiting if said.get(memory.id) not in refused]

    async def approve(
        self,
        id: UUID,
        *,
        content: str | None = None,
        priority: int | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Make a memory active with full trust; of a conflict, the one that holds: what contradicts it is superseded.

        ``content`` words it anew, ``priority`` says what comes first where two contradict each other.
        """
        memory = await self._item(id, expected_version)
        principal, now = self._attribution.principal, self._clock.now()
        if memory.status is Status.ACTIVE and not memory.conflicts_with and not memory.harmful:
            raise InvalidInput(f"memory {id} is active, in no conflict and not known to harm; there is nothing to approve.")
        changes: dict[str, Any] = {"status": Status.ACTIVE, "trust": 1.0, "conflicts_with": ()}
        if priority is not None:
            changes["priority"] = priority
        if content is not None:
            changes |= _reworded(content)
        checked = read_draft(
            {"content": changes.get("content", memory.content), "namespace": memory.namespace, "priority": changes.get("priority", 0)},
            self._attribution,
        )
        if content is not None:
            changes["content"] = checked.content
        approved = memory.model_copy(update={**changes, "version": memory.version + 1, "updated_at": max(now, memory.created_at)})
        await self._commit(memory, approved, f"approved: {reason}" if reason else "approved", now)
        await self._decide(memory, "approved", now, reason)
        await self._conflicts.clear(memory, principal, now, status=Status.SUPERSEDED)
        if LAYER_OF[approved.kind] is Layer.SEMANTIC:
            await self._conflicts.check(approved, principal, now)
        return await self._store.get(id) or approved

    async def reject(self, id: UUID, *, reason: str, expected_version: int | None = None) -> Memory:
        """Put a memory away for good, and do not propose it again; an approval takes that back.

        It is quarantined, not archived: what was archived can be recalled.
        """
        if not reason.strip():
            raise InvalidInput("reason: say why; it is remembered, so that the next reviewer knows.")
        memory = await self._item(id, expected_version)
        principal, now = self._attribution.principal, self._clock.now()
        # First the decision: a record that is not quarantined yet stays in the queue, one that nobody decided on would come again.
        await self._decide(memory, "rejected", now, reason)
        rejected = memory.model_copy(
            update={
                "status": Status.QUARANTINED,
                "conflicts_with": (),
                "version": memory.version + 1,
                "updated_at": max(now, memory.created_at),
            }
        )
        await self._commit(memory, rejected, f"rejected: {reason}", now)
        await self._conflicts.clear(memory, principal, now)
        return rejected

    async def postpone(self, id: UUID, *, days: float = POSTPONED_DAYS, reason: str | None = None) -> datetime:
        """Leave it as it stands and ask again later; when."""
        if not 0 < days <= 3_650:
            raise InvalidInput(f"days: {days} is not a number of days from just above 0 to 3,650.")
        memory = await self._item(id, None)
        now = self._clock.now()
        until = now + timedelta(days=days)
        await self._decide(memory, "postponed", now, reason, until)
        return until

    async def reopen(self, id: UUID, *, reason: str | None = None) -> Memory:
        """Take the last approval or rejection back: the memory, and what contradicts it, are as before, and it waits again.

        Raises:
            InvalidInput: its last change was no such decision.
        """
        namespace = self._reviewer(None)
        memory = await self._store.get(id)
        principal, now = self._attribution.principal, self._clock.now()
        if memory is None or not principal.may_use(memory.namespace):
            raise NotFound(f"there is no memory {id} in {namespace!r} on which something was decided.")
        if not await self._learning.decisions(id):
            raise InvalidInput(f"memory {id}: nothing was decided on it.")
        reopened = await reopen(self._store, self._writer, memory, principal, now, reason)
        await self._decide(reopened, "postponed", now, reason or "the decision before was taken back", now)
        return reopened

    async def scan(self, namespace: str | None = None) -> list[Conflict]:
        """Look for contradictions in the whole pool and file them."""
        return await self._conflicts.scan(self._reviewer(namespace), self._attribution.principal, self._clock.now())

    def _reviewer(self, namespace: str | None) -> str:
        principal = self._attribution.principal
        if principal.channel is not Channel.USER or "review" not in principal.scopes:
            raise AccessDenied(
                f"a person with the scope review decides here, not {principal.agent!r} over the channel '{principal.channel}'; "
                "use `hindsight review`, or a token with that scope."
            )
        return self._attribution.namespace_for(namespace)

    async def _item(self, id: UUID, expected_version: int | None) -> Memory:
        self._reviewer(None)
        memory = await self._store.get(id)
        principal = self._attribution.principal
        private = memory is not None and memory.status is Status.ACTIVE and memory.visibility is Visibility.PRIVATE
        if memory is None or not principal.may_use(memory.namespace) or (private and not self._concerns(memory)):
            raise NotFound(f"there is nothing to review with the id {id}; `hindsight review` lists what waits.")
        if memory.status not in (Status.PENDING, Status.QUARANTINED, Status.ACTIVE):
            raise InvalidInput(f"memory {id} is {memory.status}; only what is pending, quarantined or active is reviewed.")
        if expected_version is not None and expected_version != memory.version:
            raise VersionConflict(
                f"memory {id} is at version {memory.version}, not {expected_version}: it changed since it was shown; look at it again.",
                current=memory.version,
            )
        return memory

    def _concerns(self, memory: Memory) -> bool:
        """Whether an active private memory is the reviewer's business: a rule, their own, in a conflict, or known to harm."""
        own = memory.agent == self._attribution.principal.agent
        return memory.kind is Kind.RULE or own or bool(memory.conflicts_with) or memory.harmful > 0

    async def _commit(self, old: Memory, new: Memory, reason: str, now: datetime) -> None:
        event = event_of("reviewed", self._attribution.principal, now, reason=reason)
        if new.text() == old.text():
            write = Write(memory=new, event=event, expected_version=old.version)
        else:
            vector = (await self._writer.embed([new.text()]))[0]
            write = build_write(new, vector, event, expected_version=old.version)
        await self._store.commit([write])

    async def _decide(
        self,
        memory: Memory,
        decision: Literal["approved", "rejected", "postponed"],
        now: datetime,
        reason: str | None,
        until: datetime | None = None,
    ) -> None:
        signature = await signature_of(self._learning, memory)
        actor = self._attribution.principal.agent
        await self._learning.decide(Decision(memory.id, memory.namespace, decision, signature, actor, now, reason, until))


async def signature_of(learning: LearningStore, memory: Memory) -> str:
    """What a rejection is remembered by: a candidate's own signature, for others what they say."""
    grounds = (await learning.grounds([memory.id])).get(memory.id)
    return digest(str(grounds["signature"])) if grounds else said_signature(memory.content)


def said_signature(content: str) -> str:
    """The signature of a statement that was not mined."""
    return digest(f"said\x1f{fold(content)}")


def _postponed(decisions: tuple[Decision, ...], now: datetime) -> bool:
    last = decisions[-1] if decisions else None
    return last is not None and last.decision == "postponed" and last.until is not None and last.until > now


def _reworded(content: str) -> dict[str, Any]:
    """New words have a new structure: the lesson that they state, or none."""
    lessons = stated_lessons(content)
    return {"content": content, "lesson": lessons[0] if lessons else None}
