"""A reviewer's decision taken back: the memory, and what the decision changed in others, as they were before; it waits again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from hindsight.errors import InvalidInput
from hindsight.ports import RecordStore, Write
from hindsight.records import Event, Memory, Principal, new_id
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.versions import undo_reason, undone_by, unreadable, without
from hindsight.remember.writer import Writer

_SILENT = frozenset({"used"})
_CAUSED = frozenset({"updated", "superseded"})


async def reopen(store: RecordStore, writer: Writer, memory: Memory, principal: Principal, now: datetime, reason: str | None) -> Memory:
    """Take the decision back that was the last thing that happened to ``memory``.

    Raises:
        InvalidInput: it was no decision, or what it changed is not known any more; nothing was changed.
        VersionConflict: one of the memories changed meanwhile; nothing was changed.
    """
    events = await store.history(memory.id)
    decided = next((event for event in reversed(events) if event.action == "reviewed"), None)
    later = [] if decided is None else [event for event in events if event.seq > decided.seq and event.action not in _SILENT]
    if decided is None or any(event.at != decided.at for event in later):
        raise InvalidInput(f"memory {memory.id}: its last change was no decision of a reviewer; edit it, or see its history.")
    touched = {memory.id: [decided, *later]}
    for event in await store.events(memory.namespace, mentioning=str(memory.id), ids=_named([decided, *later])):
        if event.at == decided.at and event.memory_id != memory.id and event.action in _CAUSED:
            touched.setdefault(event.memory_id, []).append(event)
    writes = []
    for id, caused in touched.items():
        if (write := await _without(store, writer, id, caused, principal, now, reason)) is not None:
            writes.append(write)
    await store.commit(writes)
    return await store.get(memory.id) or memory


def _named(events: Sequence[Event]) -> list[UUID]:
    """The memories that contradicted it before or after these events: a decision changes no others."""
    sides = [side for event in events for side in (event.before, event.after) if side]
    return [UUID(id) for id in dict.fromkeys(str(id) for side in sides for id in side.get("conflicts_with") or ())]


async def _without(
    store: RecordStore, writer: Writer, id: UUID, caused: Sequence[Event], principal: Principal, now: datetime, reason: str | None
) -> Write | None:
    """The write that takes events of a memory away; None where it was erased meanwhile."""
    found, events = await store.get(id), await store.history(id)
    if found is None:
        return None
    if any(unreadable(event) for event in caused):
        raise InvalidInput(f"memory {id}: what was changed is not known any more, since another memory was erased.")
    numbers = {event.seq for event in caused}
    before = without(found, events, undone_by([event for event in events if event.action == "undone"], numbers))
    told = undo_reason(str(new_id()), tuple(sorted(numbers)), reason or "a decision taken back")
    event = event_of("undone", principal, now, reason=told)
    new = before.model_copy(update={"version": found.version + 1, "updated_at": max(now, found.created_at)})
    if new.text() == found.text():
        return Write(memory=new, event=event, expected_version=found.version)
    return build_write(new, (await writer.embed([new.text()]))[0], event, expected_version=found.version)
