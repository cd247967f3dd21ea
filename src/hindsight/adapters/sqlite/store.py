"""``SqliteStore``: the ``RecordStore`` on one SQLite file."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from hindsight.adapters.relational import checking as derived
from hindsight.adapters.relational.mapping import pack_text
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.relational.store import RelationalStore
from hindsight.adapters.relational.terms import TokenIndex
from hindsight.adapters.sqlite import checking, tuning
from hindsight.adapters.sqlite.core import SqliteCore
from hindsight.adapters.sqlite.engine import Durability
from hindsight.adapters.sqlite.files import DATABASE
from hindsight.adapters.sqlite.images import FOLDER
from hindsight.adapters.sqlite.migrate import schema_version
from hindsight.adapters.sqlite.snapshot import write_snapshot
from hindsight.clock import SystemClock
from hindsight.ports import Centring, Clock, NewEvent
from hindsight.records import Stats
from hindsight.snapshots import SnapshotFacts

_META = load("store.sql")
_FULLTEXT = load("fulltext.sql", __package__)


class SqliteStore(RelationalStore):
    """Memories in ``folder/memory.db``. Every method may be called from several tasks; several processes may share the folder.

    Args:
        folder: created where it is missing.
        embedder: (model id, dimension) of the vectors to come; None for a keyword-only store.
        centring: means to subtract before vectors are compared; None compares them raw.
        durability: ``full`` survives a power cut after each acknowledged write; ``normal`` survives a crash of the process.
        clock: the time by which records expire and jobs become due.
        reindexing: open a store whose vectors are another model's too, to replace them (``VectorStaging``).
        sealing: the keys of its seals; None writes without.
        legal_hold: why nothing may be erased; empty: erasing is allowed.
        mapped: keep what is loaded of large namespaces in ``folder/vectors``, for other processes and the next one.
    """

    log_keeps = True

    def __init__(
        self,
        folder: Path,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None = None,
        durability: Durability = "full",
        clock: Clock | None = None,
        reindexing: bool = False,
        sealing: Sealing | None = None,
        legal_hold: str = "",
        mapped: bool = True,
    ) -> None:
        self._file = SqliteCore(
            folder,
            embedder=embedder,
            centring=centring,
            durability=durability,
            clock=clock or SystemClock(),
            reindexing=reindexing,
            sealing=sealing,
            mapped=mapped,
        )
        super().__init__(self._file, pack_text=pack_text, legal_hold=legal_hold)

    async def rebuild_terms(self) -> None:
        """Make the keyword index anew from the words that are kept of each record."""
        await self._file.write(lambda db: rows(db, _FULLTEXT["rebuild"]))

    async def write_snapshot(self, folder: Path) -> SnapshotFacts:
        """Copy the database as one read transaction sees it, without the sessions."""
        return await asyncio.to_thread(write_snapshot, self._file.engine, folder)

    async def stats(self, namespace: str | None = None) -> Stats:
        """Counts."""
        size = sum(path.stat().st_size for pattern in (f"{DATABASE}*", f"{FOLDER}/*") for path in self._file.folder.glob(pattern))
        return await self._file.engine.read(
            lambda db: derived.stats(db, namespace, self._file.embedder, bytes_on_disk=size, schema_version=schema_version(db))
        )

    async def check(self) -> builtins.list[str]:
        """What is wrong with the store, one sentence each."""
        faults = await asyncio.to_thread(self._check_file)
        return faults + await self._file.engine.alone(checking.check_terms)

    def _check_file(self) -> builtins.list[str]:
        # A connection of its own: FTS5 does not refresh what a used connection remembers of its index before it checks.
        with self._file.engine.snapshot() as db:
            return checking.check(db, self._file.dimension)

    def _erase(self, db: Database, index: TokenIndex, ids: Sequence[UUID], event: NewEvent) -> builtins.list[UUID]:
        gone = super()._erase(db, index, ids, event)
        if gone:
            db.execute(_META["set_meta"], ("log_holds_erased", "1"))
        return gone

    async def _after_erasing(self) -> None:
        """Erase from the pages that SQLite keeps beside the file.

        Raises:
            StoreBusy: the records are gone, but a long reader kept the log from being emptied; erase again.
        """
        await self._file.empty_log()

    async def _tune(self) -> dict[str, int]:
        return await self._file.engine.alone(tuning.tune)
