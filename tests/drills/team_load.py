"""Load on a team's server: many clients over REST and MCP, engines and replicas that go away beneath them."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from team import Balancer

POOLS = 10
RETRYABLE = {"StoreBusy", "StoreUnavailable", "Overloaded", "ModelUnavailable"}
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Digits in a row may be a card number, which the guard takes out."""
LONGEST_SECONDS = 60.0
"""A client that was refused for so long has lost its write."""


def marker(pool: int) -> str:
    """What texts of a tenant hold and no other's do."""
    return f"tenantmark{pool:02}x"


@dataclass
class Seen:
    """What the clients saw."""

    acknowledged: dict[int, set[str]] = field(default_factory=lambda: {pool: set() for pool in range(POOLS)})
    tried: dict[int, set[str]] = field(default_factory=lambda: {pool: set() for pool in range(POOLS)})
    seconds: dict[str, list[float]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    """Answers and breaks after which the same call may be made again."""
    wrong: list[str] = field(default_factory=list)
    """Everything that must never happen."""

    def took(self, what: str, since: float) -> None:
        self.seconds.setdefault(what, []).append(time.monotonic() - since)

    def figures(self, elapsed: float) -> dict[str, Any]:
        every = [each for times in self.seconds.values() for each in times]
        return {
            "calls_per_second": round(len(every) / elapsed, 1),
            "acknowledged_writes": sum(len(each) for each in self.acknowledged.values()),
            "refused_retryable": dict(self.refused),
            "ms": {what: quantiles(times) for what, times in sorted(self.seconds.items())} | {"all": quantiles(every)},
        }


def quantiles(times: list[float]) -> dict[str, float]:
    """p50, p95, p99 in ms."""
    ordered = sorted(times) or [float("nan")]
    return {f"p{share}": round(1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 1) for share in (50, 95, 99)}


class Again(Exception):
    """The documented answer to a call that may be made again."""


@dataclass
class Load:
    """``clients`` clients, every second one over MCP, spread over the tenants; ``ids`` are memories of each tenant."""

    balancer: Balancer
    secrets: list[str]
    ids: list[str]
    seen: Seen
    clients: int = 64
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, seconds: float) -> float:
        started = time.monotonic()
        tasks = [asyncio.create_task((self._rest, self._mcp)[number % 2](number)) for number in range(self.clients)]
        await asyncio.sleep(seconds)
        self.stop.set()
        elapsed = time.monotonic() - started
        await asyncio.gather(*tasks)
        return elapsed

    async def _rest(self, number: int) -> None:
        pool, chance = number % POOLS, random.Random(number)
        headers = {"authorization": f"Bearer {self.secrets[pool]}"}
        async with httpx.AsyncClient(base_url=self.balancer.url, headers=headers, timeout=30) as web:
            while not self.stop.is_set():
                what = chance.choices(("store", "queue", "recall", "foreign"), (4, 1, 4, 1))[0]
                if what in {"store", "queue"}:
                    await self._kept(what, pool, lambda text: _rest_store(web, text, wait=what == "store"))  # noqa: B023 - awaited here
                elif what == "recall":
                    await self._read(what, pool, lambda: _rest_recall(web, chance, pool))
                else:
                    await self._read(what, pool, lambda: self._foreign(web, pool))
                await asyncio.sleep(chance.random() * 0.05)

    async def _mcp(self, number: int) -> None:
        pool, chance = number % POOLS, random.Random(number)
        headers = {"authorization": f"Bearer {self.secrets[pool]}"}
        mode = ("auto", "legacy")[number // 2 % 2]
        while not self.stop.is_set():
            try:
                async with (
                    httpx2.AsyncClient(headers=headers, timeout=30) as web,
                    Client(streamable_http_client(f"{self.balancer.url}/mcp", http_client=web), mode=mode) as client,
                ):
                    while not self.stop.is_set():
                        if chance.random() < 0.5:
                            await self._kept("mcp store", pool, lambda text: _mcp_store(client, text))
                        else:
                            await self._read("mcp recall", pool, lambda: _mcp_recall(client, chance, pool))
                        await asyncio.sleep(chance.random() * 0.05)
            except* (OSError, httpx2.HTTPError, MCPError):  # a handshake too may meet a replica that dies
                self.seen.refused["connection"] += 1

    async def _kept(self, what: str, pool: int, store: Any) -> None:
        """Store a text that nobody else stores, again and again until it is acknowledged."""
        name = uuid.uuid4().hex.translate(_LETTERS)
        text = f"{marker(pool)} episode {name} went by without a fault"
        self.seen.tried[pool].add(text)
        begun = time.monotonic()
        while True:
            since = time.monotonic()
            try:
                await store(text)
            except Again as reason:
                self.seen.refused[str(reason)] += 1
                if time.monotonic() - begun > LONGEST_SECONDS:
                    self.seen.wrong.append(f"{what} was refused for {LONGEST_SECONDS:g} s: {reason}")
                    return
                await asyncio.sleep(0.1)
            except Unexpected as error:
                self.seen.wrong.append(f"{what}: {error}")
                return
            else:
                self.seen.took(what, since)
                self.seen.acknowledged[pool].add(text)
                return

    async def _read(self, what: str, pool: int, read: Any) -> None:
        since = time.monotonic()
        try:
            told = await read()
        except Again as reason:
            self.seen.refused[str(reason)] += 1
            return
        except Unexpected as error:
            self.seen.wrong.append(f"{what}: {error}")
            return
        self.seen.took(what, since)
        if foreign := [other for other in range(POOLS) if other != pool and marker(other) in told]:
            self.seen.wrong.append(f"{what}: tenant {pool} was told of {foreign}")

    async def _foreign(self, web: httpx.AsyncClient, pool: int) -> str:
        answer = await _asked(web, "GET", f"/v1/memories/{self.ids[(pool + 1) % POOLS]}", good=(404,))
        return answer.text


class Unexpected(Exception):
    """An answer that is not documented."""


async def _asked(
    web: httpx.AsyncClient, method: str, path: str, *, good: tuple[int, ...] = (200, 201, 202), **given: Any
) -> httpx.Response:
    try:
        answer = await web.request(method, path, **given)
    except httpx.TransportError as error:
        raise Again("connection") from error
    if answer.status_code in {429, 503}:
        raise Again(f"{answer.status_code}")
    if answer.status_code not in good:
        raise Unexpected(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
    return answer


async def _rest_store(web: httpx.AsyncClient, text: str, *, wait: bool) -> None:
    body = {"content": text, "kind": "episode", "idempotency_key": text, "visibility": "private"}
    await _asked(web, "POST", f"/v1/memories?wait={str(wait).lower()}", json=body)


async def _rest_recall(web: httpx.AsyncClient, chance: random.Random, pool: int) -> str:
    query = f"which episode went by without a fault {marker(chance.choice((pool, chance.randrange(POOLS))))}"
    answer = await _asked(web, "POST", "/v1/recall", json={"query": query, "k": 5})
    return "".join(hit["memory"]["content"] + hit["memory"]["namespace"] for hit in answer.json()["hits"])


async def _mcp_called(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    try:
        result = await client.call_tool(name, arguments)
    except MCPError as error:
        # The client tells a broken connection, and a 503 of the balancer, as an error of the protocol.
        raise Again(f"mcp {error.code} {error.message[:60]}") from error
    if result.is_error:
        kind = next((value for key, value in (result.meta or {}).items() if "error" in key), "")
        if kind in RETRYABLE:
            raise Again(f"mcp {kind}")
        raise Unexpected(f"{name}: {kind} {result.content}")
    return result


async def _mcp_store(client: Client, text: str) -> None:
    await _mcp_called(client, "memory_store", {"content": text, "kind": "episode", "visibility": "private"})


async def _mcp_recall(client: Client, chance: random.Random, pool: int) -> str:
    query = f"which episode went by without a fault {marker(chance.choice((pool, chance.randrange(POOLS))))}"
    result = await _mcp_called(client, "memory_retrieve", {"query": query, "k": 5})
    found = result.structured_content or {}
    return "".join(str(hit) for hit in found.get("hits", []))
