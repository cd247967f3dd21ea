"""Scoring profiles: how relevance, age, outcome, source and trust become the one number that memories are ranked by.

``product``   relevance × decay × outcome × source × trust × usefulness
``weighted``  0.6 rerank + 0.2 importance + 0.1 recency + 0.1 confidence

decay = floor + (1 - floor) · 2^(-age / half-life); only episodes age. With the floor 0 and the half-life 7 days this is
the exponential forgetting of the literature (Park et al., "Generative Agents", 2023, use the same form per hour); the
fitted floor is close to 1, because evidence for a question does not become less true with age.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.ports import Columns
from hindsight.recall.options import Profile
from hindsight.records import LAYER_OF, OUTCOME_WEIGHT, SOURCE_WEIGHT, Kind, Layer, Outcome, Source

Floats = NDArray[np.float64]

DAY = 86_400.0
PRIOR_HELPFUL, PRIOR_HARMFUL = 4.0, 1.0
"""A memory begins as if it had helped four times and harmed once."""
WEIGHTED = {"rerank": 0.6, "importance": 0.2, "recency": 0.1, "confidence": 0.1}

_AGES = np.array([LAYER_OF[kind] is Layer.EPISODIC for kind in Kind] + [False])
_OUTCOME = np.array([OUTCOME_WEIGHT[outcome] for outcome in Outcome] + [OUTCOME_WEIGHT[Outcome.UNKNOWN]])
_SOURCE = np.array([SOURCE_WEIGHT[source] for source in Source] + [SOURCE_WEIGHT[Source.OBSERVED]])
# The last entry answers to the code -1, "none".


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of rows and the factors they were made of; parallel arrays."""

    total: Floats
    factors: dict[str, Floats]


def decay(age_days: NDArray[np.floating], half_life_days: float, floor: float) -> Floats:
    """``floor + (1 - floor) · 2^(-age / half-life)``, in [floor, 1]; what lies in the future has the age 0.

    >>> [round(float(value), 3) for value in decay(np.array([0.0, 7.0, 14.0]), 7.0, 0.0)]
    [1.0, 0.5, 0.25]
    """
    age = np.maximum(np.asarray(age_days, dtype=np.float64), 0.0)
    return floor + (1.0 - floor) * np.exp2(-age / half_life_days)


def ages_in_days(columns: Columns, now: float) -> Floats:
    """Age of each row's event at ``now`` (Unix seconds); of its writing, where the event has no time."""
    moment = np.where(np.isnan(columns.occurred), columns.created, columns.occurred)
    return (now - moment) / DAY


def usefulness(helpful: Any, harmful: Any) -> Any:
    """What feedback makes of a memory: the mean of a Beta distribution over that of its prior, Beta(4, 1); 1 without votes.

    With h helpful and x harmful votes ((4 + h) / (5 + h + x)) / (4 / 5): 1.25 at most, 0.83, 0.71, 0.63 after one to three harmful ones.

    >>> round(usefulness(0, 0), 2), round(usefulness(0, 1), 2)
    (1.0, 0.83)
    """
    return (
        (PRIOR_HELPFUL + helpful) / (PRIOR_HELPFUL + PRIOR_HARMFUL + helpful + harmful) / (PRIOR_HELPFUL / (PRIOR_HELPFUL + PRIOR_HARMFUL))
    )


def score(
    profile: Profile,
    columns: Columns,
    relevance: NDArray[np.floating],
    *,
    now: float,
    half_life_days: float,
    episode_floor: float,
    rerank: NDArray[np.floating] | None = None,
) -> Scores:
    """The profile's score of each row.

    Args:
        profile: which of the two.
        columns: attributes of the rows.
        relevance: calibrated, 0 to 1.
        now: Unix seconds from which ages count.
        half_life_days: of episodes.
        episode_floor: least decay of episodes.
        rerank: a cross-encoder's scores brought to 0..1; relevance stands in where there is none.
    """
    aged = decay(ages_in_days(columns, now), half_life_days, episode_floor)
    recency = np.where(_AGES[columns.kind], aged, 1.0)
    best = np.asarray(relevance if rerank is None else rerank, dtype=np.float64)
    if profile == "weighted":
        parts: dict[str, Floats] = {
            "rerank": best,
            "importance": columns.importance.astype(np.float64),
            "recency": recency,
            "confidence": columns.confidence.astype(np.float64),
        }
        total = np.sum([WEIGHTED[name] * part for name, part in parts.items()], axis=0)
        return Scores(total, parts)
    parts = {
        "relevance": best,
        "decay": recency,
        "outcome": _OUTCOME[columns.outcome],
        "source": _SOURCE[columns.source],
        "trust": columns.trust.astype(np.float64),
        "usefulness": usefulness(columns.helpful.astype(np.float64), columns.harmful.astype(np.float64)),
    }
    return Scores(np.prod(list(parts.values()), axis=0), parts)
