"""Quantisation, centring and cosine against plain float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hindsight.vectors import (
    blended_mean,
    coarse_nearest,
    dequantise,
    exact_products,
    inverse_norms,
    nearest_mean,
    quantise,
    rough_products,
    sign_bits,
    weighted_sum,
)

finite = st.floats(-1e3, 1e3, width=32)


@given(arrays.arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(1, 9)), elements=finite))
def test_quantisation_is_off_by_half_a_step_at_most(vectors):
    data, scales = quantise(vectors)
    assert data.dtype == np.int8
    assert scales.shape == (len(vectors),)
    assert (np.abs(dequantise(data, scales) - vectors) <= scales[:, None] * 0.5001 + 1e-6).all()


def some(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


@pytest.mark.parametrize("dimension", [1, 3, 64, 100, 384])
@pytest.mark.parametrize("count", [0, 1, 5000])
def test_products_agree_with_float64(count, dimension):
    vectors, query = some(count, dimension), some(1, dimension, seed=1)[0]
    data, scales = quantise(vectors)
    expected = vectors.astype(np.float64) @ query
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    assert (np.abs(exact_products(data, scales, query) - expected) <= 0.01 * norms + 1e-3).all()
    assert (np.abs(rough_products(data, scales, query) - expected) <= 0.02 * norms + 1e-3).all()


def test_a_query_of_zeros_gives_zeros():
    data, scales = quantise(some(10, 16))
    assert not rough_products(data, scales, np.zeros(16, dtype=np.float32)).any()


def test_means_and_norms_are_those_of_the_vectors_meant():
    vectors = some(9000, 32)
    data, scales = quantise(vectors)
    places = np.flatnonzero(np.arange(9000) % 3 == 0)
    assert weighted_sum(data, scales, places) == pytest.approx(vectors[places].sum(axis=0), abs=1.0)
    mean = some(1, 32, seed=2)[0]
    assert inverse_norms(data, scales, mean, places) == pytest.approx(1 / np.linalg.norm(vectors[places] - mean, axis=1), rel=0.02)


def test_a_vector_that_is_the_mean_or_missing_has_no_direction():
    data, scales = quantise(np.array([[1, 0], [0, 0], [0, 1]], dtype=np.float32))
    mean = dequantise(data, scales)[0]
    assert inverse_norms(data, scales, mean, np.arange(3)).tolist()[:2] == [0, 0]


def test_the_mean_moves_from_the_seed_to_the_namespace():
    seed, total = np.array([1, 0], dtype=np.float32), np.array([0.0, 300.0])
    assert blended_mean(seed, 100.0, total, 300) == pytest.approx([0.25, 0.75])
    assert blended_mean(seed, 100.0, np.zeros(2), 0) == pytest.approx(seed)
    assert blended_mean(None, 100.0, total, 300) == pytest.approx([0, 0.75])


@settings(max_examples=30)
@given(st.integers(0, 2))
def test_the_nearest_mean_is_the_querys_own(which):
    means = some(3, 16)
    query = means[which] * 2 + 0.1 * some(1, 16, seed=3)[0]
    assert nearest_mean(query, means) is not None
    assert (nearest_mean(query, list(means)) == means[which]).all()
    assert not nearest_mean(query, []).any()


def clustered(count: int, dimension: int = 96) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors around 40 centres, and 20 queries near some of them."""
    draw = np.random.default_rng(5)
    centres = draw.normal(size=(40, dimension))
    vectors = centres[draw.integers(40, size=count)] + 1.2 * draw.normal(size=(count, dimension))
    queries = centres[:20] + 0.8 * draw.normal(size=(20, dimension))
    return tuple((each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float32) for each in (vectors, queries))


@pytest.mark.parametrize("share", [1.0, 0.6, 0.1])
def test_nearly_all_of_the_nearest_are_among_the_chosen_and_nobody_outside_the_mask(share):
    vectors, queries = clustered(20_000)
    mask = np.random.default_rng(6).random(len(vectors)) < share
    count = int(mask.sum()) // 5
    found = []
    for query in queries:
        chosen = coarse_nearest(sign_bits(vectors), query, mask, count)
        assert len(np.unique(chosen)) == len(chosen) == count
        assert mask[chosen].all()
        nearest = np.argsort(np.where(mask, -(vectors @ query), np.inf))[:50]
        found.append(np.isin(nearest, chosen).mean())
    assert np.mean(found) >= 0.99


def test_fewer_than_asked_for_are_all_chosen():
    vectors, queries = clustered(500)
    mask = np.arange(500) % 2 == 0
    assert sorted(coarse_nearest(sign_bits(vectors), queries[0], mask, 400)) == np.flatnonzero(mask).tolist()
    assert len(coarse_nearest(sign_bits(vectors), np.zeros(96, dtype=np.float32), mask, 10)) == 10
