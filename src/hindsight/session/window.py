"""The window: which turns stay in sight when not all fit. Pure.

A turn's worth is 0.4 recency + 0.4 importance + 0.2 relevance to the current turn, each between 0 and 1; the least worthy goes
first. The current turn never goes, nor does a pinned one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from hindsight.records import Role
from hindsight.text.tokens import query_tokens

if TYPE_CHECKING:
    from hindsight.remember.distil.findings import Finding

RECENCY_WEIGHT, IMPORTANCE_WEIGHT, RELEVANCE_WEIGHT = 0.4, 0.4, 0.2
RECENCY_HALF = 12
"""After so many further turns recency has halved."""
_SIGNAL_IMPORTANCE = {"constraint": 1.0, "remember": 0.9, "outcome": 0.75, "identity": 0.7, "preference": 0.7}
_PLAIN, _SLIGHT = 0.4, 0.1
_SLIGHT_CHARACTERS = 12

KEPT_CHARACTERS = 4_000
"""A longer turn is cut in the window; the raw log has the whole of it."""

Counter = Callable[[str], int]
"""Tokens of a text for the model that reads the window."""


class WindowTurn(BaseModel):
    """A turn in the window. ``importance`` is 0..1; ``tokens`` is its length with its speaker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int
    content: str
    role: Role = Role.USER
    speaker: str | None = None
    at: datetime | None = None
    importance: float = Field(_PLAIN, ge=0, le=1)
    pinned: bool = False
    tokens: int = 0


def importance_of(content: str, findings: Sequence[Finding] | None = None, *, role: Role = Role.USER) -> float:
    """How much would be missed: what it states, else its substance; "ok, thanks" has little."""
    if findings is None:
        from hindsight.remember.distil.findings import find_signals

        findings = find_signals(content, role)
    stated = max((_SIGNAL_IMPORTANCE[signal] for each in findings for signal in each.signals), default=0.0)
    if stated:
        return stated
    return _SLIGHT if len(content.strip()) <= _SLIGHT_CHARACTERS else _PLAIN


def recency(turn: WindowTurn, last: int) -> float:
    """1 for the newest turn (``last`` is its position), halved every ``RECENCY_HALF`` turns."""
    return float(math.pow(0.5, max(0, last - turn.position) / RECENCY_HALF))


def relevance(turn: WindowTurn, current: str) -> float:
    """Share of the current turn's terms that the turn contains."""
    wanted = set(query_tokens(current))
    return len(wanted & set(query_tokens(turn.content))) / len(wanted) if wanted else 0.0


def worth(turn: WindowTurn, *, last: int, current: str) -> float:
    """The eviction score; higher stays longer."""
    return RECENCY_WEIGHT * recency(turn, last) + IMPORTANCE_WEIGHT * turn.importance + RELEVANCE_WEIGHT * relevance(turn, current)


def fitting(turns: Sequence[WindowTurn], budget: int, *, current: str | None = None) -> tuple[WindowTurn, ...]:
    """The worthiest turns within ``budget`` tokens, in order. ``current`` defaults to the newest turn's text."""
    if not turns:
        return ()
    newest = max(turns, key=lambda turn: turn.position)
    text = newest.content if current is None else current
    ranked = sorted(
        turns,
        key=lambda turn: (turn is not newest, not turn.pinned, -worth(turn, last=newest.position, current=text), -turn.position),
    )
    kept: list[WindowTurn] = []
    left = budget
    for turn in ranked:
        if turn.tokens <= left or (turn is newest and not kept):
            kept.append(turn)
            left -= turn.tokens
    return tuple(sorted(kept, key=lambda turn: turn.position))
