"""Texts to windows, and the vectors of windows to vectors of texts.

A text that is longer than a window is cut into windows that overlap, of which at most ``MOST_WINDOWS``, evenly spread over
the text, are embedded. The text's vector is the mean of its windows' vectors, each weighted by its length over its place (1
for the first, 2 for the second): what a text is about stands mostly at its head, and a plain mean of many windows lies near
everything (``docs/models.md`` has the comparison).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hindsight.ports import Vector

MOST_WINDOWS = 32
"""Windows of one text that are embedded at most: the bound on the time of a very long text."""

S = TypeVar("S", str, list[int])


def windows_of(sequence: S, *, size: int, overlap: int, most: int = MOST_WINDOWS) -> list[S]:
    """The windows of a text (characters) or of its tokens.

    Where there are several, they are as few as cover it, and of one length: full ones would embed most of a text of one and a
    quarter windows twice. Of a text with more than ``most`` full windows are spread evenly.
    """
    if len(sequence) <= size:
        return [sequence]
    count = math.ceil((len(sequence) - overlap) / (size - overlap))
    length = math.ceil((len(sequence) + (count - 1) * overlap) / count) if count <= most else size
    starts = np.linspace(0, len(sequence) - length, min(count, most))
    return [sequence[start : start + length] for start in map(round, starts.tolist())]


def batches_by_length(lengths: Sequence[int], *, budget: int) -> Iterator[list[int]]:
    """Indices in batches of one length each (so that nothing is padded), shortest first, about ``budget`` in all a batch."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (lengths[batch[0]] != lengths[index] or (len(batch) + 1) * lengths[index] > budget):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def weights_of(windows: Sequence[Sequence[object]]) -> list[float]:
    """How much each window of one text counts."""
    return [max(1, len(window)) / place for place, window in enumerate(windows, 1)]


def pooled(vectors: Vector, owners: Sequence[int], weights: Sequence[float], texts: int) -> Vector:
    """The L2-normalised vector of each text, ``(texts, dimension)``, from its windows' vectors ``(windows, dimension)``."""
    sums = np.zeros((texts, vectors.shape[1]), np.float32)
    np.add.at(sums, np.asarray(owners, np.int64), vectors * np.asarray(weights, np.float32)[:, None])
    return unit(sums)


def unit(vectors: NDArray[np.floating]) -> Vector:
    """Rows at length 1; a row of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)
