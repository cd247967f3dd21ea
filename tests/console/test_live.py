"""What happens is seen while it happens: over REST as server-sent events, and on a page that grows."""

from __future__ import annotations

import threading

import httpx
import pytest

from hindsight.client import AsyncRestClient, RestClient
from hindsight.errors import Overloaded
from hindsight.serve.http.happenings import MOST_WATCHERS, Watchers

SCRIPT = "<script>alert(1)</script>"


def later(url: str, content: str) -> threading.Timer:
    """Store and recall something while somebody watches."""

    def happen() -> None:
        with RestClient(url, token="") as memory:
            memory.store(content, kind="fact")
            memory.retrieve(content)

    timer = threading.Timer(0.6, happen)
    timer.start()
    return timer


def test_events_come_as_they_happen(server, rest) -> None:
    rest.store("written before anybody watched", kind="fact")
    timer = later(server.url, "Backups run at 03:00\n用户对花生过敏")
    found = list(rest.events(seconds=4))
    timer.join()
    assert {each.what for each in found} == {"memory", "retrieval"}
    assert {each.text for each in found} == {"Backups run at 03:00\n用户对花生过敏"}
    assert next(each.kind for each in found if each.what == "memory") == "fact"
    with httpx.stream("GET", f"{server.url}/v1/events?seconds=1") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.read().startswith(b": watching\n\n")
    assert httpx.get(f"{server.url}/v1/events?seconds=0").status_code == 422


async def test_the_asynchronous_client_watches_too(server) -> None:
    timer = later(server.url, "Backups run at 04:00")
    async with AsyncRestClient(server.url, token="") as memory:
        async for each in memory.events(seconds=10):
            assert each.text == "Backups run at 04:00"
            break
    timer.join()


def test_the_live_page_grows_and_escapes(server, web) -> None:
    timer = later(server.url, f"backups {SCRIPT}")
    grown = b""
    with web.stream("GET", "/activity/live") as answer:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        for part in answer.iter_bytes():
            grown += part
            if b"03:00" in grown or b"&lt;script&gt;" in grown:
                break
    timer.join()
    assert b"<h1>Live</h1>" in grown
    assert b"<script>" not in grown


async def test_too_many_watchers_are_refused_and_a_place_is_given_back() -> None:
    class Memory:
        async def list(self, **_: object):
            return type("Page", (), {"items": []})

        async def retrievals(self, **_: object):
            return []

    watchers = Watchers()
    open_ones = [watchers.watch(Memory(), 60) for _ in range(MOST_WATCHERS)]
    for each in open_ones:
        assert await anext(each) is None
    with pytest.raises(Overloaded, match="already watch"):
        await anext(watchers.watch(Memory(), 60))
    await open_ones[0].aclose()
    assert await anext(watchers.watch(Memory(), 60)) is None
