"""Ids in a source: none stands twice, and a copy into another namespace gets ids of its own, always the same ones."""

from __future__ import annotations

import hashlib
from array import array
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from hindsight.records import Memory
from hindsight.remember.importers.source import fault


class SeenIds:
    """The ids of a source, as 64-bit hashes with their lines: 16 bytes an id, whatever the source's size.

    ``taken`` tells that some of them belong to other records of the store.
    """

    def __init__(self) -> None:
        self.taken = False
        self._hashes = array("Q")
        self._lines = array("q")
        self._path: Path | None = None
        self._sorted: np.ndarray[Any, np.dtype[np.uint64]] | None = None

    def add(self, id: str, path: Path, line: int | None) -> None:
        """Note an id."""
        self._path = path
        self._hashes.append(_hash(id))
        self._lines.append(line or 0)

    def refuse_repeats(self) -> None:
        """Raise ``ImportFailed`` where an id stands twice."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64) if self._hashes else np.zeros(0, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        self._sorted = hashes[order]
        same = np.flatnonzero(self._sorted[1:] == self._sorted[:-1])
        if len(same):
            repeats = [(self._lines[order[place + 1]], self._lines[order[place]]) for place in same]
            second, first = min(repeats)
            assert self._path is not None
            raise fault(self._path, second, f"the id stands in line {first:,} already; each record has an id of its own.")

    def links(self, record: Memory) -> dict[str, Any]:
        """Id and links of a record's copy: links inside the source follow, others stay."""
        return {
            "id": copied_id(record.id, record.namespace),
            "supersedes": self._copied(record.supersedes, record.namespace) if record.supersedes else None,
            "conflicts_with": tuple(self._copied(id, record.namespace) for id in record.conflicts_with),
            "parents": tuple(self._copied(id, record.namespace) for id in record.parents),
        }

    def _copied(self, id: UUID, namespace: str) -> UUID:
        assert self._sorted is not None
        wanted = np.uint64(_hash(str(id)))
        place = int(np.searchsorted(self._sorted, wanted))
        known = place < len(self._sorted) and self._sorted[place] == wanted
        return copied_id(id, namespace) if known else id


def copied_id(id: UUID, namespace: str) -> UUID:
    """The id of a record's copy in a namespace: a UUIDv7 of the same millisecond, the rest from a hash."""
    digest = hashlib.blake2b(id.bytes + namespace.encode("utf-8"), digest_size=10).digest()
    value = (id.int >> 80 << 80) | int.from_bytes(digest, "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def _hash(id: str) -> int:
    return int.from_bytes(hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
