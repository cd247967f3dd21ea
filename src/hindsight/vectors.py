"""Vectors as int8 with a scale, mean-centring that needs no copy of them, and cosine.

Stored vectors stay raw, so that the mean may change. For a document ``d`` (of a language with mean ``m``) and a query ``q``
(with mean ``n``), centred cosine is

    (q - n)·(d - m) / (|q - n| |d - m|)  =  ((q - n)·d - (q - n)·m) / (|q - n| |d - m|)

so one product of the matrix with ``q - n``, one number a language and one stored ``1 / |d - m|`` a row are enough.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import simsimd
from numpy.typing import NDArray

Int8s = NDArray[np.int8]
Floats = NDArray[np.float32]

_CHUNK = 4096


def quantise(vectors: Floats) -> tuple[Int8s, Floats]:
    """``(n, d)`` float32 → int8 and one scale a row: ``component ≈ int8 * scale``, off by half a scale at most.

    A row of zeros gets the scale 0.
    """
    peak = np.abs(vectors).max(axis=1, initial=0.0)
    scales = (peak / 127.0).astype(np.float32)
    divisor = np.where(scales > 0, scales, 1.0)
    return np.rint(vectors / divisor[:, None]).astype(np.int8), scales


def dequantise(data: Int8s, scales: Floats) -> Floats:
    """The inverse of :func:`quantise`, ``(n, d)`` float32."""
    result: Floats = data.astype(np.float32) * scales[:, None]
    return result


def rough_products(data: Int8s, scales: Floats, query: Floats) -> Floats:
    """Products of every row with ``query``, which is brought to int8 too: off by about 1 % of the norms."""
    if not len(data):
        return np.empty(0, dtype=np.float32)
    quantised, scale = quantise(query[None, :].astype(np.float32))
    products = np.asarray(simsimd.cdist(quantised, data, metric="dot", out_dtype="float32"), dtype=np.float32).reshape(-1)
    result: Floats = products * (scales * scale[0])
    return result


def exact_products(data: Int8s, scales: Floats, query: Floats) -> Floats:
    """Products of every row with ``query`` in float32, a few thousand rows at a time so that no large copy is made."""
    result = np.empty(len(data), dtype=np.float32)
    for start in range(0, len(data), _CHUNK):
        result[start : start + _CHUNK] = data[start : start + _CHUNK].astype(np.float32) @ query
    result *= scales
    return result


def weighted_sum(data: Int8s, scales: Floats, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of the vectors at ``places``, float64."""
    total = np.zeros(data.shape[1], dtype=np.float64)
    for part in _parts(places):
        total += scales[part] @ data[part].astype(np.float32)
    return total


def blended_mean(seed: Floats | None, weight: float, total: NDArray[np.float64], count: int) -> Floats:
    """``(weight * seed + total) / (weight + count)``: the seed rules in a small namespace, the namespace's own mean in a large one.

    Without a seed the mean is drawn towards zero (no centring) with the same weight.
    """
    start = np.zeros(len(total)) if seed is None else np.asarray(seed, dtype=np.float64)
    return ((weight * start + total) / max(weight + count, 1e-9)).astype(np.float32)


def inverse_norms(data: Int8s, scales: Floats, mean: Floats, places: NDArray[np.int64]) -> Floats:
    """``1 / |d - mean|`` of the vectors at ``places``, 0 where one equals the mean or there is none."""
    result = np.zeros(len(places), dtype=np.float32)
    for number, part in enumerate(_parts(places)):
        difference = dequantise(data[part], scales[part]) - mean
        norms = np.sqrt(np.einsum("ij,ij->i", difference, difference))
        known = (norms > 1e-6) & (scales[part] > 0)
        np.divide(1.0, norms, out=result[number * _CHUNK : number * _CHUNK + len(part)], where=known)
    return result


def nearest_mean(query: Floats, means: Iterable[Floats]) -> Floats:
    """The mean with the highest cosine to ``query``: a language shifts all its vectors one way, so this finds the query's own."""
    best, best_score = np.zeros_like(query), -np.inf
    for mean in means:
        norm = float(np.linalg.norm(mean))
        score = float(query @ mean) / norm if norm > 1e-9 else -1.0
        if score > best_score:
            best, best_score = mean, score
    return best


def _parts(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [places[start : start + _CHUNK] for start in range(0, len(places), _CHUNK)]
