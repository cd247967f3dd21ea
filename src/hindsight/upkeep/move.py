"""Moving a store into another place or kind of database: copied row by row, then opened there and verified."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hindsight.errors import StoreCorrupt
from hindsight.ports import RecordStore
from hindsight.upkeep.verify import verify

Progress = Callable[[int, int, str], None]


class Outcome(Protocol):
    """What was copied: rows by table, rows that this run wrote, the SHA-256 of all, whether an earlier run had begun."""

    @property
    def counts(self) -> dict[str, int]: ...

    @property
    def written(self) -> int: ...

    @property
    def checksum(self) -> str: ...

    @property
    def resumed(self) -> bool: ...


class Copy(Protocol):
    """Makes the target equal to the source."""

    async def run(self, progress: Progress) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Moved:
    """What was done. ``seals`` is what verifying the target said: ``ok``, ``not sealed``, ``wrong key`` or ``tampered`` (before it was moved)."""

    memories: int
    events: int
    rows: int
    written: int
    resumed: bool
    checksum: str
    seals: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Mover:
    """Moves one store. ``moved`` opens what came of it as any other store, with the keys of its seals."""

    source: RecordStore
    target: RecordStore
    copy: Copy
    moved: Callable[[], RecordStore]

    async def run(self, progress: Progress) -> Moved:
        """Copy and verify. Run again, it goes on where it was, or catches up.

        Raises:
            StoreMisplaced: the target is no empty store and no copy of this one, or was used since.
            StoreTooNew: one of them was written by a newer version.
            StoreCorrupt: they are not equal, or the target is not sound.
        """
        begun = time.monotonic()
        await self.source.open()
        try:
            await self.target.open()
            try:
                done = await self.copy.run(progress)
            finally:
                await self.target.close()
        finally:
            await self.source.close()
        progress(0, 0, "verifying")
        store = self.moved()
        await store.open()
        try:
            found = await verify(store)
        finally:
            await store.close()
        damage = [fault.message for fault in found.faults if fault.what == "index"]
        if damage:
            raise StoreCorrupt(f"the store was moved as it is, but it is not sound: {damage[0]} See `hindsight doctor`.")
        return Moved(
            memories=done.counts.get("memories", 0),
            events=done.counts.get("events", 0),
            rows=sum(done.counts.values()),
            written=done.written,
            resumed=done.resumed,
            checksum=done.checksum,
            seals=found.state,
            seconds=time.monotonic() - begun,
        )
