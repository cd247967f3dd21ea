"""Measuring retrieval: through the public interface, with figures that can be followed by hand on a small folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hindsight.errors import ConfigurationError
from hindsight.evals.retrieval import RetrievalReport, compare_embedders, evaluate_retrieval

KEYS = {
    "recall@5",
    "recall@10",
    "recall@20",
    "hit@5",
    "ndcg@10",
    "mrr@10",
    "p50_ms",
    "p95_ms",
    "n",
    "by_category",
    "embedder",
    "settings",
    "ingest_s",
}


async def test_the_report_holds_every_figure_as_a_rate(beir: Path) -> None:
    stages: set[str] = set()
    report = await evaluate_retrieval(beir, embedder="none", ks=(1,), progress=lambda stage, done, total: stages.add(stage))
    told = report.as_dict()
    assert set(told) >= KEYS
    assert (told["set"], told["n"], told["docs"], told["embedder"]) == ("small", 4, 7, None)
    assert told["recall@1"] == told["hit@5"] == told["mrr@10"] == 1.0, "each question shares its words with one document"
    assert told["by_category"]["food"] == {"n": 1, **dict.fromkeys(report.per_query, 1.0)}
    assert told["settings"]["embedder"] == "none"
    assert told["unanswerable"]["abstention"]["n"] == 1
    assert 0 <= told["at_default_settings"]["answered"] <= 1
    assert stages == {"store", "query", "unanswerable"}
    json.dumps(told, allow_nan=False)


async def test_a_kept_store_is_found_again(beir: Path, tmp_path: Path) -> None:
    first = await evaluate_retrieval(beir, embedder="none", store=tmp_path / "kept")
    again = await evaluate_retrieval(beir, embedder="none", store=tmp_path / "kept")
    assert first.ingest_s is not None
    assert again.ingest_s is None
    assert again.as_dict()["ingest_s"] is None
    assert again.per_query == first.per_query


async def test_embedders_are_compared_on_the_same_questions(beir: Path) -> None:
    comparison = (await compare_embedders(beir, ["none", "use"])).as_dict()
    assert [run["embedder"] is None for run in comparison["runs"]] == [True, False]
    assert len(comparison["differences"]) == 1
    difference = comparison["differences"][0]["recall@5"]
    assert difference["low"] <= difference["mean"] <= difference["high"]


async def test_an_unknown_embedder_or_setting_is_refused_before_anything_is_stored(beir: Path) -> None:
    with pytest.raises(ConfigurationError):
        await evaluate_retrieval(beir, embedder="magic")
    with pytest.raises(ConfigurationError):
        await evaluate_retrieval(beir, embedder="none", fusoin="rrf")


def test_intervals_hold_the_rate() -> None:
    report = RetrievalReport(
        folder="made",
        embedder=None,
        documents=1,
        scopes=1,
        ingest_s=None,
        latencies_ms=[1.0, 2.0],
        categories=["a", "b"],
        per_query={"recall@5": [0.0, 1.0]},
        settings={},
    )
    low, high = report.as_dict()["intervals"]["recall@5"]
    assert low <= report.rate("recall@5") <= high
