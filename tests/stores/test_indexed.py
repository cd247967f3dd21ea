"""Vectors that stay in the database: an index may name what it likes, the store's own vectors and filters decide."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import pytest

from hindsight.adapters.relational import indexed
from hindsight.adapters.relational.queries import rows
from hindsight.errors import IndexUnavailable
from hindsight.ports import Rows, Vector
from hindsight.records import Filter, Kind


class RoughIndex:
    """Names every row of the namespace in the order of raw products, some twice, filters be what they may."""

    def __init__(self, *, most: int = 10_000, fault: str = "") -> None:
        self.asked = 0
        self.most = most
        self.fault = fault

    def serves(self, db: Any, namespace: str, code: int, count: int) -> bool:
        return count > 0

    def nearest(self, db: Any, namespace: str, code: int, filter: Filter, now: datetime, query: Vector, wanted: int) -> Iterator[Rows]:
        self.asked += 1
        if self.fault:
            raise IndexUnavailable(self.fault)
        found = [
            (float(np.frombuffer(data, dtype=np.int8) @ query * scale), row)
            for table in ("vectors", "passages")
            for row, scale, data in rows(db, f'SELECT "row", scale, data FROM {table} WHERE namespace = ?', (code,))
        ]
        best = [row for _, row in sorted(found, reverse=True)][: self.most]
        for start in range(0, len(best), 50):
            yield np.array([*best[start : start + 50], *best[start : start + 3]], dtype=np.int64)


@pytest.fixture
def no_small_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed, "SCANNED", 0.0)


async def everything(store, filter: Filter) -> list[np.ndarray]:
    """What searches by vector answer."""
    chance, answers = np.random.default_rng(4), []
    visible = await store.visible(filter)
    for language in ("en", "zh", None):
        query = chance.normal(size=8).astype(np.float32)
        found = await store.search_vector(filter, query, limit=20, language=language)
        answers += [found.rows, found.scores, await store.vector_scores(filter, visible[::-1], query, language=language)]
        answers += [await store.centred(filter, query, language=language)]
    return [*answers, await store.vectors(visible[::3])]


@pytest.mark.parametrize("narrowed", [{}, {"kinds": (list(Kind)[1],)}])
async def test_the_ranking_is_that_of_the_scan(filled, mine, narrowed, no_small_filters):
    filter = mine.model_copy(update=narrowed)
    exact = await everything(filled, filter)
    filled._core.vector_index = index = RoughIndex()
    again = await everything(filled, filter)
    assert index.asked == 3
    for one, other in zip(exact, again, strict=True):
        assert one == pytest.approx(other, abs=1e-6, nan_ok=True)


async def test_a_filter_that_leaves_few_asks_no_index(filled, mine):
    exact = await everything(filled, mine)
    filled._core.vector_index = index = RoughIndex(fault="down")
    for one, other in zip(exact, await everything(filled, mine), strict=True):
        assert one == pytest.approx(other, abs=1e-6, nan_ok=True)
    assert not index.asked


async def test_an_index_that_names_too_few_is_not_believed(filled, mine, no_small_filters):
    exact = await everything(filled, mine)
    filled._core.vector_index = RoughIndex(most=4)
    assert (await everything(filled, mine))[0].tolist() == exact[0].tolist()


async def test_what_changes_is_compared_as_it_is_now(filled, mine, write, no_small_filters):
    filled._core.vector_index = RoughIndex()
    query = np.ones(8, dtype=np.float32)
    await filled.search_vector(mine, query, limit=5, language="en")
    best = write("the nearest", vector=query)
    await filled.commit([best])
    found = await filled.search_vector(mine, query, limit=5, language="en")
    assert (await filled.fetch(found.rows[:1]))[0].content == "the nearest"
    await filled.erase([best.memory.id], write.event("erased"))
    again = await filled.search_vector(mine, query, limit=5, language="en")
    assert found.rows[0] not in again.rows


async def test_an_index_that_is_down_is_an_error_of_its_own(filled, mine, no_small_filters):
    filled._core.vector_index = RoughIndex(fault="the index does not answer")
    with pytest.raises(IndexUnavailable, match="does not answer"):
        await filled.search_vector(mine, np.ones(8, dtype=np.float32), limit=5)
    # What needs no candidates works on.
    assert len(await filled.vectors(await filled.visible(mine))) > 200


async def test_the_process_holds_no_vectors_then(filled, mine, no_small_filters):
    await everything(filled, mine)
    matrix = filled._core._namespaces["work"].cache._matrix
    assert matrix.loaded
    filled._core.vector_index = RoughIndex()
    await everything(filled, mine)
    assert not matrix.loaded
    filled._core.vector_index = None
    await everything(filled, mine)
    assert matrix.loaded


async def test_the_mean_of_a_large_language_is_that_of_a_sample(filled, mine, monkeypatch, no_small_filters):
    query = np.ones(8, dtype=np.float32)
    exact = await filled.centred(mine, query, language="en")
    monkeypatch.setattr(indexed, "_SAMPLE", 100)
    filled._core.vector_index = RoughIndex()
    sampled = await filled.centred(mine, query, language="en")
    assert sampled != pytest.approx(exact, abs=1e-6)
    assert sampled == pytest.approx(exact, abs=0.1)
