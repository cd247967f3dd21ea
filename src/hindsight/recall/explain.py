"""Why an answer is what it is: what each route found, how it was scored, what was left out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate: its rank and score on each route that found it (``routes``), its features, and its fate."""

    id: UUID
    routes: Mapping[str, tuple[int, float]]
    features: Mapping[str, float]
    fused: float
    relevance: float
    score: float
    shown: bool
    dropped: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A retrieval laid open. ``timings`` are milliseconds by stage; ``verdict`` answers a ``why`` in one sentence."""

    query: str
    language: str
    understood: Mapping[str, Any]
    weights: Mapping[str, float]
    route_counts: Mapping[str, int]
    candidates: Sequence[Candidate] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    verdict: str | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON-able parts only; what the log of retrievals keeps."""
        return {
            "query": self.query,
            "language": self.language,
            "understood": dict(self.understood),
            "weights": {name: round(value, 4) for name, value in self.weights.items()},
            "routes": dict(self.route_counts),
            "timings_ms": {name: round(value, 2) for name, value in self.timings.items()},
            "verdict": self.verdict,
            "candidates": [
                {
                    "id": str(each.id),
                    "routes": {name: {"rank": rank, "score": round(score, 4)} for name, (rank, score) in each.routes.items()},
                    "features": {name: round(value, 4) for name, value in each.features.items()},
                    "fused": round(each.fused, 4),
                    "relevance": round(each.relevance, 4),
                    "score": round(each.score, 4),
                    "shown": each.shown,
                    "dropped": each.dropped,
                }
                for each in self.candidates
            ],
        }
