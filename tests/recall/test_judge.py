"""The last selection: what is left out and why, what comes first, what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.recall.hit import Hit
from hindsight.recall.judge import DEMOTION, Rules, by_rules, contradicts, judge
from hindsight.recall.state import SessionState
from hindsight.recall.understand import Understood
from hindsight.records import Kind, Lesson, Outcome, Source, new_id

from .conftest import NOW, make_hit

FREE = Rules(k=3, threshold=0.2, free=True, past=False)
PLAIN = Rules(k=5, threshold=None, free=False, past=False)
Asked = Callable[[str], Understood]


def contents(hits: list[Hit]) -> list[str]:
    return [each.memory.content for each in hits]


def test_what_is_less_relevant_than_the_threshold_is_not_shown(asked: Asked) -> None:
    weak = make_hit("weak", relevance=0.1)
    judged = judge([make_hit("strong"), weak], FREE, asked("query"))
    assert contents(judged.hits) == ["strong"]
    assert "relevance 0.10 is below 0.20" in judged.dropped[weak.memory.id]


def test_an_explicit_k_cuts_nothing_but_the_number(asked: Asked) -> None:
    hits = [make_hit(f"{number}", relevance=0.01, session_id="s") for number in range(7)]
    same = np.ones((7, 4), dtype=np.float32) / 2
    judged = judge(hits, PLAIN, asked("query"), vectors=same)
    assert contents(judged.hits) == ["0", "1", "2", "3", "4"]
    assert judged.dropped[hits[5].memory.id] == "beyond the 5 shown"


def test_one_source_cannot_fill_an_answer(asked: Asked) -> None:
    hits = [make_hit(f"{number}", session_id="one") for number in range(4)] + [make_hit("other", session_id="two")]
    judged = judge(hits, FREE, asked("query"))
    assert contents(judged.hits) == ["0", "1", "other"]
    assert "2 from the same session" in judged.dropped[hits[2].memory.id]


def test_what_says_the_same_is_shown_once(asked: Asked) -> None:
    hits = [make_hit("a"), make_hit("a again"), make_hit("b")]
    vectors = np.array([[1, 0], [0.99, np.sqrt(1 - 0.99**2)], [0, 1]], dtype=np.float32)
    judged = judge(hits, FREE, asked("query"), vectors=vectors)
    assert contents(judged.hits) == ["a", "b"]
    assert "cosine 0.99" in judged.dropped[hits[1].memory.id]


def test_records_without_a_vector_are_never_taken_for_the_same(asked: Asked) -> None:
    hits = [make_hit("a"), make_hit("b")]
    assert len(judge(hits, FREE, asked("query"), vectors=np.zeros((2, 4), dtype=np.float32)).hits) == 2


def test_the_successor_takes_the_place_unless_the_past_is_asked_for(asked: Asked) -> None:
    old = make_hit("lives in Rome", score=2.0)
    new = make_hit("lives in Oslo", supersedes=old.memory.id)
    judged = judge([old, new], FREE, asked("where does he live"))
    assert contents(judged.hits) == ["lives in Oslo"]
    assert judged.dropped[old.memory.id] == f"superseded by {new.memory.id}"
    assert len(judge([old, new], replace(FREE, past=True), asked("where does he live")).hits) == 2


@pytest.mark.parametrize("field", ["priority", "version"])
def test_of_a_conflict_the_weightier_comes_first_and_both_are_marked(asked: Asked, field: str) -> None:
    first, second = new_id(), new_id()
    light = make_hit("closes at five", score=2.0, id=first, conflicts_with=(second,))
    heavy = make_hit("closes at six", score=1.0, id=second, conflicts_with=(first,), **{field: 7})
    judged = judge([light, make_hit("between", score=1.5), heavy], FREE, asked("when does it close"))
    assert contents(judged.hits) == ["closes at six", "between", "closes at five"]
    assert [each.labels for each in judged.hits] == [("conflict",), (), ("conflict",)]


def test_what_was_concluded_is_labelled(asked: Asked) -> None:
    judged = judge([make_hit("likes tea", source=Source.INFERRED)], FREE, asked("tea"))
    assert judged.hits[0].labels == ("inferred",)


def test_a_lesson_whose_condition_fits_has_the_first_place(asked: Asked) -> None:
    lesson = Lesson(condition="deploying the billing service", action="do not restart the database", reason="it drops sessions")
    hits = [make_hit(f"{number}", score=9 - number) for number in range(5)]
    taught = make_hit("billing lesson", score=0.1, relevance=0.05, lesson=lesson)
    judged = judge([*hits, taught], FREE, asked("deploying the billing service today"))
    assert contents(judged.hits) == ["billing lesson", "0", "1"]
    assert "lesson" in judged.hits[0].labels
    elsewhere = judge([*hits, taught], FREE, asked("what is for lunch"))
    assert "billing lesson" not in contents(elsewhere.hits)


def test_advice_that_is_no_warning_has_no_reserved_place(asked: Asked) -> None:
    lesson = Lesson(condition="deploying the billing service", action="run the smoke test", avoid=False)
    judged = judge([make_hit("a", score=2.0), make_hit("b", lesson=lesson)], FREE, asked("deploying the billing service"))
    assert contents(judged.hits) == ["a", "b"]


@pytest.mark.parametrize(
    ("kept", "said"),
    [("The user is vegetarian", "I am not vegetarian any more."), ("用户喜欢咖啡", "我不喜欢咖啡。")],
)
def test_what_the_session_contradicts_is_demoted_and_marked(asked: Asked, kept: str, said: str) -> None:
    hits = [make_hit(kept, score=1.0), make_hit("something else", score=0.8)]
    judged = judge(hits, FREE, asked("food"), state=SessionState(turns=(f"{said} What now?",)))
    assert contents(judged.hits) == ["something else", kept]
    assert judged.hits[1].labels == ("unconfirmed",)
    assert judged.hits[1].score == pytest.approx(DEMOTION)


def test_what_happened_and_what_is_only_asked_contradict_nothing(asked: Asked) -> None:
    episode = make_hit("The user is vegetarian", kind=Kind.EPISODE)
    assert not contradicts("I am not vegetarian any more.", episode.memory)
    asked_only = SessionState(turns=("Am I not vegetarian?",))
    assert judge([make_hit("The user is vegetarian")], FREE, asked("food"), state=asked_only).hits[0].labels == ()


def test_equal_scores_by_rule() -> None:
    day = timedelta(days=1)
    failed = make_hit("failed", outcome=Outcome.FAILURE, occurred_at=NOW)
    old = make_hit("old", outcome=Outcome.SUCCESS, occurred_at=NOW - 9 * day, tools=("git", "docker"))
    recent = make_hit("recent", outcome=Outcome.SUCCESS, occurred_at=NOW - day)
    same_chain = make_hit("same chain", outcome=Outcome.SUCCESS, occurred_at=NOW - day - timedelta(hours=2), tools=("git", "docker"))
    best = make_hit("best", score=1.1, outcome=Outcome.FAILURE)
    ordered = by_rules([failed, old, recent, same_chain, best], tools=("git", "docker"))
    assert contents(ordered) == ["best", "same chain", "recent", "old", "failed"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from([None, "one", "two"])), max_size=12),
    st.integers(1, 6),
    st.booleans(),
)
def test_every_hit_is_shown_or_dropped_with_a_reason(
    asked: Asked, drawn: list[tuple[float, float, str | None]], k: int, free: bool
) -> None:
    hits = sorted((make_hit("x", score=s, relevance=r, session_id=source) for s, r, source in drawn), key=lambda each: -each.score)
    rules = Rules(k=k, threshold=0.3 if free else None, free=free, past=False)
    judged = judge(hits, rules, asked("query"))
    assert len(judged.hits) <= k
    assert {each.memory.id for each in judged.hits} | set(judged.dropped) == {each.memory.id for each in hits}
    assert not {each.memory.id for each in judged.hits} & set(judged.dropped)
    assert [each.score for each in judged.hits] == sorted((each.score for each in judged.hits), reverse=True)
    if free:
        assert all(each.relevance >= 0.3 for each in judged.hits)
