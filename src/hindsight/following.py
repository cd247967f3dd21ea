"""What keeps a vector engine beside the store equal to it: what the store tells, and what the engine is asked. No I/O.

The store's list of changes, written in the transaction of each record, is the outbox. A follower reads what changed after its mark, brings
the engine up to it, and moves the mark: done twice, it changes nothing.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from hindsight.records import Filter, Memory
from hindsight.values import Rows, Vector

NOTE = "vector-engine"
"""Under which the store notes how far its engine is."""


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """One record as an engine keeps it: where it lies, what filters ask for, and no text of it.

    ``language`` is the store's code, ``starts`` and ``ends`` are the event's time in Unix seconds, ``entities`` folded names. ``vector``
    ``(d,)`` is raw, None where the record as a whole has none; ``passages`` are ``(n, d)``.
    """

    row: int
    memory: Memory
    language: int
    starts: float
    ends: float
    entities: tuple[str, ...]
    vector: Vector | None
    passages: Vector | None

    @property
    def id(self) -> UUID:
        """The record's."""
        return self.memory.id


@dataclass(frozen=True, slots=True)
class Following:
    """How far an engine is.

    Args:
        collection: where the store's points lie; no other store uses it.
        model, dimension: what made the vectors.
        change: every change up to this one is in the engine.
        mark: of the last batch that is known to be in the engine; the engine has the same one, or it is not this store's copy.
        intent: of the batch that was begun after it, None between batches.
        row: the records after this one are still to be filled in, whatever changed; None: all are there.
        before: while it is filled, the collection that searches go on with, and the change up to which that one is.
        leaving: collections that are to be dropped.
        rebuild: somebody wishes a new collection.
    """

    collection: str
    model: str
    dimension: int
    change: int
    mark: str
    intent: str | None = None
    row: int | None = None
    before: tuple[str, int] | None = None
    leaving: tuple[str, ...] = ()
    rebuild: bool = False

    @property
    def searched(self) -> tuple[str, int] | None:
        """The collection that searches ask, and the change up to which it is; None while the first one is being filled."""
        return (self.collection, self.change) if self.row is None else self.before

    def as_text(self) -> str:
        """For the note."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, text: str | None) -> Following | None:
        """From the note; None where there is none."""
        if not text:
            return None
        fields = json.loads(text)
        before = tuple(fields["before"]) if fields["before"] else None
        return cls(**{**fields, "before": before, "leaving": tuple(fields["leaving"])})


@dataclass(frozen=True, slots=True)
class Changed:
    """Rows that changed, up to which change they were read, and whether older changes are gone that nobody read (``rows`` are not all)."""

    rows: tuple[int, ...]
    change: int
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Nearest:
    """A question to an engine. ``languages`` are all codes that records of the namespace may have; ``passages``: whether any has some."""

    filter: Filter
    now: datetime
    vector: Vector
    wanted: int
    languages: tuple[int, ...]
    passages: bool


class ChangeFeed(Protocol):
    """The store's side."""

    async def following(self) -> Following | None:
        """How far the engine is; None where there never was one."""
        ...

    async def move(self, before: Following | None, after: Following) -> bool:
        """Note it, durable; False, and nothing is noted, where another follower did so since ``before`` was read."""
        ...

    async def model(self) -> tuple[str, int] | None:
        """What made the vectors that are in use, and their dimension; None where there are none."""
        ...

    async def change_number(self) -> int:
        """The last change."""
        ...

    async def changed(self, after: int, limit: int) -> Changed:
        """The next rows that changed."""
        ...

    async def last_row(self) -> int:
        """The newest row, 0 where there is none."""
        ...

    async def rows_after(self, row: int, limit: int) -> builtins.list[int]:
        """The next rows that there are."""
        ...

    async def points(self, rows: Sequence[int]) -> builtins.list[IndexPoint]:
        """Those of the rows that are there and have a vector, on one snapshot."""
        ...

    async def count(self) -> int:
        """How many records have a vector."""
        ...

    async def sampled(self, number: int) -> builtins.list[IndexPoint]:
        """About so many records with a vector, from all over the store."""
        ...


class VectorEngine(Protocol):
    """The engine's side; every call blocks, and raises ``IndexUnavailable`` where the engine does not do it in time.

    What writes returns when the engine has confirmed it. Every call may be repeated.
    """

    name: str
    place: str

    async def open(self) -> None:
        """Connect where it answers; where it does not, that is no error yet.

        Raises:
            ConfigurationError: there cannot be one at this address.
        """
        ...

    async def close(self) -> None:
        """Disconnect; safe to call twice."""
        ...

    async def fault(self) -> str | None:
        """Why calls go on without it; None where it answers."""
        ...

    def create(self, collection: str, dimension: int, mark: str) -> None:
        """Make an empty collection, or leave the one of this name."""
        ...

    def drop(self, collection: str) -> None:
        """Remove a collection, where there is one."""
        ...

    def mark(self, collection: str) -> str | None:
        """The mark of the last batch; None where there is no such collection."""
        ...

    def write(self, collection: str, points: Sequence[IndexPoint], gone: Sequence[int], mark: str | None) -> None:
        """Put points in the place of older ones, remove the rows ``gone``, then set the mark, where one is given."""
        ...

    def sweep(self, collection: str, after: int, upto: int | None, keep: Sequence[int]) -> None:
        """Remove the rows behind ``after`` up to ``upto`` (None: all) but those to ``keep``."""
        ...

    def remove(self, collection: str, ids: Sequence[UUID]) -> None:
        """Remove records, and see that they are gone; somebody waits for it."""
        ...

    def nearest(self, collection: str, asked: Nearest) -> Iterator[Rows]:
        """Rows by the products of their raw vectors with the query's, language by language, in batches, roughly best first."""
        ...

    def count(self, collection: str) -> int:
        """How many points there are."""
        ...

    def held(self, collection: str, ids: Sequence[UUID]) -> int:
        """How many of these there are."""
        ...

    def differing(self, collection: str, points: Sequence[IndexPoint]) -> builtins.list[UUID]:
        """Those that the engine does not have just so."""
        ...

    def snapshot(self, collection: str) -> str:
        """Let the engine write a snapshot of the collection beside its data; the name of it."""
        ...
