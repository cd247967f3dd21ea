"""Importing histories: the whole source is read and checked before the first record is written, and importing twice adds nothing.

Imported text comes by the channel ``import``, whatever it says of itself: its trust is that channel's, or less where the
record had less. Records of an export keep their ids, times and versions; what waits for review there waits here as well.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from hindsight.clock import SystemClock
from hindsight.errors import AccessDenied, HindsightError, ImportFailed, InvalidInput
from hindsight.ports import Clock, RecordStore
from hindsight.records import CHANNEL_TRUST, Channel, Draft, Memory, Status, StoreStatus, Turn, default_idempotency_key
from hindsight.remember.attribute import Attribution, read_draft, validated
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.given import FIELDS, Given, Sample, read_given
from hindsight.remember.importers.detect import format_for
from hindsight.remember.importers.identity import SeenIds
from hindsight.remember.importers.source import Entry, Format, Source, fault
from hindsight.remember.writer import BATCH, Writer

ImportFormat = Literal["auto", "hindsight", "openai", "beir", "chatgpt", "claude-code", "langchain", "markdown"]
Progress = Callable[[int, int], None]
"""Told (entries done, entries in all); while the source is still being checked the second number is 0."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. ``read`` = ``stored`` + ``merged`` + ``duplicates`` + ``refused`` + ``skipped``.

    ``stored`` are new records, ``pending`` those of them that wait for a person's approval; ``merged`` strengthened a record
    that says the same; ``duplicates`` were there already; ``refused`` were kept out by the guard; ``skipped`` hold nothing to
    remember (no text, a system prompt, only recalled memories). ``turns`` are new raw turns.
    """

    format: str
    read: int
    stored: int
    pending: int
    merged: int
    duplicates: int
    refused: int
    skipped: int
    turns: int
    namespaces: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Checked:
    """An entry that can be written: a draft, or a record with its own id; neither where there is nothing to remember. ``given``: its vector."""

    entry: Entry
    draft: Draft | None = None
    record: Memory | None = None
    given: Given | None = None


_KNOWN = {StoreStatus.DUPLICATE: "duplicates", StoreStatus.MERGED: "merged"}


class Importer:
    """Imports for one caller."""

    def __init__(
        self, writer: Writer, attribution: Attribution, store: RecordStore, *, clock: Clock | None = None, debug: bool = True
    ) -> None:
        self.writer = writer
        self.store = store
        self.clock = clock or SystemClock()
        self.debug = debug
        self._owner = attribution.principal.channel is Channel.USER and "admin" in attribution.principal.scopes
        self.principal = attribution.principal.model_copy(update={"channel": Channel.IMPORT})
        self.attribution = replace(attribution, principal=self.principal)

    async def run(
        self,
        path: Path,
        *,
        format: str = "auto",
        namespace: str | None = None,
        keep_trust: bool = False,
        take_vectors: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import a file or folder.

        Args:
            path: the file or folder.
            format: one of ``ImportFormat``; ``auto`` looks at the beginning of the source.
            namespace: pool for everything; default: the source's own, else the caller's.
            keep_trust: records of our own export keep channel, trust and status, unexamined: for a store that moves. For its owner alone.
            take_vectors: use the vectors that the file brings, instead of embedding its texts. For the store's owner alone: a vector decides
                which questions its text is an answer to.
            progress: see ``Progress``.

        Raises:
            ImportFailed: something does not parse or fit; the message names file and line. Nothing was written.
            AccessDenied: a namespace or agent is not the caller's. Nothing was written.
        """
        started = time.monotonic()
        chosen = self.attribution.namespace_for(namespace) if namespace is not None else None
        found = await asyncio.to_thread(format_for, path, format)
        source = Source(path, found.files(path), self.attribution.zone)
        if keep_trust and not self._owner:
            raise AccessDenied("only the store's owner, with the scope 'admin', may take over the trust that a file claims.")
        if take_vectors and not self._owner:
            raise AccessDenied("only the store's owner, with the scope 'admin', may take over the vectors of a file.")
        run = _Run(self, found, source, chosen, progress or _silent, keep_trust=keep_trust, take_vectors=take_vectors)
        stamps = _stamps(source)
        await run.check()
        try:
            if _stamps(source) != stamps:
                raise fault(path, None, "the source changed while it was checked; import it again.")
            await run.write()
        except HindsightError as error:
            kept = run.counts["stored"]
            if isinstance(error, ImportFailed):
                error.kept = kept
            if kept:
                error.add_note(f"{kept:,} records were stored before that; run the same import again: it goes on where it stopped.")
            raise
        counts = {name: run.counts[name] for name in ("read", "stored", "pending", "merged", "duplicates", "refused", "skipped", "turns")}
        return ImportReport(format=found.name, **counts, namespaces=tuple(sorted(run.namespaces)), seconds=time.monotonic() - started)


class _Run:
    """One import: the source is read twice, first to check it, then to write it, a batch at a time."""

    def __init__(
        self,
        importer: Importer,
        found: Format,
        source: Source,
        namespace: str | None,
        progress: Progress,
        *,
        keep_trust: bool,
        take_vectors: bool,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.namespaces: set[str] = set()
        self._importer = importer
        self._store = importer.store
        self._format = found
        self._source = source
        self._namespace = namespace
        self._progress = progress
        self._keep_trust = keep_trust
        self._model = importer.writer.model
        self._sample = Sample() if take_vectors else None
        self._ids = SeenIds()

    async def check(self) -> None:
        """Read everything, write nothing."""
        entries = self._format.read(self._source)
        while batch := await asyncio.to_thread(self._next, entries, copying=False):
            for checked in batch:
                if checked.entry.unique is not None:
                    self._ids.add(checked.entry.unique, checked.entry.path, checked.entry.line)
                if (
                    self._sample is not None
                    and (given := checked.given) is not None
                    and self._importer.writer.guard.text(given.text) == given.text
                ):
                    self._sample.offer(checked.entry, given)
            await self._look_for_taken_ids(batch)
            self.counts["read"] += len(batch)
            self._progress(self.counts["read"], 0)
        if not self.counts["read"]:
            message = f"there is nothing to import: no record in the form {self._format.name!r} ({self._format.description})."
            raise fault(self._source.path, None, message)
        self._ids.refuse_repeats()
        if self._sample is not None and self._sample.kept:
            made = await self._importer.writer.embed([given.text for _, given in self._sample.kept])
            if strange := self._sample.strange(made):
                raise fault(strange[0].path, strange[0].line, strange[1])

    async def write(self) -> None:
        """Read everything again and store it; each batch is durable when the next begins."""
        entries, done = self._format.read(self._source), 0
        while batch := await asyncio.to_thread(self._next, entries, copying=self._ids.taken):
            await self._write_turns([each.entry.turn for each in batch if each.entry.turn is not None])
            await self._write_drafts([(each.draft, each.given) for each in batch if each.draft is not None])
            await self._write_records([(each.record, each.given) for each in batch if each.record is not None])
            self.counts["skipped"] += sum(each.draft is None and each.record is None for each in batch)
            done += len(batch)
            self._progress(done, self.counts["read"])

    def _next(self, entries: Iterator[Entry], *, copying: bool) -> list[_Checked]:
        return [self._checked(entry, copying=copying) for entry in islice(entries, BATCH)]

    def _checked(self, entry: Entry, *, copying: bool) -> _Checked:
        if entry.draft is None:
            return _Checked(entry)
        values = entry.draft if self._namespace is None else entry.draft | {"namespace": self._namespace}
        try:
            given = self._given(values)
            draft = read_draft({name: each for name, each in values.items() if name not in FIELDS}, self._importer.attribution)
            if entry.server is None:
                return _Checked(entry, draft=draft, given=given)
            return _Checked(entry, record=self._record(draft, entry.server, copying=copying), given=given)
        except InvalidInput as error:
            raise fault(entry.path, entry.line, str(error)) from error

    def _given(self, values: Mapping[str, Any]) -> Given | None:
        """The vector that an entry brings."""
        if self._sample is None and values.get("vector") is not None:
            raise InvalidInput(
                "vector: vectors of a file are used where you say so (--take-vectors, take_vectors=True); else leave them out."
            )
        return read_given(values, self._model)

    def _record(self, draft: Draft, server: Mapping[str, Any], *, copying: bool) -> Memory:
        """The record as it was exported, under this import's channel: never with more trust or a better status than it had."""
        if self._keep_trust:
            values = {"channel": Channel.IMPORT, **draft.model_dump(), **server, "idempotency_key": draft.idempotency_key, "seal": None}
            own = validated(Memory, values)
            return own.model_copy(update=self._ids.links(own)) if copying else own
        guarded = self._importer.writer.guard.examine_alone(draft, Channel.IMPORT)
        draft, verdict = guarded.draft, guarded.verdict
        key = draft.idempotency_key or default_idempotency_key(draft.content, draft.session_id, draft.turn_ids)
        most = CHANNEL_TRUST[Channel.IMPORT]
        recorded = validated(Memory, {"channel": Channel.IMPORT, "trust": most, **draft.model_dump(), **server, "idempotency_key": key})
        held = recorded.status is not Status.QUARANTINED and verdict.status is not Status.ACTIVE
        update: dict[str, Any] = {
            "channel": Channel.IMPORT,
            "trust": min(recorded.trust, most),
            "status": verdict.status if held else recorded.status,
            "seal": None,
            "debug": recorded.debug if self._importer.debug else None,
        }
        if copying:
            update |= self._ids.links(recorded)
        return recorded.model_copy(update=update)

    async def _look_for_taken_ids(self, batch: Sequence[_Checked]) -> None:
        """An id that is another record's already ends the import, unless it moves to another namespace: then copies are made."""
        brought = [(each.entry, each.record) for each in batch if each.record is not None]
        rows = await self._store.row_of([record.id for _, record in brought]) if brought else ()
        for (entry, record), row in zip(brought, rows, strict=True):
            standing = await self._store.get(record.id) if row >= 0 else None
            if standing is None or _identity(standing) == _identity(record):
                continue
            if self._namespace is None:
                raise fault(entry.path, entry.line, f"id: {record.id} is the id of another memory already; --namespace imports a copy.")
            self._ids.taken = True

    async def _write_turns(self, turns: Sequence[Turn]) -> None:
        if turns:
            namespace = self._importer.attribution.namespace_for(self._namespace)
            self.namespaces.add(namespace)
            self.counts["turns"] += await self._store.add_turns(
                namespace, self._importer.principal.agent, self._importer.writer.guard.turns(turns)
            )

    async def _write_drafts(self, brought: Sequence[tuple[Draft, Given | None]]) -> None:
        drafts = [draft for draft, _ in brought]
        given = [each for _, each in brought] if self._sample is not None else []
        results = await self._importer.writer.store(drafts, self._importer.attribution, given=given) if drafts else []
        for result in results:
            if result.status in _KNOWN:
                self.counts[_KNOWN[result.status]] += 1
            elif result.id is None:
                self.counts["refused"] += 1
            else:
                self.counts["stored"] += 1
                self.counts["pending"] += result.status is StoreStatus.PENDING
        self.namespaces.update(str(draft.namespace) for draft in drafts)

    async def _write_records(self, brought: Sequence[tuple[Memory, Given | None]]) -> None:
        """Commit records that bring their own ids; those that stand already, by id or by key, are left alone."""
        if not brought:
            return
        records, given = [record for record, _ in brought], {record.id: each for record, each in brought}
        rows = await self._store.row_of([record.id for record in records])
        standing = {record.id for record, row in zip(records, rows, strict=True) if row >= 0}
        keys: dict[tuple[str, str], list[str]] = {}
        for record in records:
            keys.setdefault((record.namespace, record.agent), []).append(record.idempotency_key)
        held = {(*pool, key) for pool, wanted in keys.items() for key in await self._store.find_keys(*pool, wanted)}
        fresh = [record for record in records if record.id not in standing and _identity(record) not in held]
        created: list[Memory] = []
        if fresh:
            vectors = await self._importer.writer.embed([record.text() for record in fresh], [given[record.id] for record in fresh])
            event = event_of("created", self._importer.principal, self._importer.clock.now(), reason="imported")
            committed = await self._store.commit(
                [build_write(record, vector, event) for record, vector in zip(fresh, vectors, strict=True)]
            )
            created = [record for record, result in zip(fresh, committed, strict=True) if result.created]
        self.counts["stored"] += len(created)
        self.counts["pending"] += sum(record.status is Status.PENDING for record in created)
        self.counts["duplicates"] += len(records) - len(created)
        self.namespaces.update(record.namespace for record in records)


def _identity(record: Memory) -> tuple[str, str, str]:
    return record.namespace, record.agent, record.idempotency_key


def _silent(done: int, total: int) -> None:
    """No one wants to know."""


def _stamps(source: Source) -> list[tuple[int, int]]:
    try:
        states = [path.stat() for path in source.files]
    except OSError as error:
        raise fault(source.path, None, f"cannot be read: {error.strerror or error}.") from error
    return [(state.st_size, state.st_mtime_ns) for state in states]
