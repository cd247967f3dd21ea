"""The BM25 arithmetic, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.text.bm25 import K1, B, idf, length_norms, saturation


def counts(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def lengths(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def test_idf_by_hand():
    assert idf(10, counts(1, 5, 10)) == pytest.approx([math.log(1 + 9.5 / 1.5), math.log(1 + 5.5 / 5.5), math.log(1 + 0.5 / 10.5)])


def test_saturation_by_hand():
    # tf 2 in a document twice the mean length: 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 2))
    assert length_norms(lengths(20), 10.0, k1=1.5, b=0.75) == pytest.approx([1.5 * 1.75])
    assert saturation(counts(2), length_norms(lengths(20), 10.0, k1=1.5, b=0.75), k1=1.5) == pytest.approx([5 / (2 + 1.5 * 1.75)])
    assert saturation(counts(1), length_norms(lengths(10), 10.0, k1=K1, b=B)) == pytest.approx([1.0])
    assert saturation(counts(3, 3), length_norms(lengths(5, 50), 10.0, b=0.0)).tolist() == pytest.approx([3 * (K1 + 1) / (3 + K1)] * 2)


@given(st.integers(0, 1000), st.lists(st.integers(0, 2000), max_size=5))
def test_idf_is_never_negative_and_falls_with_frequency(documents, frequencies):
    weights = idf(documents, counts(*sorted(frequencies)))
    assert (weights >= 0).all()
    assert (np.diff(weights) <= 0).all()


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), max_size=5), st.floats(0, 1e4), st.floats(0, 1))
def test_saturation_is_bounded(documents, mean, b):
    scores = saturation(counts(*(tf for tf, _ in documents)), length_norms(lengths(*(length for _, length in documents)), mean, b=b))
    assert np.isfinite(scores).all()
    assert (scores[[tf == 0 for tf, _ in documents]] == 0).all()
    assert (scores <= K1 + 1 + 1e-4).all()
