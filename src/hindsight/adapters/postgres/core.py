"""The open database of a store on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg

from hindsight.adapters.postgres.connection import PostgresConnection
from hindsight.adapters.postgres.engine import TURN, WRITING, Engine, address_of
from hindsight.adapters.postgres.hnsw import HnswIndex
from hindsight.adapters.postgres.migrate import check_server, migrate
from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.queries import Database
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.relational.terms import Reach
from hindsight.confinement import confinement
from hindsight.errors import StoreError
from hindsight.ports import Centring, Clock

T = TypeVar("T")
P = ParamSpec("P")
_CONFINE = "SELECT set_config('hindsight.namespaces', ?::text[]::text, true)"
_FREE = "SELECT set_config('hindsight.namespaces', '', true)"


class PostgresCore(Core):
    """The database at a URL."""

    numbers_given = "OVERRIDING SYSTEM VALUE"
    reach = Reach(scored=50_000, a_record=0, a_term=50_000)
    """Each posting costs 5 to 10 µs: the row that holds the word has to be visited and its words be gone through."""

    def __init__(
        self,
        url: str,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None,
        clock: Clock,
        reindexing: bool,
        sealing: Sealing | None = None,
    ) -> None:
        self.address, place = address_of(url)
        self._engine: Engine | None = None
        super().__init__(place, embedder=embedder, centring=centring, clock=clock, reindexing=reindexing, sealing=sealing)
        self.hnsw = HnswIndex(self, self._patient, TURN)
        self.vector_index = self.hnsw

    def open(self) -> None:
        """Connect and migrate. Blocking."""
        with self._guard:
            if self._engine is not None:
                return
            engine = Engine(self.address, self.place)
            try:
                engine.start(self._prepare)
            except BaseException:
                engine.close()
                raise
            engine.committed = self.sealing.export
            self._engine = engine

    def close(self) -> None:
        """Finish and disconnect. Blocking; safe to call twice."""
        with self._guard:
            engine, self._engine = self._engine, None
            self._namespaces.clear()
        if engine is not None:
            engine.close()

    @property
    def engine(self) -> Engine:
        """The open database."""
        if self._engine is None:
            raise StoreError(f"the store {self.place} is not open; call open() first.")
        return self._engine

    def confined(self, work: Callable[Concatenate[Database, P], T]) -> Callable[Concatenate[Database, P], T]:
        """The work behind the wall of row-level security that the caller's namespaces make."""
        namespaces = confinement()
        if namespaces is None:
            return work

        def behind_the_wall(db: Database, /, *arguments: P.args, **options: P.kwargs) -> T:
            db.execute(_CONFINE, (list(namespaces),))
            result = work(db, *arguments, **options)
            db.execute(_FREE)  # others may share the transaction
            return result

        return behind_the_wall

    def _patient(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        return self.engine.patient()

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        check_server(connection, self.place)
        migrate(connection, place=self.place)
        db = PostgresConnection(connection)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(current_schema()))", (WRITING,))
            self.check_whole(db)
            self.sealing.open(db, connection.transaction)
            self.check_embedder(db)
