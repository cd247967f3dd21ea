"""The contract of each call under an older name: its own arguments, its own form of result."""

from __future__ import annotations

import json
import re

import pytest
from serving import connected, data_of, text_of

from hindsight.serve.mcp.server import LISTED

ID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.fixture(params=["legacy", "auto"])
def mode(request) -> str:
    return request.param


async def memory_of(client, id) -> dict:
    return json.loads((await client.read_resource(f"memory://{id}")).contents[0].text)


async def test_memory_store_of_an_experience(desk, mode) -> None:
    metadata = {
        "timestamp": "2025-01-15T08:00:00+08:00",
        "task_type": "troubleshooting",
        "outcome": "success",
        "tools_used": ["docker", "ping"],
        "tags": ["网络"],
        "source": "observed",
    }
    arguments = {"key": "agent-a:task-123", "query": "Docker 容器网络不通", "value": "检查容器是否在同一自定义网络", "metadata": metadata}
    async with connected(desk, mode) as client:
        stored = data_of(await client.call_tool("memory_store", arguments))
        memory = await memory_of(client, stored["id"])
    assert stored["status"] == "stored"
    expected = {
        "key": "agent-a:task-123",
        "query": "Docker 容器网络不通",
        "content": "检查容器是否在同一自定义网络",
        "kind": "episode",
        "occurred_at": "2025-01-15T00:00:00Z",
        "task_type": "troubleshooting",
        "outcome": "success",
        "tools": ["docker", "ping"],
        "tags": ["网络"],
        "source": "observed",
        "channel": "agent",
    }
    assert expected.items() <= memory.items()


@pytest.mark.parametrize("timestamp", [1736899200, 1736899200.0, "2025-01-15T00:00:00Z", "2025-01-15T08:00:00+08:00"])
async def test_memory_store_takes_unix_time_and_iso_time(desk, timestamp) -> None:
    async with connected(desk) as client:
        stored = data_of(await client.call_tool("memory_store", {"value": "x", "metadata": {"timestamp": timestamp}}))
        assert (await memory_of(client, stored["id"]))["occurred_at"] == "2025-01-15T00:00:00Z"


async def test_store_memory(desk, mode) -> None:
    arguments = {"content": "用户喜欢简短的回答", "memory_type": "preference", "importance": 0.8, "expires_at": "2099-01-01T00:00:00Z"}
    async with connected(desk, mode) as client:
        result = await client.call_tool("store_memory", arguments)
        found = re.fullmatch(f"stored:({ID})", text_of(result))
        assert found
        memory = await memory_of(client, found[1])
        default = data_of(await client.call_tool("store_memory", {"content": "plain"}))
        plain = await memory_of(client, default["id"])
    assert (memory["kind"], memory["importance"], memory["expires_at"][:4]) == ("preference", 0.8, "2099")
    assert (plain["kind"], plain["importance"]) == ("fact", 0.5)


async def test_recall_memory(desk, mode) -> None:
    async with connected(desk, mode) as client:
        kept = [("episode", f"deploy {number} went well") for number in range(6)]
        for kind, content in (*kept, ("preference", "I like to deploy on Mondays"), ("procedure", "to deploy, run kubectl apply")):
            await client.call_tool("store_memory", {"content": content, "memory_type": kind})
        result = await client.call_tool("recall_memory", {"query": "deploy"})
        assert len(data_of(result)["hits"]) == 5
        assert text_of(result).startswith("<memory_context>")
        two = data_of(await client.call_tool("recall_memory", {"query": "deploy", "top_k": 2, "memory_types": ["preference", "procedure"]}))
    assert {hit["kind"] for hit in two["hits"]} == {"preference", "procedure"}


async def test_forget_memory(desk, mode) -> None:
    async with connected(desk, mode) as client:
        id = data_of(await client.call_tool("store_memory", {"content": "gone soon"}))["id"]
        assert text_of(await client.call_tool("forget_memory", {"memory_id": id})) == f"deleted:{id}"
        again = await client.call_tool("forget_memory", {"memory_id": id})
        assert again.is_error
        assert id in text_of(again)
    assert await (await desk.memory()).get(id) is None


async def test_memory_write(desk, mode) -> None:
    metadata = {"task_type": "deployment", "status": "failed", "tools_used": ["kubectl"], "timestamp": "2025-03-08T10:00:00Z"}
    async with connected(desk, mode) as client:
        episode = data_of(await client.call_tool("memory_write", {"memory_type": "episodic", "content": "上线失败", "metadata": metadata}))
        fact = data_of(await client.call_tool("memory_write", {"memory_type": "semantic", "content": "the port is 8080"}))
        written, plain = await memory_of(client, episode["id"]), await memory_of(client, fact["id"])
    expected = {
        "kind": "episode",
        "outcome": "failure",
        "task_type": "deployment",
        "tools": ["kubectl"],
        "occurred_at": "2025-03-08T10:00:00Z",
    }
    assert expected.items() <= written.items()
    assert plain["kind"] == "fact"


@pytest.mark.parametrize("time_range", [{"start": "2025-01-01", "end": "2025-02-01"}, ["2025-01-01", "2025-02-01"]])
async def test_memory_query(desk, mode, time_range) -> None:
    async with connected(desk, mode) as client:
        for month, memory_type in ((1, "episodic"), (1, "semantic"), (6, "episodic")):
            metadata = {"timestamp": f"2025-{month:02}-15"}
            await client.call_tool(
                "memory_write", {"memory_type": memory_type, "content": f"note {memory_type} {month}", "metadata": metadata}
            )
        arguments = {"memory_type": "episodic", "query_text": "note", "time_range": time_range, "top_k": 5}
        found = data_of(await client.call_tool("memory_query", arguments))
        everything = data_of(await client.call_tool("memory_query", {"query_text": "note"}))
        nothing = data_of(await client.call_tool("memory_query", {"query_text": "note", "time_range": "3d"}))
    assert [hit["content"] for hit in found["hits"]] == ["note episodic 1"]
    assert len(everything["hits"]) == 3
    assert nothing["hits"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("memory_store", {"value": 3}, ["value", "string"]),
        ("memory_store", {"value": "x", "metadata": {"trust": 1}}, ["metadata.trust", "not a parameter"]),
        ("memory_store", {"value": "x", "metadata": {"timestamp": 1e300}}, ["metadata.timestamp"]),
        ("memory_store", {"value": "x", "metadata": {"source": "rumour"}}, ["metadata.source", "observed", "inferred"]),
        ("store_memory", {"memory_type": "fact"}, ["content", "required"]),
        ("store_memory", {"content": "x", "memory_type": "rule"}, ["memory_type", "preference", "episode"]),
        ("recall_memory", {"query": "x", "top_k": 0}, ["top_k"]),
        ("forget_memory", {"memory_id": "nope"}, ["nope"]),
        ("memory_write", {"memory_type": "imaginary", "content": "x"}, ["memory_type", "episodic", "semantic"]),
        ("memory_query", {"query_text": "x", "time_range": ["2025"]}, ["time_range"]),
        ("memory_query", {"query_text": "x", "time_range": "once upon a time"}, ["within"]),
    ],
)
async def test_wrong_arguments_are_told_by_name(desk, tool, arguments, named) -> None:
    async with connected(desk) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    for word in named:
        assert word in text_of(result)


async def test_older_names_are_not_listed(desk) -> None:
    async with connected(desk) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == {tool.name for tool in LISTED}
