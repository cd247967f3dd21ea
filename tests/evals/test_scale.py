"""The benchmark of sizes: its stores are as the product would have filled them, every figure is there, and runs are compared and joined."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hindsight.assemble import store_of
from hindsight.clock import SystemClock
from hindsight.evals.filling import fill, make_clauses
from hindsight.evals.scale import REPORT, retrieve, run_scale
from hindsight.evals.scale_compare import compared, merged
from hindsight.evals.scale_places import Embedded, Load, Postgres, Texts
from hindsight.evals.scale_upkeep import scanned_bytes
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


def untold(what: str, done: int, total: int) -> None:
    """Progress that nobody watches; processes of their own have to find it by its name."""


QUICK = Load(queries=2, seconds=0.1, probes=1, many=10)
KEYED: dict[str, Any] = {"clauses": 40, "embedder": "none", "tell": untold}


async def test_every_figure_is_there_on_a_file(tmp_path: Path) -> None:
    report = await run_scale((200,), QUICK, folder=tmp_path, **KEYED)
    assert json.loads((tmp_path / REPORT).read_text(encoding="utf-8")) == report
    check_figures(report, "embedded")
    store = report["stores"][0]
    assert "limits" not in store, "without vectors nothing is scanned"
    assert store["concurrent"]["readers beside a writer"]["stored_per_s"] > 0
    assert store["cold"]["pool-97"]["process_s"] > 0
    assert store["erase"]["disk_mb"]["after"] <= store["erase"]["disk_mb"]["before"]
    assert {path.name for path in tmp_path.iterdir()} == {"200-keyword", REPORT}, "the store is kept, what was erased is not"


async def test_every_figure_is_there_on_postgresql_filled_from_a_file(tmp_path: Path, postgres_address: str) -> None:
    parts = ("retrieve", "refresh", "upkeep", "erase")
    check_figures(await run_scale((200,), QUICK, folder=tmp_path, parts=parts, postgres=postgres_address, **KEYED), "postgresql + pgvector")
    place = Postgres(postgres_address, Embedded(tmp_path, 200, {**KEYWORD}))
    settings = load_settings(store=place.address, **KEYWORD)
    store = store_of(settings, None, SystemClock())
    await store.open()
    assert await store.check() == []
    assert (await store.stats()).memories >= 200
    await store.close()
    async with Hindsight.open(place.address, **KEYWORD) as memory:
        wanted = (await memory.list(namespace="pool-40", limit=40)).items[7]
        found = await memory.retrieve(wanted.content, namespace="pool-40", k=3, min_relevance=0)
        assert wanted.id in [hit.memory.id for hit in found.hits]
        assert (await memory.history(wanted.id))[0].action == "created"
        assert (await memory.store("stored after it", namespace="pool-40")).id is not None, "numbers go on behind the copied ones"
    assert await place.fill(Texts(tmp_path, 40, settings, untold)) == {}, "what is there is used again"


def check_figures(report: dict[str, Any], engine: str) -> None:
    json.dumps(report, allow_nan=False)
    store = report["stores"][0]
    assert store["engine"] == engine
    assert store["machine"]["fsyncs_per_s"] > 0
    assert store["namespaces"]["pool-97"] == 97
    full = store["retrieve"]["97"]
    assert {"cached query", "filter to 10 %", "filter to 0.5 %", "frequent words", "two Chinese characters", "long query"} <= set(full)
    assert all(told["pace_ms"] > 0 for told in full.values() if isinstance(told, dict))
    assert {"first_ms", "next_ms"} == set(store["refresh"]["after 1 stored"])
    assert {"expire", "archive", "compact", "forget", "conflicts", "patterns", "history", "stats"} <= set(store["upkeep"])
    assert store["upkeep"]["archive"]["counts"]["archived"] > 0, "episodes are past the hot window when upkeep looks"
    assert store["erase"]["erased"] >= 100


async def test_some_namespaces_can_be_asked_alone(tmp_path: Path) -> None:
    place = Embedded(tmp_path, 200, {**KEYWORD})
    await place.fill(Texts(tmp_path, 40, load_settings(**KEYWORD), untold))
    found = await retrieve(place, replace(QUICK, namespaces=(40, 97)), untold)
    assert set(found["retrieve"]) == {"40", "97"}
    assert "rss_mb" not in found, "not every namespace was loaded"


def test_many_vectors_are_scanned_by_their_signs() -> None:
    assert scanned_bytes(10_000, 384) == 3_840_000
    assert scanned_bytes(100_000, 384) == 4_800_000


def figures(cpu: float, *, pace: float = 2.0, size: int = 100, engine: str | None = None) -> dict[str, Any]:
    """A report of one store of two namespaces."""
    told = {"cpu_ms": cpu, "pace_ms": pace, "p50_ms": cpu, "p95_ms": cpu}
    asked = {str(records): {"first_s": 0.1, "cached query": dict(told), "keyword only": dict(told)} for records in (10, 50)}
    store = {"memories": size, "retrieve": asked, "rss_mb": {"all namespaces": 200}, "disk_mb": 20}
    return {"stores": [store | ({"engine": engine} if engine else {})]}


def test_runs_compare_by_ratios() -> None:
    report = figures(10.0)
    lines, worse = compared(report, report)
    assert len(lines) == 6
    assert not worse
    slower = figures(10.0)
    slower["stores"][0]["retrieve"]["10"]["cached query"]["cpu_ms"] = 20.0
    slower["stores"][0]["rss_mb"]["all namespaces"] = 300
    assert [line.partition(" → ")[0].rpartition(": ")[0] for line in compared(slower, report)[1]] == [
        "100: 10: cached query",
        "100: resident MB",
    ]
    assert not compared(figures(30.0, pace=6.0), report)[1], "a slower machine is not worse"
    assert compared(figures(10.0, size=1000), report) == ([], []), "no size in common"
    assert compared(figures(10.0, engine="other"), report) == ([], []), "no engine in common"


def test_growth_from_one_size_to_the_next_is_compared() -> None:
    def grown(cpu: float) -> dict[str, Any]:
        return {"stores": [*figures(10.0)["stores"], *figures(cpu, size=1000)["stores"]]}

    _, worse = compared(grown(20.0), grown(10.0))
    assert any(line.startswith("1,000 / 100: 10: cached query: 1.00 → 2.00") for line in worse)


def test_a_run_of_some_parts_keeps_what_was_measured_before() -> None:
    before = figures(10.0)
    before["stores"][0]["erase"] = {"erased": 50}
    partial = figures(20.0, engine="embedded")
    del partial["stores"][0]["retrieve"]["50"], partial["stores"][0]["rss_mb"]
    other = figures(5.0, engine="postgresql + pgvector")
    found = merged(merged(before, partial), other)
    embedded, served = found["stores"]
    assert embedded["erase"] == {"erased": 50}
    assert embedded["rss_mb"] == {"all namespaces": 200}
    assert list(embedded["retrieve"]) == ["10", "50"]
    assert embedded["retrieve"]["10"]["cached query"]["cpu_ms"] == 20.0
    assert embedded["retrieve"]["50"]["cached query"]["cpu_ms"] == 10.0
    assert served["retrieve"]["10"]["cached query"]["cpu_ms"] == 5.0
