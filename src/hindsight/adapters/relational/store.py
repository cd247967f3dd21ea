"""``RelationalStore``: the ``RecordStore`` on a database of tables. It hands each call to the part that does it."""

from __future__ import annotations

import asyncio
import builtins
import sys
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational import erasing, journal, staging
from hindsight.adapters.relational.access import AccessTokens
from hindsight.adapters.relational.boards import Boards
from hindsight.adapters.relational.codes import find_code, texts_of
from hindsight.adapters.relational.core import Core, change_number
from hindsight.adapters.relational.feeding import Fed
from hindsight.adapters.relational.filtering import approved
from hindsight.adapters.relational.histories import Histories
from hindsight.adapters.relational.learning import Learning
from hindsight.adapters.relational.mapping import COLUMNS, read_memory, to_json
from hindsight.adapters.relational.moving import Copier, Side
from hindsight.adapters.relational.notes import Notes
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.queueing import Queueing
from hindsight.adapters.relational.terms import TokenIndex
from hindsight.adapters.relational.upkeeping import Upkeeping
from hindsight.adapters.relational.writing import Committer
from hindsight.companions import Companion, WakeUps
from hindsight.confinement import confinement
from hindsight.errors import AccessDenied, HindsightError, InvalidInput
from hindsight.ports import (
    Columns,
    Committed,
    IndexedWords,
    NewEvent,
    Page,
    RetrievalRow,
    Rows,
    Scored,
    StagedVector,
    TermHits,
    Vector,
    Write,
)
from hindsight.records import Filter, Memory, Stats, Turn, utc
from hindsight.snapshots import SnapshotFacts
from hindsight.telemetry import traced
from hindsight.text.fold import fold

T = TypeVar("T")

_SQL = load("store.sql")
_RECORDS = load("records.sql")
_EXPORT_PAGE = 500
_NAMESPACE = COLUMNS.index("namespace")
_NOBODY = UUID(int=0)
_READY_SECONDS = 3.0
"""Who asks whether the process is ready gives up soon."""


class RelationalStore(Queueing, Histories, Notes, Fed):
    """What every store of tables does alike. Every method may be called from several tasks; several processes may share the store.

    Args:
        core: the store to be opened.
        pack_text: how the texts of turns are kept.
        legal_hold: why nothing may be erased; empty: erasing is allowed.
    """

    log_keeps = False
    """Whether the engine's log holds what was erased until it is emptied."""

    def __init__(self, core: Core, *, pack_text: Callable[[str], str | bytes], legal_hold: str = "") -> None:
        super().__init__(core)
        self._pack_text = pack_text
        self._legal_hold = legal_hold
        self.sessions = Boards(core)
        self.learning = Learning(core)
        self.tokens = AccessTokens(core)
        self.upkeep = Upkeeping(core, self._after_erasing, self._tune, log_keeps=self.log_keeps)
        self.companions: builtins.list[Companion] = []
        """Engines beside the store, opened and closed with it."""

    async def open(self) -> None:
        """Connect and migrate.

        Raises:
            StoreUnavailable, StoreCorrupt, StoreTooNew: it cannot be used; nothing was changed.
            ModelMismatch: the store's vectors are another model's.
        """
        await asyncio.to_thread(self._core.open)
        try:
            for companion in self.companions:
                await companion.open()
        except BaseException:
            await self.close()
            raise

    def copier_to(self, target: RelationalStore) -> Copier:
        """What copies this store into an empty one. The target is opened by this call's caller, after it."""
        target._core.receiving = True
        return Copier(Side(self._core, self._pack_text), Side(target._core, target._pack_text))

    async def close(self) -> None:
        """Finish what is being written and disconnect; safe to call twice."""
        for companion in self.companions:
            await companion.close()
        await asyncio.to_thread(self._core.close)

    def wake_ups(self) -> WakeUps | None:
        """How the workers of other processes hear of queued jobs; None where the database tells nobody."""
        return None

    async def engines(self) -> dict[str, str | None]:
        """Each engine by name, asked now: None where it answers, else what is wrong."""
        faults: dict[str, str | None] = {"store": None}
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await self.get(_NOBODY)  # a look-up by id goes through the whole engine and costs next to nothing
        except HindsightError as error:
            faults["store"] = str(error)
        except TimeoutError:
            faults["store"] = f"{self._core.place} does not answer within {_READY_SECONDS:g} s"
        return faults | {companion.name: await companion.fault() for companion in self.companions}

    @traced("hindsight.store.commit")
    async def commit(self, writes: Sequence[Write]) -> builtins.list[Committed]:
        """Write all in one transaction, or none."""
        if not writes:
            return []
        dimension = self._core.dimension
        now = self._core.clock.now().timestamp()

        def work(db: Database, index: TokenIndex) -> builtins.list[Committed]:
            if any(write.vector is not None for write in writes):
                self._core.check_model(db)
            return Committer(db, index, now=now, dimension=dimension, seals=self._core.sealing.writer(db)).commit(writes)

        return await self._core.write_indexed(work)

    async def erase(self, ids: Sequence[UUID], event: NewEvent) -> builtins.list[UUID]:
        """Erase for good.

        Raises:
            AccessDenied: the store is under a legal hold.
        """
        if self._legal_hold:
            raise AccessDenied(f"nothing may be erased: the store is under a legal hold ({self._legal_hold}). Archive the memory instead.")
        gone = await self._core.write_indexed(lambda db, index: self._erase(db, index, ids, event))
        await self._after_erasing()
        if gone and self.erased is not None:
            await self.erased(gone)
        return gone

    def _erase(self, db: Database, index: TokenIndex, ids: Sequence[UUID], event: NewEvent) -> builtins.list[UUID]:
        return erasing.erase(db, index, ids, event, self._core.sealing.writer(db), self._core.images)

    @abstractmethod
    async def _after_erasing(self) -> None:
        """Take away what the engine itself keeps of erased rows."""

    @abstractmethod
    async def _tune(self) -> dict[str, int]:
        """Statistics for the planner, free pages given back, the log emptied; numbers by what they tell."""

    async def reading(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """See the port."""
        return await self._core.reading(work)

    async def get(self, id: UUID) -> Memory | None:
        """The record, whatever its status."""
        found = await self._core.read(lambda db: rows(db, _RECORDS["get"], (str(id),)))
        walls = confinement()
        # A record behind the caller's wall is not even read, so that the time of the answer does not tell that it is there.
        return read_memory(found[0]) if found and (walls is None or found[0][_NAMESPACE] in walls) else None

    async def find_keys(self, namespace: str, agent: str, idempotency_keys: Sequence[str]) -> dict[str, UUID]:
        """Ids of the records that hold these keys and are not archived."""
        text = to_json(list(idempotency_keys))
        found = await self._core.read(lambda db: rows(db, _RECORDS["find_keys"], (text, namespace, agent)))
        return {key: UUID(id) for key, id in found}

    async def fetch(self, rows: Rows) -> builtins.list[Memory]:
        """The records of rows, in that order, without those that are gone."""
        return await self._core.read(lambda db: _fetch(db, rows))

    async def row_of(self, ids: Sequence[UUID]) -> Rows:
        """Rows of ids, -1 where there is none."""
        text = to_json([str(id) for id in ids])
        found = await self._core.read(lambda db: rows(db, _RECORDS["row_of"], (text,)))
        result = np.full(len(ids), -1, dtype=np.int64)
        for position, row in found:
            result[position] = row
        return result

    async def list(self, filter: Filter, *, limit: int = 100, cursor: str | None = None) -> Page:
        """Newest first, by the time of writing. ``cursor`` is that of the page before."""
        if limit < 1:
            raise InvalidInput(f"limit: {limit} is not a number of items from 1 up.")
        if cursor is not None and not cursor.isdecimal():
            raise InvalidInput(f"cursor: {cursor!r} is none that a listing gave; leave it out to begin with the newest.")

        def work(db: Database) -> Page:
            visible = self._core.searcher(db, filter).visible()
            if cursor is not None:
                visible = visible[visible < int(cursor)]
            page = visible[::-1][:limit]
            return Page(_fetch(db, page), str(page[-1]) if len(visible) > limit else None)

        return await self._core.read(work)

    async def export(self, namespace: str | None = None) -> AsyncIterator[Memory]:
        """Every record but quarantined ones, oldest first, from one snapshot."""
        snapshot = self._core.engine.snapshot()
        db = await asyncio.to_thread(snapshot.__enter__)
        fault: tuple[Any, Any, Any] = (None, None, None)
        try:
            last = 0
            while page := await asyncio.to_thread(_export_page, db, namespace, last):
                last = page[-1][0]
                for values in page:
                    yield read_memory(values[1:])
        except Exception:
            fault = sys.exc_info()  # the engine knows what to call it
            raise
        finally:
            await asyncio.to_thread(snapshot.__exit__, *fault)

    async def codes(self, values: Sequence[tuple[Literal["session", "speaker", "task_type"], str]]) -> builtins.list[int]:
        """Interned codes, -1 for unknown values."""

        def work(db: Database) -> builtins.list[int]:
            return [find_code(db, field, fold(text) if field == "speaker" else text) for field, text in values]

        return await self._core.read(work)

    async def speakers(self, namespace: str) -> dict[str, int]:
        """Folded names and codes of everybody who speaks in the namespace."""

        def work(db: Database) -> dict[str, int]:
            view = self._core.view(db, namespace)
            spoken = view.column("speaker") >= 0
            codes = np.unique(view.column("speaker")[spoken & view.live & approved(view)]) if spoken.any() else ()
            return {text: code for code, text in texts_of(db, codes).items()}

        return await self._core.read(work)

    async def visible(self, filter: Filter) -> Rows:
        """Every row that passes the filter, ascending."""
        return await self._core.search(filter, lambda search: search.visible())

    async def search_vector(
        self, filter: Filter, vector: Vector, *, limit: int, language: str | None = None, centre: bool = True
    ) -> Scored:
        """Nearest by centred cosine."""
        query = self._core.checked_query(vector)
        return await self._core.search(filter, lambda search: search.by_vector(query, language, limit, centre=centre), vectors=True)

    async def centred(self, filter: Filter, vector: Vector, *, language: str | None = None) -> Vector:
        """The query vector as searches compare it."""
        query = self._core.checked_query(vector)
        return await self._core.search(filter, lambda search: search.centred(query, language), vectors=True)

    async def search_terms(self, filter: Filter, terms: Sequence[str], *, limit: int) -> Scored:
        """Best by BM25 with the namespace's own statistics."""
        return await self._core.search(filter, lambda search: search.by_terms(terms, limit))

    async def search_time(self, filter: Filter, start: datetime, end: datetime, *, limit: int) -> Scored:
        """Events in [start, end), then near ones."""
        return await self._core.search(filter, lambda search: search.by_time(utc(start).timestamp(), utc(end).timestamp(), limit))

    async def search_entities(self, filter: Filter, names: Sequence[str], *, hops: int, limit: int) -> Scored:
        """Spreading activation from entities."""
        return await self._core.search(filter, lambda search: search.by_entities(names, hops, limit))

    async def vector_scores(
        self, filter: Filter, rows: Rows, vector: Vector, *, language: str | None = None, centre: bool = True
    ) -> NDArray[np.float32]:
        """Centred cosine of given rows, NaN where a row has no vector."""
        query = self._core.checked_query(vector)
        return await self._core.search(filter, lambda search: search.vector_scores(rows, query, language, centre=centre), vectors=True)

    async def term_scores(self, filter: Filter, rows: Rows, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of given rows."""
        return await self._core.search(filter, lambda search: search.term_scores(rows, terms))

    async def term_hits(self, filter: Filter, rows: Rows, terms: Sequence[str]) -> TermHits:
        """What each term adds to the BM25 of given rows."""
        return await self._core.search(filter, lambda search: search.term_hits(rows, terms))

    async def vectors(self, rows: Rows) -> Vector:
        """Centred vectors of length 1, zeros where there is none."""
        return await self._core.read(lambda db: self._core.vectors_of(db, rows))

    async def columns(self, filter: Filter, rows: Rows) -> Columns:
        """Attributes of given rows; one that is gone has NaN, -1 and False."""
        return await self._core.search(filter, lambda search: search.columns(rows))

    async def neighbours(self, filter: Filter, rows: Rows, *, reach: int) -> NDArray[np.int64]:
        """Visible rows before and after each row in its session, -1 for none."""
        return await self._core.search(filter, lambda search: search.neighbours(rows, reach))

    async def session_rows(self, filter: Filter, sessions: NDArray[np.int64], *, limit: int) -> Rows:
        """Visible rows of the sessions, at most ``limit`` of each, in order."""
        return await self._core.search(filter, lambda search: search.session_rows(sessions, limit))

    async def add_turns(self, namespace: str, agent: str, turns: Sequence[Turn]) -> int:
        """Append raw turns; returns how many were new."""
        return await self._core.write(lambda db: journal.add_turns(db, namespace, agent, turns, self._pack_text))

    async def turns(
        self, namespace: str, agent: str, session_id: str, first: int | None = None, last: int | None = None
    ) -> builtins.list[Turn]:
        """Raw turns of an agent's session by position, both ends inclusive."""
        return await self._core.read(lambda db: journal.read_turns(db, namespace, agent, session_id, first, last))

    async def log_retrievals(self, rows: Sequence[RetrievalRow]) -> None:
        """Append to the log of retrievals."""
        if rows:
            await self._core.write_indexed(lambda db, _: journal.log_retrievals(db, rows))

    async def retrieval(self, id: UUID) -> RetrievalRow | None:
        """One logged retrieval."""
        return await self._core.read(lambda db: journal.read_retrieval(db, id))

    async def change_number(self) -> int:
        """Grows with every change of a record, in any process."""
        return await self._core.read(change_number)

    @abstractmethod
    async def rebuild_terms(self) -> None:
        """Make the keyword index anew from the words that are kept of each record."""

    async def records(self, *, after: int, limit: int) -> builtins.list[tuple[int, Memory]]:
        """The next rows and their records."""
        return await self._core.read(lambda db: staging.records(db, after, limit))

    async def put_words(self, batch: Sequence[IndexedWords]) -> int:
        """Replace what keyword search and the graph know of records."""
        now = self._core.clock.now().timestamp()
        return await self._core.write_indexed(lambda db, index: Committer(db, index, now=now, dimension=None).put_words(batch))

    async def begin_reindex(self) -> tuple[int, int]:
        """Go on with, or begin, new vectors for every record; (records done, records in all)."""
        return await self._core.write_indexed(lambda db, _: staging.begin(db, *self._core.target()))

    async def reindex_progress(self) -> tuple[int, int]:
        """(records done, records in all)."""
        return await self._core.read(staging.progress)

    async def unstaged(self, *, after: int, limit: int) -> builtins.list[tuple[int, Memory]]:
        """The next rows without a vector of the new model."""
        return await self._core.read(lambda db: staging.unstaged(db, after, limit))

    async def stage(self, batch: Sequence[StagedVector]) -> int:
        """Keep new vectors beside those in use."""
        return await self._core.write_indexed(lambda db, _: staging.stage(db, batch, *self._core.target()))

    async def switch(self) -> bool:
        """Replace the vectors in use by the new ones in one transaction; False where a record has none yet."""
        return await self._core.write_indexed(lambda db, _: staging.switch(db, *self._core.target()))

    async def namespaces(self) -> builtins.list[str]:
        """Every namespace that was ever written to, by name."""
        return [name for (name,) in await self._core.read(lambda db: rows(db, _SQL["namespaces"]))]

    @abstractmethod
    async def write_snapshot(self, folder: Path) -> SnapshotFacts:
        """Copy one consistent state into an empty folder, without the sessions."""

    @abstractmethod
    async def stats(self, namespace: str | None = None) -> Stats:
        """Counts."""

    @abstractmethod
    async def check(self) -> builtins.list[str]:
        """What is wrong with the store, one sentence each."""


def _fetch(db: Database, wanted: Rows) -> builtins.list[Memory]:
    """Records of rows in their order."""
    found = {values[0]: values for values in rows(db, _RECORDS["fetch"], (to_json(wanted.tolist()),))}
    return [read_memory(found[row][1:]) for row in wanted.tolist() if row in found]


def _export_page(db: Database, namespace: str | None, last: int) -> builtins.list[Any]:
    """The next records after row ``last``."""
    if namespace is None:
        return rows(db, _RECORDS["export"], (last, _EXPORT_PAGE))
    code = value(db, _RECORDS["namespace_code"], (namespace,))
    return [] if code is None else rows(db, _RECORDS["export_namespace"], (code, last, _EXPORT_PAGE))
