"""Memories and sessions as resources; the prompts before and after a task."""

from __future__ import annotations

import json

import pytest
from mcp.shared.exceptions import MCPError
from serving import connected, data_of

from hindsight.records import Turn


async def test_templates_are_listed(desk) -> None:
    async with connected(desk) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "memory://{id}", "memory://{id}/history", "memory://{id}/lineage", "session://{session_id}"
        }  # fmt: skip
        assert (await client.list_resources()).resources == []


async def test_a_memory_is_read_without_its_inner_fields(desk) -> None:
    async with connected(desk) as client:
        id = data_of(await client.call_tool("memory_store", {"content": "容器"}))["id"]
        content = (await client.read_resource(f"memory://{id}")).contents[0]
    memory = json.loads(content.text)
    assert content.mime_type == "application/json"
    assert (memory["id"], memory["content"], memory["channel"]) == (id, "容器", "agent")
    assert not {"seal", "debug", "idempotency_key"} & set(memory)


async def test_a_memorys_history_and_lineage_are_read(desk) -> None:
    async with connected(desk) as client:
        id = data_of(await client.call_tool("memory_store", {"content": "the port is 8080"}))["id"]
        await client.call_tool("memory_update", {"id": id, "content": "the port is 9090"})
        created, updated = json.loads((await client.read_resource(f"memory://{id}/history")).contents[0].text)
        lineage = json.loads((await client.read_resource(f"memory://{id}/lineage")).contents[0].text)
        with pytest.raises(MCPError, match="history"):
            await client.read_resource(f"memory://{id}/secrets")
    assert (created["action"], created["channel"], created["differences"]) == ("created", "agent", {})
    assert updated["differences"]["content"]["diff"] == "the port is [-8080-]{+9090+}"
    assert lineage == {"id": id, "parents": [], "children": [], "cut": False}


async def test_another_agents_private_memory_is_not_there(desk) -> None:
    other = (await desk.memory()).acting_as((await desk.memory()).principal.model_copy(update={"agent": "someone-else"}))
    theirs = await other.store("their secret")
    async with connected(desk) as client:
        with pytest.raises(MCPError, match="no memory"):
            await client.read_resource(f"memory://{theirs.id}")
        for part in ("history", "lineage"):
            with pytest.raises(MCPError, match="no memory"):
                await client.read_resource(f"memory://{theirs.id}/{part}")


@pytest.mark.parametrize("session", ["s-1", "项目/会话 1", "a%b?c#d"])
async def test_a_session_gives_its_raw_turns(desk, session) -> None:
    from urllib.parse import quote

    memory = await desk.memory()
    turns = [Turn(session_id=session, position=number, content=text, speaker="Ana") for number, text in enumerate(("你好", "hello"))]
    await memory._store.add_turns(memory.namespace, "default", turns)
    async with connected(desk) as client:
        content = (await client.read_resource(f"session://{quote(session, safe='')}")).contents[0]
    assert [(turn["position"], turn["content"], turn["speaker"]) for turn in json.loads(content.text)] == [
        (0, "你好", "Ana"),
        (1, "hello", "Ana"),
    ]


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("memory://not-an-id", "not-an-id"),
        ("memory://01977a3e-0000-7000-8000-000000000000", "no memory"),
        ("memory://", "memory://{id}"),
        ("session://unknown", "no session"),
        ("file:///etc/passwd", "session://{session_id}"),
        ("nonsense", "memory://{id}"),
    ],
)
async def test_what_is_not_there_is_a_clear_error(desk, uri, said) -> None:
    async with connected(desk) as client:
        with pytest.raises(MCPError) as error:
            await client.read_resource(uri)
    assert said in error.value.error.message


@pytest.mark.parametrize(
    ("task", "memory", "words"),
    [
        ("修复容器网络不通的问题", "容器网络不通时先检查自定义网络", "你将要开始这项任务"),
        ("repair the broken container network", "For a broken container network, check the custom network first", "You are about to begin"),
    ],
)
async def test_before_a_task_its_memories_are_recalled(desk, task, memory, words) -> None:
    async with connected(desk) as client:
        await client.call_tool("memory_store", {"content": memory, "kind": "procedure"})
        prompt = await client.get_prompt("before_task", {"task": task})
    text = prompt.messages[0].content.text
    assert words in text
    assert task in text
    assert memory in text
    assert "<memory_context>" in text


@pytest.mark.parametrize(
    ("task", "words"), [("部署完成", "这项任务已经结束（fixed）"), ("the deployment is done", "This task has ended (fixed)")]
)
async def test_after_a_task_its_lessons_are_asked_for(desk, task, words) -> None:
    async with connected(desk) as client:
        prompt = await client.get_prompt("after_task", {"task": task, "outcome": "fixed"})
    text = prompt.messages[0].content.text
    assert words in text
    assert "lesson={condition, action, reason, avoid}" in text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("before_task", {}, "task: is required"),
        ("before_task", {"task": "  "}, "task: is required"),
        ("before_task", {"task": "x", "mood": "y"}, "mood"),
        ("before_lunch", {"task": "x"}, "before_task"),
    ],
)
async def test_a_wrong_prompt_call_is_a_clear_error(desk, name, arguments, said) -> None:
    async with connected(desk) as client:
        with pytest.raises(MCPError) as error:
            await client.get_prompt(name, arguments)
    assert said in error.value.error.message
