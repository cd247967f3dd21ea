"""memory_reflect and memory_feedback; and that no tool approves."""

from __future__ import annotations

from serving import connected, data_of, text_of

from hindsight.records import Status
from hindsight.serve.mcp.server import LISTED


def reported(outcome: str, text: str, **fields: object) -> dict[str, object]:
    return {"action": "close", "outcome": outcome, "text": text, **fields}


async def test_an_agent_reflects_and_what_it_finds_waits(desk) -> None:
    async with connected(desk) as client:
        for number in range(3):
            opened = data_of(await client.call_tool("memory_session", {"action": "open", "text": f"Publish report {number}"}))
            closing = {"session_id": opened["session_id"], "task_type": "reporting", "tools": ["query", "render", "send"]}
            await client.call_tool("memory_session", reported("success", "done", **closing))
        told = data_of(await client.call_tool("memory_reflect", {}))
        assert told["episodes"] == 3
        (candidate,) = told["candidates"]
        assert candidate["status"] == "pending"
        assert candidate["support"] == 3
        assert "query → render → send" in candidate["text"]
        found = await client.call_tool("memory_retrieve", {"query": "steps of reporting", "kind": ["procedure"]})
        assert candidate["id"] not in str(data_of(found)["hits"])
        missing = await client.call_tool("memory_reflect", {"episodic_id": "0197a1b2-0000-7000-8000-000000000000"})
        assert missing.is_error
        assert "no episode" in text_of(missing)
    memory = await desk.memory()
    assert (await memory.get(candidate["id"])).status is Status.PENDING


async def test_an_agent_says_what_harmed(desk) -> None:
    async with connected(desk) as client:
        saved = data_of(await client.call_tool("memory_store", {"content": "Backups run at night", "kind": "procedure"}))
        found = data_of(await client.call_tool("memory_retrieve", {"query": "when do backups run"}))
        told = await client.call_tool("memory_feedback", {"retrieval_id": found["id"], "verdict": "harmful", "ids": [saved["id"]]})
        assert data_of(told) == {"changed": 1}
        again = await client.call_tool("memory_feedback", {"retrieval_id": found["id"], "verdict": "harmful"})
        assert data_of(again) == {"changed": 0}
        wrong = await client.call_tool("memory_feedback", {"retrieval_id": found["id"], "verdict": "bad"})
        assert wrong.is_error
        assert "helpful" in text_of(wrong)
    assert (await (await desk.memory()).get(saved["id"])).harmful == 1


def test_no_tool_approves() -> None:
    assert not [tool.name for tool in LISTED if "approve" in tool.name or "review" in tool.name]
