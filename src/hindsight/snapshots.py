"""What backups need across the ports: a consistent copy of an open store, a place to put it, and a fresh place to load it into."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """What a snapshot is of. ``counts`` are rows by table."""

    engine: str
    schema_version: int
    embedder: str | None
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Condition:
    """How a store is doing. ``queue_age``: seconds since the oldest open job came; ``stale_leases``: jobs whose worker went silent."""

    queue_age: float
    stale_leases: int
    review_backlog: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class Remark:
    """What an operator should know of an engine: a name, its state, what was found and what to do about it."""

    name: str
    state: Literal["ok", "warn"]
    found: str
    remedy: str = ""


class SnapshotSource(Protocol):
    """An open store that can be copied while it is used."""

    async def write_snapshot(self, folder: Path) -> SnapshotFacts:
        """Write one consistent state as files into an empty folder; working memory of sessions is left out. Writers go on meanwhile.

        Raises:
            StoreUnavailable: there is no room, or the store went away; what was written is of no use.
        """
        ...

    async def note(self, name: str, text: str) -> None:
        """Keep a short text beside the records, for all processes; it replaces the one of that name."""
        ...

    async def noted(self, name: str) -> str | None:
        """The text of that name."""
        ...

    async def condition(self) -> Condition:
        """What an operator watches."""
        ...

    async def without_vector(self) -> int:
        """Active records that search by meaning cannot find."""
        ...

    async def remarks(self) -> list[Remark]:
        """What an operator should know of the engine."""
        ...


class SnapshotTarget(Protocol):
    """Where a snapshot is loaded: beside the place first, then into it at once."""

    place: str
    engine: str

    def check(self, *, replace: bool) -> None:
        """Whether it may be loaded here.

        Raises:
            StoreMisplaced: a store is there and ``replace`` is not given.
            StoreBusy: another process has it open.
        """
        ...

    def load(self, folder: Path, schema_version: int) -> str:
        """Load the files beside the place; the address of the store that came of it, to be looked at before it is taken."""
        ...

    def take(self) -> str | None:
        """Put what was loaded into the place, at once; the address at which the store that was there is kept."""
        ...

    def discard(self) -> None:
        """Remove what was loaded and not taken; safe to call always."""
        ...


class BackupPlace(Protocol):
    """A folder or a bucket. Names have ``/`` between their parts."""

    address: str

    def put(self, name: str, file: Path) -> None:
        """Keep a file under a name; it appears whole or not at all."""
        ...

    def fetch(self, name: str, file: Path) -> None:
        """Write what is kept under a name into a new file."""
        ...

    def names(self) -> builtins.list[str]:
        """Every name, sorted."""
        ...

    def remove(self, names: Sequence[str]) -> None:
        """Forget these; those that are not there do not matter."""
        ...
