"""What upkeep asks of a store beside the records. Import it from ``hindsight.ports``. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from hindsight.records import Kind, Memory, Status
from hindsight.values import NewEvent


@dataclass(frozen=True, slots=True)
class UpkeepState:
    """What the store knows of one upkeep job. ``holder`` runs it until ``lease_until``; ``report`` is the last finished run's, as JSON."""

    name: str
    holder: str | None
    lease_until: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    report: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """What is still known of a record that is no longer in the store: enough to find what speaks of it."""

    id: UUID
    namespace: str
    content: str


@dataclass(frozen=True, slots=True)
class HistoryCut:
    """What to cut of a namespace's history: entries from before a moment that nothing needs. ``keeper`` and ``channel`` are who upkeep is: what
    it erased itself needs no tombstone for ever, and where its reason begins with ``moved``, none at all: the record is kept elsewhere.
    """

    namespace: str
    before: datetime
    keeper: str
    channel: str
    moved: str
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """How far cutting is: first what was left earlier and is not needed any more (``sweep``), then new entries (``cut``). ``removed`` is
    what this step took away.
    """

    phase: Literal["sweep", "cut"] = "sweep"
    after: int = 0
    removed: int = 0
    done: bool = False


class UpkeepStore(Protocol):
    """Leases of upkeep jobs, and the few things that only upkeep does to records."""

    async def begin(self, name: str, holder: str, *, seconds: float, unless_since: datetime | None = None) -> bool:
        """Take the lease of a job; False where another holds it, or one began after ``unless_since``."""
        ...

    async def hold(self, name: str, holder: str, *, seconds: float) -> bool:
        """Prolong it; False where it was lost."""
        ...

    async def end(self, name: str, holder: str, *, report: Mapping[str, Any] | None, error: str | None) -> bool:
        """Give it back with what the run did; False where it was lost. A report of None leaves that of the run before."""
        ...

    async def states(self) -> list[UpkeepState]:
        """Every job that ever ran."""
        ...

    async def scan(
        self, namespace: str, *, statuses: Sequence[Status], kinds: Sequence[Kind], after: int = 0, limit: int = 500, having: str = ""
    ) -> list[tuple[int, Memory]]:
        """The next records of every agent, oldest first, with their rows; ``having``: those alone in which this field may be set."""
        ...

    async def evict(self, ids: Sequence[UUID], event: NewEvent) -> list[UUID]:
        """Take records out that are kept elsewhere: as :meth:`RecordStore.erase`, but what speaks of them stays."""
        ...

    async def scrub(self, traces: Sequence[Trace]) -> None:
        """Remove what speaks of records that are not in the store any more: history, logged retrievals, jobs. Durable and not in the log."""
        ...

    async def scrub_subject(self, namespace: str, words: Sequence[str]) -> dict[str, int]:
        """Remove every turn, logged query, queued job, session and history text that holds one of the (folded) words; how many of each."""
        ...

    async def counts(self, ids: Sequence[UUID]) -> dict[str, int]:
        """How much of records there is in every table and index, by its name."""
        ...

    async def cut_history(self, order: HistoryCut, step: HistoryStep, *, limit: int = 1000) -> HistoryStep:
        """Cut the history by at most so many entries, going on after ``step``: one transaction. Seals stay valid.

        Raises:
            StoreCorrupt: a chain is not whole.
        """
        ...

    async def tune(self) -> dict[str, int]:
        """Refresh the planner's statistics, give back free pages, empty the log; numbers by what they tell."""
        ...
