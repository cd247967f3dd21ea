"""Active statements that cannot both hold: found over a whole pool, marked on both, filed for review."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from hindsight.errors import VersionConflict
from hindsight.ports import RecordStore, Write
from hindsight.records import LAYER_OF, Filter, Kind, Layer, Memory, Principal, Status
from hindsight.remember.commit import event_of
from hindsight.remember.reconcile.relation import SUPERSEDING
from hindsight.text.fold import fold
from hindsight.text.tokens import query_tokens

LOOKED_AT = 16
"""Statements that share the most words with one are compared with it."""
SEMANTIC = tuple(kind for kind in Kind if LAYER_OF[kind] is Layer.SEMANTIC)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two active memories that cannot both hold; the first is the one that recall shows first."""

    first: UUID
    second: UUID


class Conflicts:
    """Looks for contradictions among what meets in recall: an agent's own statements, and those shared with it."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store

    async def scan(self, namespace: str, principal: Principal, now: datetime) -> list[Conflict]:
        """Compare every active statement of the pool with those that share words with it; new contradictions are marked on both."""
        found = []
        async for memory in self._statements(namespace):
            found += await self.check(memory, principal, now)
        return found

    async def check(self, memory: Memory, principal: Principal, now: datetime) -> list[Conflict]:
        """Contradictions of one active statement, marked on both sides."""
        from hindsight.remember.reconcile.relate import relate

        filter = Filter(namespace=memory.namespace, agent=memory.agent, kinds=SEMANTIC, statuses=(Status.ACTIVE,), now=now)
        rows = (await self._store.search_terms(filter, query_tokens(memory.text()), limit=LOOKED_AT)).rows
        found = []
        for other in await self._store.fetch(np.sort(rows)) if len(rows) else []:
            if other.id == memory.id or other.status is not Status.ACTIVE or other.id in memory.conflicts_with:
                continue
            if memory.id == other.supersedes or other.id == memory.supersedes:
                continue
            opposed = opposite_lessons(memory, other) or relate(other, memory) in SUPERSEDING or relate(memory, other) in SUPERSEDING
            if opposed and await self._mark(memory.id, other.id, principal, now):
                first, second = sorted((memory, other), key=standing, reverse=True)
                found.append(Conflict(first.id, second.id))
        return found

    async def clear(self, memory: Memory, principal: Principal, now: datetime, *, status: Status | None = None) -> list[UUID]:
        """Take the mark of a conflict with ``memory`` from the others; with ``status`` they get that status as well."""
        changed = []
        for id in memory.conflicts_with:
            other = await self._store.get(id)
            if other is None or memory.id not in other.conflicts_with:
                continue
            left = tuple(each for each in other.conflicts_with if each != memory.id)
            changes: dict[str, object] = {"conflicts_with": left}
            if status is not None and other.status is Status.ACTIVE:
                changes |= {"status": status, "valid_to": max(now, other.valid_from) if other.valid_from else now}
            await self._store.commit([_changed(other, changes, principal, now, f"decided with {memory.id}", superseded=status is not None)])
            changed.append(id)
        return changed

    async def _statements(self, namespace: str) -> AsyncIterator[Memory]:
        async for memory in self._store.export(namespace):
            if memory.status is Status.ACTIVE and memory.kind in SEMANTIC:
                yield memory

    async def _mark(self, one: UUID, other: UUID, principal: Principal, now: datetime) -> bool:
        """Name each in the other's record; False where both are marked already, or one is gone."""
        while True:
            pair = [await self._store.get(id) for id in (one, other)]
            first, second = pair
            if first is None or second is None or (second.id in first.conflicts_with and first.id in second.conflicts_with):
                return False
            writes = [
                _changed(mine, {"conflicts_with": (*mine.conflicts_with, their.id)}, principal, now, f"in conflict with {their.id}")
                for mine, their in ((first, second), (second, first))
                if their.id not in mine.conflicts_with
            ]
            try:
                await self._store.commit(writes)
            except VersionConflict:
                continue
            return True


def opposite_lessons(one: Memory, other: Memory) -> bool:
    """One says to do what the other says not to do, under the same condition."""
    first, second = one.lesson, other.lesson
    if first is None or second is None or first.avoid == second.avoid:
        return False
    return fold(first.condition) == fold(second.condition) and fold(first.action) == fold(second.action)


def standing(memory: Memory) -> tuple[int, int, float]:
    """Which of two that conflict comes first: higher priority, then newer version, then later time."""
    return (memory.priority, memory.version, memory.event_time.timestamp())


def _changed(
    memory: Memory, changes: dict[str, object], principal: Principal, now: datetime, reason: str, *, superseded: bool = False
) -> Write:
    new = memory.model_copy(update={**changes, "version": memory.version + 1, "updated_at": max(now, memory.created_at)})
    event = event_of("superseded" if superseded else "updated", principal, now, reason=reason)
    return Write(memory=new, event=event, expected_version=memory.version)
