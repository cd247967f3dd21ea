"""``/v1/events``: what it sends is what its description says, frame by frame; what it refuses is described too."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import cache

import httpx
import jsonschema
import pytest
from serving import HttpThread
from test_rest_contract import description

from hindsight.client import AsyncRestClient, RestClient

PATH = "/v1/events"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[HttpThread]:
    with HttpThread(str(tmp_path_factory.mktemp("events") / "memory"), min_relevance=0.001) as server:
        yield server


described = cache(description)
"""Built once."""


def operation() -> dict:
    return described()["paths"]["/events"]["get"]


def data_schema() -> dict:
    content = operation()["responses"]["200"]["content"]["text/event-stream"]["schema"]
    name = content["contentSchema"]["$ref"].rpartition("/")[2]
    return described()["components"]["schemas"][name] | {"components": described()["components"]}


def frames(text: str) -> list[dict[str, str]]:
    """The events of a stream; comments are none."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_every_frame_is_as_described(server) -> None:
    def happen() -> None:
        httpx.post(f"{server.url}/v1/memories", json={"content": "第一行\n\nsecond line: with colon \u2028 and <b>", "kind": "fact"})
        httpx.post(f"{server.url}/v1/recall", json={"query": "第一行"})

    timer = threading.Timer(0.3, happen)
    timer.start()
    with httpx.stream("GET", f"{server.url}{PATH}?seconds=2", timeout=30) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        text = answer.read().decode()
    timer.join()
    found = frames(text)
    assert sorted(each["event"] for each in found) == ["memory", "retrieval"]
    schema = data_schema()
    checker = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    for frame in found:
        assert set(frame) == {"event", "id", "data"}
        data = json.loads(frame["data"])
        checker.validate(data)
        assert (data["what"], data["id"]) == (frame["event"], frame["id"])
        assert (data["kind"] is None) == (data["what"] == "retrieval") == (data["shown"] is not None)
    assert "\n:\n\n" in text  # a comment each second keeps the connection


def test_the_clients_read_lines_at_line_feeds_alone(server) -> None:
    """Other characters end a line for ``str.splitlines``, not in a stream."""
    odd = "odd\u2028one\u0085two\u2029three\x1ffour"
    with RestClient(server.url, token="") as memory:
        kept = memory.store(odd, kind="fact")
        assert odd in [each.content for each in memory.export()]
        timer = threading.Timer(0.3, lambda: memory.retrieve(odd))
        timer.start()
        assert [each.text for each in memory.events(seconds=2)] == [odd]
        timer.join()
        assert memory.forget(kept.id)


async def test_so_does_the_asynchronous_client(server) -> None:
    odd = "odd\u2028and\u0085even"
    async with AsyncRestClient(server.url, token="") as memory:
        await memory.store(odd, kind="fact")
        assert odd in [each.content async for each in memory.export()]


def test_the_example_is_as_described() -> None:
    example = operation()["responses"]["200"]["content"]["text/event-stream"]["example"]
    (frame,) = frames(example)
    jsonschema.Draft202012Validator(data_schema()).validate(json.loads(frame["data"]))


@pytest.mark.parametrize("asked", ["seconds=0", "seconds=601", "seconds=x", "namespace=" + "x" * 1_025, "seconds=1.5"])
def test_what_is_refused_is_described(server, asked) -> None:
    answer = httpx.get(f"{server.url}{PATH}?{asked}")
    assert str(answer.status_code) in operation()["responses"]
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]


def test_the_bounds_are_described() -> None:
    seconds = next(each for each in operation()["parameters"] if each["name"] == "seconds")["schema"]
    assert (seconds["minimum"], seconds["maximum"], seconds["default"]) == (1, 600, 60)
    assert {"401", "403", "429", "503"} <= set(operation()["responses"])
