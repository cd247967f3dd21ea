"""What was put away is remembered, so that the same text, or one like it, does not come in again. Pure.

A pattern is made of hashes of word sequences; it ends by itself, and with the record that it was made of.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindsight.text.fold import fold

KEPT_FOR = timedelta(days=180)
ALIKE = 0.6
"""Jaccard overlap of three-word sequences from which two texts are one pattern."""
_WORD = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class RejectedPattern:
    """One rejected text: its hashes, when it was put away, until when that counts. ``exact``: a match keeps nothing at all."""

    shingles: frozenset[int]
    since: datetime
    until: datetime
    exact: bool = False


def pattern_of(text: str, now: datetime, *, kept_for: timedelta = KEPT_FOR) -> RejectedPattern:
    """The pattern of a text that was put away at ``now``."""
    return RejectedPattern(shingles(text), now, now + kept_for)


def shingles(text: str) -> frozenset[int]:
    """Hashes of the sequences of three words (or Han characters) of the folded text; of all its words where there are fewer."""
    words = _WORD.findall(fold(text[:20_000]))
    if not words:
        return frozenset()
    size = min(3, len(words))
    return frozenset(_hash(" ".join(words[start : start + size])) for start in range(len(words) - size + 1))


def find_rejected(text: str, patterns: Iterable[RejectedPattern], now: datetime) -> RejectedPattern | None:
    """The pattern that the text falls under, with ``exact`` set where it is the very text; None where it is none."""
    own: frozenset[int] | None = None
    for pattern in patterns:
        if not pattern.since <= now < pattern.until:
            continue
        own = shingles(text) if own is None else own
        union = len(own | pattern.shingles)
        if union and len(own & pattern.shingles) / union >= ALIKE:
            return RejectedPattern(pattern.shingles, pattern.since, pattern.until, exact=own == pattern.shingles)
    return None


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
