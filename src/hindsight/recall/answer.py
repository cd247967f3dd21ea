"""What a retrieval answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Literal
from uuid import UUID

from hindsight.recall.explain import Explanation
from hindsight.recall.hit import Hit, Label
from hindsight.recall.render import render_block

__all__ = ["Flag", "Hit", "Label", "Recall"]

Flag = Literal["timeout", "rerank_timeout", "keyword_only", "degraded", "cold", "cached", "empty_query", "abstained"]
"""``timeout``: the time budget ran out, the answer may lack candidates; ``rerank_timeout``: the fused order is returned;
``keyword_only``: there was no vector for the query; ``degraded``: a route failed; ``cold``: archived memories were searched too;
``cached``: the answer of a moment ago, nothing having changed since; ``abstained``: candidates were found and all held irrelevant."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to one retrieval: the hits, best first, and what is worth knowing of how they were found.

    Args:
        id: names the retrieval in the log, for explanations and feedback.
        query: as it was asked, without what cannot be encoded.
        hits: the memories, best first.
        flags: what was not as usual.
        language: of the query and of the rendered block, ``zh`` or ``en``.
        took_ms: how long the retrieval took.
        timings: milliseconds by stage: ``load`` (of model and namespace, before the time budget begins), ``understand``, ``embed``, ``routes``,
            ``fuse``, ``select`` and, inside it, ``rerank``; a stage that was not run is not there.
        explanation: how it came about, where ``explain=True`` was asked.
        token_budget: most tokens of the rendered block.
        zone: in which dates are written.
    """

    id: UUID
    query: str
    hits: tuple[Hit, ...] = ()
    flags: tuple[Flag, ...] = ()
    language: str = "en"
    took_ms: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    explanation: Explanation | None = None
    token_budget: int = 1200
    zone: tzinfo = UTC

    def render(self, budget: int | None = None) -> str:
        """The hits as a ``<memory_context>`` block for a prompt, within ``budget`` tokens; empty where there are none."""
        return render_block(self.hits, self.language, self.token_budget if budget is None else budget, self.zone)
