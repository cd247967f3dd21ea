"""Points of many dimensions on a plane: principal components, the same each time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def plane(points: NDArray[np.float32]) -> tuple[Floats, float]:
    """``points`` (n, d) along their two directions of greatest spread, (n, 2), fitted to 0..1 at one scale; and the share of the spread seen.

    Principal component analysis (Pearson 1901), by the smaller of covariance and Gram matrix. An eigenvector has no sign of its own: each
    axis is turned so that its farthest point lies on the positive side, hence the same points give the same picture. Where all are the
    same, they lie in the middle.
    """
    count, wide = points.shape
    flat = np.zeros((count, 2))
    if count < 2 or wide < 1:
        return flat + 0.5, 0.0
    centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    by_points = count < wide
    spreads, vectors = np.linalg.eigh(centred @ centred.T if by_points else centred.T @ centred)
    spreads, vectors = np.clip(spreads[::-1], 0.0, None), vectors[:, ::-1]
    axes = vectors[:, :2] * np.sqrt(spreads[:2]) if by_points else centred @ vectors[:, :2]
    flat[:, : axes.shape[1]] = axes
    flat *= np.where(flat[np.abs(flat).argmax(axis=0), np.arange(2)] < 0, -1.0, 1.0)
    low, span = flat.min(axis=0), np.ptp(flat, axis=0)
    scale = float(span.max())
    if scale < 1e-6 or not spreads.sum():
        return np.full((count, 2), 0.5), 0.0
    return 0.5 + (flat - (low + span / 2)) / scale, float(spreads[:2].sum() / spreads.sum())


def sampled(count: int, most: int) -> NDArray[np.int64]:
    """Places of at most ``most`` of ``count`` things in order, evenly spread, first and last among them."""
    if count <= most:
        return np.arange(count, dtype=np.int64)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))
