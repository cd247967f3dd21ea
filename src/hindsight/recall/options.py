"""How recall ranks and what it returns: the settings of the read path, checked once. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Literal

from hindsight.errors import ConfigurationError

Profile = Literal["product", "weighted"]
Fusion = Literal["learned", "weighted", "rrf"]

ROUTES = ("vector", "keyword", "graph", "time", "lessons", "neighbourhood")
PROFILES = ("product", "weighted")
FUSIONS = ("learned", "weighted", "rrf")

EPISODE_FLOOR = 0.95
"""Least decay of an episode, chosen: the fit is flat from 0.5 to 1. A year-old one that answers is still found, and of two that answer
alike today's comes first."""


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Options of a :class:`~hindsight.recall.pipeline.Retriever`; None stands for the fitted or documented value.

    Args:
        profile: how relevance, age, outcome, source and trust become one score.
        fusion: how the routes are joined: the fitted model, fixed weights, or reciprocal ranks.
        routes: which routes run; empty: all.
        k: memories returned where a call names no ``k``; None: 2 to 5 by the complexity of the task.
        token_budget: most tokens of a rendered block; never limits ``hits``.
        min_relevance: least probability of being relevant.
        similarity_threshold: least centred cosine to the query; None: no such cut.
        half_life_days: half-life of episodes; other layers do not age.
        decay_floor: least decay of episodes, 0 to 1; the literature has 0.
        budget_ms: a retrieval past this returns what it has, flagged.
        rerank_budget_ms: a cross-encoder past this leaves the fused order, flagged.
        zone: in which dates are understood and written.
    """

    profile: Profile = "product"
    fusion: Fusion = "learned"
    routes: tuple[str, ...] = ()
    k: int | None = None
    token_budget: int = 1200
    min_relevance: float | None = None
    similarity_threshold: float | None = None
    half_life_days: float = 7.0
    decay_floor: float | None = None
    budget_ms: int = 2000
    rerank_budget_ms: int = 50
    zone: tzinfo = UTC

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.routes) - set(ROUTES)):
            raise ConfigurationError(f"routes: {', '.join(unknown)} is unknown; routes are {', '.join(ROUTES)}.")
        for name, value, allowed in (("profile", self.profile, PROFILES), ("fusion", self.fusion, FUSIONS)):
            if value not in allowed:
                raise ConfigurationError(f"{name}: {value!r} is unknown; {name}s are {', '.join(allowed)}.")

    @property
    def episode_floor(self) -> float:
        """The decay floor in force for episodes."""
        return EPISODE_FLOOR if self.decay_floor is None else self.decay_floor
