"""Who may call: bearer tokens that carry an agent, namespaces, scopes and a rate; kept as digests only."""

from __future__ import annotations

import builtins
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import get_args
from uuid import UUID

from hindsight.companions import SharedRates
from hindsight.errors import AccessDenied, InvalidInput, NotFound
from hindsight.ports import Clock, Token, TokenStore
from hindsight.records import Scope, new_id
from hindsight.remember.attribute import Attribution, read_id

PREFIX = "hs_"
"""What every token begins with, so that scanners for leaked secrets know it."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
_BYTES = 32
_NOTED_AGAIN = timedelta(minutes=1)
"""The last use of a token is written at most so often."""


class Access:
    """Makes, lists and revokes tokens, and tells whose a presented one is."""

    def __init__(
        self,
        tokens: TokenStore,
        clock: Clock,
        *,
        rates: SharedRates | None = None,
        engines: Callable[[], Awaitable[Mapping[str, str | None]]] | None = None,
    ) -> None:
        self._tokens = tokens
        self._clock = clock
        self._shared = rates
        self._own = RateLimit()
        self._engines = engines

    async def wait(self, token: Token) -> float:
        """Seconds until the token's next request may come; 0 where this one may, and counts.

        Counted over all processes where they share an engine for that and it answers, else in this process.
        """
        if not token.per_minute:
            return 0.0
        found = await self._shared.wait(token) if self._shared is not None else None
        return self._own.wait(token) if found is None else found

    async def engines(self) -> Mapping[str, str | None]:
        """Each engine below by name, asked now: None where it answers, else what is wrong. For whoever watches the process."""
        return await self._engines() if self._engines is not None else {}

    async def create(
        self,
        name: str,
        *,
        agent: str,
        namespaces: Iterable[str] = ("*",),
        scopes: Iterable[str] = ("read", "write"),
        per_minute: int = 0,
        expires_at: datetime | None = None,
    ) -> tuple[Token, str]:
        """A new token and its secret, which is shown this once and kept nowhere.

        Args:
            name: for people, to tell tokens apart.
            agent: the name under which the caller writes and reads.
            namespaces: pools it may use; ``*`` stands for all.
            scopes: of ``read``, ``write``, ``review``, ``admin``, ``relay``.
            per_minute: most requests in a minute; 0: no limit.
            expires_at: from then on it is refused.

        Raises:
            InvalidInput: a value does not fit; the message names what is allowed.
        """
        named, pools, now = tuple(scopes), tuple(namespaces), self._clock.now()
        if unknown := [scope for scope in named if scope not in SCOPES]:
            raise InvalidInput(f"scopes: {', '.join(unknown)} is not one of {', '.join(SCOPES)}.")
        wanted = frozenset(scope for scope in SCOPES if scope in named)
        if not wanted:
            raise InvalidInput(f"scopes: give at least one of {', '.join(SCOPES)}.")
        if not name.strip() or not agent.strip() or not pools or not all(pool.strip() for pool in pools):
            raise InvalidInput("name, agent and namespaces must not be empty.")
        if isinstance(per_minute, bool) or not isinstance(per_minute, int) or per_minute < 0:
            raise InvalidInput(f"per_minute: a whole number from 0 up is needed, not {per_minute!r}.")
        if expires_at is not None and expires_at <= now:
            raise InvalidInput(f"expires_at: {expires_at.isoformat()} is in the past.")
        token = Token(new_id(), name.strip(), agent.strip(), pools, wanted, per_minute, now, expires_at)
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        await self._tokens.add_token(token, digest_of(secret))
        return token, secret

    async def list(self) -> list[Token]:
        """Every token that was made, without its secret."""
        return await self._tokens.tokens()

    async def revoke(self, id: UUID) -> None:
        """Refuse a token from now on, in every process.

        Raises:
            NotFound: there is none with this id, or it is revoked already.
        """
        if not await self._tokens.revoke_token(id, self._clock.now()):
            raise NotFound(f"there is no token {id} in force; `hindsight token list` shows them.")

    async def required(self) -> bool:
        """Whether callers must bring a token: once one was made, for good."""
        return await self._tokens.any_token()

    async def caller(self, secret: str) -> Token:
        """The token that a secret stands for.

        Raises:
            AccessDenied: it is unknown, revoked or expired.
        """
        # The look-up goes by a digest of 256 random bits: how long it takes tells nothing of a secret.
        token = await self._tokens.token_of(digest_of(secret))
        now = self._clock.now()
        if token is None:
            raise AccessDenied("the token is not known here; send one that `hindsight token create` made, or the server's HINDSIGHT_TOKEN.")
        if token.revoked_at is not None:
            raise AccessDenied(f"the token {token.name!r} was revoked; ask the server's owner for another.")
        if token.expires_at is not None and token.expires_at <= now:
            raise AccessDenied(f"the token {token.name!r} expired at {token.expires_at.isoformat()}; ask the server's owner for another.")
        if token.last_used_at is None or now - token.last_used_at >= _NOTED_AGAIN:
            await self._tokens.token_used(token.id, now)
        return token


class AccessCalls:
    """What a memory offers to its owner about tokens; for admins alone."""

    _access: Access
    _attribution: Attribution

    @property
    def access(self) -> Access:
        """The tokens of the store, for a server that asks whose one is.

        Raises:
            AccessDenied: this caller is no admin.
        """
        self._attribution.require("admin", "deals with tokens")
        return self._access

    async def create_token(
        self,
        name: str,
        *,
        agent: str,
        namespaces: Iterable[str] = ("*",),
        scopes: Iterable[str] = ("read", "write"),
        per_minute: int = 0,
        expires_at: datetime | None = None,
    ) -> tuple[Token, str]:
        """A new bearer token and its secret, shown this once; see :meth:`Access.create`."""
        return await self.access.create(
            name, agent=agent, namespaces=namespaces, scopes=scopes, per_minute=per_minute, expires_at=expires_at
        )

    async def tokens(self) -> builtins.list[Token]:
        """Every token, without its secret."""
        return await self.access.list()

    async def revoke_token(self, id: UUID | str) -> None:
        """Refuse a token from now on, in every process; ``NotFound`` where there is none in force."""
        await self.access.revoke(read_id(id, "token"))


class RateLimit:
    """At most so many requests a minute for each token, counted in this process as a bucket that refills evenly."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: dict[UUID, tuple[float, float]] = {}

    def wait(self, token: Token) -> float:
        """Seconds until the next request may come; 0 where this one may, and counts."""
        if not token.per_minute:
            return 0.0
        now, rate = self._now(), token.per_minute / 60
        left, since = self._buckets.get(token.id, (float(token.per_minute), now))
        left = min(float(token.per_minute), left + (now - since) * rate)
        if left < 1:
            self._buckets[token.id] = (left, now)
            return (1 - left) / rate
        self._buckets[token.id] = (left - 1, now)
        return 0.0


def digest_of(secret: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
