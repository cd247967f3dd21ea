"""The query map: a matrix M so that the centred query q, turned to qM, lies near what answers it.

A question and its answer are not paraphrases: the question carries "when did" and a name, the answer a date and a feeling.
M starts from the (shrunken) whitening of the documents, which damps the directions that all texts share, and is fitted by a
listwise softmax over hard and random documents, held near its start by an L2 penalty. Only the query is mapped, so that
stored vectors stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from fit_corpus import FOLDS, Asked, Corpus
from numpy.typing import NDArray

from hindsight.ports import Vector

Floats = NDArray[np.float32]

SHRINK = 1.0
PENALTY = 3.0
TEMPERATURE = 20.0
STEPS = 60
RATE = 0.003
HARD, RANDOM = 150, 150


@dataclass(frozen=True, slots=True)
class Pool:
    """Documents of one query: vectors, and each one's share of the relevance."""

    asked: Asked
    documents: Floats
    share: Floats


async def scope_vectors(corpus: Corpus) -> dict[str, tuple[NDArray[np.int64], Vector]]:
    """Rows and centred vectors of each namespace. Of long records these are the passages' means."""
    found = {}
    for scope in corpus.folder.scopes():
        filter = next(asked.filter for asked in corpus.asked if asked.filter.namespace == scope)
        rows = await corpus.store.visible(filter)
        found[scope] = (rows, await corpus.store.vectors(rows))
    return found


def start_from(vectors: Sequence[Vector]) -> Floats:
    """The shrunken inverse covariance of the documents, each namespace counting alike; of the size of the identity."""
    covariance = np.mean([each.T @ each / len(each) for each in vectors], axis=0)
    values, axes = np.linalg.eigh(covariance)
    mean = float(values.mean())
    start: Floats = ((axes / (values + SHRINK * mean)) @ axes.T * mean * (1.0 + SHRINK)).astype(np.float32)
    return start


def make_pools(asked: Sequence[Asked], vectors: dict[str, tuple[NDArray[np.int64], Vector]], seed: int = 0) -> list[Pool]:
    """For each query its relevant documents, the nearest others and some at random."""
    chance = np.random.default_rng(seed)
    pools = []
    for each in asked:
        rows, documents = vectors[each.filter.namespace]
        relevant = np.searchsorted(rows, each.relevant)
        near = documents @ each.centred
        hard = np.argpartition(-near, min(HARD, len(rows) - 1))[:HARD]
        chosen = np.unique(np.concatenate([relevant, hard, chance.integers(0, len(rows), RANDOM)]))
        share = np.isin(chosen, relevant).astype(np.float32)
        pools.append(Pool(each, documents[chosen], share / max(float(share.sum()), 1.0)))
    return pools


def fit_map(pools: Sequence[Pool], start: Floats) -> Floats:
    """M of the given queries, by Adam."""
    queries = np.stack([pool.asked.centred for pool in pools])
    matrix, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        turned = queries @ matrix
        pull = np.empty_like(queries)
        for number, pool in enumerate(pools):
            scores = TEMPERATURE * (pool.documents @ turned[number])
            weights = np.exp(scores - scores.max())
            pull[number] = TEMPERATURE * ((weights / weights.sum() - pool.share) @ pool.documents)
        gradient = queries.T @ pull / len(pools) + PENALTY * (matrix - start)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = RATE * (1.0 - step / STEPS)
        matrix -= rate * (first / (1.0 - 0.9**step)) / (np.sqrt(second / (1.0 - 0.99**step)) + 1e-8)
    return matrix.astype(np.float32)


def cross_fitted(pools: Sequence[Pool], start: Floats) -> list[Floats]:
    """For each fold the map fitted on the other folds."""
    return [fit_map([pool for pool in pools if pool.asked.fold != fold], start) for fold in range(FOLDS)]


def quantised(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """int8 with a scale a row: what the package keeps."""
    scale = np.abs(matrix).max(axis=1) / 127.0
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale.astype(np.float32)
