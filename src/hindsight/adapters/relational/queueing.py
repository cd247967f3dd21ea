"""The queue's part of a store."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hindsight.adapters.relational import jobs
from hindsight.adapters.relational.core import Core
from hindsight.ports import Job, JobState, NewJob


class Queueing:
    """Jobs of the ``RecordStore`` contract."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.ring: Callable[[], Awaitable[None]] | None = None
        """Told when jobs were queued, where something waits for that."""

    async def enqueue(self, new: Sequence[NewJob]) -> builtins.list[int]:
        """Queue jobs."""
        ids = await self._core.write_indexed(lambda db, _: jobs.add_jobs(db, new, self._core.clock.now().timestamp()))
        if self.ring is not None:
            await self.ring()
        return ids

    async def lease(self, worker: str, kinds: Sequence[str], *, seconds: float = 15.0, limit: int = 1) -> builtins.list[Job]:
        """Take due jobs; nothing is written where there is none."""
        if not await self.queued():
            return []
        return await self._core.write(
            lambda db: jobs.lease(db, worker, kinds, now=self._core.clock.now().timestamp(), seconds=seconds, limit=limit)
        )

    async def renew(self, worker: str, *, seconds: float = 15.0) -> int:
        """Prolong the leases that a worker still holds."""
        return await self._core.write(lambda db: jobs.renew(db, worker, now=self._core.clock.now().timestamp(), seconds=seconds))

    async def retry(self, job: int) -> bool:
        """Dead → waiting; False where there is no such dead job."""
        return await self._core.write(lambda db: jobs.revive(db, job, self._core.clock.now().timestamp()))

    async def finish(self, job: int, worker: str, result: Mapping[str, Any] | None = None) -> bool:
        """Mark done; False where the lease was lost."""
        return await self._core.write(lambda db: jobs.finish(db, job, worker, result))

    async def fail(self, job: int, worker: str, error: str, *, retry_at: datetime | None) -> bool:
        """Give back, or bury; False where the lease was lost."""
        return await self._core.write(lambda db: jobs.fail(db, job, worker, error, retry_at))

    async def jobs(self, *, states: Sequence[str] = (), limit: int = 100) -> builtins.list[JobState]:
        """Jobs, newest first."""
        return await self._core.read(lambda db: jobs.list_jobs(db, states, limit))

    async def queued(self) -> int:
        """How many jobs wait or are leased."""
        return await self._core.read(jobs.queued)
