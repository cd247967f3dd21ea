"""Working memory with a copy in Redis: the store keeps the truth, each call of a session reads the copy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Any

from redis.asyncio import Redis

from hindsight.adapters.redis.link import RedisLink
from hindsight.ports import SessionState, SessionStore

HOT_SECONDS = 600
"""A copy is kept so long after its last use."""
_MISSED = 10_000

# KEYS: the copy. ARGV: version, body, seconds. An older version never replaces a newer one, whoever comes late.
_KEEP = """
local there = redis.call('HGET', KEYS[1], 'version')
if there and tonumber(there) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'body', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
# KEYS: the copy. ARGV: seconds. The copy goes; for a while no late writer may bring back what was dropped.
_DROP = """
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'version', '1e300', 'body', '')
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""
_FORGET = "redis.call('DEL', KEYS[1]) return 1"
_DROPPED_SECONDS = 5


class RedisSessions:
    """The ``SessionStore`` of ``store`` with copies in Redis. What it answers may be older than the store's for as long as another
    process could not reach Redis, at most ``HOT_SECONDS``; a write on such a copy is refused by the store, and the copy goes.
    """

    def __init__(self, store: SessionStore, link: RedisLink) -> None:
        self._store = store
        self._link = link
        self._missed: set[bytes] = set()
        link.on_recovery(self._catch_up)

    async def load_session(self, namespace: str, agent: str, session_id: str) -> SessionState | None:
        """The session's state; None where it is not open."""
        key = self._key(namespace, agent, session_id)
        copy = await self._link.ask(lambda client: _read(client, key))
        if copy:
            return _state(namespace, agent, session_id, copy)
        state = await self._store.load_session(namespace, agent, session_id)
        if state is not None:
            await self._keep(key, state)
        return state

    async def save_session(self, state: SessionState, *, expected_version: int | None) -> bool:
        """Write to the store, if the expected version still stands there; then the copy."""
        key = self._key(state.namespace, state.agent, state.session_id)
        saved = await self._store.save_session(state, expected_version=expected_version)
        if not saved or expected_version is None:  # a session that begins anew has small numbers again
            await self._script(key, _FORGET)
        if saved:
            await self._keep(key, state)
        return saved

    async def drop_session(self, namespace: str, agent: str, session_id: str, *, expected_version: int | None = None) -> bool:
        """Delete; False where there was none, or another version stands."""
        dropped = await self._store.drop_session(namespace, agent, session_id, expected_version=expected_version)
        key = self._key(namespace, agent, session_id)
        await (self._script(key, _DROP, _DROPPED_SECONDS) if dropped else self._script(key, _FORGET))
        return dropped

    async def open_sessions(self, namespace: str, agent: str) -> list[SessionState]:
        """Open sessions of an agent, as the store has them."""
        return await self._store.open_sessions(namespace, agent)

    async def idle_sessions(self, before: datetime, *, limit: int = 100) -> list[SessionState]:
        """Sessions not touched since ``before``, as the store has them."""
        return await self._store.idle_sessions(before, limit=limit)

    def _key(self, namespace: str, agent: str, session_id: str) -> bytes:
        name = json.dumps([namespace, agent, session_id]).encode()
        return self._link.prefix + b"session:" + hashlib.sha256(name).hexdigest().encode()

    async def _keep(self, key: bytes, state: SessionState) -> None:
        body = {"body": dict(state.body), "opened_at": state.opened_at.timestamp(), "touched_at": state.touched_at.timestamp()}
        await self._script(key, _KEEP, state.version, json.dumps(body), HOT_SECONDS)

    async def _script(self, key: bytes, script: str, *arguments: Any) -> None:
        def run(client: Redis) -> Awaitable[Any]:
            return client.eval(script, 1, key, *arguments)

        if await self._link.ask(run) is None and len(self._missed) < _MISSED:
            self._missed.add(key)  # an old copy may stand there

    async def _catch_up(self) -> None:
        missed, self._missed = self._missed, set()
        for key in missed:
            await self._script(key, _FORGET)


async def _read(client: Redis, key: bytes) -> dict[str, Any] | None:
    version, body = await client.hmget(key, ["version", "body"])
    if not body:
        return None
    return {**json.loads(body), "version": int(version or 0)}


def _state(namespace: str, agent: str, session_id: str, copy: dict[str, Any]) -> SessionState:
    return SessionState(
        namespace=namespace,
        agent=agent,
        session_id=session_id,
        body=copy["body"],
        version=copy["version"],
        opened_at=datetime.fromtimestamp(copy["opened_at"], UTC),
        touched_at=datetime.fromtimestamp(copy["touched_at"], UTC),
    )
