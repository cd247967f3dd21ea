"""The system's clock and one that stands still, for tests and replays."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present instant in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that shows ``instant`` until it is set again."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant.astimezone(UTC)

    def now(self) -> datetime:
        """The instant it was set to."""
        return self.instant
