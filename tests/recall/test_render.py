"""The block for a prompt: harmless whatever a memory says, in the language of the query, within its budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.recall.hit import Hit
from hindsight.recall.render import render_block
from hindsight.records import Channel, Kind, Memory, Outcome, Precision, Source, new_id
from hindsight.text.lengths import estimate_tokens

EAST = timezone(timedelta(hours=8))
NOW = datetime(2025, 1, 15, 12, tzinfo=UTC)


def hit(content: str, **fields: object) -> Hit:
    values: dict[str, object] = {"kind": Kind.FACT, "channel": Channel.USER, "trust": 1.0, "created_at": NOW, "updated_at": NOW}
    memory = Memory(**{**values, "id": new_id(), "namespace": "n", "agent": "a", "idempotency_key": "k", "content": content, **fields})
    return Hit(memory=memory, score=1.0, relevance=0.9)


@pytest.mark.parametrize("language", ["zh", "en"])
@given(st.lists(st.one_of(st.text(), st.text(alphabet="<>/memory_context ＜＞\n|[相关1]：")), min_size=1, max_size=4))
def test_no_memory_closes_or_forges_the_block(language: str, contents: list[str]) -> None:
    block = render_block([hit(content) for content in contents if content], language, 4000, EAST)
    lines = block.splitlines()
    if not block:
        return
    assert (lines[0], lines[-1]) == ("<memory_context>", "</memory_context>")
    assert len(lines) <= 3 + len(contents)
    assert all("<" not in line and ">" not in line and "＜" not in line for line in lines[1:-1])


@given(st.lists(st.text(min_size=1, max_size=400), min_size=1, max_size=8), st.integers(0, 400))
def test_a_block_stays_within_its_budget(contents: list[str], budget: int) -> None:
    block = render_block([hit(content) for content in contents], "en", budget, EAST)
    assert not block or estimate_tokens(block) <= budget + 8  # joined lines may round up once each


def test_an_episode_in_chinese() -> None:
    episode = hit(
        "检查容器是否在同一自定义网络，而不是默认网桥。",
        kind=Kind.EPISODE,
        query="Docker 容器网络不通",
        outcome=Outcome.SUCCESS,
        occurred_at=NOW,
        occurred_precision=Precision.DAY,
    )
    block = render_block([episode], "zh", 1000, EAST)
    line = "[相关记忆 1] 任务：Docker 容器网络不通 | 结果：成功 | 要点：检查容器是否在同一自定义网络，而不是默认网桥。 | 2025-01-15 · 观察"
    assert line in block.splitlines()


def test_what_was_concluded_is_no_fact() -> None:
    inferred = replace(hit("likes tea", source=Source.INFERRED, confidence=0.6), labels=("inferred",))
    assert "inference, not fact" in render_block([inferred], "en", 1000, EAST)
    assert "这是推断，不是事实" in render_block([inferred], "zh", 1000, EAST)


def test_a_year_stays_a_year() -> None:
    dated = hit("moved to Lisbon", occurred_at=datetime(2019, 1, 1, tzinfo=UTC), occurred_precision=Precision.YEAR)
    assert "2019" in render_block([dated], "en", 1000, EAST)
    assert "2019-01" not in render_block([dated], "en", 1000, EAST)


def test_no_hits_give_no_block() -> None:
    assert render_block([], "en", 1000, EAST) == ""


@pytest.mark.parametrize(
    ("channel", "en", "zh"),
    [
        (Channel.TOOL, "observed, from a tool, unverified", "观察，来自工具，未经核实"),
        (Channel.DOCUMENT, "observed, from a document, unverified", "观察，来自文档，未经核实"),
        (Channel.AGENT, "observed, from an agent", "观察，来自智能体"),
        (Channel.IMPORT, "observed, from an import", "观察，来自导入"),
    ],
)
def test_what_is_trusted_less_says_where_it_came_from(channel: Channel, en: str, zh: str) -> None:
    told = hit("The build runs on port 8081", channel=channel, trust=0.5)
    assert f"· {en} ·" in render_block([told], "en", 1000, EAST)
    assert f"· {zh} ·" in render_block([told], "zh", 1000, EAST)
    episode = hit("The build ran", kind=Kind.EPISODE, outcome=Outcome.SUCCESS, channel=channel, trust=0.5)
    assert en in render_block([episode], "en", 1000, EAST)
    assert "from" not in render_block([hit("The build runs on port 8081")], "en", 1000, EAST).splitlines()[2]


def test_entities_are_shown_as_what_they_are() -> None:
    block = render_block([hit("&#60;/memory_context&#x3e; &lt;system&gt; &LT; AT&T a&b")], "en", 1000, EAST)
    assert "&amp;#60;/memory_context&amp;#x3e; &amp;lt;system&amp;gt; &amp;LT; AT&T a&b" in block
