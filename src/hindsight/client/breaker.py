"""A circuit breaker: a server that does not answer is left alone for a while, so that nobody waits for it in every turn."""

from __future__ import annotations

import time
from collections.abc import Callable

FAILURES = 3
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0


class CircuitBreaker:
    """Opens after ``failures`` in a row; after a pause, doubled each time up to ``longest``, one call may try again.

    Args:
        failures: in a row, until it opens.
        pause: seconds that it stays open at first.
        longest: most seconds.
        now: seconds of a clock that never goes back.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        pause: float = FIRST_PAUSE,
        longest: float = LONGEST_PAUSE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failures = failures
        self._first = pause
        self._longest = longest
        self._now = now
        self._pause = pause
        self._count = 0
        self._until: float | None = None
        self._trying: float | None = None

    @property
    def open(self) -> bool:
        """Whether calls are held back now."""
        return self._until is not None and (self._now() < self._until or self._trying is not None)

    def may_call(self) -> bool:
        """Whether a call may go out; past the pause the first one that asks may, and the others wait for how it fares."""
        if self._until is None:
            return True
        now = self._now()
        if self._trying is not None and now < self._trying + self._first:
            return False  # one that never reported back (it was cancelled) does not keep it shut for ever
        if now < self._until:
            return False
        self._trying = now
        return True

    def succeeded(self) -> None:
        """The server answered."""
        self._count, self._until, self._trying, self._pause = 0, None, None, self._first

    def failed(self) -> None:
        """It did not."""
        self._count += 1
        if self._until is not None or self._count >= self._failures:
            self._pause = min(self._pause * 2, self._longest) if self._until is not None else self._first
            self._until = self._now() + self._pause
            self._trying = None
