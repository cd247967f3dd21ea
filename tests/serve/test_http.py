"""The HTTP server: MCP over it, what it refuses, what operators look at."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from serving import HttpProcess, HttpThread, data_of, text_of
from starlette.testclient import TestClient

from hindsight import Hindsight
from hindsight.errors import ConfigurationError, StoreError
from hindsight.serve.app import bound_socket, build_app, run
from hindsight.serve.auth import is_loopback
from hindsight.serve.http.body import MAX_BODY_BYTES
from hindsight.settings import load_settings

POST = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
async def web(http_server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=http_server.url, timeout=30) as client:
        yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_works(http_server, mode) -> None:
    async with Client(f"{http_server.url}/mcp", mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"memory_store", "memory_retrieve"}
        stored = data_of(await client.call_tool("memory_store", {"content": f"网关超时先看上游 {mode}"}))
        older = data_of(await client.call_tool("store_memory", {"content": f"gateway timeout {mode}"}))
        assert stored["id"] in str(data_of(await client.call_tool("memory_retrieve", {"query": f"网关 {mode}", "k": 3})))
        assert older["id"] in str(data_of(await client.call_tool("recall_memory", {"query": f"gateway {mode}"})))
        assert json.loads((await client.read_resource(f"memory://{stored['id']}")).contents[0].text)["channel"] == "agent"
        assert data_of(await client.call_tool("memory_forget", {"id": stored["id"]}))["found"]
        assert (await client.get_prompt("before_task", {"task": "gateway"})).messages


async def test_many_clients_at_once(http_server) -> None:
    async def one(number: int) -> str:
        async with Client(f"{http_server.url}/mcp") as client:
            return data_of(await client.call_tool("memory_store", {"content": f"parallel {number}", "kind": "episode"}))["id"]

    assert len(set(await asyncio.gather(*map(one, range(8))))) == 8


async def test_a_megabyte_is_kept_and_five_are_refused_with_the_limit(http_server) -> None:
    async with Client(f"{http_server.url}/mcp") as client:
        assert data_of(await client.call_tool("memory_store", {"content": "x" * 1_000_000}))["id"]
        between = await client.call_tool("memory_store", {"content": "x" * 2_000_000})
        assert between.is_error
        assert "1,048,576" in text_of(between)
        with pytest.raises(MCPError, match=str(MAX_BODY_BYTES)):
            await client.call_tool("memory_store", {"content": "x" * 5_000_000})


@pytest.mark.parametrize("chunked", [False, True])
async def test_bodies_over_the_limit_are_refused_everywhere(web, chunked) -> None:
    async def parts():
        for _ in range(5):
            yield b"x" * 1_048_576

    content = parts() if chunked else b"x" * (MAX_BODY_BYTES + 1)
    for path in ("/mcp", "/", "/metrics"):
        response = await web.post(path, content=content if not chunked else parts(), headers=POST)
        assert response.status_code == 413
        assert str(MAX_BODY_BYTES) in response.json()["error"]["message"]


@pytest.mark.parametrize("version", [None, "2025-06-18"])
async def test_lone_surrogates_are_replaced_as_on_stdio(web, version) -> None:
    body = rb'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"http \ud800 \ud83d\ude00"}}}'
    headers = POST | ({"mcp-protocol-version": version} if version else {})
    stored = (await web.post("/mcp", content=body, headers=headers)).json()["result"]["structuredContent"]
    read = {"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": f"memory://{stored['id']}"}}
    memory = (await web.post("/mcp", json=read, headers=headers)).json()["result"]["contents"][0]["text"]
    assert json.loads(memory)["content"] == "http \ufffd 😀"


@pytest.mark.parametrize(("body", "status"), [(b"not json", 400), (b"[]", 400), (b"", 400), (b"\xff\xfe", 400), (b"[" * 100_000, 400)])
async def test_what_is_no_message_is_refused(web, body, status) -> None:
    response = await web.post("/mcp", content=body, headers=POST)
    assert response.status_code == status
    assert response.json()["error"]["message"]
    assert "Traceback" not in response.text
    assert (await web.post("/mcp", json=PING, headers=POST)).status_code == 200


async def test_the_path_with_a_slash_is_the_same(web) -> None:
    assert (await web.post("/mcp/", json=PING, headers=POST)).json()["result"] == {}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", "[::1", "localhost.evil"])
@pytest.mark.parametrize("path", ["/", "/mcp", "/health/live", "/metrics"])
async def test_other_host_names_are_not_answered(web, host, path) -> None:
    response = await web.get(path, headers={"host": host})
    assert response.status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8080", "127.1.2.3"])
async def test_names_of_this_machine_are_answered(web, host) -> None:
    assert (await web.get("/health/live", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200), ("http://127.0.0.1", 200), ("http://[::1]:8080", 200),
        ("https://evil.example", 403), ("null", 403), ("http://localhost.evil.example", 403), ("", 403), ("http://[", 403),
    ],
)  # fmt: skip
async def test_pages_of_other_origins_are_not_answered(web, origin, status) -> None:
    assert (await web.post("/mcp", json=PING, headers={**POST, "origin": origin})).status_code == status


async def test_liveness_readiness_and_the_start_page(web) -> None:
    assert (await web.get("/health/live")).json()["status"] == "ok"
    assert [(await web.head(f"/health/{name}")).status_code for name in ("live", "ready")] == [200, 200]
    ready = await web.get("/health/ready")
    assert (ready.status_code, ready.json()) == (200, {"status": "ok", "parts": {"store": "ok"}})
    page = await web.get("/", follow_redirects=True)
    assert page.headers["content-type"].startswith("text/html")
    for path in ("/mcp", "/v1", "/metrics", "/health/live", "/health/ready"):
        assert path in page.text
    assert (await web.get("/nowhere")).status_code == 404


async def test_metrics_count_what_happened(web, http_server) -> None:
    async def read() -> dict[str, float]:
        text = (await web.get("/metrics")).text
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))}

    before = await read()
    async with Client(f"{http_server.url}/mcp") as client:
        await client.call_tool("memory_store", {"content": "measured 一次"})
        await client.call_tool("memory_store", {"content": "measured 一次"})
        await client.call_tool("memory_retrieve", {"query": "measured 一次", "k": 1})
        await client.call_tool("memory_retrieve", {"query": "zzzyyyxxx", "kind": ["knowledge"]})
    after = await read()

    def grew(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert grew("hindsight_retrievals_total") == 2
    assert grew("hindsight_retrievals_empty_total") == 1
    assert grew("hindsight_hits_total") == 1
    assert grew('hindsight_retrieval_stage_seconds_count{stage="total"}') == 2
    assert grew('hindsight_stores_total{status="stored"}') == 1
    assert grew('hindsight_stores_total{status="duplicate"}') == 1
    assert grew('hindsight_memories{status="active"}') == 1
    assert grew('hindsight_active_memories{layer="semantic"}') == 1
    assert after["hindsight_queued_jobs"] == 0


def test_without_a_token_it_stays_on_this_machine_and_says_so(http_server) -> None:
    assert http_server.url.startswith("http://127.0.0.1:")
    for host in ("0.0.0.0", "::", "192.168.1.5", "memory.example"):
        with pytest.raises(ConfigurationError, match="HINDSIGHT_TOKEN"), TestClient(build_app(load_settings(host=host, embedder="none"))):
            pytest.fail("it started")
        with pytest.raises(ConfigurationError, match="HINDSIGHT_TOKEN"):
            run(load_settings(host=host, port=0))


def test_a_token_is_wanted_for_everything_but_liveness(tmp_path) -> None:
    with HttpThread(str(tmp_path / "memory"), token="geheim 秘密", host="0.0.0.0") as server, httpx.Client(base_url=server.url) as web:
        assert web.get("/health/live").status_code == 200
        assert web.get("/health/ready").json()["status"] == "ok"
        for path in ("/v1/stats", "/metrics", "/nowhere", "/health/live/", "//health/live", "/health/../metrics"):
            missing = web.get(path)
            assert missing.status_code == 401, path
            assert missing.headers["www-authenticate"] == 'Bearer realm="hindsight"'
        for wrong in (b"Bearer wrong", b"Bearer", b"Basic Z2VoZWlt", b"Bearer geheim", b"\xff\xfe"):
            assert (
                web.post(
                    "/mcp", json=PING, headers=[*((k.encode(), v.encode()) for k, v in POST.items()), (b"authorization", wrong)]
                ).status_code
                == 401
            )
        right = [(b"authorization", "Bearer geheim 秘密".encode())]
        assert web.get("/metrics", headers=right).status_code == 200
        assert web.get("/health/ready", headers=[*right, (b"host", b"memory.example")]).status_code == 200
        assert (
            web.get("/metrics", headers=[*right, (b"host", b"memory.example"), (b"origin", b"https://memory.example")]).status_code == 200
        )
        assert web.get("/metrics", headers=[*right, (b"origin", b"https://evil.example")]).status_code == 403
        refused = web.post("/mcp", json=PING, headers=POST).json()
        assert "HINDSIGHT_TOKEN" in refused["error"]["message"]
        assert refused["jsonrpc"] == "2.0"


async def test_a_client_with_the_token_works(tmp_path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    with HttpThread(str(tmp_path / "memory"), token="t0ken") as server:
        async with (
            httpx2.AsyncClient(headers={"authorization": "Bearer t0ken"}) as web,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=web)) as client,
        ):
            assert data_of(await client.call_tool("memory_store", {"content": "with a token"}))["id"]


def test_a_taken_port_is_said_with_the_setting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"HINDSIGHT_PORT.*{port}.*taken"):
            bound_socket("127.0.0.1", port)
        with pytest.raises(ConfigurationError, match="HINDSIGHT_PORT"):
            run(load_settings(port=port))


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_an_address_that_is_not_ours_is_said_with_the_setting(host) -> None:
    with pytest.raises(ConfigurationError, match="HINDSIGHT_HOST"):
        bound_socket(host, 0)


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(False)


def test_a_store_that_cannot_be_opened_stops_the_start(tmp_path, capfd, logging_as_it_was) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="file"):
        run(load_settings(store=str(tmp_path / "file"), port=0, embedder="none"))
    assert "listens on" not in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_keeps_what_it_acknowledged_and_tells_no_secrets(tmp_path, number) -> None:
    server = HttpProcess(store=str(tmp_path / "memory"), token="geheim")
    assert server.url, server.said
    assert "HINDSIGHT_TOKEN" in server.process.stderr.readline()
    store = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_store", "arguments": {"content": "durable"}}}
    stored = httpx.post(f"{server.url}/mcp", json=store, headers=POST | {"authorization": "Bearer geheim"}).json()["result"]
    assert server.stop(number) == 0
    assert "geheim" not in "".join(server.said)
    assert "Traceback" not in "".join(server.said)

    async def read() -> str:
        async with Hindsight.open(tmp_path / "memory", embedder="none") as memory:
            return (await memory.get(stored["structuredContent"]["id"])).content

    assert asyncio.run(read()) == "durable"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("127.8.9.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("x", False),
    ],
)
def test_what_is_loopback(host, loopback) -> None:
    assert is_loopback(host) is loopback
