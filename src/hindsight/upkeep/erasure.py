"""Forgetting for real: everything that is kept of some memories, or of a person, wherever it lies, with evidence that it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput
from hindsight.ports import Trace
from hindsight.records import Channel, Filter, Kind, Memory, Status
from hindsight.remember.attribute import Attribution
from hindsight.remember.commit import event_of
from hindsight.scratch import clear_scratch
from hindsight.text.fold import fold
from hindsight.text.standing import stands
from hindsight.upkeep.backups import Backup, holding
from hindsight.upkeep.digest import digest_key
from hindsight.upkeep.run import UpkeepTools

PAGE = 500
TOGETHER = 200
OWN_MAKERS = ("digest-", "consolidate-")
"""What upkeep made of a memory goes with it; what others made of it is named in the evidence."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget; everything given must fit. ``words`` name a person: each name, address or number under which they are known."""

    ids: tuple[UUID, ...] = ()
    agent: str | None = None
    words: tuple[str, ...] = ()
    filter: Filter | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """One memory of the evidence; never its text. ``where``: ``store``, ``cold`` or ``store and cold``."""

    id: UUID
    kind: str
    agent: str
    created: datetime
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was removed, what is left, and which backups may hold it until when.

    Args:
        namespace: of everything named here.
        at: when it was done, or looked at.
        dry_run: nothing was removed; the report tells what would be.
        memories: what was removed.
        removed: numbers by what was removed beside: cold segments written anew, turns, logged queries, jobs, sessions, history texts.
        left: what a search of every table, index and the cold store still finds of it, and files of the cold store that could not be
            searched; empty after a complete removal.
        derived: memories that others made of these and that were kept: look at them.
        backups: each backup that may hold some of it, with the day on which it goes.
    """

    namespace: str
    at: datetime
    dry_run: bool
    memories: tuple[Forgotten, ...]
    removed: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    derived: tuple[UUID, ...] = ()
    backups: tuple[Backup, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs and files."""
        return {
            "namespace": self.namespace,
            "at": self.at.isoformat(),
            "dry_run": self.dry_run,
            "memories": [
                {
                    "id": str(each.id),
                    "kind": each.kind,
                    "agent": each.agent,
                    "created": each.created.isoformat(),
                    "where": each.where,
                    "why": each.why,
                }
                for each in self.memories
            ],
            "removed": self.removed,
            "left": self.left,
            "derived": [str(id) for id in self.derived],
            "backups": [
                {"id": each.id, "address": each.address, "created": each.created.isoformat(), "expires": each.expires.isoformat()}
                for each in self.backups
            ],
        }


class Eraser:
    """Forgets for one caller, who must be a person and an admin.

    Args:
        flush: writes the log of retrievals that waits, so that it is searched too.
        backups: lists every backup; None where there are none.
    """

    def __init__(
        self,
        tools: UpkeepTools,
        attribution: Attribution,
        *,
        flush: Callable[[], Awaitable[None]],
        backups: Callable[[], Awaitable[list[Backup]]] | None,
    ) -> None:
        self._tools = tools
        self._attribution = attribution
        self._flush = flush
        self._backups = backups

    async def erase(self, selection: Selection, *, namespace: str | None, dry_run: bool, reason: str | None) -> Evidence:
        """Remove what is selected, or tell what that is.

        Raises:
            AccessDenied: the caller may not, or the store is under a legal hold.
            InvalidInput: nothing is selected.
        """
        principal = self._attribution.principal
        if principal.channel is not Channel.USER or "admin" not in principal.scopes:
            raise AccessDenied("only a person with the scope 'admin' may forget whole selections; single memories go by their id.")
        if not (selection.ids or selection.agent or selection.filter is not None or any(map(fold, selection.words))):
            raise InvalidInput("say what to forget: ids, a filter, an agent, or the names of a person.")
        chosen = self._attribution.namespace_for(namespace)
        now = self._tools.clock.now()
        await self._flush()
        live, cold = await self._live(chosen, selection), await self._cold(chosen, selection)
        why = dict.fromkeys([*live, *cold], "selected")
        kept: list[UUID] = []
        await self._add_derived(chosen, live, cold, why, kept)
        every = {**cold, **live}
        if not dry_run:
            await asyncio.to_thread(clear_scratch)  # killed backups and imports may have left texts there
        backups = await self._holding(list(every.values()), now if selection.words else None)
        named = tuple(_forgotten(every[id], id in live, id in cold, why[id]) for id in every)
        if dry_run:
            return Evidence(chosen, now, True, named, {}, {}, tuple(kept), backups)
        removed = await self._remove(chosen, live, cold, selection, reason, now)
        left = await self._left(chosen, list(every), selection)
        return Evidence(chosen, now, False, named, removed, left, tuple(kept), backups)

    async def _live(self, namespace: str, selection: Selection) -> dict[UUID, Memory]:
        found: dict[UUID, Memory] = {}
        if selection.ids and not (selection.agent or selection.words or selection.filter):
            for id in selection.ids:
                memory = await self._tools.store.get(id)
                if memory is not None and memory.namespace == namespace:
                    found[id] = memory
            return found
        after = 0
        while page := await self._tools.upkeep.scan(namespace, statuses=tuple(Status), kinds=tuple(Kind), after=after, limit=PAGE):
            after = page[-1][0]
            found |= {memory.id: memory for _, memory in page if fits(memory, selection)}
        return found

    async def _cold(self, namespace: str, selection: Selection) -> dict[UUID, Memory]:
        found: dict[UUID, Memory] = {}
        if self._tools.cold is None:
            return found
        for segment in await self._tools.cold.segments():
            if segment.namespace == namespace:
                found |= {memory.id: memory for memory in await self._tools.cold.read(segment) if fits(memory, selection)}
        return found

    async def _add_derived(
        self, namespace: str, live: dict[UUID, Memory], cold: dict[UUID, Memory], why: dict[UUID, str], kept: list[UUID]
    ) -> None:
        """The digests and summaries that upkeep made of them, with the cold copies of nothing else; other descendants are only named."""
        queue = list(why)
        for memory in list({**cold, **live}.values()):  # a digest of many names the newest of its episodes alone
            key = digest_key(memory)
            for id in (await self._tools.store.find_keys(namespace, memory.agent, [key])).values():
                found = await self._tools.store.get(id)
                if found is not None and id not in why:
                    live[id], why[id] = found, f"digest of {memory.id}"
                    queue.append(id)
        while queue:
            children = await self._tools.store.children(queue)
            queue = []
            for parent, named in children.items():
                for id in named:
                    child = await self._tools.store.get(id) if id not in why else None
                    if child is None:
                        continue
                    if child.debug is not None and (child.debug.distiller or "").startswith(OWN_MAKERS):
                        live[id], why[id] = child, f"made of {parent}"
                        queue.append(id)
                    elif id not in kept:
                        kept.append(id)

    async def _remove(
        self,
        namespace: str,
        live: dict[UUID, Memory],
        cold: dict[UUID, Memory],
        selection: Selection,
        reason: str | None,
        now: datetime,
    ) -> dict[str, int]:
        tools = self._tools
        removed = {"memories": 0, "cold_segments": 0}
        ids = list(live)
        for start in range(0, len(ids), TOGETHER):
            event = event_of("erased", self._attribution.principal, now, reason=reason)
            removed["memories"] += len(await tools.store.erase(ids[start : start + TOGETHER], event))
        elsewhere = [Trace(id, namespace, memory.content) for id, memory in cold.items() if id not in live]
        await tools.upkeep.scrub(elsewhere)
        if tools.cold is not None and (live or cold):
            removed["cold_segments"] = await tools.cold.remove([*live, *cold])
        if selection.words:
            removed |= await tools.upkeep.scrub_subject(namespace, selection.words)
        tools.writer.forget_texts()
        return {name: number for name, number in removed.items() if number}

    async def _left(self, namespace: str, ids: Sequence[UUID], selection: Selection) -> dict[str, int]:
        """Looked for anew, as though nothing were known of what was done."""
        found = {name: number for name, number in (await self._tools.upkeep.counts(ids)).items() if number}
        if self._tools.cold is not None and (number := len(await self._tools.cold.where(ids))):
            found["cold"] = number
        if self._tools.cold is not None and self._tools.cold.damaged:
            found["unreadable_cold_files"] = len(self._tools.cold.damaged)  # what they hold is not known
        if self._tools.follower is not None and (number := await self._tools.follower.left(ids)):
            found[self._tools.follower.engine.name] = number
        if selection.words or selection.filter or selection.agent:
            again = len(await self._live(namespace, selection)) + len(await self._cold(namespace, selection))
            found |= {"selected": again} if again else {}
        return found

    async def _holding(self, memories: Sequence[Memory], always: datetime | None) -> tuple[Backup, ...]:
        """Backups made since the oldest of them was written; all, where turns and logs of a person are concerned."""
        if self._backups is None or not (memories or always):
            return ()
        every = await self._backups()
        return tuple(every) if always else tuple(holding(every, min(memory.created_at for memory in memories)))


def fits(memory: Memory, selection: Selection) -> bool:
    """Whether a memory is selected."""
    if selection.ids and memory.id not in selection.ids:
        return False
    if selection.agent is not None and memory.agent != selection.agent:
        return False
    if selection.words and not _speaks_of(memory, selection.words):
        return False
    return selection.filter is None or passes(memory, selection.filter)


def passes(memory: Memory, filter: Filter) -> bool:
    """Whether a memory passes a filter, its agent and visibility left aside."""
    one_of: list[tuple[object, Sequence[object]]] = [
        (memory.kind, filter.kinds),
        (memory.layer, filter.layers),
        (memory.status, filter.statuses),
        (memory.task_type, filter.task_types),
        (memory.outcome, filter.outcomes),
        (memory.source, filter.sources),
        (memory.channel, filter.channels),
    ]
    if any(wanted and value not in wanted for value, wanted in one_of):
        return False
    any_of = ((memory.tools, filter.tools), (memory.tags, filter.tags))
    if any(wanted and not set(mine) & set(wanted) for mine, wanted in any_of):
        return False
    if filter.entities and not {fold(each) for each in memory.entities} & {fold(each) for each in filter.entities}:
        return False
    if filter.session_id is not None and memory.session_id != filter.session_id:
        return False
    if filter.speaker is not None and fold(memory.speaker or "") != fold(filter.speaker):
        return False
    if filter.key_prefix and not (memory.key or "").startswith(filter.key_prefix):
        return False
    if filter.avoid is not None and filter.avoid != (memory.lesson is not None and memory.lesson.avoid):
        return False
    return not (filter.since and memory.event_time < filter.since) and not (filter.until and memory.event_time >= filter.until)


def _speaks_of(memory: Memory, words: Sequence[str]) -> bool:
    """Whether one of the words stands in any of a record's fields."""
    text = fold(memory.model_dump_json(exclude={"id", "namespace", "parents", "supersedes", "conflicts_with", "seal", "idempotency_key"}))
    wanted = [fold(word) for word in words]
    return any(word and stands(word, text) for word in wanted)


def _forgotten(memory: Memory, live: bool, cold: bool, why: str) -> Forgotten:
    where = "store and cold" if live and cold else "store" if live else "cold"
    return Forgotten(memory.id, str(memory.kind), memory.agent, memory.created_at, where, why)
