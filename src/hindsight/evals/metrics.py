"""Ranking measures per query and what can be said of their means. Rates are 0..1."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
"""Bootstrap resamples: the interval's ends then move by less than its own second digit."""


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant ones among the first ``k``: ``|relevant ∩ top k| / |relevant|``."""
    return len(set(ranked[:k]) & set(relevant)) / len(relevant)


def hit_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 where any relevant one is among the first ``k``, else 0."""
    return float(not set(ranked[:k]).isdisjoint(relevant))


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Discounted cumulative gain with binary relevance over the best possible one (Järvelin and Kekäläinen 2002)."""
    gain = sum(1 / math.log2(place + 2) for place, id in enumerate(ranked[:k]) if id in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(relevant))))


def reciprocal_rank_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 / place of the first relevant one among the first ``k``, else 0."""
    return next((1 / (place + 1) for place, id in enumerate(ranked[:k]) if id in relevant), 0.0)


def interval(values: Sequence[float] | NDArray[np.float64], *, seed: int = 7) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the mean over queries (Efron 1979); the same values give the same interval."""
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample):
        return (math.nan, math.nan)
    drawn = np.random.default_rng(seed).integers(0, len(sample), size=(RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def paired_interval(after: Sequence[float], before: Sequence[float]) -> tuple[float, float, float]:
    """Mean difference ``after - before`` over the same queries, with its 95 % interval: (mean, low, high).

    What both share (an easy query, a hard one) cancels out, so that a difference shows which two separate intervals would hide.
    """
    difference = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    low, high = interval(difference)
    return float(difference.mean()) if len(difference) else math.nan, low, high


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0..1) of the values lie; NaN of none."""
    return float(np.percentile(np.asarray(values), 100 * share)) if values else math.nan


def clopper_pearson(hits: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a share (Clopper and Pearson 1934): the rates at which ``hits`` of ``n`` would be the edge of what is likely."""
    if not n:
        return (math.nan, math.nan)
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else _bisect(lambda rate: 1 - _at_most(hits - 1, n, rate) - tail)
    high = 1.0 if hits == n else _bisect(lambda rate: tail - _at_most(hits, n, rate))
    return low, high


def _at_most(hits: int, n: int, rate: float) -> float:
    """Probability of at most so many successes in ``n`` trials."""
    if rate <= 0:
        return 1.0
    if rate >= 1:
        return float(hits >= n)
    whole = math.lgamma(n + 1)
    terms = (
        whole - math.lgamma(each + 1) - math.lgamma(n - each + 1) + each * math.log(rate) + (n - each) * math.log1p(-rate)
        for each in range(hits + 1)
    )
    return min(1.0, sum(map(math.exp, terms)))


def _bisect(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
