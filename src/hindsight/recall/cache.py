"""Recent answers, kept until the store changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindsight.recall.hit import Hit
from hindsight.recall.request import Request

FRESH = timedelta(seconds=60)
"""An answer serves for this long at most: ages count from now, and memories expire."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer and what it was true of."""

    change: int
    now: datetime
    hits: tuple[Hit, ...]
    language: str


class AnswerCache:
    """At most ``size`` answers, the least recently used goes first. Made for one event loop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._answers: OrderedDict[Request, Kept] = OrderedDict()

    def get(self, request: Request, change: int) -> Kept | None:
        """The answer to the same request, if nothing changed since (``change`` is the store's number) and nothing of it ran out."""
        key = _key(request)
        kept = self._answers.get(key)
        if kept is None:
            return None
        if kept.change != change or not timedelta(0) <= request.now - kept.now <= FRESH or _ran_out(kept.hits, request.now):
            del self._answers[key]
            return None
        self._answers.move_to_end(key)
        return kept

    def put(self, request: Request, kept: Kept) -> None:
        """Keep an answer."""
        if self._size < 1:
            return
        key = _key(request)
        self._answers[key] = kept
        self._answers.move_to_end(key)
        while len(self._answers) > self._size:
            self._answers.popitem(last=False)

    def __len__(self) -> int:
        return len(self._answers)


def _key(request: Request) -> Request:
    """The request without the moment it was made at."""
    epoch = datetime.min.replace(tzinfo=request.now.tzinfo)
    return replace(request, now=epoch, filter=request.filter.model_copy(update={"now": None}))


def _ran_out(hits: Sequence[Hit], now: datetime) -> bool:
    ends = (end for hit in hits for end in (hit.memory.expires_at, hit.memory.valid_to))
    return any(end is not None and end <= now for end in ends)
