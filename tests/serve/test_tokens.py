"""Bearer tokens: made, presented, bounded, revoked; on a real server."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from serving import HttpThread, data_of, text_of

from hindsight.access import RateLimit
from hindsight.sync import Hindsight

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
POST = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def make(folder, name="bot", **given) -> tuple[str, str]:
    """(id, secret)."""
    with Hindsight.open(folder, embedder="none") as memory:
        token, secret = memory.create_token(name, agent=given.pop("agent", name), **given)
        return str(token.id), secret


async def _ask(server, secret, *calls):
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
    ):
        return [await client.call_tool(name, arguments) for name, arguments in calls]


def ask(server, secret, *calls):
    return asyncio.run(_ask(server, secret, *calls))


def status(server, secret=None, **headers) -> int:
    given = {"Authorization": f"Bearer {secret}"} if secret is not None else {}
    return httpx2.post(f"{server.url}/mcp", json=PING, headers=POST | given | headers).status_code


def test_two_tenants_do_not_see_each_other(folder) -> None:
    (_, one), (_, other) = (make(folder, name, namespaces=(f"team-{name}",)) for name in ("a", "b"))
    with HttpThread(store=str(folder)) as server:
        (stored,) = ask(server, one, ("memory_store", {"content": "The launch code is 4711", "visibility": "private"}))
        query = ("memory_retrieve", {"query": "launch code", "k": 5})
        mine, theirs = (ask(server, secret, query) for secret in (one, other))
        assert data_of(mine[0])["hits"]
        assert data_of(theirs[0])["hits"] == []
        (gone,) = ask(server, other, ("memory_forget", {"id": data_of(stored)["id"]}))
        assert data_of(gone)["found"] is False
    with Hindsight.open(folder, embedder="none") as memory:
        assert memory.stats(namespace="team-a").memories == 1


@pytest.mark.parametrize(("scopes", "reads", "writes"), [(("read",), True, False), (("write",), False, True), (("review",), False, False)])
def test_a_scope_that_is_missing_is_told(folder, scopes, reads, writes) -> None:
    _, secret = make(folder, scopes=scopes)
    with HttpThread(store=str(folder)) as server:
        found, stored = ask(server, secret, ("memory_retrieve", {"query": "x"}), ("memory_store", {"content": "a fact"}))
    assert (not found.is_error, not stored.is_error) == (reads, writes)
    if not writes:
        assert "needs the scope 'write'" in text_of(stored)


def test_who_brings_no_good_token_is_refused(folder) -> None:
    id, secret = make(folder)
    with HttpThread(store=str(folder)) as server:
        assert status(server, secret) == 200
        for wrong in (None, "hs_wrong", secret[:-1], secret + "x"):
            assert status(server, wrong) == 401
        assert status(server, Authorization=f"Basic {secret}") == 401
        with Hindsight.open(folder, embedder="none") as memory:
            memory.revoke_token(id)
        assert status(server, secret) == 401
        assert status(server) == 401  # the last token is gone, and the door stays shut


def test_an_expired_token_says_so(folder) -> None:
    import datetime as dt

    soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=1)
    _, secret = make(folder, expires_at=soon)
    with HttpThread(store=str(folder)) as server:
        while dt.datetime.now(dt.UTC) <= soon:
            pass
        answer = httpx2.post(f"{server.url}/mcp", json=PING, headers=POST | {"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 401
    assert "expired" in answer.text


def test_a_rate_is_kept(folder) -> None:
    _, secret = make(folder, per_minute=3)
    with HttpThread(store=str(folder)) as server:
        codes = [status(server, secret) for _ in range(5)]
        answer = httpx2.post(f"{server.url}/mcp", json=PING, headers=POST | {"Authorization": f"Bearer {secret}"})
    assert codes == [200, 200, 200, 429, 429]
    assert 0 < int(answer.headers["retry-after"]) <= 20


def test_a_bucket_refills_evenly(folder) -> None:
    make(folder, per_minute=60)
    with Hindsight.open(folder, embedder="none") as memory:
        (token,) = memory.tokens()
    now = [0.0]
    limit = RateLimit(lambda: now[0])
    assert [limit.wait(token) for _ in range(60)] == [0.0] * 60
    assert limit.wait(token) == pytest.approx(1.0)
    now[0] = 0.5
    assert limit.wait(token) == pytest.approx(0.5)
    now[0] = 1.0
    assert limit.wait(token) == 0.0


def test_secrets_are_not_in_the_store(folder) -> None:
    _, secret = make(folder)
    for file in folder.iterdir():
        assert secret.encode() not in file.read_bytes()
