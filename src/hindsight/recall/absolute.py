"""Relevance without comparison, for pools too small to compare in. Pure numpy.

The fitted features say how a candidate stands among the others. Among three memories that says nothing: there the cosine itself
and the share of the query's terms that a memory holds decide, and the more candidates there are the less they weigh.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.evidence import Evidence
from hindsight.recall.model import model_card

Floats = NDArray[np.float64]

FEW, MANY = 10, 60
"""Up to so many candidates only absolute signs count; from so many on, none do."""
_COSINE = 14.0
_LEAST_COSINE = 0.17
"""Centred cosine of the bundled model that unrelated texts hardly reach."""
_TERMS = 4.0
_KEYWORD_START, _KEYWORD_TERMS = -1.0, 6.0


def blended(log_odds: NDArray[np.floating], evidence: Evidence) -> Floats:
    """The fitted log-odds of the candidates, those of :func:`absolute` instead where candidates are few, a mix in between."""
    n = evidence.count
    weight = float(np.clip((MANY - n) / (MANY - FEW), 0.0, 1.0))
    fitted = np.asarray(log_odds, dtype=np.float64)
    return fitted if weight == 0.0 else (1.0 - weight) * fitted + weight * absolute(evidence)


def absolute(evidence: Evidence) -> Floats:
    """Log-odds from the centred cosine and the share of the query's terms; from the terms alone where there is no vector.

    Unrelated texts come to lie at the fitted threshold, below which nothing is shown.
    """
    n = evidence.count
    terms = evidence.terms.worth.shape[1]
    held = (evidence.terms.worth[:n] > 0).sum(axis=1) / max(terms, 1)
    cosine = evidence.plain[:n].astype(np.float64)
    with_vector = _COSINE * (cosine - _LEAST_COSINE) + _TERMS * held
    threshold = float(model_card()["threshold"])
    cut = float(np.log(threshold / (1.0 - threshold)))
    result: Floats = cut + np.where(np.isnan(cosine), _KEYWORD_START + _KEYWORD_TERMS * held, with_vector)
    return result
