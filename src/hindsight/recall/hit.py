"""One memory of an answer, and the words that may be attached to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hindsight.records import Memory

Label = Literal["inferred", "conflict", "lesson", "unconfirmed", "superseded", "archived"]
"""``conflict``: another memory says otherwise and nobody has decided; ``lesson``: shown in the reserved place; ``unconfirmed``: the
session says otherwise; ``superseded`` and ``archived`` only come up when asked for (``at=``, ``cold=True``)."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory of an answer.

    Args:
        memory: the record.
        score: what it was ranked by, the profile's score.
        relevance: calibrated probability that it answers the query, 0 to 1, comparable across queries and languages.
        routes: which routes found it.
        labels: what a reader must know of it.
        factors: what the score was made of, by name.
    """

    memory: Memory
    score: float
    relevance: float
    routes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
