"""The cold store: segments of records outside the database, in a folder or bucket, as zstd-packed JSONL with checksums.

A segment is written once, before anything leaves the store, under a name that follows from what it holds: written again it is the same
file. Its first line tells which records it holds, and the SHA-256 of the lines that follow, one record each.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hindsight.errors import StoreCorrupt, StoreUnavailable
from hindsight.records import Memory
from hindsight.scratch import scratch
from hindsight.snapshots import BackupPlace

FORM = 1
SUFFIX = ".jsonl.zst"
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment: its name, the namespace, and (id, version) of each record."""

    name: str
    namespace: str
    held: tuple[tuple[UUID, int], ...]


@dataclass(frozen=True, slots=True)
class ColdContents:
    """What lies in the cold store at ``address``: segments and records that can be read, and what is wrong with the other segments."""

    address: str
    segments: int
    records: int
    damaged: tuple[str, ...]


class ColdStore:
    """Puts records away and finds them again. The place's calls block, and run in threads."""

    def __init__(self, place: BackupPlace) -> None:
        self._place = place
        self._known: dict[str, Segment] = {}
        self.address = place.address
        self.damaged: dict[str, str] = {}
        """Segments that could not be read when they were last looked at, with what is wrong: the others are used all the same."""

    async def put(self, memories: Sequence[Memory]) -> Segment:
        """Write records of one namespace as one segment; durable when it returns.

        Raises:
            StoreUnavailable: there is no room, or the place does not answer; nothing was written.
        """
        segment = await asyncio.to_thread(self._put, memories)
        self._known[segment.name] = segment
        return segment

    async def segments(self) -> list[Segment]:
        """Every segment that can be read, by name; the others are in :attr:`damaged`."""
        return await asyncio.to_thread(self._segments)

    async def contents(self) -> ColdContents:
        """Everything read and checked against its checksum.

        Raises:
            StoreUnavailable: the place does not answer or may not be read.
        """
        self._known.clear()
        found = await self.segments()
        return ColdContents(self.address, len(found), sum(len(each.held) for each in found), tuple(self.damaged.values()))

    async def where(self, ids: Iterable[UUID]) -> dict[UUID, tuple[Segment, int]]:
        """The segment and version of each of the records that are here; of several copies the newest."""
        wanted = set(ids)
        found: dict[UUID, tuple[Segment, int]] = {}
        for segment in await self.segments():
            for id, version in segment.held:
                if id in wanted and (id not in found or found[id][1] < version):
                    found[id] = (segment, version)
        return found

    async def read(self, segment: Segment) -> list[Memory]:
        """The records of a segment.

        Raises:
            StoreCorrupt: its checksum does not fit.
        """
        return [Memory.model_validate_json(line) for line in (await asyncio.to_thread(self._read, segment.name))[1]]

    async def remove(self, ids: Iterable[UUID]) -> int:
        """Write every segment that holds one of the records anew without it, then take the old one away; how many segments changed."""
        gone = set(ids)
        changed = 0
        for segment in await self.segments():
            if any(id in gone for id, _ in segment.held):
                left = [memory for memory in await self.read(segment) if memory.id not in gone]
                kept = await self.put(left) if left else None
                if kept is None or kept.name != segment.name:
                    await asyncio.to_thread(self._place.remove, [segment.name])
                    self._known.pop(segment.name, None)
                changed += 1
        return changed

    def _put(self, memories: Sequence[Memory]) -> Segment:
        import zstandard

        first = memories[0]
        lines = [memory.model_dump_json(exclude_none=True) for memory in memories]
        body = "".join(f"{line}\n" for line in lines).encode("utf-8")
        held = tuple((memory.id, memory.version) for memory in memories)
        digest = hashlib.sha256(body).hexdigest()
        header = {
            "form": FORM,
            "namespace": first.namespace,
            "records": [[str(id), version] for id, version in held],
            "sha256": digest,
        }
        name = f"{_folder(first.namespace)}/{first.created_at:%Y%m%d}-{digest[:20]}{SUFFIX}"
        packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(
            (json.dumps(header, ensure_ascii=False) + "\n").encode("utf-8") + body
        )
        try:
            with scratch("cold") as folder:
                file = folder / "segment"
                file.write_bytes(packed)
                self._place.put(name, file)
        except OSError as error:
            raise StoreUnavailable(
                f"the cold store {self.address} could not be written: {error.strerror or error}; free some space. Nothing was archived."
            ) from error
        return Segment(name, first.namespace, held)

    def _segments(self) -> list[Segment]:
        names = [name for name in self._place.names() if name.endswith(SUFFIX)]
        for gone in set(self._known) - set(names):
            del self._known[gone]
        damaged: dict[str, str] = {}
        for name in names:
            if name not in self._known:
                try:
                    header, _ = self._read(name)
                except StoreCorrupt as error:
                    damaged[name] = str(error)
                    continue
                held = tuple((UUID(id), int(version)) for id, version in header["records"])
                self._known[name] = Segment(name, str(header["namespace"]), held)
        self.damaged = damaged
        return [self._known[name] for name in names if name in self._known]

    def _read(self, name: str) -> tuple[dict[str, Any], list[bytes]]:
        import zstandard

        with scratch("cold") as folder:
            file = folder / "segment"
            self._place.fetch(name, file)
            data = file.read_bytes()
        try:
            plain = zstandard.ZstdDecompressor().decompressobj().decompress(data)
            first, _, body = plain.partition(b"\n")
            header = json.loads(first)
        except (zstandard.ZstdError, ValueError) as error:
            raise StoreCorrupt(
                f"{self.address}/{name} of the cold store is damaged ({error}); take it from a backup of that place."
            ) from error
        if header.get("form") != FORM or hashlib.sha256(body).hexdigest() != header.get("sha256"):
            raise StoreCorrupt(f"{self.address}/{name} of the cold store does not fit its checksum; take it from a backup of that place.")
        return header, body.splitlines()


def _folder(namespace: str) -> str:
    """The folder of a namespace: its name may hold anything, a folder's may not."""
    return hashlib.sha256(namespace.encode("utf-8")).hexdigest()[:16]
