"""How a new statement relates to a standing one, on the labelled pairs and case by case."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight.records import Channel, Kind, Lesson, Memory, new_id
from hindsight.remember.reconcile.relate import relate, relate_statements
from hindsight.remember.reconcile.relation import MERGING, SUPERSEDING, Relation

DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 3, 11, tzinfo=UTC)


def pairs(language):
    return [json.loads(line) for line in (DATA / f"pairs_{language}.jsonl").read_text(encoding="utf-8").splitlines()]


def memory(content, **fields):
    given = {
        "kind": Kind.FACT,
        "channel": Channel.USER,
        "trust": 1.0,
        "created_at": NOW,
        "updated_at": NOW,
        "idempotency_key": content[:50],
    }
    return Memory(**{"id": new_id(), "namespace": "home", "agent": "alice", "content": content, **given, **fields})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_set_is_large_and_mixed(language):
    rows = pairs(language)
    counts = Counter(row["label"] for row in rows)
    assert len(rows) >= 400
    assert len({(row["old"], row["new"]) for row in rows}) == len(rows)
    assert min(counts["contradiction"], counts["update"], counts["refinement"], counts["unrelated"]) >= 80


@pytest.mark.parametrize("half", ["tune", "held"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_contradictions_are_found_and_nothing_else_is_retired(language, half):
    rows = [row for row in pairs(language) if row["half"] == half]
    found = [(row["label"], relate_statements(row["old"], row["new"])) for row in rows]
    changes = [relation in SUPERSEDING for label, relation in found if label in ("contradiction", "update")]
    others = [relation in SUPERSEDING for label, relation in found if label not in ("contradiction", "update")]
    merged = [label for label, relation in found if relation in MERGING and label != "same"]
    assert sum(changes) / len(changes) >= 0.85
    assert sum(others) / len(others) <= 0.01
    assert merged == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_statements_of_different_pairs_leave_each_other_alone(language):
    rows = pairs(language)
    wrong = 0
    count = 0
    for step in (7, 31, 101):
        for first, second in zip(rows, rows[step:], strict=False):
            count += 1
            wrong += relate_statements(first["old"], second["new"]) in SUPERSEDING
    # Some of these do contradict each other: the sets reuse their people and things.
    assert wrong / count <= 0.01


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("用户喜欢 MySQL。", "我改用 PostgreSQL 了。", Relation.UPDATE),
        ("The user likes MySQL.", "I've switched to PostgreSQL.", Relation.UPDATE),
        ("The user is allergic to peanuts.", "The user is not allergic to peanuts.", Relation.CONTRADICTION),
        ("用户对花生过敏。", "用户对花生不过敏。", Relation.CONTRADICTION),
        ("The deadline is 30 April.", "The deadline is 14 May.", Relation.CONTRADICTION),
        ("截止日期是四月三十号。", "截止日期是五月十四号。", Relation.CONTRADICTION),
        ("The budget is $2,400.", "The budget is $3,000.", Relation.CONTRADICTION),
        ("团队有五个人。", "团队有八个人。", Relation.CONTRADICTION),
        ("The deadline is in May.", "The deadline is 14 May.", Relation.REFINEMENT),
        ("用户有一只狗。", "用户有一只狗，叫豆豆。", Relation.REFINEMENT),
        ("The user does not eat meat.", "The user doesn't eat meat.", Relation.SAME),
        ("截止日期是四月三十号。", "截止日期是 4 月 30 日。", Relation.SAME),
        ("I live in Porto.", "I LIVE in  Porto.", Relation.EXACT),
        ("The budget is $2,400.", "The budget is 2400 dollars.", Relation.SAME),
        ("The user likes tea more than coffee.", "The user likes coffee more than tea.", Relation.CONTRADICTION),
        ("用户喜欢茶胜过咖啡。", "用户喜欢咖啡胜过茶。", Relation.CONTRADICTION),
        ("The user would rather fly than take the train.", "The user would rather take the train than fly.", Relation.CONTRADICTION),
        ("The user likes Jira.", "The user has grown to hate Jira.", Relation.UPDATE),
        ("Tom works at Google.", "Tom works for Google.", Relation.SAME),
    ],
)
def test_each_relation_in_both_languages(old, new, relation):
    assert relate_statements(old, new) is relation


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user likes coffee.", "The user likes tea."),
        ("用户喜欢咖啡。", "用户喜欢茶。"),
        ("Alice lives in Leeds.", "Tom lives in Bristol."),
        ("张敏住在成都。", "老王住在重庆。"),
        ("The staging server is at 10.0.4.17.", "The production server is at 10.0.9.2."),
        ("The user visited Rome in 2019.", "The user visited Rome in 2022."),
        ("用户 2019 年去过西安。", "用户 2022 年去过西安。"),
        ("The car is red.", "The car is electric."),
        ("The user runs every day, and does not stop for rain.", "The user runs every day."),
        ("用户习惯每天晨跑，不想因为天气中断。", "用户习惯每天晨跑。"),
        ("用户平时用修图软件。", "用户平时用护邮袋。"),
        ("The user works full-time.", "The user works in Irvine."),
    ],
)
def test_likeness_is_no_contradiction(old, new):
    assert relate_statements(old, new) not in SUPERSEDING | MERGING


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Copy from disk A to disk B.", "Copy from disk B to disk A."),
        ("Move 10 tickets from queue 4 to queue 7.", "Move 10 tickets from queue 7 to queue 4."),
        ("Deploy staging before production.", "Deploy production before staging."),
        ("Use 3 replicas for 5 shards.", "Use 5 replicas for 3 shards."),
        ("Convert PNG to WebP.", "Convert WebP to PNG."),
        ("Send the report to Bob.", "Send the report from Bob."),
        ("Buy a gift for Ana.", "Buy a gift from Ana."),
        ("The lamp is over the table.", "The lamp is under the table."),
        ("把文件从A盘复制到B盘。", "把文件从B盘复制到A盘。"),
        ("请把订单从上海发到北京。", "请把订单从北京发到上海。"),
    ],
)
def test_the_same_words_that_tell_something_else_are_kept_apart(old, new):
    assert relate_statements(old, new) is Relation.RELATED
    assert relate_statements(new, old) is Relation.RELATED


def test_i_of_two_speakers_are_two_subjects():
    assert relate_statements("I live in Porto.", "I live in Braga.", old_speaker="Ana", new_speaker="Ben") is Relation.UNRELATED
    assert relate_statements("I live in Porto.", "I live in Braga.", old_speaker="Ana", new_speaker="ana") in SUPERSEDING
    assert relate_statements("Ana lives in Porto.", "I live in Braga.", old_speaker="Ana", new_speaker="Ana") in SUPERSEDING


def test_only_semantic_kinds_relate():
    fact, episode = memory("The deadline is 30 April."), memory("The deadline is 14 May.", kind=Kind.EPISODE)
    assert relate(fact, episode) is Relation.UNRELATED
    assert relate(episode, episode) is Relation.UNRELATED
    assert relate(fact, memory("The deadline is 14 May.", kind=Kind.CONSTRAINT)) in SUPERSEDING


def test_a_lesson_is_not_retired_by_a_plain_statement():
    lesson = memory("Deploys on Fridays fail.", lesson=Lesson(condition="on Fridays", action="deploy"))
    assert relate(lesson, memory("Deploys on Fridays do not fail.")) is Relation.UNRELATED


def test_long_texts_only_equal():
    long = "The user likes tea. " * 200
    assert relate_statements(long, long) is Relation.EXACT
    assert relate_statements(long, long.replace("likes", "hates")) is Relation.UNRELATED


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_relate_somehow(old, new):
    assert relate_statements(old, new) in Relation
    assert relate_statements(old, old) is Relation.EXACT
