"""Memory around a task, for agents without ``await``."""

from __future__ import annotations

import threading

import pytest
from unreachable import nobody

from hindsight.client import ResilientMemory, connect
from hindsight.sync import Hindsight, TaskLoop


@pytest.fixture
def memory(tmp_path):
    with Hindsight.open(tmp_path / "own", embedder="none", min_relevance=0.001) as opened:
        yield opened


def test_before_during_and_after_a_task(memory):
    loop = TaskLoop(memory)
    with loop.task("Deploy the billing service", task_type="deployment", tools=["shell"]) as first:
        assert first.context == ""
        assert first.use("shell", lambda command: f"ran {command}", command="make deploy") == "ran make deploy"
        first.succeed("deployed")
    with loop.task("Deploy the billing service again", task_type="deployment") as second:
        chat = second.messages([{"role": "system", "content": "You deploy."}, {"role": "user", "content": "Deploy"}])
        assert [each["role"] for each in chat] == ["system", "system", "user"]
        second.feedback("helpful")
    loop.close()
    episode = memory.list(kind="episode").items[-1]
    assert (episode.outcome, episode.tools) == ("success", ("shell",))  # the memory is still open
    assert not hasattr(second, "_nothing")


def test_an_exception_ends_as_a_failure_and_goes_on(memory):
    def broken(**arguments):
        raise ConnectionError("E1101: no route")

    with pytest.raises(ConnectionError), TaskLoop(memory).task("查询订单", task_type="orders") as task:
        task.use("crm", broken, order=7)
    episode = memory.list(kind="episode").items[0]
    assert (episode.outcome, episode.error_code) == ("failure", "E1101")
    assert task.kept.episode.id == episode.id


def test_against_a_server_from_several_threads(server, tmp_path):
    with TaskLoop(connect(server.url, token="", spool=tmp_path / "s.jsonl")) as loop:

        def work(number: int) -> None:
            with loop.task(f"Send letter {number}", task_type="letters") as task:
                task.succeed("sent")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = loop.run(loop.memory.store("Letters need a stamp", kind="fact"))
        assert stored.status == "stored"
        found = loop.run(loop.memory.list(kind="episode", task_type="letters"))
        assert len(found.items) == 4
    loop.close()  # a second time is nothing


def test_without_a_server_the_task_goes_on_and_its_episode_waits(tmp_path):
    below = ResilientMemory(nobody(), spool=tmp_path / "s.jsonl", retrieval_seconds=0.5, write_seconds=0.5)
    with TaskLoop(below) as loop, loop.task("Deploy") as task:
        task.succeed("done")
    assert task.context == ""
    assert {"unavailable", "episode_spooled"} <= set(task.flags)
    assert (tmp_path / "s.jsonl").stat().st_size
