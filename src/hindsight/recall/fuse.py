"""Fusion: what the routes found becomes one score a candidate. Pure numpy, no per-row objects.

``learned``   the fitted trees over all features
``weighted``  a fixed weighted sum of normalised scores
``rrf``       reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) of keyword and vector
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.calibrate import MonotoneMap
from hindsight.recall.model import FusionModel

Floats = NDArray[np.float32]

RRF_K = 60
WEIGHTS: Mapping[str, float] = {"A_z": 0.6, "B_z": 0.4, "beside_best": 0.15, "when_in": 0.6, "speaker_only": 0.5, "session_top": 0.15}
"""Weights of ``weighted``; their columns are z-scores, or -1, 0 and 1."""
ASSUMED = {
    "weighted": MonotoneMap(np.array([0.0, 2.0, 4.0]), np.array([-4.0, -1.5, 1.5])),
    "rrf": MonotoneMap(np.array([0.008, 0.02, 0.0325]), np.array([-4.0, -2.0, 1.0])),
}
"""Calibrations of the two modes that are not fitted: rough, so that cuts work at all."""


def learned(model: FusionModel, names: tuple[str, ...], table: Floats) -> Floats:
    """The trees' sum."""
    return model.fused(names, table)


def weighted(names: tuple[str, ...], table: Floats) -> Floats:
    """The weighted sum of normalised scores."""
    place = {name: position for position, name in enumerate(names)}
    weights = np.array(list(WEIGHTS.values()), dtype=np.float32)
    total: Floats = table[:, [place[name] for name in WEIGHTS]] @ weights
    return total


def reciprocal_ranks(names: tuple[str, ...], table: Floats) -> Floats:
    """Sum over vector and keyword of 1 / (60 + rank), for candidates that match at all."""
    place = {name: position for position, name in enumerate(names)}
    total = np.zeros(len(table), dtype=np.float32)
    for column in ("R", "B"):
        values = table[:, place[column]]
        ranks = np.empty(len(values), dtype=np.float32)
        ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1, dtype=np.float32)
        total += np.where(values > 0, 1.0 / (RRF_K + ranks), 0.0).astype(np.float32)
    return total
