"""Working memory over MCP, on the real store."""

from __future__ import annotations

import json

import pytest
from serving import connected, data_of, text_of

from hindsight.serve.desk import Desk, assembled
from hindsight.telemetry import Counts


async def call(client, action, session_id="task-17", **arguments):
    return await client.call_tool("memory_session", {"action": action, "session_id": session_id, **arguments})


async def test_a_session_from_open_to_close(desk) -> None:
    async with connected(desk) as client:
        opened = await call(client, "open", text="Refund order 4711")
        assert data_of(opened) == {"session_id": "task-17", "open": True}
        assert "Refund order 4711" in text_of(opened)
        turn = await call(client, "turn", text="I am allergic to peanuts, so never order snacks with nuts.", role="user")
        assert data_of(turn)["position"] == 0
        await call(client, "step", text="Look the order up")
        await call(client, "done")
        await call(client, "ask", text="Is the order paid?")
        await call(client, "pin", text="Never refund an order that was not paid")
        await call(client, "note", text="The shop is closed on Sundays")
        shown = text_of(await call(client, "show"))
        for part in ("Refund order 4711", "Look the order up", "Is the order paid?", "not paid", "Sundays", "peanuts"):
            assert part in shown
        closed = data_of(
            await call(client, "close", outcome="failure", error="E42: not paid", task_type="refund", tools=["lookup", "refund"])
        )
        assert closed["open"] is False
        episode = json.loads((await client.read_resource(f"memory://{closed['kept'][0]}")).contents[0].text)
        assert episode["kind"] == "episode"
        assert episode["outcome"] == "failure"
        assert episode["tools"] == ["lookup", "refund"]
        assert "Look the order up" in episode["content"]
        kept = [json.loads((await client.read_resource(f"memory://{id}")).contents[0].text) for id in closed["kept"][1:]]
        assert any("peanuts" in memory["content"] and memory["trust"] == 0.6 for memory in kept)
        assert (await call(client, "show")).is_error


async def test_an_empty_id_begins_a_new_session(desk) -> None:
    async with connected(desk) as client:
        first, second = [data_of(await client.call_tool("memory_session", {"action": "open"}))["session_id"] for _ in range(2)]
    assert first != second


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"action": "turn", "session_id": "a"}, "text: is required"),
        ({"action": "show"}, "session_id: is required"),
        ({"action": "show", "session_id": "none"}, "open it first"),
        ({"action": "note", "session_id": "a", "text": "b", "outcome": "success"}, "belong to action=close"),
        ({"action": "dance", "session_id": "a"}, "action"),
    ],
)
async def test_wrong_calls_say_what_to_do(desk, arguments, told) -> None:
    async with connected(desk) as client:
        answer = await client.call_tool("memory_session", arguments)
    assert answer.is_error
    assert told in text_of(answer)


async def test_a_session_survives_a_restart_of_the_server(settings) -> None:
    for step in ("open", "show"):
        desk = Desk(settings, lambda: assembled(settings), Counts())
        async with connected(desk) as client:
            answer = await call(client, step, **({"text": "写周报"} if step == "open" else {}))
        await desk.close()
    assert "写周报" in text_of(answer)


async def test_session_text_is_not_recalled_before_it_closes(desk) -> None:
    async with connected(desk) as client:
        await call(client, "turn", text="我对花生过敏，点餐时千万不要放花生。", role="user")
        query = {"query": "花生过敏", "k": 5}
        assert data_of(await client.call_tool("memory_retrieve", query))["hits"] == []
        await call(client, "close")
        assert "花生" in text_of(await client.call_tool("memory_retrieve", query))


async def test_what_a_query_is_about_comes_from_the_session(desk) -> None:
    async with connected(desk) as client:
        for content in ("deploy the billing service with helm upgrade billing", "water the office plants every Monday"):
            await client.call_tool("memory_store", {"content": content, "kind": "procedure"})
        await call(client, "open", text="deploy the billing service")
        found = await client.call_tool("memory_retrieve", {"query": "do it again", "session_id": "task-17", "k": 1})
        assert "helm upgrade billing" in text_of(found)
        assert not (await client.call_tool("memory_retrieve", {"query": "billing", "session_id": "unknown"})).is_error


async def test_calls_of_the_literature_reach_working_memory(desk) -> None:
    async with connected(desk) as client:
        await client.call_tool("memory_write", {"memory_type": "working", "content": "The customer wants a refund"})
        board = await client.call_tool("memory_query", {"memory_type": "working", "query_text": "what now?"})
        assert "wants a refund" in text_of(board)
        await call(client, "open", "s1", text="Goal")
        updated = data_of(await client.call_tool("memory_update", {"id": "s1", "content": "half done"}))
        assert updated == {"id": "s1", "version": 2, "status": "working"}
        assert (await client.call_tool("memory_update", {"id": "s1", "outcome": "success"})).is_error
        await call(client, "turn", "s1", text="I prefer tea over coffee.", role="user")
        summary = await client.call_tool("summarize_session", {"session_id": "s1"})
        assert "half done" in text_of(summary)
        assert len(data_of(summary)["kept"]) == 1
        assert (await client.call_tool("summarize_session", {"session_id": "s1"})).is_error
