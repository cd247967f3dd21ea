"""Long records are as near to a query as their nearest passage, in every search by vector, and leave nothing behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hindsight.errors import InvalidInput, ModelMismatch
from hindsight.ports import RecordStore
from hindsight.records import Filter


@pytest.fixture(params=["mapped", "pgvector", "postgres", "sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


def orthogonal(count: int, dimension: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(3).normal(size=(dimension, count)))[0].T.astype(np.float32)


@pytest.fixture
def axes(write) -> np.ndarray:
    return orthogonal(12, len(write.vector()))


async def test_the_nearest_passage_decides(store: RecordStore, write, mine: Filter, axes: np.ndarray) -> None:
    long = replace(write("long", vector=axes[0]), passages=axes[1:4])
    short = write("short", vector=(axes[2] + axes[5]) / np.sqrt(2))
    await store.commit([long, short])
    found = await store.search_vector(mine, axes[2], limit=2)
    assert [memory.content for memory in await store.fetch(found.rows)] == ["long", "short"]
    assert found.scores[0] == pytest.approx(await _score(store, mine, axes[2], long), abs=1e-5)
    assert await _score(store, mine, axes[2], long) > await _score(store, mine, axes[7], long)


async def test_passages_of_what_a_filter_hides_are_not_found(store: RecordStore, write, mine: Filter, axes: np.ndarray) -> None:
    hidden = replace(write("hidden", vector=axes[0], agent="bob"), passages=axes[1:4])
    await store.commit([hidden, write("seen", vector=axes[5])])
    found = await store.search_vector(mine, axes[2], limit=5)
    assert [memory.content for memory in await store.fetch(found.rows)] == ["seen"]


async def test_a_new_text_has_new_passages_and_a_new_status_keeps_them(store: RecordStore, write, mine: Filter, axes: np.ndarray) -> None:
    long = replace(write("long", vector=axes[0]), passages=axes[1:4])
    await store.commit([long])
    before = await _score(store, mine, axes[2], long)
    touched = write.replacement(long, importance=0.9)
    await store.commit([touched])
    assert await _score(store, mine, axes[2], long) == pytest.approx(before, abs=1e-6)
    await store.commit([write.replacement(touched, content="short now", tokens=["short"], vector=axes[0])])
    assert await _score(store, mine, axes[2], long) < before - 0.2


async def test_erased_passages_are_gone(open_store, write, mine: Filter, axes: np.ndarray) -> None:
    store: RecordStore = await open_store()
    long = replace(write("long", vector=axes[0]), passages=axes[1:4])
    await store.commit([long, write("other", vector=axes[6])])
    await store.search_vector(mine, axes[2], limit=5)
    await store.erase([long.memory.id], write.event("erased"))
    found = await store.search_vector(mine, axes[2], limit=5)
    assert [memory.content for memory in await store.fetch(found.rows)] == ["other"]
    assert await store.check() == []


async def test_many_long_records_score_as_they_should(store: RecordStore, write, mine: Filter) -> None:
    random = np.random.default_rng(5)
    writes = []
    for number in range(60):
        passages = np.stack([write.vector() for _ in range(int(random.integers(1, 5)))])
        writes.append(replace(write(f"long {number}", vector=write.vector()), passages=passages))
    await store.commit(writes)
    query = write.vector()
    rows = await store.row_of([each.memory.id for each in writes])
    scores = await store.vector_scores(mine, rows, query)
    wanted = [max(float(query @ vector) for vector in (each.vector, *each.passages)) for each in writes]
    assert scores == pytest.approx(np.array(wanted), abs=0.02)
    found = await store.search_vector(mine, query, limit=10)
    assert set(found.rows[:5].tolist()) <= set(rows[np.argsort(-scores)[:10]].tolist())


async def test_a_narrow_filter_compares_the_same(store: RecordStore, write, mine: Filter) -> None:
    writes = [
        replace(
            write(f"long {number}", vector=write.vector(), tags=("few",) if number % 15 == 0 else ()),
            passages=np.stack([write.vector()] * 2),
        )
        for number in range(60)
    ]
    await store.commit(writes)
    query, few = write.vector(), mine.model_copy(update={"tags": ("few",)})
    found = await store.search_vector(few, query, limit=10)
    rows = await store.row_of([each.memory.id for each in writes[::15]])
    scores = await store.vector_scores(mine, rows, query)
    assert found.rows.tolist() == rows[np.argsort(-scores, kind="stable")].tolist()
    assert found.scores == pytest.approx(np.sort(scores)[::-1], abs=1e-5)


@pytest.mark.parametrize(("shape", "fault"), [((2, 3), ModelMismatch), ((4,), ModelMismatch)])
async def test_passages_of_another_shape_are_refused(store: RecordStore, write, mine: Filter, shape, fault) -> None:
    with pytest.raises(fault):
        await store.commit([replace(write("long"), passages=np.ones(shape, dtype=np.float32))])
    assert len(await store.visible(mine)) == 0


async def test_passages_that_are_no_numbers_are_refused(store: RecordStore, write, mine: Filter) -> None:
    broken = np.full((2, len(write.vector())), np.nan, dtype=np.float32)
    with pytest.raises(InvalidInput):
        await store.commit([replace(write("long"), passages=broken)])
    assert len(await store.visible(mine)) == 0


async def _score(store: RecordStore, filter: Filter, query: np.ndarray, write) -> float:
    return float((await store.vector_scores(filter, await store.row_of([write.memory.id]), query))[0])
