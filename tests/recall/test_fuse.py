"""Fusion without a model: the arithmetic of the weighted sum and of reciprocal ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hindsight.recall.features import log_ranks, standardiser
from hindsight.recall.fuse import RRF_K, WEIGHTS, reciprocal_ranks, weighted

floats = st.floats(-100, 100, width=32)


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 20), st.just(len(WEIGHTS))), elements=floats))
def test_the_weighted_sum_by_hand(table: np.ndarray) -> None:
    expected = [sum(weight * float(value) for weight, value in zip(WEIGHTS.values(), row, strict=True)) for row in table]
    assert weighted(tuple(WEIGHTS), table) == pytest.approx(expected, abs=1e-2)


def test_reciprocal_ranks_by_hand() -> None:
    table = np.array([[0.9, 3.0], [0.5, 9.0], [0.1, 0.0]], dtype=np.float32)
    expected = [1 / (RRF_K + 1) + 1 / (RRF_K + 2), 1 / (RRF_K + 2) + 1 / (RRF_K + 1), 1 / (RRF_K + 3)]
    assert reciprocal_ranks(("R", "B"), table) == pytest.approx(expected)


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 30), st.just(2)), elements=floats))
def test_reciprocal_ranks_are_bounded(table: np.ndarray) -> None:
    found = reciprocal_ranks(("R", "B"), table)
    assert ((found >= 0) & (found <= 2 / (RRF_K + 1) + 1e-6)).all()


@given(arrays.arrays(np.float32, st.integers(1, 40), elements=floats))
def test_z_scores_and_ranks_of_any_numbers(values: np.ndarray) -> None:
    scores = standardiser(values)(values)
    assert np.isfinite(scores).all()
    assert abs(float(scores.mean())) < 0.05
    assert sorted(np.rint(np.expm1(log_ranks(values))).tolist()) == list(range(len(values)))
