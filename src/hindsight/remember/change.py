"""Changing what is stored: update with an optimistic version, archive, erase, restore; and who may see or change what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput, NotFound, VersionConflict
from hindsight.moments import read_moment
from hindsight.ports import Clock, Page, RecordStore
from hindsight.records import CHANNEL_TRUST, LAYER_OF, Channel, Draft, Event, Layer, Memory, Outcome, Status, Visibility
from hindsight.remember.attribute import Attribution, read_draft
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.writer import Writer

CHANGEABLE = tuple(sorted(set(Draft.model_fields) - {"namespace", "agent", "idempotency_key", "debug", "parents"}))

WORDING = ("content", "query", "lesson", "kind", "speaker", "source", "outcome")
"""Fields that say something; the others say how a record is kept and found."""


class Changer:
    """Changes for one caller."""

    def __init__(self, store: RecordStore, writer: Writer, attribution: Attribution, clock: Clock) -> None:
        self._store = store
        self._writer = writer
        self._attribution = attribution
        self._clock = clock

    def moment(self, now: datetime | str | None, *, field: str = "now") -> datetime:
        """The reference time of a call: the one given, else the clock's."""
        return self._clock.now() if now is None else read_moment(now, self._attribution.zone, field=field)[0]

    def may_see(self, memory: Memory) -> bool:
        """Own records, and active shared ones of a namespace that is open to the caller; never quarantined ones."""
        principal = self._attribution.principal
        if not principal.may_use(memory.namespace) or memory.status is Status.QUARANTINED:
            return False
        return memory.agent == principal.agent or (memory.visibility is Visibility.SHARED and memory.status is not Status.PENDING)

    def shown(self, page: Page) -> Page:
        """The page without what this caller may not see; who may review sees what waits for it."""
        if "review" in self._attribution.principal.scopes:
            return page
        return replace(page, items=[memory for memory in page.items if self.may_see(memory)])

    async def visible(self, id: UUID) -> Memory | None:
        """The memory where the caller may see it."""
        memory = await self._store.get(id)
        return memory if memory is not None and self.may_see(memory) else None

    async def history(self, id: UUID) -> list[Event]:
        """Events of a memory that the caller may see, or of one of its own that is gone."""
        events = await self._store.history(id)
        memory = await self._store.get(id)
        principal = self._attribution.principal
        if memory is not None and memory.status is Status.QUARANTINED and memory.agent == principal.agent:
            # That it was taken out of recall, by whom and why, is its owner's to know; its text leaves by no path.
            hidden = [event.model_copy(update={"before": None, "after": None}) for event in events]
            return hidden if principal.may_use(memory.namespace) else []
        mine = bool(events) and principal.may_use(events[0].namespace) and events[0].actor == principal.agent
        allowed = self.may_see(memory) if memory is not None else mine
        if not allowed:
            raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
        return events

    async def update(self, id: UUID, changes: Mapping[str, Any], *, expected_version: int | None, reason: str | None) -> Memory:
        """Change fields; a new text is embedded and indexed anew. An agent's edit never keeps a higher trust than its channel's."""
        unknown = set(changes) - set(CHANGEABLE)
        if unknown:
            raise InvalidInput(f"{', '.join(sorted(unknown))} cannot be changed; these can: {', '.join(CHANGEABLE)}.")
        if not changes:
            raise InvalidInput(f"nothing to change; give at least one of {', '.join(CHANGEABLE)}.")
        old = await self._own(id)
        if expected_version is not None and expected_version != old.version:
            raise VersionConflict(
                f"memory {id} is at version {old.version}, not {expected_version}; read it again, then change it.", current=old.version
            )
        values = {name: getattr(old, name) for name in CHANGEABLE} | {"occurred_precision": old.occurred_precision} | dict(changes)
        if "occurred_at" in changes and "occurred_precision" not in changes:
            values["occurred_precision"] = None
        draft = read_draft({**values, "namespace": old.namespace}, self._attribution)
        principal, now = self._attribution.principal, self._clock.now()
        self._may_reword(old, draft)
        guarded = (await self._writer.guard.examine([draft.model_copy(update={"parents": old.parents})], principal.channel, now))[0]
        draft, verdict = guarded.draft, guarded.verdict
        fields = {name: getattr(draft, name) for name in CHANGEABLE}
        if principal.channel is Channel.USER and _corrects(old, changes):
            fields["outcome"] = Outcome.CORRECTED
        new = old.model_copy(
            update=fields
            | {
                "trust": min(old.trust, guarded.trust),
                "status": old.status if verdict.status is Status.ACTIVE else verdict.status,
                "version": old.version + 1,
                "updated_at": max(now, old.created_at),
            }
        )
        vector = (await self._writer.embed([new.text()]))[0] if new.text() != old.text() else None
        write = build_write(new, vector, event_of("updated", principal, now, reason=verdict.audited(reason)), expected_version=old.version)
        await self._store.commit([write])
        return await self._store.get(id) or new  # with its seal

    async def forget(self, id: UUID, *, mode: Literal["erase", "archive"], reason: str | None) -> bool:
        """Erase for good or archive; False where there is no such memory for this caller."""
        if mode not in ("erase", "archive"):
            raise InvalidInput(f"mode: {mode!r} is not one of erase, archive.")
        memory = await self._store.get(id)
        if memory is None or not (self.may_see(memory) or (mode == "erase" and self._may_discard(memory))):
            return False
        self._may_change(memory)
        if mode == "erase":
            event = event_of("erased", self._attribution.principal, self._clock.now(), reason=reason)
            erased = bool(await self._store.erase([id], event))
            self._writer.forget_texts()
            return erased
        if memory.status is not Status.ARCHIVED:
            await self._set_status(memory, Status.ARCHIVED, "archived", reason)
        return True

    def _may_discard(self, memory: Memory) -> bool:
        """A quarantined record shows its text to nobody, but a person may erase it; an agent might so remove what tells against it."""
        principal = self._attribution.principal
        return memory.status is Status.QUARANTINED and principal.channel is Channel.USER and principal.may_use(memory.namespace)

    async def restore(self, id: UUID) -> Memory:
        """Archived → active; what was never approved waits for a person again."""
        memory = await self._own(id)
        if memory.status is not Status.ARCHIVED:
            raise InvalidInput(f"memory {id} is {memory.status}, not archived; there is nothing to restore.")
        status = self._writer.guard.status_after_archive(memory)
        if status is Status.ACTIVE and await self._waited(id):
            status = Status.PENDING
        return await self._set_status(memory, status, "restored", None)

    async def _waited(self, id: UUID) -> bool:
        """Whether the record waited for review when it was archived: no change of its kind since has decided on it."""
        archived = [event for event in await self._store.history(id) if event.action == "archived" and event.before]
        return bool(archived) and str((archived[-1].before or {}).get("status")) == Status.PENDING

    async def _set_status(self, memory: Memory, status: Status, action: Literal["archived", "restored"], reason: str | None) -> Memory:
        now = self._clock.now()
        new = memory.model_copy(update={"status": status, "version": memory.version + 1, "updated_at": max(now, memory.created_at)})
        event = event_of(action, self._attribution.principal, now, reason=reason)
        await self._store.commit([build_write(new, None, event, expected_version=memory.version)])
        return await self._store.get(memory.id) or new

    async def _own(self, id: UUID) -> Memory:
        memory = await self.visible(id)
        if memory is None:
            raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
        self._may_change(memory)
        return memory

    def _may_reword(self, old: Memory, draft: Draft) -> None:
        """A less trusted channel may not change what a record says; it can say the other thing itself, and both stand as a conflict."""
        channel = self._attribution.principal.channel
        if CHANNEL_TRUST[channel] >= old.trust or all(getattr(old, name) == getattr(draft, name) for name in WORDING):
            return
        raise AccessDenied(
            f"memory {old.id} comes from a more trusted channel than '{channel}'; store the new statement instead: both stand until a person decides."
        )

    def _may_change(self, memory: Memory) -> None:
        principal = self._attribution.principal
        if memory.agent != principal.agent and "admin" not in principal.scopes:
            raise AccessDenied(f"memory {memory.id} belongs to the agent {memory.agent!r}; only that agent or an admin may change it.")


def _corrects(old: Memory, changes: Mapping[str, Any]) -> bool:
    """Whether a person's change puts right what another channel told of a task."""
    told = old.channel is not Channel.USER and LAYER_OF[old.kind] in (Layer.EPISODIC, Layer.PROCEDURAL)
    return told and bool({"content", "lesson"} & set(changes)) and "outcome" not in changes
