"""A strictly rising map from a score to a probability, fitted beforehand and kept as knots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """Log-odds, piecewise linear between knots that rise in both coordinates, and going on at the end slopes beyond them.

    Strictly rising, so that what is ordered by score is ordered the same by probability.
    """

    scores: Floats
    log_odds: Floats

    def odds(self, scores: NDArray[np.floating]) -> Floats:
        """The log-odds of each score."""
        x, y = self.scores, self.log_odds
        wanted = np.asarray(scores, dtype=np.float64)
        inside = np.interp(wanted, x, y)
        below = y[0] + (wanted - x[0]) * (y[1] - y[0]) / (x[1] - x[0])
        above = y[-1] + (wanted - x[-1]) * (y[-1] - y[-2]) / (x[-1] - x[-2])
        result: Floats = np.where(wanted < x[0], below, np.where(wanted > x[-1], above, inside))
        return result

    def __call__(self, scores: NDArray[np.floating]) -> Floats:
        """The probability of each score."""
        return logistic(self.odds(scores))


def logistic(log_odds: NDArray[np.floating]) -> Floats:
    """``1 / (1 + exp(-x))``, also for large x."""
    bounded = np.clip(np.asarray(log_odds, dtype=np.float64), -500.0, 500.0)
    result: Floats = 1.0 / (1.0 + np.exp(-bounded))
    return result
