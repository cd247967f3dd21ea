"""The worker that finishes acknowledged work. Leases make it safe in any number of processes."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Protocol

from hindsight.companions import WakeUps
from hindsight.errors import HindsightError, InvalidInput
from hindsight.ports import Clock, Job, RecordStore
from hindsight.records import new_id

LEASE_SECONDS = 15.0
IDLE_SECONDS = 0.5
ROUND_SECONDS = 60.0
"""So often what is done now and then is done."""
MAX_ATTEMPTS = 6
_BATCH = 16
_LOG = logging.getLogger(__name__)

Handler = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Does a job of one kind, from its payload; doing it twice must keep once. What it returns is the job's result."""


class Beside(Protocol):
    """Other work of a process that works."""

    def start(self) -> None:
        """Begin in the running event loop."""
        ...

    async def stop(self) -> None:
        """Stop; safe to call twice."""
        ...


class Worker:
    """Takes jobs while it runs; a job whose worker died is taken again when its lease ends.

    Args:
        handlers: what does each kind of job; jobs of other kinds are left to others.
        wake: set by whoever queued a job in this process.
        wake_ups: tells of jobs that other processes queued; without, the worker looks by itself a little later.
        now_and_then: done every ``ROUND_SECONDS``, beside the jobs.
        beside: what starts and stops with it.
    """

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        handlers: Mapping[str, Handler],
        *,
        wake: asyncio.Event,
        wake_ups: WakeUps | None = None,
        now_and_then: Callable[[], Awaitable[object]] | None = None,
        beside: Beside | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._handlers = handlers
        self._wake = wake
        self._wake_ups = wake_ups
        self._now_and_then = now_and_then
        self._beside = beside
        self.name = f"{os.getpid()}-{new_id().hex[-12:]}"
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin working in the running event loop."""
        loop = asyncio.get_running_loop()
        if self._wake_ups is not None:
            self._wake_ups.listen(self._wake.set)
        self._tasks = [loop.create_task(self._run(), name="hindsight-worker")]
        if self._now_and_then is not None:
            self._tasks.append(loop.create_task(self._rounds(self._now_and_then), name="hindsight-rounds"))
        if self._beside is not None:
            self._beside.start()

    async def stop(self) -> None:
        """Stop taking jobs; those that were taken and not finished are given back."""
        if self._wake_ups is not None:
            await self._wake_ups.silence()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._beside is not None:
            await self._beside.stop()

    async def work(self) -> bool:
        """Lease one batch and do it; False when nothing was due."""
        jobs = await self._store.lease(self.name, list(self._handlers), seconds=LEASE_SECONDS, limit=_BATCH)
        if not jobs:
            return False
        left = list(jobs)
        renewing = asyncio.create_task(self._renew())
        try:
            for job in jobs:
                await self._do(job)
                left.remove(job)
        finally:
            renewing.cancel()
            # A process that ends soon must not hold up the work that it has taken until the leases run out.
            for job in left:
                await self._store.fail(job.id, self.name, "its worker stopped", retry_at=self._clock.now())
        return True

    async def _renew(self) -> None:
        """Keep the leases of jobs that take long, such as those that ask a chat model."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            try:
                await self._store.renew(self.name, seconds=LEASE_SECONDS)
            except HindsightError as error:
                _LOG.warning("lease_not_renewed", extra={"error": str(error)})

    async def _run(self) -> None:
        while True:
            self._wake.clear()  # what is queued from here on wakes
            try:
                worked = await self.work()
            except HindsightError as error:
                _LOG.warning("worker_waits", extra={"error": str(error)})
                worked = False
            if not worked:
                try:
                    # Not wait_for: in Python 3.11 it loses a cancellation that arrives just after the wake-up.
                    async with asyncio.timeout(IDLE_SECONDS):
                        await self._wake.wait()
                except TimeoutError:
                    continue

    async def _rounds(self, now_and_then: Callable[[], Awaitable[object]]) -> None:
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            try:
                await now_and_then()
            except HindsightError as error:
                _LOG.warning("round_failed", extra={"error": str(error)})

    async def _do(self, job: Job) -> None:
        try:
            result = await self._handlers[job.kind](job.payload)
        except InvalidInput as error:
            await self._store.fail(job.id, self.name, str(error), retry_at=None)
        except HindsightError as error:
            last = job.attempts >= MAX_ATTEMPTS
            retry_at = None if last else self._clock.now() + timedelta(seconds=2.0**job.attempts)
            await self._store.fail(job.id, self.name, str(error), retry_at=retry_at)
            _LOG.warning("job_failed", extra={"job": job.id, "attempts": job.attempts, "dead": last, "error": str(error)})
        except Exception as error:  # noqa: BLE001 - the boundary: one job that meets a fault of ours must not end the worker
            _LOG.exception("job_failed_unexpectedly", extra={"job": job.id, "kind": job.kind})
            await self._store.fail(job.id, self.name, f"a fault of hindsight: {error!r}; its log tells more.", retry_at=None)
        else:
            await self._store.finish(job.id, self.name, result)
