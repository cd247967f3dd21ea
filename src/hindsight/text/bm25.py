"""BM25 from counts alone (Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3).

One function scores for every store, so that engines which only supply counts rank alike. Statistics (number of documents,
document frequencies, mean length) are those of one namespace.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

K1 = 1.5
B = 0.75


def idf(documents: int, frequency: NDArray[np.int64]) -> NDArray[np.float64]:
    """Inverse document frequency ``ln(1 + (N - df + 0.5) / (df + 0.5))``: never negative, also for terms in most documents.

    Args:
        documents: N, the number of indexed documents.
        frequency: df, in how many of them each term occurs.
    """
    df = np.minimum(frequency, documents).astype(np.float64)
    return np.log1p((documents - df + 0.5) / (df + 0.5))


def length_norms(length: NDArray[np.int32], mean_length: float, *, k1: float = K1, b: float = B) -> NDArray[np.float32]:
    """``k1 (1 - b + b length / mean_length)`` of each document: how many occurrences of a term are worth half of the most there is.

    Args:
        length: number of tokens of each document.
        mean_length: mean number of tokens of the namespace's documents.
        k1: how fast further occurrences stop counting.
        b: how much length counts, 0 to 1.
    """
    norms: NDArray[np.float32] = length * np.float32(k1 * b / max(mean_length, 1e-9))
    norms += np.float32(k1 * (1.0 - b))
    return norms


def saturation(occurrences: NDArray[np.integer], norms: NDArray[np.float32], *, k1: float = K1) -> NDArray[np.float32]:
    """What ``occurrences`` of one term are worth before the term's idf: ``tf (k1 + 1) / (tf + norm)``, in [0, k1 + 1).

    Args:
        occurrences: tf of the term in each document.
        norms: :func:`length_norms` of the same documents.
        k1: the same as in the norms.
    """
    worth = occurrences.astype(np.float32)
    divisor = worth + norms
    worth *= np.float32(k1 + 1.0)
    np.divide(worth, divisor, out=worth, where=divisor > 0)
    return worth
