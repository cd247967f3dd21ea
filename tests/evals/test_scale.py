"""The benchmark of sizes: its stores are as the product would have filled them, every figure is there, and two runs are compared by ratios."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from hindsight.assemble import store_of
from hindsight.clock import SystemClock
from hindsight.evals.filling import fill, make_clauses
from hindsight.evals.scale import run_scale
from hindsight.evals.scale_compare import compared
from hindsight.evals.workload import Workload, named, skewed
from hindsight.memory import Hindsight
from hindsight.settings import load_settings

KEYWORD = {"seal_key": "off", "worker": "off", "embedder": "none"}


def test_sizes_are_skewed_and_named_each_its_own_way() -> None:
    sizes = skewed(1_000_000)
    assert sum(sizes) == 1_000_000
    assert (sizes[0], sizes[2], sizes[-1]) == (500_000, 100_000, 1_000)
    assert len(set(named(sizes))) == len(sizes)
    assert sum(skewed(300)) == 300
    assert min(skewed(300)) == 1


async def test_a_filled_store_is_as_the_product_would_have_filled_it(tmp_path: Path) -> None:
    load, settings = Workload(3), load_settings(store=str(tmp_path / "store"), **KEYWORD)
    clauses = await make_clauses(load, 60, settings)
    sizes = skewed(120)
    await fill(tmp_path / "store", settings, load, sizes, clauses)
    store = store_of(settings, None, SystemClock())
    await store.open()
    assert await store.check() == []
    await store.close()
    async with Hindsight.open(tmp_path / "store", **KEYWORD) as memory:
        stats = await memory.stats()
        assert stats.namespaces == dict(zip(named(sizes), sizes, strict=True))
        assert stats.events == 120
        name = named(sizes)[0]
        memories = (await memory.list(namespace=name, limit=200)).items
        assert len({each.content for each in memories}) == len(memories) == sizes[0]
        wanted = memories[7]
        found = await memory.retrieve(wanted.content, namespace=name, k=3, min_relevance=0)
        assert wanted.id in [hit.memory.id for hit in found.hits]
        assert (await memory.history(wanted.id))[0].action == "created"
        assert (await memory.store("stored after it", namespace=name)).id is not None
        await memory.forget(wanted.id)
        found = await memory.retrieve(wanted.content, namespace=name, k=3, min_relevance=0)
        assert wanted.id not in [hit.memory.id for hit in found.hits]


async def test_every_figure_is_there_and_runs_compare_by_ratios(tmp_path: Path) -> None:
    load = {"queries": 2, "seconds": 0.1, "clauses": 40, "embedder": "none", "probes": 1, "many": 10}
    report = await run_scale((200,), folder=tmp_path, tell=lambda *_: None, **load)
    json.dumps(report, allow_nan=False)
    store = report["stores"][0]
    assert store["namespaces"]["pool-97"] == 97
    full = store["retrieve"]["97"]
    assert {"cached query", "filter to 10 %", "filter to 0.5 %", "frequent words", "two Chinese characters", "long query"} <= set(full)
    assert {"first_ms", "next_ms"} == set(store["refresh"]["after 1 stored"])
    assert store["concurrent"]["readers beside a writer"]["stored_per_s"] > 0
    assert store["cold"]["pool-97"]["process_s"] > 0
    assert report["erase"]["erased"] >= 100
    assert {path.name for path in tmp_path.iterdir()} == {"200-keyword"}, "the store is kept, what was erased is not"

    for kinds in store["retrieve"].values():
        kinds["cached query"]["cpu_ms"] = 10.0  # such a short run tells none apart
    lines, worse = compared(report, report)
    assert lines
    assert not worse
    slower = copy.deepcopy(report)
    slower["stores"][0]["retrieve"]["97"]["cached query"]["cpu_ms"] *= 2
    slower["stores"][0]["rss_mb"]["all namespaces"] *= 1.5
    assert [line.partition(" → ")[0].rpartition(": ")[0] for line in compared(slower, report)[1]] == [
        "200: 97: cached query",
        "200: resident MB",
    ]
    for kinds in slower["stores"][0]["retrieve"].values():  # a slower machine is not worse
        for told in kinds.values():
            if isinstance(told, dict):
                told["cpu_ms"] *= 3
    slower["stores"][0]["retrieve"]["97"]["cached query"]["cpu_ms"] /= 2
    slower["stores"][0]["rss_mb"] = report["stores"][0]["rss_mb"]
    assert not compared(slower, report)[1]
