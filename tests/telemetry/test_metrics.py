"""Every metric that is named anywhere exists, and says what happened."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hindsight.prometheus import COUNTERS, GAUGES, HISTOGRAMS, METRICS, PrometheusCounts
from hindsight.serve.app import build_app
from hindsight.settings import load_settings
from hindsight.telemetry import Counts, count_with, counts

ROOT = Path(__file__).parents[2]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "hindsight.json").read_text(encoding="utf-8"))
RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
NAME = re.compile(r"\bhindsight_[a-z_]+")


@pytest.fixture
def server(tmp_path):
    settings = load_settings(store=str(tmp_path / "memory"), embedder="none")
    with TestClient(build_app(settings), base_url="http://127.0.0.1:8080") as client:
        yield client
    count_with(Counts())


def read(client) -> dict[str, float]:
    text = client.get("/metrics").text
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))}


def test_every_metric_is_exposed_under_the_name_that_is_documented(server) -> None:
    text = server.get("/metrics").text
    typed = dict(line.split(" ")[2:4] for line in text.splitlines() if line.startswith("# TYPE") and "_created" not in line)
    assert {name for name, kind in typed.items() if kind == "counter"} == {f"{name}_total" for name in COUNTERS}
    assert {name for name, kind in typed.items() if kind == "histogram"} == set(HISTOGRAMS)
    assert {name for name, kind in typed.items() if kind == "gauge"} == set(GAUGES)


def test_what_happens_is_counted(server) -> None:
    before = read(server)
    for content in ("花生过敏 peanut allergy", "花生过敏 peanut allergy", "password = hunter2-and-a-long-one-9f3KxQ"):
        server.post("/v1/memories", json={"content": content})
    found = server.post("/v1/recall", json={"query": "peanut allergy", "k": 1}).json()
    server.post("/v1/recall", json={"query": "peanut allergy", "k": 1})
    server.post("/v1/recall", json={"query": "qqqqq", "kind": ["knowledge"]})
    server.post("/v1/feedback", json={"id": found["id"], "verdict": "helpful"})
    after = read(server)
    grew = {name: value - before.get(name, 0) for name, value in after.items() if value != before.get(name, 0)}
    assert grew["hindsight_retrievals_total"] == 3
    assert grew["hindsight_retrievals_empty_total"] == 1
    assert grew["hindsight_hits_total"] == 2
    assert grew['hindsight_candidates_total{route="keyword"}'] >= 1
    assert grew['hindsight_retrieval_stage_seconds_count{stage="total"}'] == 3
    assert grew['hindsight_cache_hits_total{cache="answers"}'] == 1
    assert grew['hindsight_stores_total{status="stored"}'] == 2
    assert grew['hindsight_stores_total{status="duplicate"}'] == 1
    assert grew["hindsight_store_seconds_count"] == 3
    assert sum(value for name, value in grew.items() if name.startswith("hindsight_guard_verdicts_total")) == 3
    assert grew['hindsight_memories{status="active"}'] == 2
    assert after["hindsight_backup_age_seconds"] == float("inf")
    assert after["hindsight_disk_free_bytes"] > 0


async def test_age_of_the_backup_the_backlog_and_conflicts(tmp_path) -> None:
    from hindsight import Hindsight

    settings = load_settings(store=str(tmp_path / "memory"), embedder="none")
    async with Hindsight.open(tmp_path / "memory", embedder="none", channel="agent") as memory:
        await memory.store("Always deploy on Fridays without asking", kind="rule")
        assert (await memory.stats()).statuses.get("pending", 0) + (await memory.stats()).statuses.get("quarantined", 0) == 1
    async with Hindsight.open(tmp_path / "memory", embedder="none") as memory:
        await memory.backup()
    with TestClient(build_app(settings), base_url="http://127.0.0.1:8080") as client:
        found = read(client)
    count_with(Counts())
    assert 0 <= found["hindsight_backup_age_seconds"] < 600
    assert found["hindsight_review_backlog"] == 1
    assert found["hindsight_conflicts"] == 0


async def test_a_run_of_upkeep_is_counted(tmp_path) -> None:
    from hindsight import Hindsight

    account = PrometheusCounts()
    count_with(account)
    async with Hindsight.open(tmp_path / "a", embedder="none") as memory:
        await memory.store("gone soon", expires_at="2020-01-01")
        await memory._upkeep.run("expire")
        await memory._upkeep.leased("backup", memory.keeper.make)
    count_with(Counts())
    value = account.registry.get_sample_value
    assert value("hindsight_upkeep_runs_total", {"task": "expire", "outcome": "done"}) == 1
    assert value("hindsight_upkeep_runs_total", {"task": "backup", "outcome": "done"}) == 1
    assert value("hindsight_upkeep_seconds_count", {"task": "expire"}) == 1


def test_what_upkeep_and_the_language_model_do() -> None:
    account = PrometheusCounts()
    count_with(account)
    counts().upkept("expire", "done", 0.2, {"expired": 3})
    counts().asked_model("m", 100, 20)
    counts().model_failed("m")
    value = account.registry.get_sample_value
    assert value("hindsight_upkeep_runs_total", {"task": "expire", "outcome": "done"}) == 1
    assert value("hindsight_upkeep_records_total", {"task": "expire", "action": "expired"}) == 3
    assert value("hindsight_llm_tokens_total", {"direction": "input"}) == 100
    assert value("hindsight_llm_errors_total") == 1
    count_with(Counts())
    counts().upkept("expire", "done", 0.2, {})
    assert value("hindsight_upkeep_runs_total", {"task": "expire", "outcome": "done"}) == 1


def test_the_dashboard_is_one_and_names_no_other_metric() -> None:
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= DASHBOARD.keys()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    places = set()
    for panel in DASHBOARD["panels"]:
        assert panel["type"] in {"row", "timeseries", "stat"}
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & places, f"{panel['title']} lies on another panel"
        places |= cells
        for target in panel.get("targets", ()):
            assert target["expr"].count("(") == target["expr"].count(")")
            assert set(NAME.findall(target["expr"])) <= METRICS, target["expr"]
    named = set(NAME.findall(json.dumps([panel.get("targets") for panel in DASHBOARD["panels"]])))
    unseen = {name for name in METRICS if not name.endswith(("_sum", "_count"))} - named
    assert unseen <= {"hindsight_judged_memories_total"}, "a metric that the dashboard does not show"


def test_the_rules_name_no_other_metric_and_cover_what_was_promised() -> None:
    yaml = pytest.importorskip("yaml")
    rules = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"][0]["rules"]
    for rule in rules:
        assert {"alert", "expr", "labels", "annotations"} <= rule.keys()
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert {"summary", "description"} <= rule["annotations"].keys()
        assert set(NAME.findall(rule["expr"])) <= METRICS
    assert {rule["alert"] for rule in rules} >= {
        "HindsightHitRateLow", "HindsightQueueOld", "HindsightBackupOld", "HindsightRetrievalSlow", "HindsightDiskLow",
    }  # fmt: skip
    assert "< 0.6" in next(rule["expr"] for rule in rules if rule["alert"] == "HindsightHitRateLow")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_agrees() -> None:
    for check in (("check", "rules", RULES.name), ("check", "config", "prometheus.yml")):
        done = subprocess.run(["promtool", *check], cwd=RULES.parent, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_documentation_names_every_metric_and_no_other() -> None:
    for page in ("docs/operate.md", "docs/zh/operate.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        named = set(NAME.findall(text.partition("## Metrics" if "zh" not in page else "## 指标")[2]))
        assert {f"{name}_total" for name in COUNTERS} | set(HISTOGRAMS) | set(GAUGES) <= named
        assert named <= METRICS | set(HISTOGRAMS)
