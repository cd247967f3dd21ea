"""The measures, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.evals.metrics import hit_at, interval, ndcg_at, paired_interval, percentile, recall_at, reciprocal_rank_at

RANKED = ["a", "x", "b", "y", "z", "c"]
RELEVANT = {"a", "b", "c", "d"}


def test_recall_counts_relevant_ones_found() -> None:
    assert recall_at(RANKED, RELEVANT, 5) == 2 / 4
    assert recall_at(RANKED, RELEVANT, 10) == 3 / 4
    assert recall_at([], RELEVANT, 5) == 0


def test_a_document_listed_twice_counts_once() -> None:
    assert recall_at(["a", "a", "a"], {"a", "b"}, 5) == 0.5


def test_hit_and_reciprocal_rank() -> None:
    assert hit_at(RANKED, {"c"}, 5) == 0
    assert hit_at(RANKED, {"b"}, 5) == 1
    assert reciprocal_rank_at(RANKED, {"b", "c"}, 10) == 1 / 3
    assert reciprocal_rank_at(RANKED, {"q"}, 10) == 0


def test_ndcg_against_hand_computation() -> None:
    gain = 1 / math.log2(2) + 1 / math.log2(4) + 1 / math.log2(7)
    best = sum(1 / math.log2(place + 2) for place in range(4))
    assert ndcg_at(RANKED, RELEVANT, 10) == pytest.approx(gain / best)
    assert ndcg_at(["a"], {"a"}, 10) == 1


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_every_rate_lies_between_0_and_1_and_recall_grows_with_k(ranked: list[str], relevant: set[str]) -> None:
    values = [recall_at(ranked, relevant, k) for k in (1, 3, 5, 8)]
    assert values == sorted(values)
    for rate in (*values, hit_at(ranked, relevant, 5), ndcg_at(ranked, relevant, 8), reciprocal_rank_at(ranked, relevant, 8)):
        assert 0 <= rate <= 1 + 1e-9


def test_the_interval_holds_the_mean_repeats_itself_and_narrows_with_n() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 1000
    low, high = interval(few)
    assert low < 0.5 < high
    assert (low, high) == interval(few)
    narrow = interval(many)
    assert narrow[1] - narrow[0] < (high - low) / 5


def test_a_paired_difference_shows_what_separate_intervals_hide() -> None:
    before = [0.0, 1.0] * 50
    after = [value * 0.9 + 0.1 for value in before]  # a small gain on every hard query
    mean, low, high = paired_interval(after, before)
    assert mean == pytest.approx(0.05)
    assert low > 0
    assert interval(after)[0] < interval(before)[1]
    assert high >= mean


def test_percentile_of_nothing_is_no_number() -> None:
    assert math.isnan(percentile([], 0.5))
    assert percentile([1, 2, 3], 0.5) == 2
