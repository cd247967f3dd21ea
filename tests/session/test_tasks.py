"""Tasks and sessions through the public class, on the real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hindsight import Hindsight, Principal
from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.errors import InvalidInput, NotFound
from hindsight.records import Channel
from hindsight.session.sessions import Sessions
from hindsight.settings import load_settings

NOW = datetime(2026, 3, 11, 10, 0, tzinfo=UTC)
AGENT = Principal(agent="bot", channel=Channel.AGENT)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def memory(tmp_path, clock) -> AsyncIterator[Hindsight]:
    settings = load_settings({}, store=str(tmp_path / "store"), embedder="none", min_relevance=0.001, timezone="Asia/Shanghai")
    async with assemble(settings, clock=clock) as opened:
        yield opened


async def only_episode(memory: Hindsight) -> Any:
    (episode,) = (await memory.list(kind="episode")).items
    return episode


async def test_a_finished_task_takes_from_its_session_what_the_caller_does_not_say(memory, clock) -> None:
    task = await memory.task_started("Refund order 4711", task_type="退款", tools=["lookup", "refund"])
    await task.step("Look the order up")
    await task.done()
    clock.instant += timedelta(minutes=5)
    kept = await memory.task_finished("failed", id=task.id, tools=["refund"], error="E42: not paid")
    episode = await memory.get(kept.episode.id)
    assert (episode.outcome, episode.error_code, episode.tools) == ("failure", "E42", ("refund",))
    assert "Refund order 4711" in episode.content
    assert "Look the order up" in episode.content
    assert await memory.open_sessions() == []


async def test_finishing_twice_keeps_one_episode(memory) -> None:
    for _ in range(2):
        await memory.task_finished("success", task="Deploy billing", id="deploy-1")
    assert (await only_episode(memory)).outcome == "success"


async def test_a_task_may_be_told_in_one_call(memory) -> None:
    kept = await memory.task_finished("成功", task="部署计费服务", task_type="部署", tools=["helm"])
    assert (await memory.get(kept.episode.id)).task_type == "deployment"


@pytest.mark.parametrize(
    ("outcome", "fields", "told"),
    [
        ("success", {}, "say what the task was"),
        ("great", {"task": "x"}, "outcome"),
        ("success", {"task": "x", "tools": "git"}, "a list of names"),
        ("success", {"task": "x", "calls": [{"tol": "git"}]}, "calls"),
        ("success", {"task": "x", "mood": "good"}, "mood"),
    ],
)
async def test_a_report_that_does_not_fit_writes_nothing(memory, outcome, fields, told) -> None:
    with pytest.raises(InvalidInput, match=told):
        await memory.task_finished(outcome, **fields)
    assert (await memory.list()).items == []


async def test_the_same_error_twice_leaves_a_lesson(memory) -> None:
    for number in range(2):
        kept = await memory.task_finished(
            "failure", task=f"refund order {number}", task_type="refund", calls=[{"tool": "refund", "error": "E42: not paid"}]
        )
    assert kept.lesson is not None
    assert (await memory.get(kept.lesson.id)).lesson.avoid


async def test_who_closes_a_session_lends_it_no_trust(memory) -> None:
    agents = memory.acting_as(AGENT)
    session = agents.session("s1")
    await session.turn("The user prefers dark roast coffee.", role="user")
    await session.turn("I prefer dark roast coffee.", role="user")
    person = memory.acting_as(Principal(agent="bot", channel=Channel.USER))
    closed = await person.session("s1").close()
    assert closed.kept
    for result in closed.kept:
        assert (await person.get(result.id)).trust == 0.6


async def test_an_idle_session_ends_with_the_trust_of_its_writer(memory, clock) -> None:
    session = memory.acting_as(AGENT).session("s1")
    await session.turn("I am allergic to peanuts.", role="user")
    clock.instant += timedelta(hours=3)
    closed = await Sessions(memory._session_tools, memory._attribution).end_idle()
    assert [each.session_id for each in closed] == ["s1"]
    (kept,) = closed[0].kept
    assert (await memory.acting_as(AGENT).get(kept.id)).trust == 0.6


async def test_what_was_recalled_into_a_session_is_not_stored_again(memory) -> None:
    await memory.store("The user is allergic to peanuts.", kind="constraint")
    session = memory.session("s1")
    await session.open("lunch")
    found = await memory.retrieve("allergic to peanuts", session="s1", k=1)
    assert found.hits
    await session.turn("The user is allergic to peanuts.", role="assistant")
    await session.turn("I'm allergic to peanuts.", role="user")
    await session.close()
    assert len((await memory.list()).items) == 1


async def test_a_session_that_is_not_open_leaves_a_query_as_it_is(memory) -> None:
    await memory.store("Never push to main", kind="constraint")
    assert (await memory.retrieve("push to main", session="gone", k=1)).hits
    with pytest.raises(NotFound):
        await memory.session("gone").show()


async def test_observed_turns_are_kept_raw_and_what_they_state_at_once(memory) -> None:
    seen = await memory.observe(
        [
            {"session_id": "chat", "content": "我对花生过敏，以后点餐都避开花生。", "speaker": "李雷"},
            {"session_id": "chat", "content": "好的，记住了。", "role": "assistant"},
        ]
    )
    assert len(seen.kept) == 1
    assert [turn.position for turn in await memory.turns("chat")] == [0, 1]
    await memory.observe([{"session_id": "chat", "content": "谢谢"}])
    assert [turn.position for turn in await memory.turns("chat")] == [0, 1, 2]


@pytest.mark.parametrize("turns", [[{"content": "x"}], ["x"], [{"session_id": "s", "content": "x", "role": "king"}]])
async def test_turns_that_do_not_fit_are_told_and_nothing_is_kept(memory, turns) -> None:
    with pytest.raises(InvalidInput, match="turn 0"):
        await memory.observe(turns)


async def test_gathered_turns_are_distilled_by_a_job(memory) -> None:
    turns = [{"session_id": "long", "position": n, "content": f"Step {n} went fine."} for n in range(39)]
    turns.append({"session_id": "long", "position": 39, "content": "Upgrading to Node 20 resolved the segfault."})
    seen = await memory.observe(turns)
    assert len(seen.jobs) == 1
    assert await memory.settle(20)
    (episode,) = (await memory.list(kind="episode")).items
    assert "Node 20" in episode.content


async def test_a_worker_that_stops_gives_its_jobs_back(memory) -> None:
    """Nobody has to wait for the leases of a process that ended in order."""
    worker = memory._worker
    await worker.stop()
    started = asyncio.Event()

    async def slow(_payload):
        started.set()
        await asyncio.sleep(60)
        return {}

    worker._handlers = {"store": slow}
    for number in range(3):
        await memory.store(f"fact number {number}", wait=False)
    worker.start()
    await started.wait()
    await worker.stop()
    assert {job.state for job in await memory.jobs()} == {"waiting"}


async def test_a_fault_in_one_job_does_not_end_the_worker(memory) -> None:
    worker = memory._worker
    plain = worker._handlers["store"]

    async def faulty(payload):
        if "bad" in payload["draft"]["content"]:
            raise RuntimeError("a fault")
        return await plain(payload)

    worker._handlers = {**worker._handlers, "store": faulty}
    await memory.store("a bad one", wait=False)
    await memory.store("a good one", wait=False)
    assert await memory.settle(20)
    (dead,) = await memory.jobs(states=["dead"])
    assert "a fault" in dead.error
    assert [each.content for each in (await memory.list()).items] == ["a good one"]
    worker._handlers = {**worker._handlers, "store": plain}
    assert await memory.retry_job(dead.id)
    assert await memory.settle(20)
    assert len((await memory.list()).items) == 2
    assert not await memory.retry_job(dead.id)
