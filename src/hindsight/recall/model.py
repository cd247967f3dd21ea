"""The fitted fusion model: gradient-boosted trees as plain arrays, run by numpy, and the maps that were fitted with them.

``fusion.npz`` beside this module holds the arrays, ``fusion.json`` says what they were fitted on, when, and how well;
``scripts/fit_fusion.py`` writes both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hindsight.ports import Vector
from hindsight.recall.calibrate import MonotoneMap

Floats = NDArray[np.float32]
Variant = Literal["adapted", "plain", "keyword"]
"""What the model may count on: vectors of the model that the map was fitted for, other vectors, or none."""

_ARRAYS = "fusion.npz"
_CARD = "fusion.json"


LEAVES = 16
"""Most leaves of a tree: one bit each of the masks."""
_BITS = np.arange(1, 1 << LEAVES, dtype=np.int64)
_LOWEST = np.concatenate(([0], np.log2(_BITS & -_BITS))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of binary trees of at most 16 leaves, laid out for QuickScorer (Lucchese et al., SIGIR 2015).

    Every inner node tests ``x[feature] <= threshold``. Where the test fails, the leaves of its left side are out: ``mask`` has
    their bits cleared. The lowest bit that is left after all nodes is the leaf reached, so that no tree is walked and whole
    columns are compared at once. Arrays are (trees, nodes), ``value`` is (trees, 16); unused nodes have the threshold
    infinity, which never fails.
    """

    feature: NDArray[np.int64]
    threshold: Floats
    mask: NDArray[np.uint16]
    value: Floats

    def __call__(self, table: Floats) -> Floats:
        """The sum of the leaves that each row of (rows, features) reaches."""
        trees, nodes = self.feature.shape
        columns = np.ascontiguousarray(table.T)
        failed = columns.take(self.feature.reshape(-1), axis=0) > self.threshold.reshape(-1, 1)
        # failed - 1 is 0 where a test failed, so that its mask counts, and all ones where it held.
        alive = np.bitwise_or(self.mask.reshape(-1, 1), failed.astype(np.uint16) - np.uint16(1)).reshape(trees, nodes, -1)
        leaf = _LOWEST.take(np.bitwise_and.reduce(alive, axis=1)) + (np.arange(trees) * LEAVES)[:, None]
        total: Floats = self.value.reshape(-1).take(leaf).sum(axis=0, dtype=np.float32)
        return total


@dataclass(frozen=True, slots=True)
class FusionModel:
    """Trees over named features, and the calibration of their sum.

    ``probability`` maps a fused score to the probability that the candidate answers the query. ``gains`` says what each
    feature is worth (its share of the total gain).
    """

    names: tuple[str, ...]
    trees: Trees
    probability: MonotoneMap
    gains: Mapping[str, float]

    def fused(self, names: tuple[str, ...], table: Floats) -> Floats:
        """The fused score of each candidate."""
        if names != self.names:
            place = {name: position for position, name in enumerate(names)}
            table = table[:, [place[name] for name in self.names]]
        return self.trees(table)


@cache
def model_card() -> dict[str, Any]:
    """Where the model comes from: data, script, date, figures."""
    card: dict[str, Any] = json.loads(files(__package__).joinpath(_CARD).read_text(encoding="utf-8"))
    return card


@cache
def _arrays() -> Mapping[str, NDArray[Any]]:
    with as_file(files(__package__).joinpath(_ARRAYS)) as path, np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@cache
def fusion_model(variant: Variant) -> FusionModel:
    """The model for what the query has."""
    stored, prefix = _arrays(), f"{variant}_"
    trees = Trees(
        feature=stored[prefix + "feature"].astype(np.int64),
        threshold=stored[prefix + "threshold"].astype(np.float32),
        mask=stored[prefix + "mask"].astype(np.uint16),
        value=stored[prefix + "value"].astype(np.float32),
    )
    probability = MonotoneMap(stored[prefix + "scores"].astype(np.float64), stored[prefix + "log_odds"].astype(np.float64))
    names = tuple(stored["names"].tolist())
    return FusionModel(names, trees, probability, dict(zip(names, stored[prefix + "gains"].tolist(), strict=True)))


@cache
def adapter_for(model_id: str) -> Floats | None:
    """The (dimension, dimension) map that turns a centred query vector of this embedder towards its answers; None for others."""
    if model_id not in model_card()["adapter"]["models"]:
        return None
    stored = _arrays()
    scaled: Floats = stored["adapter"].astype(np.float32) * stored["adapter_scale"].astype(np.float32)[:, None]
    return scaled


def adapt(centred: Vector, adapter: Floats) -> Vector:
    """The centred query vector turned towards answers, of length 1."""
    turned = centred @ adapter
    norm = float(np.linalg.norm(turned))
    return (turned / norm if norm > 0 else centred).astype(np.float32)
