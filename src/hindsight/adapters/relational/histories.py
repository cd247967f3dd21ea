"""The past's part of a store: events, versions, descendants, and the chains of seals."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.mapping import read_event, read_memory, to_json
from hindsight.adapters.relational.pruning import previous_of
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.adapters.relational.sealing import split_seal
from hindsight.records import Event, Memory, utc
from hindsight.seals import KeptRecord, SealAudit, SealCut, SealedEvent, Sealer, SealHead, SealLink, Tombstone

T = TypeVar("T")
_SQL = load("histories.sql")
_SEALS = load("sealing.sql")
_PRUNING = load("pruning.sql")


class Histories:
    """The ``HistoryStore`` contract."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def history(self, id: UUID) -> builtins.list[Event]:
        """What happened to a record, oldest first."""
        return [read_event(values) for values in await self._core.read(lambda db: rows(db, _SQL["history"], (str(id),)))]

    async def events(
        self,
        namespace: str,
        *,
        actor: str | None = None,
        session_id: str | None = None,
        after: datetime | None = None,
        mentioning: str | None = None,
        ids: Sequence[UUID] | None = None,
    ) -> builtins.list[Event]:
        """Events of a namespace that fit everything given, in order."""
        wanted = {"namespace": namespace, "actor": actor, "session": session_id, "text": mentioning}
        if ids is None:
            found = await self._core.read(lambda db: rows(db, _SQL["events"], wanted))
        else:
            named = to_json([str(id) for id in ids])
            found = await self._core.read(lambda db: rows(db, _SQL["events_of"], wanted | {"ids": named}))
        events = [read_event(values) for values in found]
        return events if after is None else [event for event in events if event.at >= utc(after)]

    async def latest_events(self, namespace: str, *, limit: int, below: int | None = None) -> builtins.list[Event]:
        """The newest events of a namespace, newest first, without what they changed; ``below``: those numbered lower."""
        wanted = {"namespace": namespace, "below": 2**62 if below is None else below, "most": limit}
        return [read_event(values) for values in await self._core.read(lambda db: rows(db, _SQL["latest_events"], wanted))]

    async def children(self, ids: Sequence[UUID]) -> dict[UUID, builtins.list[UUID]]:
        """Which records name each of ``ids`` among their parents."""
        named = to_json([str(id) for id in ids])
        found: dict[UUID, builtins.list[UUID]] = {}
        for parent, child in await self._core.read(lambda db: rows(db, _SQL["children"], (named,))):
            found.setdefault(UUID(parent), []).append(UUID(child))
        return found

    async def changed_since(self, namespace: str, at: datetime) -> builtins.list[Memory]:
        """Records that changed after ``at``, as they are now, in the order of their writing."""
        moment = utc(at).isoformat()
        return [read_memory(values) for values in await self._core.read(lambda db: rows(db, _SQL["changed_since"], (namespace, moment)))]

    async def audit(self, judge: Callable[[SealAudit, Sealer | None], T]) -> T:
        """Let ``judge`` look at the chains, on one snapshot."""
        return await asyncio.to_thread(self._audit, judge)

    async def reseal(self) -> int:
        """Seal everything anew as it stands; how many links."""
        return await self._core.write_indexed(lambda db, _: self._core.sealing.reseal(db))

    def _audit(self, judge: Callable[[SealAudit, Sealer | None], T]) -> T:
        sealing = self._core.sealing
        # Before the snapshot: what is written meanwhile would be known outside and not yet be seen inside.
        exported = sealing.heads.read(sealing.store) if sealing.heads is not None and sealing.store else {}
        with self._core.engine.snapshot() as db:
            return judge(_Audit(db, sealing.store, exported), sealing.sealer)


class _Audit:
    """The ``SealAudit`` of one snapshot."""

    def __init__(self, db: Database, store: str, exported: dict[str, tuple[int, bytes]]) -> None:
        self._db = db
        self._exported = exported
        self.store = store

    def heads(self) -> list[SealHead]:
        return [SealHead(*values) for values in rows(self._db, _SEALS["heads"])]

    def cut(self, namespace: str) -> SealCut | None:
        found = rows(self._db, _PRUNING["cut"], (namespace,))
        if not found:
            return None
        _, _, number, last, mac, kept, total, before, key, seal = found[0]
        return SealCut(number, (last, mac), kept, total, before, key, seal)

    def links(self, namespace: str) -> Iterator[SealLink]:
        for number, kind, id, sequence, key, record, texts, mac, previous, *event in self._db.execute(_SEALS["links"], (namespace,)):
            found = None if event[0] is None else SealedEvent(tuple(event[:7]), tuple(event[7:]))
            yield SealLink(number, kind, id, found, sequence, key, record, texts, mac, previous_of(previous))

    def records(self, namespace: str) -> Iterator[KeptRecord]:
        for values in self._db.execute(_SEALS["records"], (namespace,)):
            yield _kept(values)

    def tombstones(self, namespace: str) -> Iterator[Tombstone]:
        for values in self._db.execute(_SEALS["tombstones"], (namespace,)):
            yield Tombstone(*values)

    def strays(self) -> list[tuple[str, str, str]]:
        return rows(self._db, _SEALS["strays"])

    def exported(self) -> dict[str, tuple[int, bytes]]:
        return dict(self._exported)


def _kept(values: Sequence[Any]) -> KeptRecord:
    rest, seal = split_seal(values[-1])
    return KeptRecord(values[0], (*values[:-1], rest), seal)
