"""Memory around a task."""

from __future__ import annotations

import asyncio

import pytest
from unreachable import nobody

from hindsight.client import AsyncRestClient, ResilientMemory, TaskLoop
from hindsight.errors import AccessDenied, InvalidInput, StoreUnavailable


async def episodes(memory):
    return (await memory.list(kind="episode")).items


async def test_before_during_and_after_a_task(memory):
    loop = TaskLoop(memory)
    async with loop.task("Deploy the billing service", task_type="deployment", tools=["shell"]) as first:
        assert first.context == ""
        first.step("use the blue cluster")
        assert first.call("shell", {"command": "make deploy"}, error="E42: the VPN is down") == ""
        first.call("shell", {"command": "vpn up"}, result="connected")
        first.call("shell", {"command": "make deploy"}, result="ok")
        first.succeed("deployed")
    episode = (await episodes(memory))[0]
    assert (episode.outcome, episode.task_type, episode.tools) == ("fixed", "deployment", ("shell",) * 3)
    assert "Repaired by: shell(command=make deploy)" in episode.content
    assert "blue cluster" in episode.content
    async with loop.task("Deploy the billing service again", task_type="deployment") as second:
        assert second.context.startswith("<memory_context>")
        assert "VPN" in second.context
        chat = second.messages([{"role": "system", "content": "You deploy."}, {"role": "user", "content": "Deploy"}])
        assert [each["role"] for each in chat] == ["system", "system", "user"]
        assert chat[1]["content"] == second.context
    assert (await memory.get(episode.id)).helpful == 1  # what was shown before a success is credited


async def test_an_exception_ends_as_a_failure_and_goes_on(memory):
    async def broken(**arguments):
        raise ConnectionError("E1101: no route")

    with pytest.raises(ConnectionError):
        async with TaskLoop(memory).task("查询订单", task_type="orders") as task:
            await task.use("crm", broken, order=7)
    episode = (await episodes(memory))[0]
    assert (episode.outcome, episode.error_code) == ("failure", "E1101")
    assert task.kept.episode.id == episode.id
    assert task.reflection is not None


async def test_a_cancelled_task_is_kept_too(memory):
    entered = asyncio.Event()

    async def work():
        async with TaskLoop(memory).task("Wait for the build"):
            entered.set()
            await asyncio.sleep(60)

    running = asyncio.create_task(work())
    await entered.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    episode = (await episodes(memory))[0]
    assert (episode.outcome, episode.tags) == ("unknown", ("cancelled",))


async def test_errors_that_repeat_are_told(memory):
    async with TaskLoop(memory).task("查询订单") as task:
        assert task.call("crm", {"id": 1}, error="timeout after 30123 ms at /tmp/a") == ""
        assert "第 2 次" in task.call("crm", {"id": 2}, error="timeout after 30999 ms at /tmp/b")
        assert task.call("mail", {}, error="timeout after 30123 ms") == ""
        assert [(tool, times) for tool, _, times in task.repeated] == [("crm", 2)]
        assert "换一种方法" in task.warning
        task.fail("timeout")
    assert (await episodes(memory))[0].outcome == "failure"


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        ([("a", "")], "success"),
        ([("a", "E1: x")], "unknown"),
        ([("a", "E1: x"), ("a", "")], "fixed"),
        ([("a", "E1: x"), ("b", "")], "unknown"),
        ([], "success"),
    ],
)
async def test_the_outcome_where_nobody_told_it(memory, steps, outcome):
    async with TaskLoop(memory).task("a task") as task:
        for tool, error in steps:
            task.call(tool, error=error)
    assert (await episodes(memory))[0].outcome == outcome


async def test_the_same_error_in_a_second_task_becomes_a_lesson(memory):
    loop = TaskLoop(memory)
    for _ in range(2):
        async with loop.task("Refund an order", task_type="refund", tools=["crm"]) as task:
            task.call("crm", {"order": 1}, error="E42: not paid")
            task.fail("E42: not paid")
    async with loop.task("Refund an order", task_type="refund", tools=["crm"]) as third:
        assert "do not" in third.context


async def test_two_tasks_of_the_same_words_are_two_episodes_and_one_told_twice_is_one(server):
    async with AsyncRestClient(server.url) as rest:
        loop = TaskLoop(rest)
        for _ in range(2):
            async with loop.task("Water the plants of the office") as task:
                pass
        again = await rest.task_finished("success", id=task.id, task="Water the plants of the office")
        assert again.episode.id == task.kept.episode.id
        found = await rest.list(kind="episode", limit=100)
        assert sum("Water the plants" in each.content for each in found.items) == 2


async def test_a_memory_that_is_away_does_not_touch_the_task(tmp_path):
    memory = ResilientMemory(nobody(), spool=tmp_path / "s.jsonl", retrieval_seconds=0.5, write_seconds=0.5)
    async with TaskLoop(memory).task("goes on") as task:
        assert task.context == ""
        assert task.flags
    assert "episode_spooled" in task.flags
    await memory.close()
    async with TaskLoop(nobody()).task("goes on without a spool") as task:
        done = True
    assert done
    assert "episode_lost" in task.flags


async def test_the_end_of_a_task_that_got_through_without_an_answer_is_not_told_twice(server, tmp_path):
    rest = AsyncRestClient(server.url)
    memory = ResilientMemory(rest, spool=tmp_path / "s.jsonl")
    session = await rest.task_started("Paint the fence")
    below = rest.task_finished

    async def deaf(*arguments, **fields):
        await below(*arguments, **fields)
        raise StoreUnavailable("the answer was lost")

    rest.task_finished = deaf
    told = await memory.task_finished("success", id=session.session_id)
    rest.task_finished = below
    assert told.episode.status == "duplicate"
    assert memory.waiting == 0
    found = await rest.list(kind="episode", session_id=session.session_id)
    assert len(found.items) == 1
    await memory.close()


async def test_knowledge_stands_beside_experience(memory, tmp_path):
    (tmp_path / "runbook.md").write_text("# Runbook\n\nRolling back needs the bastion host.\n", encoding="utf-8")
    await memory.ingest(tmp_path / "runbook.md")
    async with TaskLoop(memory, knowledge=True).task("roll back with the bastion host") as task:
        assert "## Knowledge" in task.context
        assert "bastion" in task.context


async def test_a_task_with_huge_and_broken_texts_is_kept(server, tmp_path):
    async with ResilientMemory(AsyncRestClient(server.url), spool=tmp_path / "s.jsonl") as memory:
        async with TaskLoop(memory).task("大任务 \x00\ud83d " + "长" * 70_000) as task:
            for number in range(220):
                task.call("shell" * 60, {"command": "文" * 70_000, "n": number, "x": {1}}, result="字" * 70_000)
                task.step("s" * 70_000)
            task.call("", "a" * 70_000, error=ValueError("坏\x00\udc00" + "了" * 70_000))
            task.call("shell", result="ok")
            task.fail("坏" * 70_000, result="r" * 70_000)
        assert task.kept.episode.status == "stored"
        assert "episode_lost" not in task.flags


async def test_a_task_without_words_is_kept_too(memory):
    async with TaskLoop(memory).task(" ", task_type="chores") as task:
        task.succeed()
    assert task.kept.episode.status == "stored"


async def test_a_task_is_entered_once_and_one_id_is_one_task(memory):
    loop = TaskLoop(memory)
    async with loop.task("Send the report", id="report-7") as task:
        task.succeed("sent")
    with pytest.raises(InvalidInput, match="entered once"):
        await task.__aenter__()
    async with loop.task("Send the report", id="report-7") as again:
        again.fail("E7: bounced")
    assert "already_kept" in again.flags
    assert len(await episodes(memory)) == 1


class Closed:
    """A memory that knows neither the token nor a reason to wait for it."""

    async def refuse(self, *arguments, **options):
        raise AccessDenied("the token is not known here")

    retrieve = context = task_finished = refuse

    async def close(self):
        """Nothing is held."""


async def test_a_refusal_is_told_apart_from_a_memory_that_is_away():
    async with TaskLoop(Closed()).task("Send the report") as task:
        task.succeed("sent")
    assert task.flags == ["refused", "episode_lost"]
