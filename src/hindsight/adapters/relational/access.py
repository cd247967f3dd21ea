"""Bearer tokens."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import load, rows, value
from hindsight.ports import Token

_SQL = load("access.sql")


class AccessTokens:
    """The ``TokenStore`` of a store."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def add_token(self, token: Token, digest: bytes) -> bool:
        """Keep a token by its digest; False where the digest is taken."""
        values = {
            "id": str(token.id),
            "digest": digest,
            "name": token.name,
            "agent": token.agent,
            "namespaces": to_json(list(token.namespaces)),
            "scopes": to_json(sorted(token.scopes)),
            "per_minute": token.per_minute,
            "created_at": token.created_at.timestamp(),
            "expires_at": token.expires_at.timestamp() if token.expires_at is not None else None,
        }
        return bool(await self._core.write(lambda db: rows(db, _SQL["add"], values)))

    async def token_of(self, digest: bytes) -> Token | None:
        """The token with this digest, revoked and expired ones too."""
        found = await self._core.read(lambda db: rows(db, _SQL["find"], (digest,)))
        return _token(*found[0]) if found else None

    async def tokens(self) -> list[Token]:
        """Every token, the oldest first."""
        return [_token(*row) for row in await self._core.read(lambda db: rows(db, _SQL["list"]))]

    async def any_token(self) -> bool:
        """Whether one was ever made."""
        return bool(await self._core.read(lambda db: value(db, _SQL["any"])))

    async def revoke_token(self, id: UUID, at: datetime) -> bool:
        """Revoke; False where there is none, or it is revoked."""
        return bool(await self._core.write(lambda db: rows(db, _SQL["revoke"], (at.timestamp(), str(id)))))

    async def token_used(self, id: UUID, at: datetime) -> None:
        """Note the use of a token."""
        await self._core.write(lambda db: rows(db, _SQL["used"], (at.timestamp(), str(id))))


def _token(id: str, name: str, agent: str, namespaces: str, scopes: str, per_minute: int, *times: float | None) -> Token:
    created, expires, revoked, used = (None if time is None else datetime.fromtimestamp(time, UTC) for time in times)
    values: dict[str, Any] = {"created_at": created, "expires_at": expires, "revoked_at": revoked, "last_used_at": used}
    return Token(
        id=UUID(id),
        name=name,
        agent=agent,
        namespaces=tuple(json.loads(namespaces)),
        scopes=frozenset(json.loads(scopes)),
        per_minute=per_minute,
        **values,
    )
