"""The worker that finishes acknowledged writes. Leases make it safe in any number of processes."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta

import structlog

from hindsight.errors import HindsightError, InvalidInput
from hindsight.ports import Clock, Job, RecordStore
from hindsight.records import new_id
from hindsight.remember.writer import STORE_JOB, Writer

LEASE_SECONDS = 15.0
IDLE_SECONDS = 0.5
MAX_ATTEMPTS = 6
_log = structlog.get_logger("hindsight.worker")


class Worker:
    """Takes jobs while it runs; a job whose worker died is taken again when its lease ends."""

    def __init__(self, store: RecordStore, writer: Writer, clock: Clock) -> None:
        self._store = store
        self._writer = writer
        self._clock = clock
        self.name = f"{os.getpid()}-{new_id().hex[-12:]}"
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin working in the running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="hindsight-worker")

    async def stop(self) -> None:
        """Stop taking jobs; one that runs is given up and taken again later."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                worked = await self.work()
            except HindsightError as error:
                _log.warning("worker_waits", error=str(error))
                worked = False
            if not worked:
                self._writer.wake.clear()
                try:
                    # Not wait_for: in Python 3.11 it loses a cancellation that arrives just after the wake-up.
                    async with asyncio.timeout(IDLE_SECONDS):
                        await self._writer.wake.wait()
                except TimeoutError:
                    continue

    async def work(self) -> bool:
        """Lease one batch and do it; False when nothing was due."""
        jobs = await self._store.lease(self.name, [STORE_JOB], seconds=LEASE_SECONDS, limit=16)
        for job in jobs:
            await self._do(job)
        return bool(jobs)

    async def _do(self, job: Job) -> None:
        try:
            result = await self._writer.store_job(job.payload)
        except InvalidInput as error:
            await self._store.fail(job.id, self.name, str(error), retry_at=None)
        except HindsightError as error:
            last = job.attempts >= MAX_ATTEMPTS
            retry_at = None if last else self._clock.now() + timedelta(seconds=2.0**job.attempts)
            await self._store.fail(job.id, self.name, str(error), retry_at=retry_at)
            _log.warning("job_failed", job=job.id, attempts=job.attempts, dead=last, error=str(error))
        else:
            await self._store.finish(job.id, self.name, result.model_dump(mode="json"))
