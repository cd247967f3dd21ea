"""Working memory and bearer tokens, as every store keeps them."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from hindsight.adapters.redis.link import RedisLink
from hindsight.adapters.redis.sessions import RedisSessions
from hindsight.ports import SessionState, Token
from hindsight.records import new_id


@pytest.fixture
def state(clock):
    now = clock.now()

    def make(session_id: str = "s", *, agent: str = "alice", version: int = 1, minutes: int = 0, **body) -> SessionState:
        return SessionState(
            namespace="work", agent=agent, session_id=session_id, body=body, version=version,
            opened_at=now, touched_at=now + timedelta(minutes=minutes),
        )  # fmt: skip

    return make


@pytest.fixture(params=["store", "redis"])
async def open_sessions(request, open_store, tmp_path):
    """Opens the sessions of the store, by themselves and with copies in Redis: each call another process, so to say."""
    links = []

    async def one():
        store = await open_store()
        if request.param == "store":
            return store.sessions
        links.append(RedisLink(request.getfixturevalue("redis_server").url, str(tmp_path)))
        await links[-1].open()
        return RedisSessions(store.sessions, links[-1])

    yield one
    for link in links:
        await link.close()


async def test_a_session_survives_reopening_until_it_is_dropped(open_sessions, state):
    sessions = await open_sessions()
    assert await sessions.save_session(state(goal="退款 refund \0"), expected_version=None)
    sessions = await open_sessions()
    for _ in range(2):
        assert await sessions.load_session("work", "alice", "s") == state(goal="退款 refund \0")
    assert await sessions.load_session("work", "bob", "s") is None
    assert await sessions.drop_session("work", "alice", "s")
    assert not await sessions.drop_session("work", "alice", "s")
    assert await sessions.load_session("work", "alice", "s") is None
    assert await sessions.save_session(state(goal="again"), expected_version=None)
    assert (await sessions.load_session("work", "alice", "s")).body == {"goal": "again"}


async def test_of_two_writers_of_a_session_the_second_is_told(open_sessions, state):
    one, two = await open_sessions(), await open_sessions()
    assert await one.save_session(state(), expected_version=None)
    assert not await two.save_session(state(step="lost"), expected_version=None)
    assert (await one.load_session("work", "alice", "s")).version == 1
    assert await two.save_session(state(version=2, step="kept"), expected_version=1)
    assert not await one.save_session(state(version=2, step="lost"), expected_version=1)
    for each in (one, two):
        assert (await each.load_session("work", "alice", "s")).body == {"step": "kept"}
    assert not await one.drop_session("work", "alice", "s", expected_version=1)
    assert await one.drop_session("work", "alice", "s", expected_version=2)
    assert await two.load_session("work", "alice", "s") is None


async def test_many_writers_of_a_session_lose_nothing(open_sessions, state):
    stores = [await open_sessions() for _ in range(3)]
    assert await stores[0].save_session(state(counted=0), expected_version=None)

    async def count(sessions) -> None:
        for _ in range(5):
            while True:
                now = await sessions.load_session("work", "alice", "s")
                after = replace(now, version=now.version + 1, body={"counted": now.body["counted"] + 1})
                if await sessions.save_session(after, expected_version=now.version):
                    break

    await asyncio.gather(*map(count, stores))
    for sessions in stores:
        assert (await sessions.load_session("work", "alice", "s")).body == {"counted": 15}


async def test_sessions_are_listed_by_their_last_use(open_sessions, state, clock):
    sessions = await open_sessions()
    long = "x" * 1000
    for name, minutes in (("old", 0), ("new", 20), (long, 10)):
        assert await sessions.save_session(state(name, minutes=minutes), expected_version=None)
    assert await sessions.save_session(state("other", agent="bob"), expected_version=None)
    assert [each.session_id for each in await sessions.open_sessions("work", "alice")] == ["new", long, "old"]
    idle = await sessions.idle_sessions(clock.now() + timedelta(minutes=15))
    assert {each.session_id for each in idle} == {"old", "other", long}
    assert len(await sessions.idle_sessions(clock.now() + timedelta(hours=1), limit=2)) == 2


@pytest.fixture
def token(clock):
    return Token(new_id(), "laptop", "alice", ("work", "家"), frozenset({"read", "write"}), 60, clock.now(), None)


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


async def test_tokens_are_found_by_their_digest_alone(open_store, token, clock):
    store = await open_store()
    assert not await store.tokens.any_token()
    assert await store.tokens.add_token(token, digest("a"))
    assert not await store.tokens.add_token(replace(token, id=new_id()), digest("a"))
    other = await open_store()
    assert await other.tokens.any_token()
    assert await other.tokens.token_of(digest("a")) == token
    assert await other.tokens.token_of(digest("b")) is None
    second = replace(token, id=new_id(), created_at=clock.now() + timedelta(seconds=1), expires_at=clock.now() + timedelta(days=1))
    assert await other.tokens.add_token(second, digest("b"))
    assert await store.tokens.tokens() == [token, second]


async def test_a_revoked_token_stays_known(store, token, clock):
    await store.tokens.add_token(token, digest("a"))
    used = clock.now() + timedelta(minutes=1)
    await store.tokens.token_used(token.id, used)
    assert await store.tokens.revoke_token(token.id, used)
    assert not await store.tokens.revoke_token(token.id, used)
    assert not await store.tokens.revoke_token(new_id(), used)
    assert await store.tokens.token_of(digest("a")) == replace(token, revoked_at=used, last_used_at=used)
    assert await store.tokens.any_token()
