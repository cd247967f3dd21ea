"""What is fitted on top of the fused scores: probability of relevance, doubts, threshold, decay floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from fit_trees import WEIGHTS, Example
from numpy.typing import NDArray

from hindsight.recall.calibrate import MonotoneMap, logistic
from hindsight.recall.rank import first_of
from hindsight.recall.score import ages_in_days, decay

Floats = NDArray[np.float32]

KNOTS = 16
FLOORS = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 1.0)
HALF_LIFE = 7.0
MOST_LOST = 0.001
"""A decay floor may cost this much recall@5, averaged over the sets, and no more."""


def fit_probability(examples: Sequence[Example], scores: Sequence[Floats]) -> MonotoneMap:
    """Share of relevant candidates by score: bins of equally many relevant ones, made rising (pool adjacent violators)."""
    score = np.concatenate(scores).astype(np.float64)
    label = np.concatenate([example.answers for example in examples]).astype(np.float64)
    weight = np.concatenate([np.full(len(example.rows), WEIGHTS.get(example.asked.set, 1.0)) for example in examples])
    order = np.argsort(score)
    score, label, weight = score[order], label[order], weight[order]
    reached = np.cumsum(label * weight)
    edges = np.unique([0, *(int(np.searchsorted(reached, reached[-1] * share)) for share in np.linspace(0.02, 1.0, KNOTS)), len(score)])
    bins = [slice(start, end) for start, end in pairwise(edges.tolist()) if end - start >= 20]
    x = np.array([np.average(score[part], weights=weight[part]) for part in bins])
    y = np.array([((label * weight)[part].sum() + 0.25) / (weight[part].sum() + 1.0) for part in bins])
    y = _rising(y, np.array([weight[part].sum() for part in bins]))
    odds = np.log(y / (1.0 - y))
    kept = [0]
    for number in range(1, len(x)):
        if x[number] > x[kept[-1]] + 1e-3 and odds[number] > odds[kept[-1]] + 1e-2:
            kept.append(number)
    return MonotoneMap(x[kept], odds[kept])


def _rising(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest rising sequence (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last = blocks.pop()
            total = blocks[-1][1] + last[1]
            blocks[-1] = [(blocks[-1][0] * blocks[-1][1] + last[0] * last[1]) / total, total, blocks[-1][2] + last[2]]
    return np.array([value for value, _, count in blocks for _ in range(int(count))])


def fit_doubts(
    examples: Sequence[Example], scores: Sequence[Floats], probability: MonotoneMap, share_unanswerable: float = 0.3
) -> dict[str, float]:
    """Weights, none below zero, of the structural signs: logistic regression of "the best one answers" with the score's log-odds as offset.

    Unanswerable questions are weighted to be ``share_unanswerable`` of all.
    """
    names = list(examples[0].structure)
    signs = np.array([[example.structure[name] for name in names] for example in examples])
    offset = np.array([float(probability.odds(score.max(keepdims=True))[0]) for score in scores])
    label = np.array([bool(example.answers[np.argmax(score)]) for example, score in zip(examples, scores, strict=True)])
    answerable = np.array([len(example.asked.relevant) > 0 for example in examples])
    weight = np.where(answerable, (1.0 - share_unanswerable) / answerable.mean(), share_unanswerable / max((~answerable).mean(), 1e-9))
    weights = np.zeros(len(names))
    for _ in range(4000):
        error = weight * (logistic(offset - signs @ weights) - label)
        weights = np.maximum(weights + 0.05 * ((error @ signs) / len(label) - 0.002 * weights), 0.0)
    return {name: round(float(value), 4) for name, value in zip(names, weights, strict=True)}


@dataclass(frozen=True, slots=True)
class Abstention:
    """What a threshold does: of unanswerable questions the share that gets an answer all the same; of answerable ones the share
    that gets one, and their recall@5 with and without the cut.
    """

    threshold: float
    wrongly_answered: float
    answered: float
    recall: float
    recall_uncut: float


def abstention(
    examples: Sequence[Example],
    scores: Sequence[Floats],
    probability: MonotoneMap,
    doubt: Mapping[str, float],
    thresholds: Sequence[float],
    depth: int = 5,
) -> list[Abstention]:
    """The table of thresholds."""
    rows = []
    relevance = [
        logistic(probability.odds(score) - sum(doubt[name] * value for name, value in example.structure.items()))
        for example, score in zip(examples, scores, strict=True)
    ]
    answerable = [len(example.asked.relevant) > 0 for example in examples]
    for threshold in thresholds:
        wrong, answered, recall, uncut = [], [], [], []
        for example, values, has in zip(examples, relevance, answerable, strict=True):
            best = np.argsort(-values, kind="stable")[:depth]
            kept = best[values[best] >= threshold]
            if not has:
                wrong.append(float(len(kept) > 0))
                continue
            answered.append(float(len(kept) > 0))
            recall.append(example.answers[kept].sum() / len(example.asked.relevant))
            uncut.append(example.answers[best].sum() / len(example.asked.relevant))
        means = [float(np.mean(values)) if values else float("nan") for values in (wrong, answered, recall, uncut)]
        rows.append(Abstention(threshold, *means))
    return rows


def fit_floor(examples: Sequence[Example], scores: Sequence[Floats], probability: MonotoneMap) -> tuple[float, dict[float, float]]:
    """The least decay floor of episodes that costs next to no recall@5, and what each floor gives."""
    table: dict[float, float] = {}
    for floor in FLOORS:
        by_set: dict[str, list[float]] = {}
        for example, score in zip(examples, scores, strict=True):
            now = example.asked.filter.now
            assert now is not None
            columns = first_of(example.evidence.columns, example.evidence.count)
            aged = decay(ages_in_days(columns, now.timestamp()), HALF_LIFE, floor)
            best = np.argsort(-probability(score) * aged, kind="stable")[:5]
            by_set.setdefault(example.asked.set, []).append(example.answers[best].sum() / len(example.asked.relevant))
        table[floor] = float(np.mean([np.mean(values) for values in by_set.values()]))
    good = [floor for floor in FLOORS if table[floor] >= max(table[1.0], 0.0) - MOST_LOST]
    return min(good), table
