"""Filling a vector engine from a store that nobody else needs to have open: after a move, or anew."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from hindsight.errors import IndexUnavailable, StoreCorrupt
from hindsight.upkeep.follow import Comparison, Follower, Progress


class Opened(Protocol):
    """A store that can be opened, its engines with it."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Filled:
    """What was done: the engine, records with a vector, points in the engine, how many were compared one by one."""

    engine: str
    place: str
    records: int
    points: int
    compared: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills the engine of one store."""

    store: Opened
    follower: Follower

    async def run(self, progress: Progress, *, anew: bool) -> Filled:
        """Bring the engine up to the store, ``anew``: in a new collection; then compare them.

        Raises:
            IndexUnavailable: the engine does not answer; run again, it goes on where it was.
            StoreCorrupt: they differ afterwards.
        """
        begun = time.monotonic()
        await self.store.open()
        try:
            if anew:
                await self.follower.rebuild(progress)
            else:
                await self.follower.level(progress)
            progress(0, 0, "comparing")
            found = await self._compared()
        finally:
            await self.store.close()
        return Filled(found.engine, found.place, found.records, found.points, found.sampled, time.monotonic() - begun)

    async def _compared(self) -> Comparison:
        """The two beside each other; what is written meanwhile is no difference."""
        for _ in range(5):
            await self.follower.level()
            found = await self.follower.compare()
            if found.equal:
                return found
        if found.fault is not None:
            raise IndexUnavailable(found.fault)
        what = f"{found.records:,} records with a vector and {found.points:,} points, {len(found.differing)} of {found.sampled} differ"
        raise StoreCorrupt(
            f"{found.place} is not equal to the store after it was filled: {what}. See `hindsight doctor`, and run it again."
        )
