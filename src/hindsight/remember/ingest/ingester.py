"""Ingesting: what documents say now becomes knowledge, what they said before and say no more is retired."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hindsight.errors import ContentTooLarge, InvalidInput
from hindsight.ports import RecordStore
from hindsight.records import Channel, Filter, Kind, Memory, Ref, Status, StoreStatus, Visibility
from hindsight.remember.attribute import Attribution
from hindsight.remember.change import Changer
from hindsight.remember.ingest.files import MOST_TEXT_BYTES, Document, Unreadable, document_of, documents_in, read_document
from hindsight.remember.writer import Writer
from hindsight.text.fold import sanitise

PAGE = 500
LONGEST_KEY = 1_000
_KNOWN = (Status.ACTIVE, Status.PENDING, Status.QUARANTINED, Status.ARCHIVED)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What ingesting did, in chunks but for ``documents`` and ``skipped``.

    ``stored`` are new and can be recalled, ``held`` are new and wait for a person, because the guard holds them back; ``refused`` were not
    kept at all; ``unchanged`` were there already, ``returned`` had been retired and are back; ``retired`` are no longer in their document.
    ``skipped`` names files that could not be read, with the reason; what was known of them stays.
    """

    documents: int
    chunks: int
    stored: int
    held: int
    refused: int
    unchanged: int
    returned: int
    retired: int
    skipped: tuple[tuple[str, str], ...]
    seconds: float


class Ingester:
    """Ingests for one caller, by the channel ``document``."""

    def __init__(self, store: RecordStore, writer: Writer, changer: Changer, attribution: Attribution) -> None:
        self._store = store
        self._writer = writer
        self._changer = changer
        principal = attribution.principal.model_copy(update={"channel": Channel.DOCUMENT})
        self._attribution = replace(attribution, principal=principal)

    async def run(
        self,
        path: Path,
        *,
        name: str | None = None,
        namespace: str | None = None,
        shared: bool = False,
        exclude: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> IngestReport:
        """Ingest a file or folder; see :meth:`hindsight.Hindsight.ingest`."""
        started = time.monotonic()
        pool = self._attribution.namespace_for(namespace)
        root = await asyncio.to_thread(lambda: path.expanduser().resolve())
        single = await asyncio.to_thread(root.is_file)
        source = _source(name or root.as_posix())
        paths = await asyncio.to_thread(lambda: list(documents_in(root, exclude)))
        known = await self._known(pool, f"doc:{source}#" if single else f"doc:{source}/")
        run = _Run(known)
        for number, each in enumerate(paths):
            document = source if single else f"{source}/{each.relative_to(root).as_posix()}"
            try:
                found = await asyncio.to_thread(read_document, each)
            except Unreadable as error:
                run.skip(document, str(error))
                continue
            await self._keep(run, found, document, pool, shared=shared)
            if progress is not None:
                progress(number + 1, len(paths))
        await self._retire(run)
        return run.report(started)

    async def run_text(self, text: str, *, name: str, namespace: str | None = None, shared: bool = False) -> IngestReport:
        """Ingest a text under a document's name; see :meth:`hindsight.Hindsight.ingest_text`."""
        started = time.monotonic()
        pool = self._attribution.namespace_for(namespace)
        source, clean = _source(name), sanitise(text).replace("\r\n", "\n").replace("\r", "\n")
        if not clean.strip():
            raise InvalidInput(f"text: {source} says nothing; to take a document away, forget what its key prefix 'doc:{source}' lists.")
        if (size := len(clean.encode("utf-8"))) > MOST_TEXT_BYTES:
            raise ContentTooLarge(
                f"text: {source} has {size:,} bytes, over the limit of {MOST_TEXT_BYTES:,}; give it in parts with names of their own."
            )
        run = _Run(await self._known(pool, f"doc:{source}#"))
        await self._keep(run, await asyncio.to_thread(document_of, Path(source), clean), source, pool, shared=shared)
        await self._retire(run)
        return run.report(started)

    async def _keep(self, run: _Run, found: Document, document: str, pool: str, *, shared: bool) -> None:
        run.counts["documents"] += 1
        drafts = drafts_of(found, document, pool, shared=shared)
        run.counts["chunks"] += len(drafts)
        fresh = []
        for draft in drafts:
            standing = run.take(draft["idempotency_key"])
            if standing is None:
                fresh.append(draft)
            elif standing.status is Status.ARCHIVED:
                await self._changer.restore(standing.id)
                run.counts["returned"] += 1
            else:
                run.counts["unchanged"] += 1
        for result in await self._writer.store(fresh, self._attribution) if fresh else ():
            if result.status in (StoreStatus.PENDING, StoreStatus.QUARANTINED):
                run.counts["held"] += 1
            elif result.status is StoreStatus.DUPLICATE:
                run.counts["unchanged"] += 1
            else:
                run.counts["stored" if result.id is not None else "refused"] += 1

    async def _retire(self, run: _Run) -> None:
        """Archive what no document says any more; what the guard holds in quarantine stays for whoever reviews it."""
        for memory in run.left():
            if await self._changer.forget(memory.id, mode="archive", reason="its document no longer says it"):
                run.counts["retired"] += 1

    async def _known(self, pool: str, prefix: str) -> dict[str, Memory]:
        """The caller's chunks of these documents, by their keys."""
        agent = self._attribution.principal.agent
        filter = Filter(namespace=pool, agent=agent, scope="own", kinds=(Kind.KNOWLEDGE,), statuses=_KNOWN, key_prefix=prefix)
        found: dict[str, Memory] = {}
        cursor: str | None = None
        while True:
            page = await self._store.list(filter, limit=PAGE, cursor=cursor)
            found.update({each.idempotency_key: each for each in page.items})
            cursor = page.cursor
            if cursor is None:
                return found


class _Run:
    """One ingestion: what was known, what was found again."""

    def __init__(self, known: dict[str, Memory]) -> None:
        self.counts: Counter[str] = Counter()
        self.skipped: list[tuple[str, str]] = []
        self._known = known
        self._kept: set[str] = set()
        self._unread: list[str] = []

    def take(self, key: str) -> Memory | None:
        """The chunk with this key, if it was known; it stays."""
        self._kept.add(key)
        return self._known.get(key)

    def skip(self, document: str, why: str) -> None:
        """A document could not be read: what was known of it is not touched."""
        self.skipped.append((document, why))
        self._unread.append(f"doc:{document}#")

    def report(self, started: float) -> IngestReport:
        """What was done since ``started`` (monotonic seconds)."""
        names = ("documents", "chunks", "stored", "held", "refused", "unchanged", "returned", "retired")
        return IngestReport(**{name: self.counts[name] for name in names}, skipped=tuple(self.skipped), seconds=time.monotonic() - started)

    def left(self) -> list[Memory]:
        """Known chunks that were not found again."""
        return [
            memory
            for key, memory in self._known.items()
            if key not in self._kept
            and memory.status in (Status.ACTIVE, Status.PENDING)
            and not (memory.key or "").startswith(tuple(self._unread))
        ]


def _source(name: str) -> str:
    source = sanitise(name).strip().rstrip("/")
    if not source or "#" in source:
        raise InvalidInput(f"name: {source!r} cannot name a document; give a name such as handbook/rollback.md, without '#'.")
    return source


def drafts_of(found: Document, document: str, namespace: str, *, shared: bool) -> list[dict[str, Any]]:
    """A document's chunks as drafts. The same text under the same headings keeps its key wherever it moves in the document."""
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    drafts = []
    for chunk in found.chunks:
        same = (chunk.headings, chunk.text)
        seen[same] += 1
        parts = "\x1f".join((document, *chunk.headings, chunk.text, str(seen[same])))
        key = f"doc:{document}#{'/'.join(chunk.headings[1:])}"
        drafts.append(
            {
                "content": chunk.text,
                "kind": Kind.KNOWLEDGE,
                "query": " > ".join(chunk.headings),
                "namespace": namespace,
                "key": key[:LONGEST_KEY],
                "visibility": Visibility.SHARED if shared else Visibility.PRIVATE,
                "refs": (Ref(document=document, start=chunk.start, end=chunk.end),),
                "tags": (found.format,),
                "idempotency_key": hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest(),
            }
        )
    return drafts
