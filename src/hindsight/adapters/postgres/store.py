"""``PostgresStore``: the ``RecordStore`` on a PostgreSQL database."""

from __future__ import annotations

import asyncio
import builtins
from pathlib import Path

from hindsight.adapters.postgres.core import PostgresCore
from hindsight.adapters.postgres.snapshot import write_snapshot
from hindsight.adapters.postgres.wakeups import PostgresWakeUps
from hindsight.adapters.relational import checking
from hindsight.adapters.relational.mapping import compress
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.relational.store import RelationalStore
from hindsight.clock import SystemClock
from hindsight.companions import WakeUps
from hindsight.ports import Centring, Clock
from hindsight.records import Stats
from hindsight.snapshots import Remark, SnapshotFacts

_SQL = load("engine.sql", __package__)


class PostgresStore(RelationalStore):
    """Memories in the PostgreSQL database at ``url``. Every method may be called from several tasks; processes on several machines may
    share the database.

    Args:
        url: ``postgresql://user:password@host:port/database``, or anything that libpq takes for one.
        embedder: (model id, dimension) of the vectors to come; None for a keyword-only store.
        centring: means to subtract before vectors are compared; None compares them raw.
        clock: the time by which records expire and jobs become due.
        reindexing: open a store whose vectors are another model's too, to replace them (``VectorStaging``).
        sealing: the keys of its seals; None writes without.
        legal_hold: why nothing may be erased; empty: erasing is allowed.
    """

    def __init__(
        self,
        url: str,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None = None,
        clock: Clock | None = None,
        reindexing: bool = False,
        sealing: Sealing | None = None,
        legal_hold: str = "",
    ) -> None:
        self._database = PostgresCore(
            url, embedder=embedder, centring=centring, clock=clock or SystemClock(), reindexing=reindexing, sealing=sealing
        )
        super().__init__(self._database, pack_text=compress, legal_hold=legal_hold)

    async def rebuild_terms(self) -> None:
        """Make the keyword index anew from the words that are kept of each record."""
        await self._database.write_indexed(lambda db, _: rows(db, _SQL["rebuild"]))

    def wake_ups(self) -> WakeUps:
        """Notifications of the database."""
        return PostgresWakeUps(self._database.address)

    async def write_snapshot(self, folder: Path) -> SnapshotFacts:
        """Copy every table as one transaction sees them, without the sessions."""
        return await asyncio.to_thread(write_snapshot, self._database.engine, folder)

    async def stats(self, namespace: str | None = None) -> Stats:
        """Counts."""

        def work(db: Database) -> Stats:
            size, version = value(db, _SQL["size"]), value(db, _SQL["schema_version"])
            return checking.stats(db, namespace, self._database.embedder, bytes_on_disk=size, schema_version=version)

        return await self._database.read(work)

    async def check(self) -> builtins.list[str]:
        """What is wrong with the store, one sentence each."""
        return await asyncio.to_thread(self._check)

    def _check(self) -> builtins.list[str]:
        with self._database.engine.snapshot() as db:
            return checking.missing(db) + checking.drift(db) + checking.wrong_vectors(db, self._database.dimension)

    async def _after_erasing(self) -> None:
        """PostgreSQL's own vacuum takes the erased rows' pages; see the documentation."""

    async def _tune(self) -> dict[str, int]:
        made = await asyncio.to_thread(self._index_vectors)
        return made | await asyncio.to_thread(self._database.engine.tune)

    def _index_vectors(self) -> dict[str, int]:
        database = self._database
        return database.hnsw.build() if database.vector_index is database.hnsw else {}

    async def switch(self) -> bool:
        """Replace the vectors in use by the new ones in one transaction, then index those of large namespaces anew."""
        switched = await super().switch()
        if switched:
            await asyncio.to_thread(self._index_vectors)
        return switched

    async def remarks(self) -> builtins.list[Remark]:
        """What an operator should know of the server."""
        return await self._database.read(self._remarks)

    def _remarks(self, db: Database) -> builtins.list[Remark]:
        [(superuser, bypasses, name)] = rows(db, _SQL["role"])
        if superuser or bypasses:
            found = f"{name} is a superuser" if superuser else f"{name} has BYPASSRLS"
            remedy = "Give hindsight a role of its own (CREATE ROLE … NOSUPERUSER NOBYPASSRLS) that owns the database."
            role = Remark("role", "warn", f"{found}: row-level security, the second wall between tenants, does not hold it", remedy)
        else:
            role = Remark("role", "ok", f"{name}, held by row-level security")
        database = self._database
        return [role, *(database.hnsw.remarks(db) if database.vector_index is database.hnsw else ())]
