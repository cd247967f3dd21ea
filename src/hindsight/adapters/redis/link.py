"""The connection to Redis. Where it does not answer, calls go on without it, and it is tried again by itself."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, AuthorizationError, InvalidResponse, NoPermissionError, RedisError, ResponseError

from hindsight.errors import ConfigurationError, StoreMisplaced, StoreUnavailable

T = TypeVar("T")

ANSWER_SECONDS = 0.25
"""A call waits no longer for Redis."""
REST_SECONDS = 1.0
"""After a failure nobody asks for so long."""
START_SECONDS = 15.0
_SCHEMES = ("redis", "rediss", "unix")
_FAULTS = (RedisError, OSError, TimeoutError, ValueError)
_HOPELESS = (AuthenticationError, AuthorizationError, NoPermissionError, InvalidResponse, ResponseError)
_LOG = logging.getLogger(__name__)


class RedisLink:
    """A ``Companion`` (:mod:`hindsight.companions`).

    Args:
        url: ``redis://[user:password@]host:port/number``, ``rediss://…`` or ``unix://…``.
        store: the store's address: of several stores on one Redis, each has keys of its own.

    Raises:
        ConfigurationError: this is no address of a Redis.
    """

    name = "redis"

    def __init__(self, url: str, store: str) -> None:
        self.url = url
        self.place = place_of(url)
        self.prefix = b"hindsight:" + hashlib.sha256(store.encode()).hexdigest()[:16].encode() + b":"
        self._client: Redis | None = None
        self._fault: str | None = None
        self._asked_again = 0.0
        self._recovered: list[Callable[[], Awaitable[None]]] = []

    def on_recovery(self, work: Callable[[], Awaitable[None]]) -> None:
        """Done when Redis answers again after it did not, before anything else is asked of it."""
        self._recovered.append(work)

    def connection(self, *, answer_seconds: float | None = ANSWER_SECONDS) -> Redis:
        """A client of its own, to be closed by whoever asked for it."""
        try:
            return Redis.from_url(
                self.url, socket_timeout=answer_seconds, socket_connect_timeout=2.0, retry=Retry(NoBackoff(), 1), health_check_interval=30
            )
        except (ValueError, TypeError, RedisError) as error:
            raise ConfigurationError(f"HINDSIGHT_REDIS_URL: {self.place} is no address of a Redis ({error}).") from error

    async def open(self) -> None:
        """Connect.

        Raises:
            ConfigurationError: no such address.
            StoreMisplaced: it refuses user or password, or is no Redis.
            StoreUnavailable: it does not answer.
        """
        client = self.connection(answer_seconds=5.0)
        end, pause = time.monotonic() + START_SECONDS, 0.1
        try:
            while True:
                try:
                    await client.get(self.prefix + b"start")
                    break
                except _FAULTS as error:
                    said = _said(error)
                    if isinstance(error, _HOPELESS) and "LOADING" not in said:
                        raise StoreMisplaced(
                            f"Redis refuses {self.place}: {said}. Check the address (HINDSIGHT_REDIS_URL), user and password."
                        ) from error
                    if time.monotonic() > end:
                        raise StoreUnavailable(
                            f"Redis at {self.place} does not answer ({said}). Start it, check host, port and firewall, or unset HINDSIGHT_REDIS_URL."
                        ) from error
                    _LOG.warning("Redis at %s does not answer yet (%s); trying again.", self.place, said)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, 2.0)
        finally:
            await client.aclose()
        self._client = self.connection()

    async def close(self) -> None:
        """Disconnect."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def fault(self) -> str | None:
        """Why calls go on without Redis at present; asks it now."""

        async def ping(client: Redis) -> bool:
            return bool(await client.ping())

        answers = await self.ask(ping)
        return None if answers else self._fault or "it does not answer"

    async def ask(self, work: Callable[[Redis], Awaitable[T]]) -> T | None:
        """What ``work`` gets from Redis; None where it does not answer in time, which is logged once. Never raises for that."""
        client = self._client
        now = time.monotonic()
        if client is None or (self._fault is not None and now < self._asked_again):
            return None
        down = self._fault is not None
        if down:
            self._asked_again = now + REST_SECONDS  # one caller tries; the others go on without it
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if down:
                    await client.ping()
            if down:
                await self._answers_again()
            async with asyncio.timeout(ANSWER_SECONDS):
                return await work(client)
        except _FAULTS as error:
            self._does_not_answer(_said(error))
            return None

    async def _answers_again(self) -> None:
        self._fault = None
        _LOG.warning("Redis at %s answers again.", self.place)
        for work in self._recovered:
            await work()

    def _does_not_answer(self, said: str) -> None:
        if self._fault is None:
            _LOG.warning("Redis at %s does not answer (%s); calls go on without it.", self.place, said)
        self._fault = said
        self._asked_again = time.monotonic() + REST_SECONDS


def place_of(url: str) -> str:
    """The address without user and password.

    Raises:
        ConfigurationError: this is no address of a Redis.
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        fits = parts.scheme in _SCHEMES and bool(parts.path if parts.scheme == "unix" else parts.hostname)
    except ValueError:
        fits = False
    if not fits:  # what stands there may be a password: it is not repeated
        raise ConfigurationError("HINDSIGHT_REDIS_URL: this is no address of a Redis; write redis://user:password@host:6379/0.")
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def _said(error: Any) -> str:
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__
