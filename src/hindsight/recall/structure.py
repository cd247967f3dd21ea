"""Signs that nothing stored answers a query, whatever matches best: the one it names did not say it, the thing it names is
in no memory, nothing happened when it asks about. Scores alone hardly tell unanswerable questions from others.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.evidence import Evidence
from hindsight.recall.model import model_card
from hindsight.recall.understand import Understood

Floats = NDArray[np.float32]

TOP = 5
"""So many of the best are looked at."""


def doubts(query: Understood, evidence: Evidence, fused: Floats) -> dict[str, float]:
    """Signs against an answer, each 0 (none) to 1.

    ``other_speaker``: the best is not by the one speaker the query names; ``no_speaker``: none of the best is. ``unknown_terms``: the
    share of the query's terms that no memory holds; ``uncovered``: the share of their weight that no one of the best, with what stands
    beside it, holds. ``no_time``: nothing of the best lies in the time asked for.
    """
    n = evidence.count
    best = np.argsort(-fused, kind="stable")[:TOP]
    signs = dict.fromkeys(("other_speaker", "no_speaker", "unknown_terms", "uncovered", "no_time"), 0.0)
    if not n:
        return signs
    if len(query.speakers) == 1:
        said = evidence.columns.speaker[:n][best] == query.speakers[0]
        signs["other_speaker"], signs["no_speaker"] = float(not said[0]), float(not said.any())
    idf = evidence.terms.idf
    content = np.where(query.about_name, 0.0, idf)
    if len(idf):
        signs["unknown_terms"] = float(np.mean(idf[~query.about_name] == 0)) if not query.about_name.all() else 0.0
    if content.sum() > 0:
        beside = evidence.beside[best]
        held = (evidence.terms.worth[best] > 0) | np.where(beside[:, :, None] >= 0, evidence.terms.worth[beside] > 0, False).any(axis=1)
        signs["uncovered"] = 1.0 - float((held @ content).max() / content.sum())
    if evidence.ranges:
        moments = evidence.columns.occurred[:n][best]
        inside = np.zeros(len(best), dtype=np.bool_)
        for start, end in evidence.ranges:
            inside |= (moments >= start) & (moments < end)
        signs["no_time"] = float(not inside.any())
    return signs


def doubt_weight(signs: Mapping[str, float]) -> float:
    """What the signs take from the log-odds of relevance; 0 where there are none."""
    weights: Mapping[str, float] = model_card()["doubts"]
    return float(sum(weights.get(name, 0.0) * value for name, value in signs.items()))
