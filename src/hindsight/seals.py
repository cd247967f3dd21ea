"""What sealing needs across the ports: the parts of a chain, and who makes, keeps and reads them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from hindsight.records import Event, Memory

T = TypeVar("T")
FIRST = (b"", b"")
"""What stands for the link before the first."""
KEY_BYTES = 4
"""Of what names a key."""
_TOTAL_BYTES = 32


def total_of(terms: Iterable[int]) -> bytes:
    """What stands for a set of links: the sum of their digests (:meth:`Sealer.kept`), modulo 2^256."""
    return (sum(terms) % (1 << 8 * _TOTAL_BYTES)).to_bytes(_TOTAL_BYTES)


@dataclass(frozen=True, slots=True)
class SealedEvent:
    """An event as a seal covers it: ``core`` (seq, memory, namespace, action, actor, channel, time) and the ``texts`` (session, before,
    after, reason) that an erasure takes away.
    """

    core: tuple[Any, ...]
    texts: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class SealLink:
    """One link of a namespace's chain. ``kind``: ``write`` (a record as it is from then on), ``erase``, ``scrub`` (the texts of another
    memory's event went with an erasure), ``broken`` (the end of the chain did not verify when it was to be continued). ``previous`` is
    (key, seal) of the link before it, where that may be gone: it was left before a cut.
    """

    number: int
    kind: str
    memory_id: str
    event: SealedEvent | None
    sequence: int
    key: bytes
    record: bytes
    texts: bytes
    mac: bytes
    previous: tuple[bytes, bytes] | None = None


@dataclass(frozen=True, slots=True)
class SealCut:
    """Where a namespace's chain was cut, sealed itself: up to the link ``number``, whose (key, seal) is ``last``, ``kept`` are left, for which
    ``total`` stands. The history is whole from ``before`` (ISO 8601) on. ``key`` sealed it.
    """

    number: int
    last: tuple[bytes, bytes]
    kept: int
    total: bytes
    before: str
    key: bytes
    seal: bytes


@dataclass(frozen=True, slots=True)
class SealHead:
    """Where a namespace's chain ends: the last link's number and seal, sealed itself."""

    namespace: str
    number: int
    mac: bytes
    key: bytes
    seal: bytes


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record as it stands in the store: ``values`` are what its seal covers, ``seal`` what it carries."""

    id: str
    values: tuple[Any, ...]
    seal: str | None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of an erased memory."""

    id: str
    erased_at: str
    seal: str | None


class Sealer(Protocol):
    """Makes and recomputes seals (``hindsight.guard.seal.Sealer``). ``key`` names the key that seals; ``key=`` one that sealed."""

    key: bytes

    def knows(self, key: bytes) -> bool: ...

    def record(self, values: Sequence[Any], *, key: bytes | None = None) -> bytes: ...

    def texts(self, texts: Sequence[Any], *, key: bytes | None = None) -> bytes: ...

    def link(
        self,
        previous: tuple[bytes, bytes],
        place: tuple[str, int],
        kind: str,
        event: Sequence[Any],
        digests: tuple[bytes, bytes],
        *,
        key: bytes | None = None,
    ) -> bytes: ...

    def head(self, store: str, place: tuple[str, int], mac: bytes, *, key: bytes | None = None) -> bytes: ...

    def kept(self, place: tuple[str, int], link: tuple[bytes, bytes], *, key: bytes | None = None) -> int: ...

    def cut(
        self,
        store: str,
        place: tuple[str, int],
        last: tuple[bytes, bytes],
        kept: tuple[int, bytes],
        before: str,
        *,
        key: bytes | None = None,
    ) -> bytes: ...


class SealHeads(Protocol):
    """Keeps the ends of the chains outside the store, so that a store that was put back as a whole is seen."""

    def put(self, store: str, namespace: str, number: int, mac: bytes) -> None: ...

    def read(self, store: str) -> dict[str, tuple[int, bytes]]:
        """(number, seal) by namespace."""
        ...

    def forget(self, store: str) -> None: ...


class SealAudit(Protocol):
    """A store's chains and records on one snapshot, for verifying. ``store`` is its name in the seals of the heads."""

    store: str

    def heads(self) -> list[SealHead]: ...

    def cut(self, namespace: str) -> SealCut | None:
        """Where the chain was cut; None where it is whole."""
        ...

    def links(self, namespace: str) -> Iterator[SealLink]:
        """In order; with the event that each belongs to, None where that is gone."""
        ...

    def records(self, namespace: str) -> Iterator[KeptRecord]: ...

    def tombstones(self, namespace: str) -> Iterator[Tombstone]: ...

    def strays(self) -> list[tuple[str, str, str]]:
        """(what, namespace, memory id) of what belongs to no chain: links, events, and records or tombstones of unsealed namespaces."""
        ...

    def exported(self) -> dict[str, tuple[int, bytes]]:
        """Heads kept outside the store: (number, seal) by namespace."""
        ...


class HistoryStore(Protocol):
    """What a record store knows of the past beside :meth:`RecordStore.history`."""

    async def events(
        self,
        namespace: str,
        *,
        actor: str | None = None,
        session_id: str | None = None,
        after: datetime | None = None,
        mentioning: str | None = None,
        ids: Sequence[UUID] | None = None,
    ) -> builtins.list[Event]:
        """Events of a namespace that fit everything given, in order; ``mentioning``: whose reason holds this text."""
        ...

    async def latest_events(self, namespace: str, *, limit: int, below: int | None = None) -> builtins.list[Event]:
        """The newest events of a namespace, newest first, without what they changed; ``below``: those numbered lower."""
        ...

    async def children(self, ids: Sequence[UUID]) -> dict[UUID, builtins.list[UUID]]:
        """Which records name each of ``ids`` among their parents, erased ones too; those that nobody names are left out."""
        ...

    async def audit(self, judge: Callable[[SealAudit, Sealer | None], T]) -> T:
        """Let ``judge`` look at the chains of seals, in a thread, with the keys at hand (None: none)."""
        ...

    async def reseal(self) -> int:
        """Seal everything anew as it stands, with the key at hand; how many links. What was sealed before can no longer be proved."""
        ...

    async def changed_since(self, namespace: str, at: datetime) -> builtins.list[Memory]:
        """Records that changed after ``at``, as they are now, whatever their status."""
        ...
