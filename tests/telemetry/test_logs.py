"""Each line of a request carries its id, lines about memories their ids, and none a text."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from starlette.testclient import TestClient
from hindsight.serve.app import build_app
from hindsight.settings import load_settings
from hindsight.telemetry import log_structured

settings = load_settings(store=sys.argv[1], embedder="none", log_format="json")
log_structured(settings)
content, query = "marmalade 果酱配方 hunter2", "wherefrom 果酱"
with TestClient(build_app(settings), base_url="http://127.0.0.1:8080") as client:
    fields = {"content": content, "query": query, "tags": ["marmalade-tag"]}
    stored = client.post("/v1/memories", json=fields, headers={"x-request-id": "mine-1"})
    found = client.post("/v1/recall", json={"query": query}, headers={"x-request-id": "not a plain word"})
    client.post("/v1/recall", json={"query": query}, headers={"x-request-id": "mine-2"})
    refused = client.post("/v1/memories", json={"content": content, "kind": "nonsense " + content})
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_retrieve", "arguments": {"query": query}}}
    client.post("/mcp", json=call, headers={"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"})
    client.delete("/v1/memories/" + stored.json()["id"])
    print(json.dumps([stored.json()["id"], stored.headers["x-request-id"], found.headers["x-request-id"], refused.status_code]))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What the program printed, and the lines that it logged."""
    folder = tmp_path_factory.mktemp("logs")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "store")],
        capture_output=True, text=True, encoding="utf-8", timeout=120, env={"PATH": "", "HINDSIGHT_SEAL_KEY": "k"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), [json.loads(line) for line in done.stderr.splitlines()]


def test_lines_carry_the_ids_of_request_and_memories(run) -> None:
    (id, kept, made, refused), lines = run
    assert (kept, len(made), refused) == ("mine-1", 16, 422)
    stores = [line for line in lines if line["event"] == "stored"]
    assert [(line["request_id"], line["memory_ids"], line["level"]) for line in stores] == [("mine-1", [id], "info")]
    reads = [line for line in lines if line["event"] == "retrieved"]
    assert [line["request_id"] for line in reads][:2] == [made, "mine-2"]  # an id does not outlive its request
    assert len(reads) == 3
    assert all(line["memory_ids"] == [id] for line in reads[:2])


def test_no_line_holds_a_text(run) -> None:
    text = json.dumps(run[1], ensure_ascii=False)
    for word in ("marmalade", "果酱", "hunter2", "wherefrom"):
        assert word not in text
