"""Filters in Qdrant's words let pass what the store's own let pass."""

from __future__ import annotations

import asyncio

from beside import followed, module_of_stores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.adapters.qdrant.filters import translated
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.records import Filter

_filters = module_of_stores("test_filters")


async def test_the_same_records_pass(tmp_path, clock, write, engine):
    store = SqliteStore(tmp_path / "store", embedder=("test", 8), clock=clock)
    await store.open()
    await store.commit(_filters.some_records(write, 150))
    await followed(store, engine).level()
    collection = (await store.feed.following()).collection
    loop, matched = asyncio.get_running_loop(), 0

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.one_of(_filters.sparse, _filters.filters))
    def run(filter: Filter) -> None:
        nonlocal matched
        expected = asyncio.run_coroutine_threadsafe(store.visible(filter), loop).result(30).tolist()
        which = translated(filter, clock.now())
        found, _ = engine._link.write(lambda client: client.scroll(collection, scroll_filter=which, limit=1000, with_payload=["row"]))
        assert sorted(each.payload["row"] for each in found) == expected
        matched += bool(expected)

    await asyncio.to_thread(run)
    assert matched > 3  # the examples were not all empty
    await store.close()
