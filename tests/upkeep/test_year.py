"""The simulated year, short: what upkeep promises holds from the first months on."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def year():
    spec = importlib.util.spec_from_file_location("year", Path(__file__).parents[2] / "scripts" / "year.py")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["year"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["year"]


async def test_a_short_year_keeps_what_it_must(year, tmp_path):
    on = await year.simulate(tmp_path / "on", days=60, tasks=10, upkeep=True, hot_days=8, cold_days=8)
    last = on["months"][-1]
    assert (on["faults"], on["seals"]) == ([], "ok")
    assert last["lasting"] == last["lasting_planted"] == 20
    assert last["recall@5"] == 1.0
    assert last["statuses"]["active"] < 60 * 10 + 100
    assert last["statuses"].get("archived", 0) < 10 * 20
    assert on["cold_bytes"] > 0


def test_the_plot_is_drawn_from_figures(year, tmp_path):
    pytest.importorskip("matplotlib")
    month = {"day": 30, "bytes": 1 << 20, "recall@5": 1.0, "p95_ms": 5.0, "contradictions": 0}
    year.plot({"months": [month]}, {"months": [{**month, "bytes": 3 << 20}]}, tmp_path / "year.svg")
    assert "<svg" in (tmp_path / "year.svg").read_text()
