"""The layer that never makes an agent wait or fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from serving import HttpProcess
from unreachable import free_port, nobody

from hindsight.client import AsyncRestClient, CircuitBreaker, McpClient, ResilientMemory, Spool, connect
from hindsight.client.agent import no_answer
from hindsight.errors import AccessDenied, InvalidInput, NotFound, Overloaded, StoreUnavailable


async def test_it_offers_what_the_client_below_offers(server, tmp_path):
    async with ResilientMemory(AsyncRestClient(server.url), spool=tmp_path / "spool.jsonl") as memory:
        saved = await memory.store("备份每天凌晨三点运行", tags=["运维"])
        assert saved.status == "stored"
        found = await memory.retrieve("备份什么时候运行", k=1)
        assert found.hits[0].memory.id == saved.id
        assert found.render().startswith("<memory_context>")
        assert (await memory.get(saved.id)).tags == ("运维",)
        assert "local_cache" in (await memory.retrieve("备份什么时候运行", k=1)).flags
        await memory.store("something else entirely")
        assert "local_cache" not in (await memory.retrieve("备份什么时候运行", k=1)).flags
        assert memory.waiting == 0
        with pytest.raises(InvalidInput):
            await memory.store("x", kind="nonsense")
        with pytest.raises(NotFound):
            await memory.feedback("01938888-0000-7000-8000-000000000000", "helpful")


async def test_what_was_erased_or_changed_is_not_shown_from_the_cache(server, tmp_path):
    async with ResilientMemory(AsyncRestClient(server.url), spool=tmp_path / "spool.jsonl") as memory:
        saved = await memory.store("the spare key lies under the blue pot", kind="fact")
        asked = memory.retrieve("where does the spare key lie", k=1)
        assert "blue pot" in (await asked).render()
        await memory.update(saved.id, content="the spare key lies under the red pot")
        assert "red pot" in (await memory.retrieve("where does the spare key lie", k=1)).render()
        assert await memory.forget(saved.id)
        assert "pot" not in (await memory.retrieve("where does the spare key lie", k=1)).render()


async def test_an_answer_that_an_erasure_overtook_is_not_kept():
    answered, erased = asyncio.Event(), asyncio.Event()

    class Slow(Flaky):
        async def retrieve(self, query, **options):
            answered.set()
            await erased.wait()
            return no_answer(query)

        async def forget(self, id):
            return True

    memory = ResilientMemory(Slow(0, StoreUnavailable("away")))
    asking = asyncio.create_task(memory.retrieve("the key"))
    await answered.wait()
    assert await memory.forget("id")
    erased.set()
    await asking
    assert not (await memory.retrieve("the key")).flags


async def test_without_a_server_reading_is_empty_and_flagged_and_writes_wait(tmp_path):
    memory = ResilientMemory(nobody(), spool=tmp_path / "spool.jsonl", write_seconds=1)
    found = await memory.retrieve("anything")
    assert (list(found.hits), found.render()) == ([], "")
    assert set(found.flags) & {"unavailable", "circuit_open"}
    assert (await memory.context("anything")).render() == ""
    result = await memory.store("kept for later")
    assert result.status == "queued"
    assert "spool" in result.reasons[0]
    assert memory.waiting == 1
    await memory.close()
    assert "kept for later" in (tmp_path / "spool.jsonl").read_text()


async def test_texts_that_cannot_be_encoded_are_mended_with_and_without_a_server(server, tmp_path):
    async with ResilientMemory(AsyncRestClient(server.url), spool=tmp_path / "spool.jsonl") as memory:
        saved = await memory.store("broken \ud800 text\x00, 好", tags=["\ud83d\ude00"])
        kept = await memory.get(saved.id)
        assert (kept.content, kept.tags) == ("broken \ufffd text, 好", ("\U0001f600",))
        assert (await memory.retrieve("broken \ud800 text", k=1)).hits[0].memory.id == saved.id
    away = ResilientMemory(nobody(), spool=tmp_path / "away.jsonl", write_seconds=0.5)
    assert (await away.store("broken \ud800 text")).status == "queued"
    await away.close()


@pytest.mark.parametrize("turns", ["hello", {"content": "hello"}, b"hello", ["hello"], [7]])
async def test_what_is_no_list_of_turns_is_refused(turns):
    memory = ResilientMemory(nobody())
    with pytest.raises(InvalidInput, match="a list of turns"):
        await memory.observe(turns)
    await memory.close()


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", 7])
@pytest.mark.parametrize("mcp", [False, True])
def test_what_is_no_address_is_refused(url, mcp):
    with pytest.raises(InvalidInput, match="is no address"):
        connect(url, mcp=mcp, token="", spool=None)


async def test_a_token_that_is_not_known_is_refused_over_mcp_and_nothing_is_kept_for_later(guarded, tmp_path):
    memory = ResilientMemory(McpClient(guarded.url, token="hs_wrong"), spool=tmp_path / "s.jsonl", retrieval_seconds=10, write_seconds=10)
    with pytest.raises(AccessDenied, match="not known"):
        await memory.retrieve("anything")
    with pytest.raises(AccessDenied):
        await memory.store("anything")
    assert memory.waiting == 0
    await memory.close()


async def test_without_a_spool_a_write_that_fails_says_so():
    memory = ResilientMemory(nobody(), write_seconds=1)
    with pytest.raises(StoreUnavailable):
        await memory.store("lost otherwise")
    await memory.close()


async def test_a_server_that_is_slow_costs_the_time_limit_and_no_more(tmp_path):
    asked, over = 0, asyncio.Event()

    async def slow(reader, writer):
        nonlocal asked
        asked += 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), 5)
        writer.close()

    listening = await asyncio.start_server(slow, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    memory = ResilientMemory(AsyncRestClient(address, token=""), spool=tmp_path / "s.jsonl")
    started = time.monotonic()
    found = await memory.retrieve("the server takes five seconds")
    took = time.monotonic() - started
    assert 1.9 <= took < 3
    assert found.flags == ["timeout"]
    assert asked == 1
    over.set()
    await memory._memory.close()
    listening.close()
    await listening.wait_closed()
    await asyncio.sleep(0.05)


class Flaky:
    """Fails as often as told, then answers."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.failures = failures
        self.error = error
        self.calls: list[str] = []

    async def store(self, content, **fields):
        self.calls.append(content)
        if self.failures > 0:
            self.failures -= 1
            raise self.error
        return content

    retrieve = store

    async def close(self):
        """Nothing is held."""


async def test_at_most_three_repetitions_and_none_for_what_is_refused(tmp_path):
    calm = CircuitBreaker(failures=100)
    flaky = Flaky(3, StoreUnavailable("away"))
    assert await ResilientMemory(flaky, breaker=calm).store("a") == "a"
    assert len(flaky.calls) == 4
    flaky = Flaky(9, StoreUnavailable("away"))
    with pytest.raises(StoreUnavailable):
        await ResilientMemory(flaky, breaker=calm).store("a")
    assert len(flaky.calls) == 4
    flaky = Flaky(9, InvalidInput("no"))
    with pytest.raises(InvalidInput):
        await ResilientMemory(flaky, spool=tmp_path / "s").store("a")
    assert len(flaky.calls) == 1
    assert not (tmp_path / "s").exists() or not (tmp_path / "s").read_text()


async def test_what_waits_is_sent_in_order_before_anything_newer(tmp_path):
    flaky = Flaky(100, StoreUnavailable("away"))
    memory = ResilientMemory(flaky, spool=tmp_path / "s.jsonl", write_seconds=0.3)
    for number in range(5):
        await memory.store(f"write {number}")
    flaky.failures, flaky.calls = 0, []
    assert (await memory.store("write 5")).status == "queued"  # not ahead of the others
    assert await memory.flush() == 0
    assert flaky.calls == [f"write {number}" for number in range(6)]
    assert (tmp_path / "s.jsonl").read_text() == ""
    assert await memory.store("write 6") == "write 6"
    await memory.close()


async def test_what_an_earlier_process_left_goes_first(tmp_path):
    left = Spool(tmp_path / "s.jsonl")
    left.append("store", {"content": "left behind"})
    left.close()
    flaky = Flaky(0, StoreUnavailable("away"))
    memory = ResilientMemory(flaky, spool=tmp_path / "s.jsonl")  # not entered: nothing was begun
    assert (await memory.store("newer")).status == "queued"
    assert await memory.flush() == 0
    assert flaky.calls == ["left behind", "newer"]
    await memory.close()


async def test_what_the_server_refuses_later_is_put_aside_and_does_not_block(tmp_path):
    flaky = Flaky(100, StoreUnavailable("away"))
    memory = ResilientMemory(flaky, spool=tmp_path / "s.jsonl", write_seconds=0.2)
    await memory.store("refused later")
    await memory.store("fine")
    flaky.failures, flaky.error, flaky.calls = 1, InvalidInput("too odd"), []
    assert await memory.flush() == 0
    assert flaky.calls == ["refused later", "fine"]
    aside = json.loads((tmp_path / "s.rejected.jsonl").read_text())
    assert (aside["given"]["content"], aside["reason"]) == ("refused later", "InvalidInput: too odd")
    await memory.close()


async def test_a_stale_answer_stands_in_and_says_so(server):
    rest = AsyncRestClient(server.url)
    await rest.store("The VPN is needed for billing")
    memory = ResilientMemory(rest, fresh_seconds=0)
    first = await memory.retrieve("billing VPN")
    await rest.close()
    memory._memory = nobody()
    again = await memory.retrieve("billing VPN")
    assert again.render() == first.render() != ""
    assert "stale" in again.flags
    await memory.close()


def test_the_circuit_opens_closes_and_waits_longer_each_time():
    now = 0.0
    breaker = CircuitBreaker(failures=2, pause=1, longest=3, now=lambda: now)
    breaker.failed()
    assert breaker.may_call()
    breaker.failed()
    assert not breaker.may_call()
    now = 1.1
    assert breaker.may_call()  # one may try
    assert not breaker.may_call()  # the others wait for it
    breaker.failed()
    now = 2.2
    assert not breaker.may_call()  # two seconds now
    now = 3.2
    assert breaker.may_call()
    breaker.succeeded()
    assert breaker.may_call()
    assert not breaker.open


@pytest.mark.parametrize("form", ["rest", "mcp"])
async def test_the_token_comes_from_the_environment(form, monkeypatch, tmp_path):
    monkeypatch.setenv("HINDSIGHT_TOKEN", "secret-of-the-environment")
    monkeypatch.setenv("HINDSIGHT_URL", "http://127.0.0.1:9")
    memory = connect(mcp=form == "mcp", spool=tmp_path / "s")
    assert memory._memory.token == "secret-of-the-environment"
    assert memory._memory.address.startswith("http://127.0.0.1:9/")
    await memory.close()


def test_a_spool_survives_torn_lines_and_is_bounded(tmp_path):
    path = tmp_path / "folder" / "s.jsonl"
    spool = Spool(path, most_writes=3)
    for number in range(3):
        spool.append("store", {"content": f"第{number}条"})
    with pytest.raises(Overloaded, match="full"):
        spool.append("store", {"content": "one too many"})
    spool.done(1)
    spool.close()
    with path.open("ab") as file:
        file.write(b'{"n": 9, "call": "store", "gi')
    again = Spool(path)
    assert [each.given["content"] for each in again.waiting()] == ["第1条", "第2条"]
    again.append("store", {"content": "next"})
    again.close()
    assert len(list(Spool(path).waiting())) == 3
    assert path.stat().st_mode & 0o077 == 0


def test_a_spool_in_use_is_left_alone_and_one_left_behind_is_taken_over(tmp_path):
    first, second = Spool(tmp_path / "s.jsonl"), Spool(tmp_path / "s.jsonl")
    first.append("store", {"content": "first"})
    second.append("store", {"content": "second"})
    assert first.path != second.path
    assert [each.given["content"] for each in second.waiting()] == ["second"]
    first.close()
    second.close()
    third = Spool(tmp_path / "s.jsonl")
    assert [each.given["content"] for each in third.waiting()] == ["first", "second"]
    third.close()


def test_a_spool_that_is_never_empty_does_not_fill_up_with_what_arrived(tmp_path):
    spool = Spool(tmp_path / "s.jsonl", most_bytes=2_000)
    last = spool.append("store", {"content": "x"})
    for _ in range(200):
        fresh = spool.append("store", {"content": "x" * 50})
        spool.done(last.number)
        last = fresh
    assert len(spool) == 1
    spool.close()
    assert len(list(Spool(tmp_path / "s.jsonl").waiting())) == 1


AGENT = """
import asyncio, sys
from hindsight.client import connect

async def main():
    memory = connect({url!r}, spool={spool!r}, write_seconds=0.3)
    number = 0
    while True:
        result = await memory.store(f"note {{number}} of the agent", kind="episode", idempotency_key=f"note-{{number}}")
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.mark.drill
async def test_killed_agents_and_killed_servers_lose_and_double_nothing(tmp_path, drill_rounds):
    """An agent writes without pause; its server is killed, then the agent; each note that was acknowledged is there once."""
    port, spool = str(free_port()), str(tmp_path / "spool.jsonl")
    acknowledged = -1
    for round_ in range(max(1, drill_rounds)):
        store = str(tmp_path / f"memory-{round_}")
        first = HttpProcess(store=store, port=port)
        program = AGENT.format(url=first.url, spool=spool)
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as agent:
            for _ in range(20):
                agent.stdout.readline()
            first.stop(signal.SIGKILL)
            lines = [int(agent.stdout.readline()) for _ in range(15)]  # it goes on
            agent.kill()
            lines += [int(line) for line in agent.stdout.read().split()]
        acknowledged = lines[-1]
        second = HttpProcess(store=store, port=port)
        async with connect(second.url, spool=spool) as memory:
            for _ in range(6):  # a busy machine takes its time
                if await memory.flush(20) == 0:
                    break
            assert memory.waiting == 0
            found = [each.content async for each in memory.export()]
        assert len(found) == len(set(found))
        assert {f"note {number} of the agent" for number in range(acknowledged + 1)} <= set(found)
        second.stop()


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_over_mcp(way, server, tmp_path):
    if way == "http":
        below = McpClient(server.url, token="")
    else:
        program = "from hindsight.settings import load_settings; from hindsight.serve.stdio import run; run(load_settings())"
        env = {**os.environ, "HINDSIGHT_EMBEDDER": "none", "HINDSIGHT_MIN_RELEVANCE": "0.001"}
        below = McpClient(command=[sys.executable, "-c", program], environment=env)
    async with ResilientMemory(below, spool=tmp_path / "s.jsonl", retrieval_seconds=10, write_seconds=10) as memory:
        saved = await memory.store(f"Release notes live in the wiki ({way})", kind="fact", tags=["docs"])
        assert saved.status == "stored", saved
        assert (await memory.store(f"Release notes live in the wiki ({way})", kind="fact")).status in ("duplicate", "merged")
        found = await memory.retrieve("where do release notes live", k=1)
        assert found.hits[0].memory.kind == "fact"
        assert found.render().startswith("<memory_context>")
        assert await memory.feedback(found.id, "helpful") == 0  # praise of what one wrote oneself lifts nothing
        calls = [{"tool": "shell", "error": "E42: denied"}]
        one = await memory.task_finished("failure", id=f"t-{way}", task="publish the notes", task_type="release", calls=calls)
        two = await memory.task_finished("failure", id=f"t-{way}", task="publish the notes", task_type="release", calls=calls)
        assert one.episode.id == two.episode.id
        assert await memory.reflect(one.episode.id) is not None
        with pytest.raises(InvalidInput, match="over MCP"):
            await memory.store("x", confidence=0.1)
        with pytest.raises(NotFound):
            await memory.feedback("01938888-0000-7000-8000-000000000000", "helpful")
        assert (await memory.context("where do release notes live")).render()
        assert await memory.forget(saved.id)


async def test_an_mcp_server_that_dies_is_started_again(tmp_path):
    missing = McpClient(command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(StoreUnavailable):
        await missing.store("nobody hears it")
    await missing.close()
