"""Tokens for synchronous code."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from hindsight import memory as asynchronous
from hindsight.access import Access
from hindsight.ports import Token
from hindsight.sync.loop import LoopThread


class AccessCalls:
    """What a memory offers to its owner about tokens; for admins alone."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    @property
    def access(self) -> Access:
        """The tokens of the store; its calls are asynchronous."""
        return self._memory.access

    def create_token(
        self,
        name: str,
        *,
        agent: str,
        namespaces: Iterable[str] = ("*",),
        scopes: Iterable[str] = ("read", "write"),
        per_minute: int = 0,
        expires_at: datetime | None = None,
    ) -> tuple[Token, str]:
        """A new bearer token and its secret, shown this once."""
        return self._loop.run(
            self._memory.create_token(name, agent=agent, namespaces=namespaces, scopes=scopes, per_minute=per_minute, expires_at=expires_at)
        )

    def tokens(self) -> builtins.list[Token]:
        """Every token, without its secret."""
        return self._loop.run(self._memory.tokens())

    def revoke_token(self, id: UUID | str) -> None:
        """Refuse a token from now on, in every process."""
        self._loop.run(self._memory.revoke_token(id))
