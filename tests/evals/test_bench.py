"""The benchmark runs end to end, on a small load and keyword-only: what it reports, not how fast that is."""

from __future__ import annotations

import json
from pathlib import Path

from hindsight.evals.bench import run_bench
from hindsight.evals.machine import describe


async def test_every_figure_is_there(tmp_path: Path) -> None:
    told: set[str] = set()
    load = {"queries": 5, "writes": 3, "processes": 2, "embedder": "none"}
    report = await run_bench((60,), **load, folder=tmp_path, progress=lambda what, done, total: told.add(what))
    figures = report.as_dict()
    json.dumps(figures, allow_nan=False)
    size = figures["sizes"][0]
    assert size["memories"] == 60
    assert {"with embedding", "cached query", "keyword only", "filter to 10 %", "filter to 0.5 %"} <= set(size["retrieve"])
    assert all(0 < each["p50_ms"] <= each["p95_ms"] for each in size["retrieve"].values())
    assert all(size["write"][kind]["n"] == 3 for kind in ("store", "store, wait=False", "forget"))
    assert 0 < size["cold"]["open_s"] < size["cold"]["process_s"]
    assert 0 < size["mcp_stdio"]["initialize_s"] <= size["mcp_stdio"]["tools_list_s"] <= size["mcp_stdio"]["first_retrieve_s"]
    assert size["embed_query"] is None
    assert figures["concurrent"]["stores_per_s"] > 0
    assert figures["seals"]["records"] == 60
    assert figures["seals"]["sealed"]["verify_s"] is not None
    assert figures["seals"]["unsealed"]["verify_s"] is None
    assert figures["seals"]["sealed"]["bytes_a_record"] > 0
    assert "60: import" in told
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_the_machine_is_described(tmp_path: Path) -> None:
    machine = describe(tmp_path)
    assert machine["processor"]
    assert machine["fsyncs_per_s"] > 0
    assert machine["memory_gb_per_s"] > 0
    json.dumps(machine, allow_nan=False)
