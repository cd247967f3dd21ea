"""Connections and threads: one thread writes records, a few read, the event loop never waits for the network.

Transactions on records take turns in all processes through an advisory lock, so that rows and changes grow in the order of
commits, which is what other processes' caches go by, and chains of seals do not fork. What several tasks of a process want to
write at the same moment shares one transaction, each part in a savepoint of its own. Jobs, sessions and tokens need no turn.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import psycopg
import psycopg.sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool

from hindsight.adapters.postgres.connection import PostgresConnection
from hindsight.adapters.postgres.dialect import register
from hindsight.adapters.postgres.faults import CONFLICTS, as_store_error, first_line
from hindsight.adapters.relational.queries import Database
from hindsight.adapters.relational.terms import TokenIndex
from hindsight.adapters.relational.writing_thread import WritingThread, result_of
from hindsight.errors import ConfigurationError, HindsightError, InvalidInput, StoreError, StoreMisplaced, StoreUnavailable

T = TypeVar("T")
Work = Callable[[Database], T]
IndexedWork = Callable[[Database, TokenIndex], T]

_LOG = logging.getLogger(__name__)
_READERS = 4
_WRITERS = 2
_TRIES = 4
_START_SECONDS = 15.0
_WAIT_SECONDS = 10.0
WRITING = 0x68736D32
"""The advisory lock of transactions on records (``hsm2``), beside a digest of the schema: a database may hold several stores."""
_READ = (b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",)
_WRITE = (b"BEGIN",)
TURN = b"SELECT pg_advisory_xact_lock(%d, hashtext(current_schema()))" % WRITING
"""Waits until it is this transaction's turn to write records."""
_WRITE_IN_TURN = (*_WRITE, TURN)
_SETTINGS = b"SET lock_timeout = '15s'; SET idle_in_transaction_session_timeout = '60s'"
_PATIENT = b"SET idle_in_transaction_session_timeout = 0"
_HOPELESS = ("does not exist", "authentication failed", "no pg_hba.conf entry", "no password supplied", "not permitted to log in")


def address_of(url: str) -> tuple[str, str]:
    """What to connect to, and what messages call it: the address without user and password.

    Raises:
        ConfigurationError: this is no address.
    """
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.Error:
        # What libpq says may repeat the password.
        raise ConfigurationError("store: this is no PostgreSQL address; write postgresql://user:password@host:5432/database.") from None
    port = f":{given['port']}" if "port" in given else ""
    address = make_conninfo("", **{"connect_timeout": "5", "application_name": "hindsight", **given})
    return address, f"postgresql://{given.get('host', '')}{port}/{given.get('dbname', '')}"


class OwnIndex:
    """The ``TokenIndex`` of a database that keeps its index itself, from the table of words."""

    def index(self, row: int, text: str) -> None:
        """Nothing is left to do."""

    def unindex(self, row: int, text: str) -> None:
        """Nothing is left to do."""


class Engine:
    """The pool of connections to one database; ``address`` and ``place`` are those of :func:`address_of`."""

    def __init__(self, address: str, place: str) -> None:
        self.place = place
        self._address = address
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            self._address,
            min_size=1,
            max_size=_READERS + _WRITERS + 1,
            kwargs={"autocommit": True},
            configure=_configure,
            open=False,
            num_workers=1,
            timeout=_WAIT_SECONDS,
            name="hindsight",
        )
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="hindsight-read")
        self._beside = ThreadPoolExecutor(_WRITERS, thread_name_prefix="hindsight-beside")
        self._writer: WritingThread[_Item[Any]] = WritingThread(self._process)
        self._closing = threading.Lock()
        self._closed = False
        self.committed: Callable[[Database], None] | None = None
        """Run after each commit of the writing thread."""

    def start(self, prepare: Callable[[psycopg.Connection[Any]], None]) -> None:
        """Connect, trying again while the server is not there yet; let ``prepare`` (migrations) run; start the threads. Blocking."""
        with as_store_error(self.place):
            with self._first_connection() as connection:
                prepare(connection)
            self._pool.open(wait=True, timeout=_WAIT_SECONDS)
        self._writer.start()

    async def read(self, work: Work[T]) -> T:
        """Run ``work`` in a read transaction (one snapshot) on a reader thread."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._transact, _READ, work)

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` in a transaction of its own, beside those of others; when it returns, the transaction is durable."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._beside, self._transact, _WRITE, work)

    async def write_indexed(self, work: IndexedWork[T]) -> T:
        """Run work on records when it is this process's turn. An error undoes this part alone."""
        item = _Item(work)
        with self._closing:
            self._check_open()
            self._writer.put(item)
        return await result_of(item.future)

    @contextmanager
    def snapshot(self) -> Iterator[PostgresConnection]:
        """A further connection, in a read transaction, for long work of its own. Blocking."""
        with as_store_error(self.place), self._connect() as connection:
            connection.execute(_PATIENT)
            connection.execute(*_READ)
            yield PostgresConnection(connection)

    @contextmanager
    def patient(self) -> Iterator[psycopg.Connection[Any]]:
        """A further connection, for statements that may take their time and wait for others. Blocking."""
        with as_store_error(self.place), self._connect() as connection:
            connection.execute(_PATIENT)
            connection.execute(b"SET lock_timeout = 0")
            yield connection

    def tune(self) -> dict[str, int]:
        """Vacuum this store's tables, which makes room of erased rows usable, and renew the planner's statistics. Blocking."""
        with as_store_error(self.place), self._connect() as connection:
            size = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
            names = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1"
            before = connection.execute(size).fetchone()
            tables = [name for (name,) in connection.execute(names).fetchall()]
            for name in tables:
                connection.execute(psycopg.sql.SQL("VACUUM (ANALYZE) {}").format(psycopg.sql.Identifier(name)))
            after = connection.execute(size).fetchone()
        return {"tables": len(tables), "bytes_before": int(before[0]) if before else 0, "bytes_after": int(after[0]) if after else 0}

    def close(self) -> None:
        """Finish what is queued, stop the threads, disconnect. Blocking; safe to call twice, and before :meth:`start`."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._writer.stop()
        self._writer.join()
        self._readers.shutdown(wait=True)
        self._beside.shutdown(wait=True)
        self._pool.close()

    def _check_open(self) -> None:
        if self._closed or not self._writer.started:
            raise StoreError(f"the store {self.place} is not open; call open() first.")

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._address, autocommit=True)
        _configure(connection)
        return connection

    def _first_connection(self) -> psycopg.Connection[Any]:
        end, pause = time.monotonic() + _START_SECONDS, 0.1
        while True:
            try:
                return self._connect()
            except psycopg.OperationalError as error:
                said = first_line(error)
                if any(each in str(error) for each in _HOPELESS):
                    raise StoreMisplaced(
                        f"PostgreSQL refuses {self.place}: {said}. Check the address (HINDSIGHT_STORE), create the database (CREATE DATABASE "
                        "… ENCODING 'UTF8') and the user."
                    ) from error
                if time.monotonic() > end:
                    raise StoreUnavailable(
                        f"PostgreSQL at {self.place} does not answer ({said}). Start it, or check host, port and firewall; nothing else is used in its place."
                    ) from error
                _LOG.warning("PostgreSQL at %s does not answer yet (%s); trying again.", self.place, said)
                time.sleep(pause)
                pause = min(pause * 2, 2.0)

    def _transact(self, begin: Sequence[bytes], work: Work[T]) -> T:
        """Run ``work`` between ``begin`` and a commit; again where it met another transaction or lost its connection before.

        Statements go out without waiting for the answers to those before, up to the first whose rows are asked for.
        """
        with as_store_error(self.place):
            for tries_left in range(_TRIES - 1, -1, -1):
                committing, connection = False, None
                try:
                    with self._pool.connection() as connection:
                        with connection.pipeline():
                            for statement in begin:
                                connection.execute(statement)
                            result = work(PostgresConnection(connection))
                            committing = True
                            done = connection.execute(b"COMMIT")
                        if done.statusmessage != "COMMIT":  # PostgreSQL answers ROLLBACK where a statement had failed before
                            raise psycopg.DatabaseError("the transaction was rolled back")
                        return result
                except CONFLICTS:
                    if not tries_left:
                        raise
                except (psycopg.OperationalError, psycopg.InterfaceError):
                    # Once the commit is on its way nobody knows whether it arrived: whoever asked has to look.
                    if committing or not tries_left or connection is None or not connection.closed:
                        raise
                    self._pool.check()
                time.sleep(0.02 * (_TRIES - tries_left))
        raise AssertionError

    def _process(self, group: list[_Item[Any]]) -> None:
        self._write_together([item for item in group if item.future.set_running_or_notify_cancel()])

    def _write_together(self, items: list[_Item[Any]]) -> None:
        if not items:
            return
        try:
            outcomes = self._transact(_WRITE_IN_TURN, lambda db: _outcomes(db, items))
        except (StoreError, InvalidInput) as error:
            if len(items) > 1 and not isinstance(error, StoreUnavailable):
                for item in items:  # one of them is at fault; which, shows when each is alone
                    self._write_together([item])
            else:
                for item in items:
                    item.future.set_exception(error)
            return
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the results
            for item in items:
                item.future.set_exception(error)
            return
        self._after_commit()
        for item, (result, fault) in zip(items, outcomes, strict=True):
            if fault is None:
                item.future.set_result(result)
            else:
                item.future.set_exception(fault)

    def _after_commit(self) -> None:
        if self.committed is None:
            return
        try:
            self._transact(_READ, self.committed)
        except StoreError as error:  # what was written stands
            _LOG.warning("the ends of the seals' chains were not kept outside the store: %s", error)


class _Item(Generic[T]):
    """Work that waits for the writing thread."""

    def __init__(self, work: IndexedWork[T]) -> None:
        self.work = work
        self.future: Future[T] = Future()


def _outcomes(db: Database, items: list[_Item[Any]]) -> list[tuple[Any, HindsightError | None]]:
    """The result of each item, or its error: a refusal undoes that item alone, a fault of the database undoes all."""
    if len(items) == 1:
        return [(items[0].work(db, OwnIndex()), None)]
    outcomes: list[tuple[Any, HindsightError | None]] = []
    for item in items:
        db.execute("SAVEPOINT part")
        try:
            outcomes.append((item.work(db, OwnIndex()), None))
        except HindsightError as error:
            db.execute("ROLLBACK TO SAVEPOINT part")
            outcomes.append((None, error))
        db.execute("RELEASE SAVEPOINT part")
    return outcomes


def _configure(connection: psycopg.Connection[Any]) -> None:
    register(connection.adapters)
    connection.execute(_SETTINGS)
