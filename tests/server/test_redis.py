"""Redis beside a store: what it speeds up, and that every call goes on without it."""

from __future__ import annotations

import asyncio
import http.server
import logging
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from team import until

from hindsight import Hindsight
from hindsight.adapters.redis import link as linking
from hindsight.adapters.redis.blobs import RedisBlobs
from hindsight.adapters.redis.link import RedisLink
from hindsight.adapters.redis.rates import RedisRates
from hindsight.adapters.redis.vectors import SharedQueryVectors
from hindsight.errors import ConfigurationError, StoreMisplaced, StoreUnavailable
from hindsight.ports import Token
from hindsight.records import new_id

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def opened(where, redis, **settings) -> Hindsight:
    return Hindsight.open(where, embedder="none", redis_url=redis.url, **settings)


async def test_a_queued_store_is_done_at_once_by_another_process_worker(where, redis_server, monkeypatch):
    monkeypatch.setattr("hindsight.remember.queue.IDLE_SECONDS", 30.0)  # it would not look by itself
    async with opened(where, redis_server, worker="off") as server, opened(where, redis_server):
        await asyncio.sleep(0.5)  # the worker has found nothing and waits
        await server.store("The staging database runs on port 5433.", wait=False)
        assert await server.settle(3)


async def test_postgresql_wakes_workers_by_itself(postgres_url, monkeypatch):
    monkeypatch.setattr("hindsight.remember.queue.IDLE_SECONDS", 30.0)
    url = postgres_url()
    async with Hindsight.open(url, embedder="none", worker="off") as server, Hindsight.open(url, embedder="none"):
        await asyncio.sleep(0.5)
        await server.store("The staging database runs on port 5433.", wait=False)
        assert await server.settle(3)


async def test_every_call_goes_on_without_redis_and_finds_it_again(where, own_redis, caplog):
    caplog.set_level(logging.WARNING)
    async with opened(where, own_redis) as memory:
        session = memory.session("s", goal="ship")
        await session.open()
        assert await memory.access.engines() == {"store": None, "redis": None}
        own_redis.kill()
        started = time.monotonic()
        await session.turn("first words without Redis")
        await memory.store("kept without Redis", wait=False)
        assert await memory.settle(5)
        assert (await memory.retrieve("without Redis", k=3, session="s")).hits
        assert time.monotonic() - started < 4
        faults = await memory.access.engines()
        assert faults["store"] is None
        assert faults["redis"]
        own_redis.start()
        await until(lambda: _answers(memory))
        assert "first words" in await session.show()
        await session.turn("second words")
        assert "second words" in await session.show()
    lines = [record.getMessage() for record in caplog.records if "Redis at" in record.getMessage()]
    assert [("answers again" in line) for line in lines] == [False, True]


async def _answers(memory: Hindsight) -> bool:
    return (await memory.access.engines())["redis"] is None


async def test_a_redis_that_hangs_costs_one_short_wait(own_redis, tmp_path):
    async with opened(tmp_path / "store", own_redis) as memory:
        await memory.session("s", goal="ship").open()
        own_redis.pause()
        try:
            started = time.monotonic()
            for _ in range(20):
                await memory.session("s").show()
            assert time.monotonic() - started < 20 * linking.ANSWER_SECONDS / 2
        finally:
            own_redis.resume()


async def test_a_copy_that_went_stale_while_redis_was_away_is_taken_down(own_redis, postgres_url):
    url = postgres_url()
    async with opened(url, own_redis) as memory, Hindsight.open(url, embedder="none") as other:
        await memory.session("s", goal="old").open()
        assert (await memory.session("s").state()).board.goal == "old"
        own_redis.pause()
        await memory.session("s").goal("new")  # goes to the store, past the copy
        own_redis.resume()
        await until(lambda: _answers(memory))
        assert (await memory.session("s").state()).board.goal == "new"
        await other.session("s").goal("newest")  # past Redis altogether: a write on the old copy is refused, then repeated
        await memory.session("s").ask("which port?")
        board = (await memory.session("s").state()).board
        assert (board.goal, board.questions) == ("newest", ("which port?",))


async def test_a_closed_session_is_gone_from_redis(redis_server, tmp_path):
    from redis import Redis

    async with opened(tmp_path / "store", redis_server) as memory:
        session = memory.session("s", goal="the secret goal of this session")
        await session.open()
        with Redis.from_url(redis_server.url) as client:
            assert any(b"secret goal" in (client.hget(key, "body") or b"") for key in client.keys("*:session:*"))
            await session.discard()
            assert not any(b"secret goal" in (client.hget(key, "body") or b"") for key in client.keys("*:session:*"))
        assert await memory.open_sessions() == []


async def test_rates_are_counted_over_all_processes(redis_server, clock_token):
    links = [RedisLink(redis_server.url, "store-a") for _ in range(2)]
    elsewhere = RedisLink(redis_server.url, "store-b")
    for each in (*links, elsewhere):
        await each.open()
    waits = [await RedisRates(links[number % 2]).wait(clock_token) for number in range(8)]
    assert waits[:6] == [0.0] * 6
    assert all(0 < wait <= 10.0 for wait in waits[6:])
    assert await RedisRates(elsewhere).wait(clock_token) == 0.0
    assert await RedisRates(links[0]).wait(replace(clock_token, per_minute=0)) == 0.0
    for each in (*links, elsewhere):
        await each.close()
    assert await RedisRates(links[0]).wait(clock_token) is None


@pytest.fixture
def clock_token():
    import datetime as dt

    return Token(new_id(), "bot", "bot", ("*",), frozenset({"read"}), 6, dt.datetime.now(dt.UTC), None)


class Counting:
    """An endpoint that is paid for."""

    model_id, dimension = "paid", 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts, *, kind):
        self.asked += texts
        return np.array([[len(text), 0.1, -1] for text in texts], np.float32)

    async def close(self) -> None: ...


async def test_the_vector_of_a_query_is_paid_for_once_by_all_processes(own_redis):
    links = [RedisLink(own_redis.url, "store-a") for _ in range(2)]
    one, two = Counting(), Counting()
    shared = [SharedQueryVectors(each, RedisBlobs(link, "query")) for each, link in zip((one, two), links, strict=True)]
    for link in links:
        await link.open()
    first = await shared[0].embed(["退款怎么办", "b"], kind="query")
    again = await shared[1].embed(["b", "new", "退款怎么办"], kind="query")
    np.testing.assert_array_equal(again[[2, 0]], first)
    assert (one.asked, two.asked) == (["退款怎么办", "b"], ["new"])
    await shared[1].embed(["b"], kind="passage")
    assert two.asked == ["new", "b"]
    own_redis.kill()
    np.testing.assert_array_equal(await shared[1].embed(["b"], kind="query"), first[[1]])
    for link in links:
        await link.close()


# --- a wrong address is an error


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:6379", "redis://", "localhost:6379", "redis://host:port/0", "redis://u:geheim@h:99999999"]
)
def test_what_is_no_address_is_said_without_what_may_be_a_password(tmp_path, url):
    with pytest.raises(ConfigurationError, match="HINDSIGHT_REDIS_URL") as raised:
        Hindsight.open(tmp_path / "store", embedder="none", redis_url=url)
    assert "geheim" not in str(raised.value)


async def test_a_redis_that_is_not_there_is_named_at_start(tmp_path, own_redis, monkeypatch):
    own_redis.kill()
    monkeypatch.setattr(linking, "START_SECONDS", 0.3)
    url = f"redis://me:geheim@127.0.0.1:{own_redis.port}/0"
    with pytest.raises(StoreUnavailable, match="Redis at redis://127.0.0.1") as raised:
        async with Hindsight.open(tmp_path / "store", embedder="none", redis_url=url):
            pytest.fail("it opened")
    assert "geheim" not in str(raised.value)


async def test_a_redis_that_comes_late_is_waited_for(tmp_path, own_redis):
    own_redis.kill()
    opening = asyncio.create_task(opened(tmp_path / "store", own_redis).__aenter__())
    await asyncio.sleep(0.4)
    assert not opening.done()
    own_redis.start()
    await (await opening).close()


async def test_a_wrong_password_is_an_error_at_once(tmp_path, redis_with_password):
    url = redis_with_password.url
    started = time.monotonic()
    for user in ("", ":wrong@"):
        with pytest.raises(StoreMisplaced, match="refuses"):
            async with Hindsight.open(tmp_path / "store", embedder="none", redis_url=url.replace("//", f"//{user}")):
                pytest.fail("it opened")
    assert time.monotonic() - started < 5
    async with Hindsight.open(tmp_path / "store", embedder="none", redis_url=url.replace("//", "//:right@")) as memory:
        assert (await memory.access.engines())["redis"] is None


async def test_a_server_that_is_no_redis_is_told(tmp_path, http_server_of_another_kind, monkeypatch):
    monkeypatch.setattr(linking, "START_SECONDS", 0.3)
    with pytest.raises(StoreUnavailable, match="Redis at redis://127.0.0.1"):
        async with Hindsight.open(tmp_path / "store", embedder="none", redis_url=f"redis://127.0.0.1:{http_server_of_another_kind}/0"):
            pytest.fail("it opened")


@pytest.fixture
def http_server_of_another_kind():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield web.server_port
        web.shutdown()
