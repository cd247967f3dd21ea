"""Spans through reading and writing, under the caller's own, and never with a text."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from hindsight import Hindsight, telemetry
from hindsight.errors import MissingExtra
from hindsight.serve.app import build_app
from hindsight.settings import load_settings
from hindsight.tracing import trace_by, trace_to_collector

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
SECRET = "marmalade 果酱"
_EXPORTER = InMemorySpanExporter()
_PROVIDER = TracerProvider()
_PROVIDER.add_span_processor(SimpleSpanProcessor(_EXPORTER))


@pytest.fixture
def spans():
    """What is made while a test runs; a process has one provider for good, so all tests share it."""
    _EXPORTER.clear()
    trace_by(_PROVIDER)
    yield _EXPORTER
    telemetry.trace_with(None)


def tree(exporter) -> dict[str, str | None]:
    """The name of each span's parent, by its name."""
    found = exporter.get_finished_spans()
    names = {span.context.span_id: span.name for span in found}
    return {span.name: names.get(span.parent.span_id) if span.parent else None for span in found}


async def test_reading_and_writing(spans, tmp_path) -> None:
    async with Hindsight.open(tmp_path / "a", embedder="use") as memory:
        await memory.store(SECRET)
        await memory.retrieve(SECRET)
        queued = await memory.store("later", wait=False)
        assert queued.status == "queued"
        assert await memory.settle()
    found = tree(spans)
    assert found["hindsight.store"] is None
    for stage in ("guard", "embed", "reconcile"):
        assert found[f"hindsight.store.{stage}"] in {"hindsight.store", "hindsight.store.job"}
    assert found["hindsight.store.commit"] == "hindsight.store.reconcile"
    assert found["hindsight.store.queue"] is None
    assert found["hindsight.store.job"] is None
    assert found["hindsight.retrieve"] is None
    for stage in ("understand", "embed", "routes", "fuse", "select"):
        assert found[f"hindsight.retrieve.{stage}"] == "hindsight.retrieve", stage
    told = json.dumps(
        [[span.name, dict(span.attributes or {}), [event.name for event in span.events]] for span in spans.get_finished_spans()]
    )
    assert "marmalade" not in told


async def test_requests_over_rest_and_mcp_belong_to_the_callers_trace(spans, tmp_path) -> None:
    app = build_app(load_settings(store=str(tmp_path / "a"), embedder="none"))
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        headers = {"traceparent": TRACEPARENT}
        client.post("/v1/memories", json={"content": SECRET}, headers=headers)
        rest = spans.get_finished_spans()
        assert {f"{span.context.trace_id:032x}" for span in rest} == {TRACE}
        outer = next(span for span in rest if span.name == "POST /v1/memories")
        assert f"{outer.parent.span_id:016x}" == PARENT
        assert outer.attributes["http.response.status_code"] == 201
        assert tree(spans)["hindsight.store"] == "POST /v1/memories"
        spans.clear()
        call = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "memory_retrieve", "arguments": {"query": SECRET}, "_meta": {"traceparent": TRACEPARENT}},
        }  # fmt: skip
        accepting = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
        answer = client.post("/mcp", json=call, headers=accepting)
        assert "marmalade" in answer.text
        read = [span for span in spans.get_finished_spans() if span.name == "hindsight.retrieve"]
        assert [f"{span.context.trace_id:032x}" for span in read] == [TRACE]
        assert "marmalade" not in json.dumps([[span.name, dict(span.attributes or {})] for span in spans.get_finished_spans()])


def test_off_by_default_and_nothing_is_loaded(tmp_path) -> None:
    program = (
        "import asyncio, sys\nfrom hindsight import Hindsight\n"
        "async def main():\n"
        f"    async with Hindsight.open({str(tmp_path / 'a')!r}, embedder='none') as memory:\n"
        "        await memory.store('x'); await memory.retrieve('x')\n"
        "asyncio.run(main()); print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
    trace_to_collector(load_settings())
    assert not telemetry.tracing()


def test_what_is_missing_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(MissingExtra, match="hindsight-memory\\[tracing\\]"):
        trace_to_collector(load_settings(tracing_url="http://127.0.0.1:4318/v1/traces"))


def test_a_request_passes_untouched_where_no_spans_are_made(tmp_path) -> None:
    app = build_app(load_settings(store=str(tmp_path / "a"), embedder="none"))
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        assert client.get("/health/live", headers={"traceparent": "nonsense"}).status_code == 200
