"""Whatever a query or a filter holds: a sensible or an empty answer, or an error that says what is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight import Hindsight
from hindsight.errors import InvalidInput

TEXTS = (
    "用户对花生过敏",
    "The refund API returns E1101 when the order status is not checked",
    "Robert'); DROP TABLE memories;-- is a pupil of the school",
    'Search with "quoted phrases" and NEAR/3 needs care',
    "每周三下午三点开项目例会",
)
NOTHING = ("", "   ", "\n\t", "?!…。，", "\u200b\ufeff", "的了吗呢", "😀😀", "xyzzy plugh", "\x00")
ODD = (
    '"',
    "*",
    "NEAR(",
    "refund NEAR/2 order",
    "content: refund",
    "refund AND OR NOT",
    "refund^2 -order +status",
    "'; DROP TABLE memories; --",
    "SELECT * FROM memories WHERE 1=1",
    "{namespace:x}",
    "((((((",
    "refund\x00order",
    "\ud800 refund",
    "‮refund‬",
    "rEfUnD" * 50,
    "the of and a",
)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    async with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        await opened.store_many([{"content": text} for text in TEXTS])
        yield opened


@pytest.mark.parametrize("query", NOTHING)
async def test_a_query_that_asks_for_nothing_gets_nothing(memory: Hindsight, query: str) -> None:
    answer = await memory.retrieve(query)
    assert answer.hits == ()
    assert answer.render() == ""


@pytest.mark.parametrize("query", ODD)
async def test_syntax_of_the_engine_below_is_only_text(memory: Hindsight, query: str) -> None:
    answer = await memory.retrieve(query, k=5, explain=True)
    assert len(answer.hits) <= 5
    assert (await memory.stats()).memories == len(TEXTS)


@pytest.mark.parametrize("text", TEXTS)
async def test_a_memorys_own_text_finds_it(memory: Hindsight, text: str) -> None:
    assert (await memory.retrieve(text)).hits[0].memory.content == text


async def test_a_query_of_100_kb_is_read_to_its_beginning(memory: Hindsight) -> None:
    answer = await memory.retrieve("E1101 refund status. " + "lorem ipsum dolor sit amet " * 4_000)
    assert "timeout" not in answer.flags
    assert len(answer.query) <= 8_000
    assert answer.hits == () or answer.hits[0].memory.content == TEXTS[1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
async def test_no_text_raises(memory: Hindsight, query: str) -> None:
    answer = await memory.retrieve(query)
    assert len(answer.hits) <= 5
    assert all(0.0 <= hit.relevance <= 1.0 for hit in answer.hits)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"kind": "episod"}, "episode"),
        ({"layer": "deep"}, "episodic"),
        ({"outcome": "maybe"}, "success"),
        ({"source": "heard"}, "observed"),
        ({"channel": "wire"}, "user"),
        ({"scope": "mine"}, "own, shared, all"),
        ({"tools": ["git"], "tools_match": "some"}, "any, all, chain"),
        ({"status": "deleted"}, "active"),
        ({"within": "soon"}, "3d"),
        ({"since": "yesterdayish"}, "since"),
        ({"color": "red"}, "known: "),
        ({"key_prefix": 3}, "key_prefix"),
        ({"tags": [1]}, "tags"),
        ({"k": 0}, "1 to 1000"),
        ({"k": True}, "1 to 1000"),
        ({"min_relevance": 2}, "0 to 1"),
        ({"routes": ["vektor"]}, "vector, keyword"),
        ({"profile": "best"}, "product, weighted"),
        ({"status": "pending"}, "never recalled"),
    ],
)
async def test_a_malformed_argument_is_told_what_is_allowed(memory: Hindsight, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match="(?s)") as refused:
        await memory.retrieve("refund", **arguments)
    assert named in str(refused.value)


async def test_a_cached_answer_to_an_unencodable_query_can_be_logged(memory: Hindsight) -> None:
    for _ in range(2):
        answer = await memory.retrieve("\ud800 refund E1101")
        assert answer.query == "\ufffd refund E1101"
    assert "cached" in answer.flags


@pytest.mark.parametrize("query", [None, 7, b"refund", ["refund"]])
async def test_a_query_that_is_no_text_is_refused(memory: Hindsight, query: Any) -> None:
    with pytest.raises(InvalidInput, match="text is needed"):
        await memory.retrieve(query)


async def test_filters_hold_inside_every_route(tmp_path: Path) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        for number in range(30):
            await memory.store(
                f"Falcon deployment note {number}",
                kind="episode",
                outcome="failure" if number % 10 == 3 else "success",
                tags=[f"t{number}"],
            )
        answer = await memory.retrieve("Falcon deployment note", k=30, outcome="failure")
        assert sorted(hit.memory.content[-2:].strip() for hit in answer.hits) == ["13", "23", "3"]
        answer = await memory.retrieve("Falcon deployment note", k=30, tags=["t5", "t6"])
        assert len(answer.hits) == 2
        assert {hit.memory.outcome for hit in (await memory.retrieve("Falcon deployment", k=9, outcome="失败")).hits} == {"failure"}
