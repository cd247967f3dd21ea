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


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of binary trees. Arrays are (trees, nodes): inner nodes go to ``left`` where ``x[feature] <= threshold``, else to
    ``right``; a leaf points to itself. ``depth`` steps reach every leaf.
    """

    feature: NDArray[np.int64]
    threshold: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Floats
    depth: int

    def __call__(self, table: Floats) -> Floats:
        """The sum of the leaves that each row of (rows, features) reaches."""
        rows, trees = len(table), len(self.feature)
        width = self.feature.shape[1]
        feature, threshold, value = self.feature.reshape(-1), self.threshold.reshape(-1), self.value.reshape(-1)
        offset = np.arange(trees, dtype=np.int64) * width
        left, right = (self.left + offset[:, None]).reshape(-1), (self.right + offset[:, None]).reshape(-1)
        flat = np.ascontiguousarray(table).reshape(-1)
        base = np.arange(rows, dtype=np.int64)[:, None] * table.shape[1]
        node = np.broadcast_to(offset, (rows, trees))
        for _ in range(self.depth):
            node = np.where(flat[base + feature[node]] <= threshold[node], left[node], right[node])
        result: Floats = value[node].sum(axis=1, dtype=np.float32)
        return result


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
        left=stored[prefix + "left"].astype(np.int64),
        right=stored[prefix + "right"].astype(np.int64),
        value=stored[prefix + "value"].astype(np.float32),
        depth=int(stored[prefix + "depth"]),
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
