"""Working memory of sessions, in a table of its own: no search looks there."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import load, rows
from hindsight.ports import SessionState

_SQL = load("boards.sql")


class Boards:
    """The ``SessionStore`` of a store, in its own tables."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def load_session(self, namespace: str, agent: str, session_id: str) -> SessionState | None:
        """The session's state; None where it is not open."""
        found = await self._core.read(lambda db: rows(db, _SQL["load"], (namespace, agent, session_id)))
        return _state(namespace, agent, session_id, *found[0]) if found else None

    async def save_session(self, state: SessionState, *, expected_version: int | None) -> bool:
        """Write, if the expected version still stands; False where it does not."""
        body, touched = to_json(dict(state.body)), state.touched_at.timestamp()
        key = (state.namespace, state.agent, state.session_id)
        if expected_version is None:
            values = (*key, body, state.version, state.opened_at.timestamp(), touched)
            return bool(await self._core.write(lambda db: rows(db, _SQL["insert"], values)))
        return bool(await self._core.write(lambda db: rows(db, _SQL["replace"], (body, state.version, touched, *key, expected_version))))

    async def drop_session(self, namespace: str, agent: str, session_id: str, *, expected_version: int | None = None) -> bool:
        """Delete; False where there was none, or another version stands."""
        key = (namespace, agent, session_id)
        if expected_version is None:
            return bool(await self._core.write(lambda db: rows(db, _SQL["drop"], key)))
        return bool(await self._core.write(lambda db: rows(db, _SQL["drop_version"], (*key, expected_version))))

    async def open_sessions(self, namespace: str, agent: str) -> list[SessionState]:
        """Open sessions of an agent, the one touched last first."""
        found = await self._core.read(lambda db: rows(db, _SQL["open"], (namespace, agent)))
        return [_state(namespace, agent, *row) for row in found]

    async def idle_sessions(self, before: datetime, *, limit: int = 100) -> list[SessionState]:
        """Sessions not touched since ``before``, the oldest first."""
        found = await self._core.read(lambda db: rows(db, _SQL["idle"], (before.timestamp(), limit)))
        return [_state(*row) for row in found]


def _state(namespace: str, agent: str, session_id: str, body: str, version: int, opened_at: float, touched_at: float) -> SessionState:
    return SessionState(
        namespace=namespace,
        agent=agent,
        session_id=session_id,
        body=json.loads(body),
        version=version,
        opened_at=datetime.fromtimestamp(opened_at, UTC),
        touched_at=datetime.fromtimestamp(touched_at, UTC),
    )
