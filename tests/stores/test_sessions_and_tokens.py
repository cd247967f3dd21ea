"""Working memory and bearer tokens, as every store keeps them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

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


async def test_a_session_survives_reopening_until_it_is_dropped(open_store, state):
    store = await open_store()
    assert await store.sessions.save_session(state(goal="退款 refund \0"), expected_version=None)
    await store.close()
    store = await open_store()
    found = await store.sessions.load_session("work", "alice", "s")
    assert found == state(goal="退款 refund \0")
    assert await store.sessions.load_session("work", "bob", "s") is None
    assert await store.sessions.drop_session("work", "alice", "s")
    assert not await store.sessions.drop_session("work", "alice", "s")
    assert await store.sessions.load_session("work", "alice", "s") is None


async def test_of_two_writers_of_a_session_the_second_is_told(open_store, state):
    one, two = await open_store(), await open_store()
    assert await one.sessions.save_session(state(), expected_version=None)
    assert not await two.sessions.save_session(state(step="lost"), expected_version=None)
    assert await two.sessions.save_session(state(version=2, step="kept"), expected_version=1)
    assert not await one.sessions.save_session(state(version=2, step="lost"), expected_version=1)
    assert (await one.sessions.load_session("work", "alice", "s")).body == {"step": "kept"}


async def test_sessions_are_listed_by_their_last_use(store, state, clock):
    long = "x" * 1000
    for name, minutes in (("old", 0), ("new", 20), (long, 10)):
        assert await store.sessions.save_session(state(name, minutes=minutes), expected_version=None)
    assert await store.sessions.save_session(state("other", agent="bob"), expected_version=None)
    assert [each.session_id for each in await store.sessions.open_sessions("work", "alice")] == ["new", long, "old"]
    idle = await store.sessions.idle_sessions(clock.now() + timedelta(minutes=15))
    assert {each.session_id for each in idle} == {"old", "other", long}
    assert len(await store.sessions.idle_sessions(clock.now() + timedelta(hours=1), limit=2)) == 2


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
