"""Undo: what an agent, session, source or memory did is taken back, with all that grew from it; nothing else is lost.

A record that would not be there is quarantined, one that was changed gets the values that it would have without those changes.
Nothing is deleted: the undo is an event of each memory that it touches, and can be undone itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput, NotFound, VersionConflict
from hindsight.moments import read_moment
from hindsight.ports import Clock, RecordStore, Write
from hindsight.records import Channel, Event, Memory, Source, Status, new_id
from hindsight.remember.attribute import Attribution
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.versions import by_memory, undo_reason, undone_by, unreadable, without
from hindsight.remember.writer import Writer

ATTEMPTS = 5
Effect = Literal["withdrawn", "descendant", "restored", "unchanged"]
"""``withdrawn``: it would not be there, so it is quarantined; ``descendant``: quarantined because it was made of one that is withdrawn
or was changed; ``restored``: it gets other values; ``unchanged``: later changes hide what is undone."""
_ELSEWHERE = "it lies in the namespace {!r}; undo it there, by its id"
_BY_SYSTEM = re.compile(r"(?:^|\s)(?:by|in conflict with|supersedes) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|,)")


@dataclass(frozen=True, slots=True)
class Selection:
    """What to undo; everything given must fit. At least one of the first five is needed.

    ``source``: a channel (``document``), ``inferred`` or ``observed``, or the name of a document. ``undo``: an earlier undo.
    """

    agent: str | None = None
    session: str | None = None
    source: str | None = None
    memory: UUID | None = None
    undo: UUID | None = None
    since: datetime | str | None = None

    def told(self) -> str:
        """The selection in words."""
        given = {name: getattr(self, name) for name in ("agent", "session", "source", "memory", "undo", "since")}
        return ", ".join(f"{name} {value}" for name, value in given.items() if value is not None)


@dataclass(frozen=True, slots=True)
class UndoneMemory:
    """What an undo does to one memory."""

    effect: Effect
    before: Memory
    after: Memory
    events: tuple[int, ...]

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return self.before.id


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did, or with ``dry_run`` would do. ``lost`` are (memory, why) that cannot be taken back."""

    id: UUID
    dry_run: bool
    namespace: str
    items: tuple[UndoneMemory, ...]
    lost: tuple[tuple[UUID, str], ...]


class Undoer:
    """Undoes for one caller, who must be an admin."""

    def __init__(self, store: RecordStore, writer: Writer, attribution: Attribution, clock: Clock) -> None:
        self._store = store
        self._writer = writer
        self._attribution = attribution
        self._clock = clock

    async def undo(self, selection: Selection, *, namespace: str | None, dry_run: bool, reason: str | None) -> UndoReport:
        """Undo, or tell what it would be.

        Raises:
            AccessDenied: the caller is no admin, or the namespace is not open to it.
            InvalidInput: nothing is selected.
            NotFound: there is nothing that fits.
            VersionConflict: records changed under it in every attempt; nothing was undone.
        """
        if "admin" not in self._attribution.principal.scopes:
            raise AccessDenied("only a caller with the scope 'admin' may undo.")
        if not any((selection.agent, selection.session, selection.source, selection.memory, selection.undo)):
            raise InvalidInput("say what to undo: an agent, a session, a source, a memory, or an earlier undo.")
        pool = self._attribution.namespace_for(namespace)
        attempt = 1
        while True:
            report = await self._plan(selection, pool, dry_run=dry_run)
            if not report.items and not report.lost:
                raise NotFound(f"there is nothing to undo in the namespace {pool!r} for {selection.told()}.")
            if dry_run:
                return report
            try:
                await self._write(report, selection, reason)
            except VersionConflict:
                if attempt == ATTEMPTS:
                    raise
                attempt += 1
            else:
                return report

    async def _plan(self, selection: Selection, namespace: str, *, dry_run: bool) -> UndoReport:
        undone = [event for event in await self._store.events(namespace, mentioning="undo ") if event.action == "undone"]
        standing = undone_by(undone)
        chosen = [event for event in await self._chosen(selection, namespace, undone) if event.seq not in standing]
        descendants: set[UUID] = set()
        if selection.undo is None:
            chosen, descendants = await self._with_consequences(namespace, chosen, standing)
        numbers = {event.seq for event in chosen}
        nullified = undone_by(undone, numbers)
        touched = by_memory(await self._store.events(namespace, ids=list(dict.fromkeys(event.memory_id for event in chosen))))
        items: list[UndoneMemory] = []
        lost = [(event.memory_id, _ELSEWHERE.format(event.namespace)) for event in chosen if event.namespace != namespace]
        for id, events in touched.items():
            memory = await self._store.get(id)
            mine = {event.seq for event in events} & numbers
            if memory is None or memory.namespace != namespace:
                lost.append((id, "it was erased; nothing of it can come back"))
                continue
            if any(unreadable(event) for event in events if event.seq in mine):
                lost.append((id, "what was changed is not known any more: its texts went when another memory was erased"))
            after = without(memory, events, nullified)
            if selection.undo is None and memory.status is Status.QUARANTINED:
                after = after.model_copy(update={"status": Status.QUARANTINED})  # nothing comes back because of another undo
            items.append(UndoneMemory(_effect(memory, after, events, mine, descendants), memory, after, tuple(sorted(mine))))
        return UndoReport(new_id(int(self._clock.now().timestamp() * 1000)), dry_run, namespace, tuple(items), tuple(lost))

    async def _chosen(self, selection: Selection, namespace: str, undone: Sequence[Event]) -> list[Event]:
        """The events that the selection names, in order."""
        if selection.undo is not None:
            return [event for event in undone if (event.reason or "").startswith(f"undo {selection.undo} ")]
        since = read_moment(selection.since, self._attribution.zone, field="since")[0] if selection.since is not None else None
        ids = [selection.memory] if selection.memory is not None else None
        events = await self._store.events(namespace, actor=selection.agent, session_id=selection.session, after=since, ids=ids)
        if selection.source is not None:
            events = await self._from_source(selection.source, namespace, events)
        return [event for event in events if event.action != "undone"]

    async def _from_source(self, source: str, namespace: str, events: Sequence[Event]) -> list[Event]:
        if source in set(Channel):
            return [event for event in events if event.channel == source]
        fitting = set()
        async for memory in self._store.export(namespace):
            documents = {ref.document for ref in memory.refs}
            if memory.source == source if source in set(Source) else source in documents:
                fitting.add(memory.id)
        return [event for event in events if event.memory_id in fitting]

    async def _with_consequences(self, namespace: str, chosen: Sequence[Event], standing: set[int]) -> tuple[list[Event], set[UUID]]:
        """The chosen events and those that followed from them, in order, and the memories that grew from them."""
        found = {event.seq: event for event in chosen}
        descendants: set[UUID] = set()
        followed = _caused(await self._store.events(namespace, mentioning="-"))
        # From which event on a memory is not to be trusted: what was made of it before that stands.
        tainted = {event.memory_id: event.seq for event in reversed(chosen) if event.action != "erased"}
        created = {event.memory_id: event for event in chosen if event.action == "created"}
        queue = list(tainted)
        while queue:
            children = await self._store.children(queue)
            births = await self._births([child for each in children.values() for child in each])
            fresh: list[UUID] = []
            for parent, named in children.items():
                for child in named:
                    birth = births.get(child)
                    if birth is None or birth.seq < tainted[parent] or birth.seq in standing or tainted.get(child) == birth.seq:
                        continue
                    descendants.add(child)
                    created[child] = birth
                    tainted[child] = birth.seq
                    found[birth.seq] = birth
                    fresh.append(child)
            queue = fresh
        for id, birth in created.items():
            found |= {event.seq: event for event in followed.get(id, []) if event.at == birth.at and event.seq not in standing}
        return [found[seq] for seq in sorted(found)], descendants

    async def _births(self, ids: Sequence[UUID]) -> dict[UUID, Event]:
        """The events by which memories came to be."""
        found: dict[UUID, Event] = {}
        for id in dict.fromkeys(ids):
            found.update((id, event) for event in await self._store.history(id) if event.action == "created")
        return found

    async def _write(self, report: UndoReport, selection: Selection, reason: str | None) -> None:
        """All in one transaction."""
        principal, now = self._attribution.principal, self._clock.now()
        changed = [item for item in report.items if item.after.text() != item.before.text()]
        vectors = dict(zip((item.id for item in changed), await self._writer.embed([item.after.text() for item in changed]), strict=True))
        why = f"{selection.told()}; {reason}" if reason else selection.told()
        writes = []
        for item in report.items:
            stamp = {"version": item.before.version + 1, "updated_at": max(now, item.before.created_at)}
            event = event_of("undone", principal, now, reason=undo_reason(str(report.id), item.events, why))
            memory = item.after.model_copy(update=stamp)
            if item.id in vectors:
                writes.append(build_write(memory, vectors[item.id], event, expected_version=item.before.version))
            else:
                writes.append(Write(memory=memory, event=event, expected_version=item.before.version))
        await self._store.commit(writes)


def _effect(before: Memory, after: Memory, events: Sequence[Event], mine: set[int], descendants: set[UUID]) -> Effect:
    if any(event.action == "created" and event.seq in mine for event in events):
        return "descendant" if before.id in descendants else "withdrawn"
    return "restored" if after != before else "unchanged"


def _caused(events: Sequence[Event]) -> dict[UUID, list[Event]]:
    """Events that the store itself made because of another memory, by that memory."""
    found: dict[UUID, list[Event]] = {}
    for event in events:
        if event.action in ("superseded", "updated", "archived"):
            for id in _BY_SYSTEM.findall(event.reason or ""):
                found.setdefault(UUID(id), []).append(event)
    return found
