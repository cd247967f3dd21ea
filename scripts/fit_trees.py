"""Boosted trees over the features (LightGBM, lambdarank), and their form for the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import lightgbm
import numpy as np
from fit_corpus import FOLDS, Asked
from numpy.typing import NDArray

from hindsight.recall.evidence import Evidence
from hindsight.recall.model import LEAVES, Trees

Floats = NDArray[np.float32]

PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "lambdarank_truncation_level": 20,
    "label_gain": [0, 1],
    "deterministic": True,
    "num_threads": 1,
    "verbose": -1,
}
ROUNDS = 150
WEIGHTS: Mapping[str, float] = {"longmemeval_turns": 3.0, "longmemeval_sessions": 3.0}
"""Sets of only a hundred queries count more, so that no kind of source is fitted at another's cost."""
BEST, OTHERS = 90, 50
"""Of the candidates that do not answer so many of the best and so many others are learnt from."""


@dataclass(slots=True)
class Example:
    """One query with its candidates; ``structure`` are the signs against an answer under a given ranking."""

    asked: Asked
    evidence: Evidence
    table: Floats
    answers: NDArray[np.bool_]
    structure: dict[str, float] = field(default_factory=dict)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The candidates."""
        return self.evidence.rows[: self.evidence.count]


def fit_booster(examples: Sequence[Example], base: int, seed: int = 0, **changes: Any) -> lightgbm.Booster:
    """Trees of the given queries; ``base`` is the column by which hard candidates are chosen."""
    tables, labels, groups, weights = [], [], [], []
    for example in examples:
        if not example.answers.any():
            continue
        chosen = _learnt_from(example, base)
        tables.append(example.table[chosen])
        labels.append(example.answers[chosen])
        groups.append(len(chosen))
        weights.append(np.full(len(chosen), WEIGHTS.get(example.asked.set, 1.0)))
    data = lightgbm.Dataset(np.concatenate(tables), np.concatenate(labels).astype(int), group=groups, weight=np.concatenate(weights))
    settings = {**PARAMETERS, "seed": seed, **changes}
    return lightgbm.train(settings, data, settings.pop("rounds", ROUNDS))


def _learnt_from(example: Example, base: int) -> NDArray[np.int64]:
    chance = np.random.default_rng(0)
    wrong = np.flatnonzero(~example.answers)
    wrong = wrong[np.argsort(-example.table[wrong, base], kind="stable")]
    return np.concatenate([np.flatnonzero(example.answers), wrong[:BEST], chance.permutation(wrong[BEST:])[:OTHERS]])


def cross_scored(examples: Sequence[Example], base: int, **changes: Any) -> list[Floats]:
    """Scores of every query by trees that were fitted on the other folds."""
    scores: list[Floats] = [np.empty(0, dtype=np.float32)] * len(examples)
    for fold in range(FOLDS):
        held = [number for number, example in enumerate(examples) if example.asked.fold == fold]
        if not held:
            continue
        trees = to_trees(fit_booster([example for example in examples if example.asked.fold != fold], base, **changes))
        for number in held:
            scores[number] = trees(examples[number].table)
    return scores


def to_trees(booster: lightgbm.Booster) -> Trees:
    """The booster in the package's form."""
    described = booster.dump_model()["tree_info"]
    nodes = max(max(tree["num_leaves"] - 1, 1) for tree in described)
    trees = Trees(
        feature=np.zeros((len(described), nodes), dtype=np.int64),
        threshold=np.full((len(described), nodes), np.inf, dtype=np.float32),
        mask=np.full((len(described), nodes), 0xFFFF, dtype=np.uint16),
        value=np.zeros((len(described), LEAVES), dtype=np.float32),
    )
    for number, tree in enumerate(described):
        _lay_out(trees, number, tree["tree_structure"], [0, 0])
    return trees


def _lay_out(trees: Trees, number: int, node: dict[str, Any], used: list[int]) -> list[int]:
    """Put a node and what is below it in place; returns its leaves. ``used`` counts inner nodes and leaves."""
    if "split_feature" not in node:
        trees.value[number, used[1]] = node["leaf_value"]
        used[1] += 1
        return [used[1] - 1]
    place = used[0]
    used[0] += 1
    left = _lay_out(trees, number, node["left_child"], used)
    right = _lay_out(trees, number, node["right_child"], used)
    threshold = np.float32(node["threshold"])
    if float(threshold) > node["threshold"]:  # the largest float32 that is not above it decides the same for float32 values
        threshold = np.nextafter(threshold, np.float32(-np.inf))
    trees.feature[number, place] = node["split_feature"]
    trees.threshold[number, place] = threshold
    trees.mask[number, place] = 0xFFFF & ~sum(1 << leaf for leaf in left)
    return left + right
