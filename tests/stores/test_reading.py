"""Coroutines that read on one snapshot, beside the event loop."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from hindsight.errors import InvalidInput


async def test_all_its_reads_see_one_snapshot_and_leave_the_loop_free(open_store, write, mine):
    store = await open_store()
    await store.commit([write("red apple")])
    first_read, committed = threading.Event(), threading.Event()

    async def work():
        before = await store.visible(mine)
        first_read.set()
        assert committed.wait(30)
        found = await store.search_terms(mine, ["apple"], limit=10)
        return threading.current_thread(), before, found.rows, await store.fetch(found.rows), await store.change_number()

    reading = asyncio.create_task(store.reading(work))
    while not first_read.is_set():
        await asyncio.sleep(0.001)
    await store.commit([write("green apple")])
    committed.set()
    thread, before, found, memories, change = await reading
    assert thread is not threading.current_thread()
    assert before.tolist() == found.tolist()
    assert [memory.content for memory in memories] == ["red apple"]
    assert change < await store.change_number()
    assert len(await store.visible(mine)) == 2


async def test_what_it_raises_is_raised(open_store, write, mine):
    store = await open_store()
    await store.commit([write("apple")])
    with pytest.raises(InvalidInput, match="NaN"):
        await store.reading(lambda: store.search_vector(mine, np.full(8, np.nan, dtype=np.float32), limit=1))
    assert len(await store.reading(lambda: store.visible(mine))) == 1


async def test_it_may_wait_for_nothing_else(open_store, mine):
    store = await open_store()

    async def work():
        await store.visible(mine)
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="waited for something else"):
        await store.reading(work)
    assert len(await store.visible(mine)) == 0


async def test_given_up_it_stops_at_the_next_read(open_store, mine):
    store = await open_store()
    begun, go_on, seen = threading.Event(), threading.Event(), []

    async def work():
        seen.append(len(await store.visible(mine)))
        begun.set()
        assert go_on.wait(30)
        seen.append(len(await store.visible(mine)))

    reading = asyncio.create_task(store.reading(work))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    go_on.set()
    assert len(await store.visible(mine)) == 0
    await store.close()
    assert seen == [0]
