"""Keeps a vector engine equal to the store: one process at a time, by a lease; cut off anywhere, it is done again and harms nothing."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import UUID

from hindsight.errors import HindsightError, IndexUnavailable, StoreBusy
from hindsight.following import ChangeFeed, Following, VectorEngine
from hindsight.ports import UpkeepStore
from hindsight.records import new_id

T = TypeVar("T")

LEASE = "vector-engine"
LEASE_SECONDS = 30.0
BATCH = 256
IDLE_SECONDS = 0.5
LONGEST_PAUSE = 15.0
CHECK_SECONDS = 60.0
"""So often it is looked whether the collection is still there and still this store's, though nothing changed."""
SAMPLE = 64
_TRIES = 120
Progress = Callable[[int, int, str], None]
"""Told (the number of the row that it is at, that of the last one, what is done)."""
_LOG = logging.getLogger(__name__)


class Overtaken(HindsightError):
    """Another process took over; nothing is lost."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The store beside its engine.

    Args:
        engine, place: which one, and where.
        fault: why it cannot be asked; None where it answers.
        behind: changes of the store that are not in the engine yet.
        filling: whether it is being filled from the beginning.
        records, points: records with a vector, and points of the engine.
        sampled: how many records were compared one by one.
        differing: those of them that the engine does not have just so.
    """

    engine: str
    place: str
    fault: str | None = None
    behind: int = 0
    filling: bool = False
    records: int = 0
    points: int = 0
    sampled: int = 0
    differing: tuple[UUID, ...] = field(default=())

    @property
    def equal(self) -> bool:
        """Whether nothing is missing, too much or different."""
        return self.fault is None and not (self.behind or self.filling or self.differing) and self.records == self.points


class Follower:
    """Brings what changed in the store into its engine.

    Args:
        feed: the store's side.
        engine: the engine's side.
        leases: so that one process at a time does it.
    """

    def __init__(self, feed: ChangeFeed, engine: VectorEngine, leases: UpkeepStore) -> None:
        self.engine = engine
        self._feed = feed
        self._leases = leases
        self._task: asyncio.Task[None] | None = None
        self._said = ""
        self._checked = -CHECK_SECONDS

    def start(self) -> None:
        """Follow in the running event loop until :meth:`stop`."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="hindsight-vector-engine")

    async def stop(self) -> None:
        """Stop; a batch that is being written is written again by whoever follows next."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def behind(self) -> int:
        """How many changes are not in the engine yet; where it is being filled, or there is something else to do, 1 at least."""
        state = await self._feed.following()
        if state is None:
            return 0 if await self._feed.model() is None else max(1, await self._feed.change_number())
        missing = await self._feed.change_number() - state.change
        return max(missing, 1) if missing or state.row is not None or state.rebuild or state.leaving else 0

    async def catch_up(self, progress: Progress | None = None) -> bool:
        """Bring the engine up to the store; False where another process is at it.

        Raises:
            IndexUnavailable: the engine does not do it; what was done is noted.
        """
        async with self._leased() as holding:
            if holding is None:
                return False
            await self._brought_up(holding, progress)
        return True

    async def with_snapshot(self, copy: Callable[[], Awaitable[T]]) -> tuple[T, str | None]:
        """Let the store be copied while nobody follows, and the engine then write a snapshot of its collection, of the same mark: restored
        together, the one goes on with the other. What was copied, and the snapshot's name; None where there is no collection.

        Raises:
            StoreBusy: another process follows all the time.
            IndexUnavailable: the engine does not do it.
        """
        for _ in range(_TRIES):
            async with self._leased() as holding:
                if holding is not None:
                    await self._brought_up(holding, None)
                    copied = await copy()
                    state = await self._feed.following()
                    name = None if state is None else await asyncio.to_thread(self.engine.snapshot, state.collection)
                    if holding.done():
                        raise Overtaken("another process followed meanwhile: backup and snapshot may be of different moments; try again.")
                    return copied, name
            await asyncio.sleep(IDLE_SECONDS)
        raise StoreBusy(f"another process fills {self.engine.place} all the time; try again when `hindsight doctor` says that it is done.")

    async def rebuild(self, progress: Progress | None = None) -> None:
        """Fill a new collection from the store; searches go on with the old one, which then goes.

        Raises:
            IndexUnavailable: the engine does not do it; whoever follows next goes on.
        """
        while True:
            state = await self._feed.following()
            if state is None or await self._feed.move(state, replace(state, rebuild=True)):
                break
        await self.level(progress)

    async def level(self, progress: Progress | None = None) -> None:
        """Wait until the engine is up to the store, and do what nobody else does."""
        while await self.behind():
            if not await self.catch_up(progress):
                await asyncio.sleep(IDLE_SECONDS)

    async def erased(self, ids: Sequence[UUID]) -> bool:
        """Take erased records out at once, and see that they are gone; where the engine is away, the list of changes still does it."""
        state = await self._feed.following()
        if state is None or not ids:
            return True
        try:
            for collection in {state.collection, *([state.before[0]] if state.before else [])}:
                await asyncio.to_thread(self.engine.remove, collection, ids)
        except IndexUnavailable as error:
            _LOG.warning("erased_later_in_engine", extra={"engine": self.engine.place, "records": len(ids), "error": str(error)})
            return False
        return True

    async def left(self, ids: Sequence[UUID]) -> int:
        """How many of these records the engine has; all, where it cannot be asked: nobody knows that they are gone."""
        state = await self._feed.following()
        if state is None or not ids:
            return 0
        try:
            return await asyncio.to_thread(self.engine.held, state.collection, ids)
        except IndexUnavailable:
            return len(ids)

    async def compare(self, sample: int = SAMPLE) -> Comparison:
        """Compare counts, and a sample of records one by one; with a sample of 0 only look whether the engine answers and how far it is."""
        state = await self._feed.following()
        filling = state is not None and state.row is not None
        found = Comparison(self.engine.name, self.engine.place, behind=await self.behind(), filling=filling)
        if (fault := await self.engine.fault()) is not None:
            return replace(found, fault=fault)
        if not sample:
            return found
        if state is None:
            return replace(found, records=await self._feed.count(), filling=await self._feed.model() is not None)
        points = await self._feed.sampled(sample)
        try:
            differing = await asyncio.to_thread(self.engine.differing, state.collection, points) if points else []
            count = await asyncio.to_thread(self.engine.count, state.collection)
        except IndexUnavailable as error:
            return replace(found, fault=str(error))
        return replace(
            found,
            records=await self._feed.count(),
            points=count,
            sampled=len(points),
            differing=tuple(differing),
        )

    async def _run(self) -> None:
        pause = IDLE_SECONDS
        while True:
            await asyncio.sleep(pause)
            try:
                if await self.behind() or time.monotonic() - self._checked > CHECK_SECONDS:
                    await self.catch_up()
                    self._checked = time.monotonic()
                pause = IDLE_SECONDS
                self._said = ""
            except HindsightError as error:
                pause = min(2 * pause, LONGEST_PAUSE)
                if not isinstance(error, Overtaken) and str(error) != self._said:
                    self._said = str(error)
                    _LOG.warning("engine_not_followed", extra={"engine": self.engine.place, "error": self._said})

    @asynccontextmanager
    async def _leased(self) -> AsyncIterator[asyncio.Task[None] | None]:
        """The task that holds the lease, done where the lease is lost; None where another process has it."""
        holder = f"{os.getpid()}-{new_id().hex[-12:]}"
        if not await self._leases.begin(LEASE, holder, seconds=LEASE_SECONDS):
            yield None
            return
        holding = asyncio.create_task(self._hold(holder))
        try:
            yield holding
        finally:
            holding.cancel()
            await self._leases.end(LEASE, holder, report=None, error=None)

    async def _brought_up(self, holding: asyncio.Task[None], progress: Progress | None) -> None:
        if (fault := await self.engine.fault()) is not None:  # a short look, before longer calls
            raise IndexUnavailable(fault)
        last = await self._feed.last_row()
        state = await self._taken_up()
        while state is not None:
            if holding.done():
                raise Overtaken("another process follows the store now.")
            state = await self._step(state)
            if progress is not None and state is not None and state.row is not None:
                progress(state.row, max(state.row, last), "filling")

    async def _taken_up(self) -> Following | None:
        """Where it stopped; from the beginning where the collection is gone, another's, or of another model. None: nothing to do."""
        state, model = await self._feed.following(), await self._feed.model()
        if state is None:
            return None if model is None else await self._begun(None, model, ours=False)
        held = await asyncio.to_thread(self.engine.mark, state.collection)
        if held is None or held not in (state.mark, state.intent):
            _LOG.warning("engine_filled_anew", extra={"engine": self.engine.place, "collection": state.collection, "lost": held is None})
            # A collection with another mark follows another store, of which this one is a copy; or this one was restored from a backup.
            return await self._begun(state, model or (state.model, state.dimension), ours=False)
        if state.rebuild or (model is not None and model != (state.model, state.dimension)):
            return await self._begun(state, model or (state.model, state.dimension), ours=True)
        if held == state.intent:
            return await self._moved(state, replace(state, mark=held, intent=None))
        return state

    async def _begun(self, old: Following | None, model: tuple[str, int], *, ours: bool) -> Following:
        """A new collection; ``ours``: the old one is to go once it is filled, and answers until then where it is of the same model."""
        mark = new_id().hex
        leaving: tuple[str, ...] = ()
        before = None
        if old is not None:
            leaving = (*old.leaving, old.collection) if ours else old.leaving
            before = old.searched if ours and model == (old.model, old.dimension) else None
        state = Following(
            f"hindsight-{new_id().hex[-16:]}",
            *model,
            change=await self._feed.change_number(),
            mark=mark,
            row=0,
            before=before,
            leaving=leaving,
        )
        if not await self._feed.move(old, state):
            raise Overtaken("another process follows the store now.")
        await asyncio.to_thread(self.engine.create, state.collection, state.dimension, mark)
        return state

    async def _step(self, state: Following) -> Following | None:
        """One batch; the state after it, None where there is nothing left to do."""
        changed = await self._feed.changed(state.change, BATCH)
        if changed.behind:  # what changed and was forgotten since is found by looking at every record
            before = state.searched
            return await self._moved(state, replace(state, change=changed.change, row=0, before=before))
        if changed.rows:
            return await self._brought(state, changed.rows, replace(state, change=changed.change))
        if state.row is not None:
            return await self._filled(state, state.row)
        if state.leaving:
            for collection in state.leaving:
                await asyncio.to_thread(self.engine.drop, collection)
            return await self._moved(state, replace(state, leaving=()))
        return None

    async def _filled(self, state: Following, low: int) -> Following:
        """The next records after row ``low``, whether they changed or not; in a collection that was full already, others go."""
        rows = await self._feed.rows_after(low, BATCH)
        again = state.before is not None and state.before[0] == state.collection
        if again:
            await _finished(self.engine.sweep, state.collection, low, rows[-1] if rows else None, rows)
        if not rows:
            return await self._moved(state, replace(state, row=None, before=None))
        return await self._brought(state, rows, replace(state, row=rows[-1]))

    async def _brought(self, state: Following, rows: Sequence[int], after: Following) -> Following:
        """Write rows as they are now; ``after`` is noted when they are there."""
        mark = state.intent or new_id().hex
        begun = await self._moved(state, replace(state, intent=mark))
        await self._written(begun.collection, rows, mark)
        done = replace(after, mark=mark, intent=None)
        if not await self._feed.move(begun, done):
            await self._mend(begun.collection, rows)
            raise Overtaken("another process follows the store now.")
        return done

    async def _written(self, collection: str, rows: Sequence[int], mark: str | None) -> None:
        points = await self._feed.points(rows)
        there = {point.row for point in points}
        await _finished(self.engine.write, collection, points, [row for row in rows if row not in there], mark)

    async def _mend(self, collection: str, rows: Sequence[int]) -> None:
        """Another process has followed meanwhile, so that what was written just now may be older than what that one wrote: write the rows
        again, until none of them changed since it was read.
        """
        state = await self._feed.following()
        if state is None or state.collection != collection:
            return
        while True:
            seen = await self._feed.change_number()
            await self._written(collection, rows, None)
            changed = await self._feed.changed(seen, 10 * BATCH)
            if not changed.behind and not set(rows) & set(changed.rows):
                return

    async def _moved(self, before: Following, after: Following) -> Following:
        if before != after and not await self._feed.move(before, after):
            raise Overtaken("another process follows the store now.")
        return after

    async def _hold(self, holder: str) -> None:
        """Prolong the lease; ends where it is lost."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            try:
                if not await self._leases.hold(LEASE, holder, seconds=LEASE_SECONDS):
                    return
            except HindsightError as error:
                _LOG.warning("engine_lease_not_renewed", extra={"error": str(error)})


async def _finished(work: Callable[..., None], *arguments: Any) -> None:
    """Run it in a thread, and wait for its end even where the caller is cancelled: the lease must not be given back before."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
