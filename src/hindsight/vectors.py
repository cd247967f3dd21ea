"""Vectors as int8 with a scale, mean-centring that needs no copy of them, and cosine.

Stored vectors stay raw, so that the mean may change. For a document ``d`` (of a language with mean ``m``) and a query ``q``
(with mean ``n``), centred cosine is

    (q - n)·(d - m) / (|q - n| |d - m|)  =  ((q - n)·d - (q - n)·m) / (|q - n| |d - m|)

so one product of the matrix with ``q - n``, one number a language and one stored ``1 / |d - m|`` a row are enough.

Where there are many, the signs of ``d - m`` (one bit a component) say roughly which are near at an eighth of the bytes: :func:`coarse_nearest`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import simsimd
from numpy.typing import NDArray

Int8s = NDArray[np.int8]
Floats = NDArray[np.float32]
Bits = NDArray[np.uint8]

_CHUNK = 4096
_BLOCK = 256
"""Rows whose float32 forms stay in the processor's cache while something is made of them."""
GATHER_BELOW = 0.2
"""Copying rows together costs about four times a product with them: below this share of the matrix it pays."""
_DIGITS = (0.5, 0.25, 0.125)
"""What the query's component is written with, in units of its largest but a few: a sum of these, each added or taken away."""
_PEAK = 0.98
_SAMPLED = 16_384
_SECOND_LOOK = 0.15
"""The share that the query's first digit alone leaves."""


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
    for start in range(0, len(places), _BLOCK):
        part = places[start : start + _BLOCK]
        total += scales[part] @ data.take(part, axis=0).astype(np.float32)
    return total


def blended_mean(seed: Floats | None, weight: float, total: NDArray[np.float64], count: int) -> Floats:
    """``(weight * seed + total) / (weight + count)``: the seed rules in a small namespace, the namespace's own mean in a large one.

    Without a seed the mean is drawn towards zero (no centring) with the same weight.
    """
    start = np.zeros(len(total)) if seed is None else np.asarray(seed, dtype=np.float64)
    return ((weight * start + total) / max(weight + count, 1e-9)).astype(np.float32)


def inverse_norms(data: Int8s, scales: Floats, mean: Floats, places: NDArray[np.int64], signs: Bits | None = None) -> Floats:
    """``1 / |d - mean|`` of the vectors at ``places``, 0 where one equals the mean or there is none. ``signs``: set those of ``d - mean`` there."""
    result = np.zeros(len(places), dtype=np.float32)
    for start in range(0, len(places), _BLOCK):
        part = places[start : start + _BLOCK]
        difference = dequantise(data.take(part, axis=0), scales[part])
        difference -= mean
        norms = np.sqrt(np.einsum("ij,ij->i", difference, difference))
        known = (norms > 1e-6) & (scales[part] > 0)
        np.divide(1.0, norms, out=result[start : start + len(part)], where=known)
        if signs is not None:
            signs[part] = sign_bits(difference)
    return result


def sign_bits(vectors: NDArray[np.floating]) -> Bits:
    """``(n, d)`` → ``(n, ⌈d / 8⌉)``: a bit a component, set where it is above 0."""
    return np.packbits(vectors > 0, axis=1)


def sign_bytes(dimension: int) -> int:
    """Bytes of the signs of one vector."""
    return (dimension + 7) // 8


def coarse_nearest(signs: Bits, query: Floats, mask: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """About the ``count`` rows inside the mask whose vectors point most the query's way, in no order.

    The query is written in three binary digits of ±1 a component, so that its product with signs is a weighted sum of three Hamming distances
    (Gao & Long, "RaBitQ", 2024, section 3.3.2, without their rotation). All rows are compared with the first digit, the best sixth or so with all three.
    """
    digits = _signed_digits(query)
    inside = int(np.count_nonzero(mask))
    enough = max(count, int(_SECOND_LOOK * inside))
    if inside < GATHER_BELOW * len(mask):
        chosen = np.flatnonzero(mask)
        distances = _distances(signs.take(chosen, axis=0), digits[:1])[0]
        nearer = _smallest(distances, enough)
        kept, first = chosen[nearer], distances[nearer]
    else:
        distances = _distances(signs, digits[:1])[0]
        kept = np.flatnonzero((distances <= _limit(distances, mask, enough / inside)) & mask)
        if len(kept) < count:
            distances[~mask] = np.inf
            kept = _smallest(distances, min(inside, enough))
        first = distances[kept]
    if len(kept) <= count:
        return kept
    rest = _distances(signs.take(kept, axis=0), digits[1:])
    return kept[_smallest(np.asarray(_DIGITS, dtype=np.float32) @ np.vstack([first, rest]), count)]


def _limit(values: Floats, mask: NDArray[np.bool_], share: float) -> np.float32:
    """About the value below which ``share`` of those inside the mask lie, from a sample of them."""
    step = max(1, len(values) // _SAMPLED)
    sample = values[::step][mask[::step]]
    if not len(sample):
        return np.float32(np.inf)
    place = min(int(share * len(sample)), len(sample) - 1)
    return np.float32(np.partition(sample, place)[place])


def _signed_digits(query: Floats) -> Bits:
    peak = max(float(np.quantile(np.abs(query), _PEAK)), 1e-12)
    rest = query[None, :] / np.float32(peak)
    digits = []
    for weight in _DIGITS:
        digits.append(sign_bits(rest)[0])
        rest = rest - np.where(rest > 0, np.float32(weight), np.float32(-weight))
    return np.stack(digits)


def _distances(signs: Bits, digits: Bits) -> Floats:
    """Hamming distances, (digits, rows)."""
    return np.asarray(simsimd.cdist(digits, signs, metric="hamming", dtype="bin8", out_dtype="float32"), dtype=np.float32)


def _smallest(values: Floats, count: int) -> NDArray[np.int64]:
    """Where the ``count`` smallest are, in no order."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))


def nearest_mean(query: Floats, means: Iterable[Floats]) -> Floats:
    """The mean with the highest cosine to ``query``: a language shifts all its vectors one way, so this finds the query's own."""
    best, best_score = np.zeros_like(query), -np.inf
    for mean in means:
        norm = float(np.linalg.norm(mean))
        score = float(query @ mean) / norm if norm > 1e-9 else -1.0
        if score > best_score:
            best, best_score = mean, score
    return best
