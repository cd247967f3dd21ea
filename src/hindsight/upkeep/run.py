"""What every upkeep job is given, and what it hands back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from hindsight.ports import ChatModel, Clock, LearningStore, NewEvent, RecordStore, UpkeepStore
from hindsight.records import Channel, EventAction, Principal
from hindsight.remember.commit import event_of
from hindsight.remember.writer import Writer
from hindsight.upkeep.cold import ColdStore
from hindsight.upkeep.follow import Follower

AGENT = "upkeep"
"""Under this name upkeep stands in the history of what it changes."""
PRINCIPAL = Principal(agent=AGENT, channel=Channel.REFLECTION)
LISTED = 200
"""Items that a report lists; the counts tell of all."""


@dataclass(frozen=True, slots=True)
class UpkeepOptions:
    """How upkeep works.

    Args:
        hot_days: episodes that nobody touched for so long are archived.
        cold_days: archived episodes stay in the store for so long, then in the cold store alone; 0: always.
        history_days: older entries of the history that nothing needs any more go; 0: never.
        forget_below: memories whose worth is below this are forgotten.
        schedule: a cron line by job; jobs without one run by hand alone. None: nothing runs by itself.
    """

    hot_days: float = 30.0
    cold_days: float = 30.0
    history_days: float = 90.0
    forget_below: float = 0.15
    schedule: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class UpkeepTools:
    """What the jobs work with. ``cold`` is None where no cold store is set, ``follower`` where no engine holds vectors beside the store."""

    store: RecordStore
    upkeep: UpkeepStore
    learning: LearningStore
    writer: Writer
    clock: Clock
    options: UpkeepOptions
    zone: tzinfo
    cold: ColdStore | None = None
    chat: ChatModel | None = None
    legal_hold: str = ""
    follower: Follower | None = None


@dataclass(slots=True)
class Run:
    """One run of a job. ``id`` marks the events that it writes: `hindsight undo --session ID` takes them back.

    ``since`` is when the last finished run began: what did not change since need not be looked at again.
    """

    name: str
    id: str
    now: datetime
    dry_run: bool = False
    since: datetime | None = None
    counts: Counter[str] = field(default_factory=Counter)
    items: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def event(self, action: EventAction, reason: str | None = None) -> NewEvent:
        """An event of this run."""
        return event_of(action, PRINCIPAL, self.now, session_id=self.id, reason=reason)

    def list(self, **item: Any) -> None:
        """Tell of one thing that was, or would be, done."""
        if len(self.items) < LISTED:
            self.items.append(item)

    def note(self, text: str) -> None:
        """Tell what a person should know; each thing once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did. ``counts`` are numbers by what they count, for people and metrics; ``error`` is why it stopped before its end."""

    name: str
    run: str
    dry_run: bool
    started: datetime
    seconds: float
    counts: Mapping[str, int]
    items: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            "run": self.run,
            "dry_run": self.dry_run,
            "started": self.started.isoformat(),
            "seconds": round(self.seconds, 3),
            "counts": dict(self.counts),
            "items": [dict(each) for each in self.items],
            "notes": list(self.notes),
            "error": self.error,
        }
