"""stdio to a running server."""

from __future__ import annotations

import json

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from serving import HttpThread, LineProcess, data_of, stdio, text_of

from hindsight.errors import ConfigurationError
from hindsight.serve.bridge import _answers, _routing_headers, endpoint_of


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_of_either_era_works_through_it(http_server, mode) -> None:
    async with Client(stdio("bridge", url=http_server.url), mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"memory_store", "memory_retrieve"}
        stored = data_of(await client.call_tool("memory_store", {"content": f"桥接的记忆 over the bridge {mode}"}))
        assert stored["id"] in text_of(await client.call_tool("memory_forget", {"id": stored["id"], "mode": "archive"}))
        assert data_of(await client.call_tool("store_memory", {"content": f"older {mode}"}))["id"]
        assert json.loads((await client.read_resource(f"memory://{stored['id']}")).contents[0].text)["channel"] == "agent"
        assert (await client.get_prompt("after_task", {"task": "部署"})).messages
        wrong = await client.call_tool("memory_store", {})
        assert wrong.is_error
        with pytest.raises(MCPError, match="memory_retrieve"):
            await client.call_tool("memory_explode", {})
        with pytest.raises(MCPError, match="4194304"):
            await client.call_tool("memory_store", {"content": "x" * 5_000_000})
        assert data_of(await client.call_tool("memory_store", {"content": f"still here {mode}"}))["id"]


def test_a_server_that_is_away_is_said_and_does_not_end_it(tmp_path) -> None:
    store = str(tmp_path / "memory")
    with HttpThread(store) as server, LineProcess("bridge", url=server.url) as bridge:
        assert bridge.shake_hands()["result"]["serverInfo"]["name"] == "hindsight"
        server.__exit__()
        away = bridge.call("memory_store", {"content": "x"}, id=2)
        assert away["id"] == 2
        assert f"No server answers at {server.url}/mcp" in away["error"]["message"]
        assert "hindsight serve" in away["error"]["message"]
        with HttpThread(store, port=int(server.url.rpartition(":")[2])):
            assert bridge.call("memory_store", {"content": "x"}, id=3)["result"]["structuredContent"]["status"] == "stored"
        bridge.process.stdin.close()
        assert bridge.process.wait(timeout=15) == 0
        bridge.process.stdin = None


def test_the_token_goes_along_and_a_wrong_one_is_said(tmp_path) -> None:
    with HttpThread(str(tmp_path / "memory"), token="秘密 token") as server:
        with LineProcess("bridge", url=server.url, token="秘密 token") as bridge:
            assert bridge.shake_hands()["result"]["serverInfo"]["name"] == "hindsight"
        with LineProcess("bridge", url=server.url, token="wrong") as bridge:
            assert "HINDSIGHT_TOKEN" in bridge.shake_hands()["error"]["message"]


def test_something_else_at_the_address_is_said(http_server) -> None:
    with LineProcess("bridge", url=f"{http_server.url}/metrics") as bridge:
        answer = bridge.shake_hands()
        assert answer["id"] == 1
        assert "is it a hindsight server?" in answer["error"]["message"]


def test_malformed_lines_are_answered(http_server) -> None:
    with LineProcess("bridge", url=http_server.url) as bridge:
        assert bridge.ask(b"not json")["error"]["code"] == -32700
        assert bridge.ask(b"[]")["error"]["code"] == -32600
        bridge.shake_hands()
        line = rb'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"bridge \ud800"}}}'
        assert bridge.ask(line)["result"]["structuredContent"]["id"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/mcp"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/mcp"),
        ("https://memory.example/mcp", "https://memory.example/mcp"),
        (" https://memory.example/team/mcp ", "https://memory.example/team/mcp"),
        ("http://[::1]:8080", "http://[::1]:8080/mcp"),
    ],
)
def test_the_address_is_completed(given, meant) -> None:
    assert endpoint_of(given) == meant


@pytest.mark.parametrize("wrong", ["", "127.0.0.1:8080", "localhost", "ftp://x", "http://", "http://x:99999", "http://[::1", "file:///etc"])
def test_a_wrong_address_is_refused(wrong) -> None:
    with pytest.raises(ConfigurationError, match="HINDSIGHT_URL"):
        endpoint_of(wrong)


async def test_answers_come_in_one_piece_or_as_events() -> None:
    def response(body: bytes, kind: str) -> httpx.Response:
        return httpx.Response(200, content=body, headers={"content-type": kind})

    events = b': ping\r\n\r\nevent: message\r\ndata: {"jsonrpc": "2.0",\r\ndata: "id": 1}\r\n\r\nid: 7\r\ndata:\r\n\r\ndata: {"jsonrpc": "2.0", "a": 1}\r\n\r\n'
    assert [each async for each in _answers(response(events, "text/event-stream; charset=utf-8"))] == [
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "a": 1},
    ]
    assert [each async for each in _answers(response(b'{"jsonrpc": "2.0", "id": 2}', "application/json"))] == [{"jsonrpc": "2.0", "id": 2}]
    for body in (b"", b"<html>", b"[]", b'{"detail": "no"}'):
        assert [each async for each in _answers(response(body, "application/json"))] == []


def test_what_routes_a_2026_request_is_repeated_in_headers() -> None:
    from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER, encode_header_value

    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    for name in ("memory_store", "记忆", " padded", "=?base64?x?=", "a\nb"):
        headers = _routing_headers({"method": "tools/call", "params": {"name": name, "_meta": meta}})
        assert headers == {
            MCP_PROTOCOL_VERSION_HEADER: "2026-07-28",
            MCP_METHOD_HEADER: "tools/call",
            MCP_NAME_HEADER: encode_header_value(name),
        }
    assert _routing_headers({"method": "tools/call", "params": {"name": "x"}}) == {}
    assert _routing_headers({"method": "ping"}) == {}
    assert _routing_headers({"method": "x", "params": []}) == {}
