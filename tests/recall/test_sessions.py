"""A query in two parts: its words, and what the session it is asked in is about."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hindsight import Hindsight

NOTES = (
    "To rotate the Falcon deploy key, open the vault and run rotate-key",
    "The cafeteria serves soup on Mondays",
    "Alice plays the violin in an orchestra",
    "更新猎鹰项目的部署密钥：打开保险库，运行 rotate-key",
    "食堂周一供应汤",
)


@pytest.fixture(params=["none", "auto"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Hindsight]:
    async with Hindsight.open(tmp_path / "store", embedder=request.param) as opened:
        await opened.store_many([{"content": text, "kind": "procedure"} for text in NOTES])
        yield opened


@pytest.mark.parametrize(
    ("goal", "query", "wanted"), [("Rotate the Falcon deploy key", "do it again", 0), ("更新猎鹰的部署密钥", "再来一次", 3)]
)
async def test_do_it_again_finds_what_the_task_is_about(memory: Hindsight, goal: str, query: str, wanted: int) -> None:
    assert (await memory.retrieve(query)).hits == ()
    async with memory.session("task", goal=goal):
        hits = (await memory.retrieve(query, session="task")).hits
        assert hits
        assert hits[0].memory.content == NOTES[wanted]
        assert (await memory.retrieve(query)).hits == ()


async def test_a_query_that_says_enough_keeps_its_own_subject(memory: Hindsight) -> None:
    async with memory.session("task", goal="Rotate the Falcon deploy key"):
        answer = await memory.retrieve("which instrument does Alice play in the orchestra", session="task")
        assert answer.hits[0].memory.content == NOTES[2]


async def test_what_contradicts_the_session_is_unconfirmed(memory: Hindsight) -> None:
    await memory.store("用户是素食者", kind="fact")
    async with memory.session("dinner", goal="订晚餐") as session:
        await session.turn("我不再是素食者了。")
        hits = (await memory.retrieve("用户是素食者吗", session="dinner")).hits
        assert "unconfirmed" in next(hit for hit in hits if hit.memory.content == "用户是素食者").labels
        assert "待确认" in (await memory.retrieve("用户是素食者吗", session="dinner")).render()
    assert all("unconfirmed" not in hit.labels for hit in (await memory.retrieve("用户是素食者吗")).hits)
