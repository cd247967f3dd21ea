"""The time budget, the model that loads at first, and routes that fail: flagged, never raised."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight.adapters.relational import indexed
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.errors import IndexUnavailable, ModelUnavailable
from hindsight.recall import warmup
from hindsight.recall.options import RecallOptions
from hindsight.recall.pipeline import Retriever
from hindsight.records import Filter, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.writer import Writer

from .conftest import NOW

MINE = Filter(namespace="default", agent="default", now=NOW)
DIMENSION = 16


class Embedder:
    """Vectors of words; ``load`` seconds pass before the first one, ``delay`` before each."""

    model_id, dimension = "words/1", DIMENSION

    def __init__(self, *, load: float = 0.0, delay: float = 0.0, broken: bool = False) -> None:
        self.load, self.delay, self.broken, self.calls = load, delay, broken, 0

    async def embed(self, texts: Sequence[str], *, kind: str) -> np.ndarray:
        self.calls += 1
        load, self.load = self.load, 0.0
        await asyncio.sleep(load + self.delay)
        if self.broken:
            raise ModelUnavailable("no weights")
        rows = []
        for text in texts:
            row = np.zeros(DIMENSION, dtype=np.float32)
            for word in text.lower().split():
                row[hash(word) % DIMENSION] += 1.0
            rows.append(row / max(float(np.linalg.norm(row)), 1e-9))
        return np.array(rows, dtype=np.float32)

    async def close(self) -> None:
        self.calls = 0


class DownIndex:
    """An index of vectors that serves every namespace and never answers."""

    asked = 0

    def serves(self, *about: Any) -> bool:
        return True

    def nearest(self, *about: Any) -> Any:
        self.asked += 1
        raise IndexUnavailable("the index does not answer")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    clock = FixedClock(NOW)
    opened = SqliteStore(tmp_path / "store", embedder=("words/1", DIMENSION), clock=clock)
    await opened.open()
    writer = Writer(opened, Embedder(), clock, debug=False, max_queue=10)
    drafts = [{"content": f"Falcon deployment note {number}", "kind": "episode"} for number in range(8)]
    await writer.store(drafts, Attribution(Principal(), "default", NOW.tzinfo))
    yield opened
    await opened.close()


def retriever(store: Any, embedder: Embedder | None, **options: Any) -> Retriever:
    return Retriever(store, embedder, None, FixedClock(NOW), replace(RecallOptions(), **options))


class Slow:
    """A store whose named calls take long."""

    def __init__(self, store: SqliteStore, seconds: float, *names: str) -> None:
        self._store, self._seconds, self._names = store, seconds, names

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in self._names:
            return method

        async def later(*arguments: Any, **named: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                await asyncio.sleep(self._seconds)
            else:  # where a retrieval reads on one snapshot
                time.sleep(self._seconds)
            return await method(*arguments, **named)

        return later


async def test_past_the_budget_what_the_routes_had_found_is_the_answer(store: SqliteStore) -> None:
    recall = retriever(Slow(store, 1.5, "term_hits"), Embedder(), budget_ms=150)
    answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    await recall.close()
    assert "timeout" in answer.flags
    assert 1 <= len(answer.hits) <= 5
    assert answer.took_ms < 1400


@pytest.mark.parametrize("stage", ["change_number", "speakers", "search_terms"])
async def test_past_the_budget_with_nothing_found_the_answer_is_empty(store: SqliteStore, stage: str) -> None:
    recall = retriever(Slow(store, 5.0, stage), None, budget_ms=50)
    answer = await recall.retrieve("Falcon", filter=MINE)
    await recall.close()
    assert "timeout" in answer.flags
    assert answer.hits == ()


async def test_a_timed_out_answer_is_not_kept(store: SqliteStore) -> None:
    slow = Slow(store, 1.5, "term_hits")
    recall = retriever(slow, Embedder(), budget_ms=500)
    assert "timeout" in (await recall.retrieve("Falcon deployment note", filter=MINE)).flags
    slow._names = ()
    assert (await recall.retrieve("Falcon deployment note", filter=MINE)).flags == ()
    await recall.close()


async def test_loading_the_model_does_not_count(store: SqliteStore) -> None:
    recall = retriever(store, Embedder(load=0.4), budget_ms=300)
    answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    assert answer.hits
    assert answer.flags == ()
    assert answer.timings["load"] >= 390
    again = await recall.retrieve("Falcon deployment note 4", filter=MINE)
    await recall.close()
    assert again.timings["load"] < 100


async def test_model_and_namespace_are_loaded_side_by_side_before_the_budget_begins(store: SqliteStore) -> None:
    both = asyncio.Barrier(2)

    class Waiting(Embedder):
        async def embed(self, texts: Sequence[str], *, kind: str) -> np.ndarray:
            if not self.calls:
                await both.wait()
            return await super().embed(texts, kind=kind)

    class Loading(Slow):
        def __getattr__(self, name: str) -> Any:
            method = getattr(self._store, name)
            if name != "columns" or self._names:
                return method
            self._names = ("columns",)

            async def later(*arguments: Any) -> Any:
                await both.wait()
                await asyncio.sleep(0.6)
                return await method(*arguments)

            return later

    recall = retriever(Loading(store, 0.0), Waiting(), budget_ms=500)
    first = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    assert first.hits
    assert first.flags == ()
    assert first.timings["load"] >= 590
    await recall.close()


async def test_questions_about_ever_new_namespaces_leave_nothing_behind(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "_KEPT", 5)
    recall = retriever(store, None)
    for number in range(20):
        await recall.retrieve("Falcon", filter=MINE.model_copy(update={"namespace": f"nobody {number}"}))
    assert len(recall._warm_up._namespaces) <= 5
    assert (await recall.retrieve("Falcon", filter=MINE)).hits
    await recall.close()


async def test_a_model_that_loads_for_too_long_is_done_without_at_first(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.WarmUp.ready, "__kwdefaults__", {"patience": 0.05})
    recall = retriever(store, Embedder(load=0.5))
    first = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    assert first.flags == ("keyword_only",)
    assert first.hits
    await asyncio.sleep(0.6)
    assert (await recall.retrieve("Falcon deployment note 3", filter=MINE)).flags == ()
    await recall.close()


async def test_a_model_that_cannot_be_loaded_leaves_keywords(store: SqliteStore) -> None:
    recall = retriever(store, Embedder(broken=True))
    for _ in range(2):
        answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
        assert answer.flags == ("keyword_only", "degraded")
        assert answer.hits
    await recall.close()


async def test_an_endpoint_that_hangs_leaves_time_for_keywords(store: SqliteStore) -> None:
    slow = Embedder()
    recall = retriever(store, slow, budget_ms=400)
    await recall.retrieve("warm", filter=MINE)
    slow.delay = 5.0
    answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    await recall.close()
    assert answer.flags == ("keyword_only", "degraded")
    assert answer.hits
    assert answer.took_ms < 2000


async def test_an_index_of_vectors_that_is_down_leaves_the_other_routes(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed, "SCANNED", 0)
    store._core.vector_index = down = DownIndex()
    recall = retriever(store, Embedder())
    for asked in (1, 2):  # once a retrieval, and no such answer is kept
        answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
        assert answer.flags == ("degraded",)
        assert answer.hits
        assert down.asked == asked
    await recall.close()
    writer = Writer(store, Embedder(), FixedClock(NOW), debug=False, max_queue=10)
    stored = await writer.store([{"content": "Falcon lands on Mondays", "kind": "fact"}], Attribution(Principal(), "default", NOW.tzinfo))
    assert stored[0].id


async def test_every_stage_is_timed(store: SqliteStore) -> None:
    recall = retriever(store, Embedder())
    answer = await recall.retrieve("Falcon deployment note 3", filter=MINE)
    await recall.close()
    assert set(answer.timings) == {"load", "understand", "embed", "routes", "fuse", "select"}
    assert sum(answer.timings.values()) <= answer.took_ms
