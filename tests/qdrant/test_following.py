"""The outbox: whatever fails, dies or stalls on the way, the engine equals the store in the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from beside import collections, followed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.adapters.relational import writing
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.errors import IndexUnavailable
from hindsight.records import Status
from hindsight.upkeep import follow
from hindsight.upkeep.follow import Follower, Overtaken

FAULTS = ("fine", "refused", "lost", "killed before", "killed after")
"""``lost``: done, and then an error all the same, as when an answer does not arrive."""


class Killed(BaseException):
    """The process is gone."""


class Faulty:
    """Hands calls on; before each that writes it draws a fault. Once killed, nothing more comes of this process."""

    def __init__(self, real: Any, faults: Iterator[str], life: list[bool], names: tuple[str, ...]) -> None:
        self._real, self._faults, self._life, self._names = real, faults, life, names
        self.name, self.place = "faulty", "nowhere"

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._real, name)
        if name not in self._names:
            return method

        def before() -> str:
            if not self._life[0]:
                raise Killed
            fault = next(self._faults, "fine")
            if fault == "killed before":
                self._life[0] = False
                raise Killed
            if fault == "refused":
                raise IndexUnavailable("as the test wants it")
            return fault

        def after(fault: str) -> None:
            if fault == "killed after":
                self._life[0] = False
                raise Killed
            if fault == "lost":
                raise IndexUnavailable("done, and not told")

        def call(*arguments: Any) -> Any:
            fault = before()
            result = method(*arguments)
            after(fault)
            return result

        async def awaited(*arguments: Any, **options: Any) -> Any:
            fault = before()
            result = await method(*arguments, **options)
            after(fault)
            return result

        return awaited if asyncio.iscoroutinefunction(method) else call


def faulty(store: Any, engine: Any, faults: list[str]) -> Follower:
    """A process that follows, and meets these faults one after the other."""
    drawn, life = iter(faults), [True]
    beside = Faulty(engine, drawn, life, ("create", "drop", "mark", "write", "sweep"))
    return Follower(Faulty(store.feed, drawn, life, ("move",)), beside, Faulty(store.upkeep, iter(()), life, ("end",)))


async def differences(store: Any, engine: Any) -> dict[str, Any]:
    """How the engine is not the store, by every record."""
    state = await store.feed.following()
    points = await store.feed.points(await store.feed.rows_after(0, 10_000))
    if state is None:
        return {"not filled": points} if points else {}
    found = {
        "differing": engine.differing(state.collection, points) if points else [],
        "too many": engine.count(state.collection) - len(points),
        "not complete": state.row,
        "collections": set(collections(engine)) - {state.collection},
    }
    return {name: value for name, value in found.items() if value}


@pytest.fixture
async def store(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(follow, "BATCH", 3)
    monkeypatch.setattr(writing, "KEPT_CHANGES", 12)
    monkeypatch.setattr(writing, "_PRUNE_EVERY", 4)
    opened = SqliteStore(tmp_path / "store", embedder=("test", 8), clock=clock)
    await opened.open()
    yield opened
    await opened.close()


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 9)),
        st.tuples(st.just("change"), st.integers(0, 30)),
        st.tuples(st.just("erase"), st.integers(0, 30)),
        st.tuples(st.just("rebuild"), st.just(0)),
        st.tuples(st.just("follow"), st.lists(st.sampled_from(FAULTS), max_size=8)),
    ),
    max_size=12,
)


async def test_the_engine_equals_the_store_in_the_end(store, engine, write, clock, qdrant_url):
    loop, versions = asyncio.get_running_loop(), {}

    async def do(step: str, argument: Any) -> None:
        if step == "add":
            writes = [write(f"{len(versions) + number}") for number in range(argument)]
            writes[0] = write.long(writes[0], [write.vector(), write.vector()])
            await store.commit(writes)
            versions.update({each.memory.id: each for each in writes})
        elif step == "rebuild" and (state := await store.feed.following()):
            await store.feed.move(state, replace(state, rebuild=True))
        elif step == "follow":
            clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
            try:
                await faulty(store, engine, argument).catch_up()
            except (IndexUnavailable, Overtaken, Killed):
                return
        elif step in ("change", "erase") and versions:
            id = list(versions)[argument % len(versions)]
            if step == "erase":
                await store.erase([id], write.event("erased"))
                del versions[id]
            else:
                versions[id] = write.replacement(versions[id], vector=write.vector(), status=Status.ARCHIVED, tags=("new",))
                await store.commit([versions[id]])

    async def all_of(these: Any) -> None:
        for step, argument in these:
            await do(step, argument)
        clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
        await followed(store, engine).level()
        assert await differences(store, engine) == {}

    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(steps)
    def run(these: Any) -> None:
        asyncio.run_coroutine_threadsafe(all_of(these), loop).result(120)

    await asyncio.to_thread(run)


@pytest.mark.parametrize("fault", FAULTS[1:])
async def test_any_single_step_may_fail_or_be_the_last(store, engine, write, clock, fault):
    """The same work is cut off at its first write, then at its second, and so on, until it comes through."""
    old = [write(f"old {number}") for number in range(7)]
    await store.commit(old)
    for place in range(200):
        clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
        await store.erase([old[0].memory.id], write.event("erased"))
        try:
            await faulty(store, engine, ["fine"] * place + [fault]).catch_up()
        except (IndexUnavailable, Killed):
            old = [*old[1:], write(f"new {place}")]
            await store.commit(old[-1:])
        else:
            break
        clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
        await followed(store, engine).level()
        assert await differences(store, engine) == {}
        state = await store.feed.following()
        await store.feed.move(state, replace(state, rebuild=True))
    assert place > 8


async def test_who_stalls_and_writes_late_mends_what_it_wrote(store, engine, write, clock, monkeypatch):
    """A process sleeps inside a write for longer than its lease; meanwhile another one follows, and records are erased and changed."""
    writes = [write("erased meanwhile"), write("changed meanwhile"), write("as it was")]
    await store.commit(writes)
    await followed(store, engine).level()
    changed = [write.replacement(each, vector=write.vector()) for each in writes]
    await store.commit(changed)
    there, on, real = threading.Event(), threading.Event(), engine.write

    def late(*arguments: Any) -> None:
        monkeypatch.setattr(engine, "write", real)
        there.set()
        on.wait(30)
        real(*arguments)

    monkeypatch.setattr(engine, "write", late)
    stalled = asyncio.create_task(followed(store, engine).catch_up())
    await asyncio.to_thread(there.wait, 30)
    clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
    await store.erase([writes[0].memory.id], write.event("erased"))
    await store.commit([write.replacement(changed[1], vector=write.vector(), tags=("late",))])
    assert await followed(store, engine).catch_up()
    on.set()
    with pytest.raises(Overtaken):
        await stalled
    assert await differences(store, engine) == {}


async def test_who_is_behind_the_pruned_changes_looks_at_everything(store, engine, write):
    await store.commit([write(f"{number}") for number in range(5)])
    follower = followed(store, engine)
    await follower.level()
    kept = (await store.feed.following()).collection
    writes = [write(f"more {number}") for number in range(30)]
    await store.commit(writes)
    await store.erase([each.memory.id for each in writes[:10]], write.event("erased"))
    await store.commit([write(f"later {number}") for number in range(20)])
    assert (await store.feed.changed((await store.feed.following()).change, 10)).behind
    await follower.level()
    assert (await store.feed.following()).collection == kept
    assert await differences(store, engine) == {}


async def test_a_lost_collection_is_filled_anew(store, engine, write):
    await store.commit([write(f"{number}") for number in range(5)])
    follower = followed(store, engine)
    await follower.level()
    engine.drop((await store.feed.following()).collection)
    assert await follower.catch_up()
    assert (await follower.compare()).equal
    assert await differences(store, engine) == {}


async def test_a_store_that_went_back_in_time_is_noticed(store, engine, write):
    """A backup from before the last batches was put back: its rows may be given again to other records."""
    await store.commit([write("kept")])
    follower = followed(store, engine)
    await follower.level()
    before = await store.feed.following()
    await store.commit([write("lost with the restore")])
    await follower.level()
    after = await store.feed.following()
    assert await store.feed.move(after, before)
    await follower.catch_up()
    state = await store.feed.following()
    assert state.collection != before.collection
    assert (await follower.compare()).equal


async def test_another_model_has_a_collection_of_its_own(store, engine, write, tmp_path, clock):
    await store.commit([write(f"{number}") for number in range(5)])
    await followed(store, engine).level()
    first = await store.feed.following()
    await store.close()
    other = SqliteStore(tmp_path / "store", embedder=("other", 4), clock=clock, reindexing=True)
    await other.open()
    await other.begin_reindex()
    page = await other.unstaged(after=0, limit=100)
    from hindsight.ports import StagedVector

    await other.stage([StagedVector(row, memory.id, memory.version, write.vector()[:4]) for row, memory in page])
    assert await other.switch()
    await followed(other, engine).level()
    state = await other.feed.following()
    assert (state.model, state.dimension) == ("other", 4)
    assert state.collection != first.collection
    assert await differences(other, engine) == {}
    await other.close()


async def test_erasing_is_confirmed_at_once_or_caught_up(store, engine, write, monkeypatch):
    writes = [write("one"), write("two")]
    await store.commit(writes)
    follower = followed(store, engine)
    store.erased = follower.erased
    await follower.level()
    await store.erase([writes[0].memory.id], write.event("erased"))
    assert await follower.left([each.memory.id for each in writes]) == 1

    def away(*arguments: Any) -> None:
        raise IndexUnavailable("away")

    monkeypatch.setattr(engine, "remove", away)
    await store.erase([writes[1].memory.id], write.event("erased"))
    assert await follower.left([each.memory.id for each in writes]) == 1
    await follower.level()
    assert await follower.left([each.memory.id for each in writes]) == 0


async def test_one_follows_at_a_time(store, engine, write, clock):
    await store.commit([write("one")])
    assert await store.upkeep.begin(follow.LEASE, "another", seconds=30)
    assert not await followed(store, engine).catch_up()
    assert await followed(store, engine).behind() == 1
    clock.instant += timedelta(seconds=31)
    assert await followed(store, engine).catch_up()


async def test_a_store_without_vectors_asks_nothing_of_the_engine(store, engine, write):
    await store.commit([write("words alone", vector=None)])
    follower = followed(store, engine)
    assert not await follower.behind()
    assert await follower.catch_up()
    assert not collections(engine)
    assert (await follower.compare()).equal


async def test_damage_shows_in_the_comparison(store, engine, write):
    writes = [write(f"{number}") for number in range(6)]
    await store.commit(writes)
    follower = followed(store, engine)
    await follower.level()
    collection = (await store.feed.following()).collection
    engine.remove(collection, [writes[0].memory.id])
    found = await follower.compare()
    assert (found.records, found.points, found.equal) == (6, 5, False)
    await follower.rebuild()
    assert (await follower.compare()).equal
    point = (await store.feed.points([2]))[0]
    engine.write(collection := (await store.feed.following()).collection, [replace(point, vector=-point.vector)], [], None)
    found = await follower.compare()
    assert found.differing == (point.id,)
    assert not found.equal


async def test_erasures_whose_changes_are_gone_are_swept(store, engine, write, clock):
    """The points are found by looking at every row, whichever step is the last of a process."""
    for place in range(2, 12):
        writes = [write(f"{place} {number}") for number in range(6)]
        await store.commit(writes)
        await followed(store, engine).level()
        await store.erase([each.memory.id for each in writes[1:5]], write.event("erased"))
        forgotten = [write(f"more {place} {number}") for number in range(20)]
        await store.commit(forgotten)
        assert (await store.feed.changed((await store.feed.following()).change, 10)).behind
        with pytest.raises(Killed):
            await faulty(store, engine, ["fine"] * place + ["killed after"]).catch_up()
        clock.instant += timedelta(seconds=2 * follow.LEASE_SECONDS)
        await followed(store, engine).level()
        assert await differences(store, engine) == {}
        await store.erase([each.memory.id for each in (*writes, *forgotten)], write.event("erased"))


async def test_a_follower_that_is_stopped_ends_its_write_first(store, engine, write, monkeypatch):
    """Its lease is free at once for the next one, whose writes must not be overtaken by a write of this one."""
    await store.commit([write("one")])
    real, there = engine.write, threading.Event()
    ended = []

    def slow(*arguments: Any) -> None:
        there.set()
        threading.Event().wait(0.1)
        real(*arguments)
        ended.append(True)

    monkeypatch.setattr(engine, "write", slow)
    running = asyncio.create_task(followed(store, engine).catch_up())
    await asyncio.to_thread(there.wait, 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended
    monkeypatch.setattr(engine, "write", real)
    assert await followed(store, engine).catch_up()
    assert await differences(store, engine) == {}
