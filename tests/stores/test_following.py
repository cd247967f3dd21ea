"""What a process keeps of a namespace between questions equals what a new one reads, whatever was written in between."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import numpy as np
import pytest

from hindsight.adapters.relational import filtering, postings
from hindsight.records import Status, Visibility

WORDS = [*(f"word{number}" for number in range(8)), "common", "rare", "缓存", "乌龙"]
EDGES = (None, 10, 20, 30)
"""Minutes from now at which something may begin or end."""


@pytest.fixture(params=["mapped", "postgres", "sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


async def found(store, filter, query) -> dict:
    rows = await store.visible(filter)
    hits = await store.term_hits(filter, rows, WORDS)
    terms = [await store.search_terms(filter, [word, "common"], limit=1000) for word in WORDS]
    vectors = await store.search_vector(filter, query, limit=1000)
    return {
        "visible": rows.tolist(),
        "terms": [dict(zip(each.rows.tolist(), np.round(each.scores, 4).tolist(), strict=True)) for each in terms],
        "idf": np.round(hits.idf, 4).tolist(),
        "worth": np.round(hits.worth, 4).tolist(),
        "vectors": dict(zip(vectors.rows.tolist(), np.round(vectors.scores, 3).tolist(), strict=True)),
    }


@pytest.mark.parametrize("seed", range(4))
async def test_posting_lists_equal_fresh_ones_under_any_writing(open_store, write, mine, monkeypatch, seed):
    monkeypatch.setattr(postings, "_TAIL", 6)
    chance, query, store = random.Random(seed), write.vector(), await open_store()
    there = []

    def tokens() -> list[str]:
        return ["common", *chance.choices(WORDS, k=chance.randint(0, 5))]

    for step in range(40):
        what = chance.choice(["add", "add", "reword", "restatus", "erase"]) if len(there) > 3 else "add"
        place = chance.randrange(len(there)) if there else 0
        if what == "add":
            added = [write("text", tokens=tokens()) for _ in range(chance.randint(1, 9))]
            await store.commit(added)
            there += added
        elif what == "erase":
            gone = chance.sample(there, chance.randint(1, 3))
            await store.erase([each.memory.id for each in gone], write.event("erased"))
            there = [each for each in there if each not in gone]
        else:
            changed = {"tokens": tokens()} if what == "reword" else {"status": chance.choice([Status.ACTIVE, Status.ARCHIVED])}
            there[place] = write.replacement(there[place], **changed)
            await store.commit([there[place]])
        if chance.random() < 0.5:  # else several changes are met at once
            await store.search_terms(mine, chance.sample(WORDS, 2), limit=5)
        if step % 8 == 7:
            assert await found(store, mine, query) == await found(await open_store(), mine, query)


async def test_a_record_erased_or_reworded_leaves_the_lists_in_memory_and_the_others_stay(open_store, write, mine, monkeypatch):
    store = await open_store()
    writes = [write("text", tokens=["common", f"word{number % 3}"]) for number in range(12)]
    await store.commit(writes)
    await store.search_terms(mine, WORDS, limit=5)
    rows = (await store.row_of([writes[4].memory.id, writes[5].memory.id])).tolist()
    await store.erase([writes[4].memory.id], write.event("erased"))
    await store.commit([write.replacement(writes[5], tokens=["rare"])])
    monkeypatch.setattr(postings, "_read", None)  # nothing is read again
    assert len((await store.search_terms(mine, ["common"], limit=100)).rows) == 10
    assert (await store.search_terms(mine, ["rare"], limit=100)).rows.tolist() == rows[1:]
    space = store._core._namespaces["work"]
    erased = int(np.searchsorted(space.cache._rows[: space.cache._count], rows[0]))
    assert all(erased not in kept.places for kept in space.terms._postings._kept.values()), "erased means erased"


async def test_a_reader_on_an_older_snapshot_leaves_nothing_wrong_behind(open_store, write, mine):
    store, query, loop = await open_store(), write.vector(), asyncio.get_running_loop()
    await store.commit([write(f"common word{number}") for number in range(10)])

    async def meanwhile() -> None:
        await store.commit([write("common rare", agent="bob", visibility=Visibility.SHARED), write("乌龙", language="zh")])
        await store.visible(mine)

    async def slowly() -> None:
        await store.visible(mine)  # its snapshot is from here on
        asyncio.run_coroutine_threadsafe(meanwhile(), loop).result()
        for late in (mine.model_copy(), mine.model_copy(update={"agent": "bob"})):
            await found(store, late, query)

    await store.reading(slowly)
    fresh = await open_store()
    for filter in (mine, mine.model_copy(update={"agent": "bob"})):
        assert await found(store, filter, query) == await found(fresh, filter, query)


@pytest.mark.parametrize("seed", range(3))
async def test_masks_switch_at_the_moment_when_something_expires_or_becomes_valid(store, write, mine, monkeypatch, seed):
    chance, built, build = random.Random(seed), [], filtering.build_mask
    monkeypatch.setattr(filtering, "build_mask", lambda *given: built.append(1) or build(*given))
    writes = []
    for number in range(30):
        start, end, expiry = (each and write.now + timedelta(minutes=each) for each in chance.choices(EDGES, k=3))
        if start and end and end <= start:
            end = None
        writes.append(write(f"text {number}", valid_from=start, valid_to=end, expires_at=expiry))
    done = await store.commit(writes)
    rows = await store.row_of([each.memory.id for each in writes])
    moments = [write.now + timedelta(minutes=edge, microseconds=step) for edge in (0, 10, 20, 30) for step in (-1000, 0, 1000)]
    for moment in [*chance.sample(moments, len(moments)), *moments]:
        expected = [
            int(row)
            for row, memory in zip(rows, (each.memory for each in writes), strict=True)
            if (memory.expires_at is None or moment < memory.expires_at)
            and (memory.valid_from is None or memory.valid_from <= moment)
            and (memory.valid_to is None or moment < memory.valid_to)
        ]
        assert sorted((await store.visible(mine.model_copy(update={"now": moment}))).tolist()) == sorted(expected), moment
    assert len(done) == 30
    built.clear()
    for second in range(0, 500, 50):
        await store.visible(mine.model_copy(update={"now": write.now + timedelta(seconds=second)}))
    assert len(built) <= 1, "between two such moments one mask serves"
