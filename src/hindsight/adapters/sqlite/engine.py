"""Connections and threads: one thread writes, a few read, the event loop never waits for the file.

Writers of all processes take turns through a file lock (SQLite's own busy polling is unfair: it cuts the longest wait from
seconds to milliseconds). What several tasks want to write at the same moment goes into one transaction, each part in a
savepoint of its own, so that they share one fsync and one failing part does not undo the others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, Literal, TypeVar

import apsw

from hindsight.adapters.relational.writing_thread import WritingThread, result_of
from hindsight.adapters.sqlite import presence
from hindsight.adapters.sqlite.faults import as_store_error
from hindsight.adapters.sqlite.files import WriterLock
from hindsight.adapters.sqlite.fulltext import IndexChanges
from hindsight.errors import StoreError, StoreUnavailable

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]
IndexedWork = Callable[[apsw.Connection, IndexChanges], T]
Durability = Literal["full", "normal"]

READERS = 3
BUSY_MILLISECONDS = 15_000
_PRAGMAS: tuple[tuple[str, str | int, object], ...] = (
    ("secure_delete", "ON", 1),
    ("temp_store", "MEMORY", 2),
    ("mmap_size", 0, 0),
    ("cache_size", -8_000, -8_000),
    ("journal_size_limit", 67_108_864, 67_108_864),
    ("foreign_keys", "OFF", 0),
    ("trusted_schema", "OFF", 0),
)
_SYNCHRONOUS = {"full": 2, "normal": 1}


class Engine:
    """The open file: :meth:`read` and :meth:`write` run blocking work on it from a thread."""

    def __init__(self, file: Path, durability: Durability) -> None:
        self._file = file
        self._durability = durability
        self._lock = WriterLock(file.with_name("writer.lock"), BUSY_MILLISECONDS / 1000)
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._connections: list[apsw.Connection] = []
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="hindsight-read")
        self._writer: WritingThread[_Item[Any]] = WritingThread(self._process)
        self._closing = threading.Lock()
        self._closed = False
        self._presence: tuple[int, int] | None = None
        self.committed: Work[None] | None = None
        """Run after each commit of the writing thread, before other processes may write."""

    @property
    def file(self) -> Path:
        """The database file."""
        return self._file

    def start(self, prepare: Work[None]) -> None:
        """Connect, let ``prepare`` (migrations) run alone on the writing connection, and start the threads. Blocking."""
        with as_store_error(self._file):
            self._writing = self._connect()
            with self._lock:
                self._set_wal(self._writing)
                prepare(self._writing)
                self._presence = presence.arrive(self._file)
            for _ in range(READERS):
                reader = self._connect()
                reader.pragma("query_only", "ON")
                self._idle.put(reader)
        self._writer.start()

    async def read(self, work: Work[T]) -> T:
        """Run ``work`` in a read transaction (one snapshot) on a reader thread."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` in a write transaction; when it returns, the transaction is on disk. An error undoes this part alone."""
        return await self._submit(_Item(lambda db, _: work(db), alone=False))

    def begin_write(self, work: Work[T]) -> Future[T]:
        """The same for a thread of its own, which waits for the future."""
        return self._begin(_Item(lambda db, _: work(db), alone=False))

    async def write_indexed(self, work: IndexedWork[T]) -> T:
        """The same for work that changes the full-text index too: it notes the changes, which are made together before the commit."""
        return await self._submit(_Item(work, alone=False))

    async def alone(self, work: Work[T]) -> T:
        """Run ``work`` on the writing connection outside any transaction, while no other process writes."""
        return await self._submit(_Item(lambda db, _: work(db), alone=True))

    def close(self) -> None:
        """Finish what is queued, stop the threads, disconnect. Blocking; safe to call twice, and before :meth:`start`."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._writer.stop()
        self._writer.join()
        self._readers.shutdown(wait=True)
        if self._presence is not None:
            presence.before_leaving(self._presence)
        for connection in self._connections:
            connection.close()
        if self._presence is not None:
            presence.leave(self._presence)
        self._lock.close()

    def mark_used(self) -> None:
        """Remember beside the file that there is a store. Called while the lock is held."""
        self._lock.mark_used()

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A further reading connection, in a transaction, for long work of its own (an export). Blocking."""
        with as_store_error(self._file):
            connection = self._connect(keep=False)
            try:
                connection.pragma("query_only", "ON")
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    def _connect(self, *, keep: bool = True) -> apsw.Connection:
        connection = apsw.Connection(str(self._file), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        if keep:
            self._connections.append(connection)
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        for name, wanted, expected in (*_PRAGMAS, ("synchronous", self._durability, _SYNCHRONOUS[self._durability])):
            connection.pragma(name, wanted)
            if (found := connection.pragma(name)) != expected:
                raise StoreUnavailable(f"SQLite did not accept {name} = {wanted} for {self._file} (it stayed {found}).")
        return connection

    def _set_wal(self, connection: apsw.Connection) -> None:
        if connection.pragma("journal_mode", "WAL") != "wal":
            raise StoreUnavailable(
                f"{self._file} lies on a file system without shared memory (a network share?); put the store on a local disk."
            )

    def _read(self, work: Work[T]) -> T:
        connection = self._idle.get()
        try:
            with as_store_error(self._file):
                connection.execute("BEGIN")
                try:
                    return work(connection)
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
        finally:
            self._idle.put(connection)

    async def _submit(self, item: _Item[T]) -> T:
        return await result_of(self._begin(item))

    def _begin(self, item: _Item[T]) -> Future[T]:
        with self._closing:
            self._check_open()
            self._writer.put(item)
        return item.future

    def _check_open(self) -> None:
        if self._closed or not self._writer.started:
            raise StoreError(f"the store {self._file} is not open; call open() first.")

    def _process(self, group: list[_Item[Any]]) -> None:
        together: list[_Item[Any]] = []
        for item in group:
            if not item.future.set_running_or_notify_cancel():
                continue
            if item.alone:
                self._transact(together)
                together = []
                self._run_alone(item)
            else:
                together.append(item)
        self._transact(together)

    def _run_alone(self, item: _Item[Any]) -> None:
        try:
            with as_store_error(self._file), self._lock:
                result = item.work(self._writing, IndexChanges())
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the result
            item.future.set_exception(error)
        else:
            item.future.set_result(result)

    def _transact(self, items: list[_Item[Any]]) -> None:
        if not items:
            return
        results: list[tuple[_Item[Any], Any]] = []
        index = IndexChanges()
        try:
            with as_store_error(self._file), self._lock:
                with transaction(self._writing):
                    for item in items:
                        part = IndexChanges()
                        try:
                            with as_store_error(self._file), _savepoint(self._writing):
                                results.append((item, item.work(self._writing, part)))
                            index.add(part)
                        except Exception as error:
                            if not self._writing.in_transaction:
                                raise  # SQLite gave up the whole transaction (disk full): no part of it stands
                            item.future.set_exception(error)
                    index.apply(self._writing)
                if self.committed is not None:
                    self.committed(self._writing)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the results
            for item in items:
                if not item.future.done():
                    item.future.set_exception(error)
            return
        for item, result in results:
            item.future.set_result(result)


class _Item(Generic[T]):
    """Work that waits for the writing thread."""

    def __init__(self, work: IndexedWork[T], *, alone: bool) -> None:
        self.work = work
        self.alone = alone
        self.future: Future[T] = Future()


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """A write transaction of its own."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def _savepoint(db: apsw.Connection) -> Iterator[None]:
    db.execute("SAVEPOINT part")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK TO part")
            db.execute("RELEASE part")
        raise
    db.execute("RELEASE part")
