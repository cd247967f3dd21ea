"""What a process keeps in memory follows what other processes (here: other instances) write."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from hindsight.adapters.relational import cache, matrix, postings, writing
from hindsight.adapters.relational.terms import Reach
from hindsight.records import Status


@pytest.fixture(params=["mapped", "postgres", "sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


async def everything(store, filter, query: np.ndarray) -> dict:
    vector = await store.search_vector(filter, query, limit=1000)
    terms = await store.search_terms(filter, ["common", "word3", "late"], limit=1000)
    return {
        "visible": (await store.visible(filter)).tolist(),
        "vector": dict(zip(vector.rows.tolist(), np.round(vector.scores, 3).tolist(), strict=True)),
        "terms": dict(zip(terms.rows.tolist(), np.round(terms.scores, 3).tolist(), strict=True)),
    }


async def test_a_namespace_that_is_loaded_in_several_parts_is_whole(open_store, write, mine, monkeypatch):
    monkeypatch.setattr(cache, "_CHUNK", 7)
    one = await open_store()
    await one.commit([write(f"common word{number}") for number in range(60)])
    found = await everything(await open_store(), mine, write.vector())
    assert len(found["visible"]) == len(found["vector"]) == 60


async def test_instances_see_each_others_changes(open_store, write, mine):
    one, two = await open_store(), await open_store()
    query = write.vector()
    writes = [write(f"common word{number}") for number in range(60)]
    await one.commit(writes)
    await everything(two, mine, query)
    await one.commit([write.replacement(writes[3], content="late", tokens=["late"], vector=write.vector())])
    await two.commit([write.replacement(writes[4], status=Status.ARCHIVED)])
    await one.erase([writes[5].memory.id], write.event("erased"))
    await two.commit([write("common late"), write("common late", namespace="home")])
    fresh = await open_store()
    expected = await everything(fresh, mine, query)
    assert await everything(one, mine, query) == expected
    assert await everything(two, mine, query) == expected
    assert len(expected["visible"]) == 59
    assert await two.change_number() == await one.change_number() == 65


async def test_who_missed_forgotten_changes_loads_anew(open_store, write, mine, monkeypatch):
    monkeypatch.setattr(writing, "KEPT_CHANGES", 10)
    monkeypatch.setattr(writing, "_PRUNE_EVERY", 5)
    one, two = await open_store(), await open_store()
    query = write.vector()
    writes = [write(f"common word{number}") for number in range(30)]
    await one.commit(writes[:10])
    await everything(two, mine, query)
    for each in writes[10:]:
        await one.commit([each])
    await one.erase([writes[0].memory.id, writes[1].memory.id], write.event("erased"))
    await one.commit([write.replacement(writes[2], tokens=["late"])])
    assert await everything(two, mine, query) == await everything(await open_store(), mine, query)


@pytest.mark.parametrize("scored", [400_000, 30])
async def test_posting_lists_follow_a_long_tail(open_store, write, mine, monkeypatch, scored):
    monkeypatch.setattr(postings, "_TAIL", 10)
    monkeypatch.setattr(postings, "_KEPT_POSTINGS", 100)  # and hold few lists, so that some are dropped
    monkeypatch.setattr(postings, "_KEPT_A_RECORD", 0)
    store, other = await open_store(), await open_store()
    store._core.reach = other._core.reach = Reach(scored=scored)
    query = write.vector()
    for number in range(40):
        await store.commit([write(f"common word{number % 5}", tokens=["common", "common", f"word{number % 5}"])])
        found = await store.search_terms(mine, ["common", f"word{number % 5}"], limit=100)
        both = number // 5 + 1 + number + 1
        assert len(found.rows) == (number + 1 if both <= scored else number // 5 + 1), "beyond it the rarer word alone finds"
    assert await everything(store, mine, query) == await everything(other, mine, query)


async def test_memory_is_given_back_when_much_was_erased(open_store, write, mine):
    store = await open_store()
    writes = [write(f"common word{number}") for number in range(3000)]
    await store.commit(writes)
    query = write.vector()
    await everything(store, mine, query)
    await store.erase([each.memory.id for each in writes[:2500]], write.event("erased"))
    await store.visible(mine)
    await store.commit([write("late")])
    expected = await everything(await open_store(), mine, query)
    assert await everything(store, mine, query) == expected
    assert len(store._core._namespaces["work"].cache._rows) < 1000


async def test_reading_and_writing_at_once_gives_consistent_arrays(open_store, write, mine):
    store = await open_store()
    writes = [write(f"common word{number}") for number in range(200)]
    await store.commit(writes)
    query = write.vector()
    stop = asyncio.Event()

    async def read() -> int:
        rounds = 0
        while not stop.is_set():
            await everything(store, mine, query)
            rows = await store.visible(mine)
            await store.neighbours(mine, rows, reach=2)
            columns = await store.columns(mine, rows)
            assert len(columns.kind) == len(rows)
            rounds += 1
        return rounds

    readers = [asyncio.ensure_future(read()) for _ in range(3)]
    for number in range(60):
        added = [write("common late", session_id="s") for _ in range(20)]
        await store.commit(added)
        await store.commit([write.replacement(added[0], tokens=["changed"])])
        await store.erase([added[1].memory.id], write.event("erased"))
        if number % 20 == 0:
            await asyncio.sleep(0)
    stop.set()
    assert min(await asyncio.gather(*readers)) > 0
    assert await everything(store, mine, query) == await everything(await open_store(), mine, query)
    assert await store.check() == []


async def test_signs_follow_changes_as_vectors_do(open_store, write, mine, monkeypatch):
    query = write.vector()
    store = await open_store()
    writes = [write(f"common word{number}") for number in range(60)]
    await store.commit(writes[:20])
    await everything(store, mine, query)  # small as yet
    monkeypatch.setattr(matrix, "COARSE_FROM", 30)
    await store.commit(writes[20:])
    await everything(store, mine, query)
    await store.commit([write.replacement(writes[3], content="late", tokens=["late"], vector=write.vector())])
    gone = int((await store.row_of([writes[5].memory.id]))[0])
    await store.erase([writes[5].memory.id], write.event("erased"))
    await store.commit([write(f"common late {number}") for number in range(200)])  # more than there was room for
    found = await everything(store, mine, query)
    assert found == await everything(await open_store(), mine, query)
    monkeypatch.setattr(matrix, "COARSE_FROM", 10_000)
    assert found == await everything(await open_store(), mine, query), "enough are chosen that nothing is missing"

    cache = store._core._namespaces["work"].cache
    place = int(np.searchsorted(cache._rows[: cache._count], gone))
    assert cache._matrix._signs is not None
    assert not cache._matrix._signs[place].any(), "erased means erased"
    assert cache._matrix._signs[:place].any(axis=1).all()
