"""Each term of the eviction score alone, and their sum."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight.records import Role
from hindsight.session.window import RECENCY_HALF, WindowTurn, fitting, importance_of, recency, relevance, worth


def turn(position, content="hello there, how are things", *, importance=0.4, tokens=10, **fields):
    return WindowTurn(position=position, content=content, importance=importance, tokens=tokens, **fields)


def test_recency_halves():
    assert recency(turn(10), 10) == 1
    assert recency(turn(0), RECENCY_HALF) == pytest.approx(0.5)
    assert recency(turn(5), 9) > recency(turn(4), 9)


@pytest.mark.parametrize(
    ("content", "least", "most"),
    [
        ("I'm allergic to peanuts.", 1, 1),
        ("我对花生过敏。", 1, 1),
        ("Remember that the alarm code is 4471.", 0.9, 1),
        ("I prefer short answers.", 0.7, 0.7),
        ("Upgrading to Node 20 resolved the segfault.", 0.75, 0.75),
        ("Let us look at the second table of the report now.", 0.4, 0.4),
        ("ok thanks", 0.1, 0.1),
        ("好的", 0.1, 0.1),
    ],
)
def test_importance_is_what_is_stated(content, least, most):
    assert least <= importance_of(content) <= most


def test_importance_knows_the_role():
    assert importance_of("You should never commit secrets to a repository.", role=Role.ASSISTANT) == 0.4


def test_relevance_is_the_share_of_the_current_terms():
    assert relevance(turn(0, "the docker network is broken"), "docker network") == 1
    assert relevance(turn(0, "the docker image is large"), "docker network") == pytest.approx(0.5)
    assert relevance(turn(0, "容器网络不通"), "容器网络") == 1
    assert relevance(turn(0, "lunch"), "docker network") == 0
    assert relevance(turn(0, "lunch"), "") == 0


def test_worth_weighs_the_three():
    old = turn(0, "docker network", importance=1.0)
    assert worth(old, last=RECENCY_HALF, current="docker network") == pytest.approx(0.4 * 0.5 + 0.4 * 1.0 + 0.2 * 1.0)
    assert worth(turn(3, "lunch", importance=0.0), last=3, current="docker") == pytest.approx(0.4)


def test_the_least_worthy_goes_first():
    turns = [turn(0, importance=0.9), turn(1, importance=0.1), turn(2, importance=0.4), turn(3)]
    assert [each.position for each in fitting(turns, 30)] == [0, 2, 3]
    assert [each.position for each in fitting(turns, 20)] == [0, 3]


def test_what_fits_the_current_turn_stays_longer():
    turns = [turn(0, "docker network settings"), turn(1, "lunch at noon today"), turn(2, "docker network again")]
    assert [each.position for each in fitting(turns, 20)] == [0, 2]


def test_pinned_turns_and_the_current_one_never_go():
    turns = [turn(0, pinned=True, importance=0), *(turn(n, importance=1) for n in range(1, 9)), turn(9, importance=0)]
    kept = [each.position for each in fitting(turns, 30)]
    assert {0, 9} <= set(kept)
    assert [each.position for each in fitting(turns, 1)] == [9]


def test_nothing_fits_nothing():
    assert fitting([], 100) == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=30), st.integers(50, 400))
def test_the_budget_holds_and_order_stays(given_turns, budget):
    turns = [turn(n, importance=importance, tokens=tokens) for n, (importance, tokens) in enumerate(given_turns)]
    kept = fitting(turns, budget)
    assert sum(each.tokens for each in kept) <= budget
    assert [each.position for each in kept] == sorted(each.position for each in kept)
    assert kept[-1].position == len(turns) - 1
