"""Where the store of a benchmark of sizes lies, how it is filled there, and what its server spends."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self
from uuid import UUID

import apsw

from hindsight.assemble import embedder_of, store_of
from hindsight.clock import SystemClock
from hindsight.evals import filling
from hindsight.evals.copying import copy_store
from hindsight.evals.workload import Workload, named, skewed
from hindsight.settings import Settings, load_settings

if TYPE_CHECKING:
    from psycopg import Connection

_HALF = 'SELECT id FROM memories WHERE "row" % 2 = 0'
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Load:
    """How much is asked.

    Args:
        queries: questions of each kind.
        seconds: how long readers and a writer run together.
        probes: new processes started for each figure of one, of which the quickest counts.
        many: so many memories are one large change by another process.
        namespaces: sizes of the namespaces that are asked; none: each.
    """

    queries: int = 80
    seconds: float = 12.0
    probes: int = 3
    many: int = 1000
    namespaces: Sequence[int] = ()


class Texts:
    """The clauses that memories are composed of: embedded when the first store has to be filled, and kept in a file of ``folder``."""

    def __init__(self, folder: Path, count: int, settings: Settings, tell: Tell) -> None:
        self.load = Workload()
        self.tell = tell
        self._folder = folder
        self._count = count
        self._settings = settings
        self._made: filling.Clauses | None = None

    async def clauses(self) -> filling.Clauses:
        """All of them."""
        if self._made is None:
            kept = self._folder / f"clauses-{self._count}.npz"
            told = partial(self.tell, "embed clauses")
            self._made = await filling.make_clauses(self.load, self._count, self._settings, kept, lambda done: told(done, self._count))
        return self._made


class Place(Protocol):
    """A store of a given size. ``engine`` is what it is called in reports, ``address`` what opens it, ``options`` are its settings."""

    @property
    def engine(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def options(self) -> dict[str, Any]: ...

    @property
    def address(self) -> str: ...

    async def fill(self, texts: Texts) -> dict[str, Any]:
        """Make the store where it is not there yet; what that took."""
        ...

    def half(self) -> list[UUID]:
        """Ids of every second memory."""
        ...

    def server_seconds(self) -> float:
        """Processor time that a server beside this process has spent."""
        ...

    def copied(self) -> AbstractContextManager[Place]:
        """The same store once more, to be thrown away at the end."""
        ...


def namespaces(place: Place) -> dict[str, int]:
    """Names and sizes of a store's namespaces, the largest first."""
    sizes = skewed(place.size)
    return dict(zip(named(sizes), sizes, strict=True))


def asked(place: Place, load: Load) -> dict[int, str]:
    """Of each size that is asked one namespace, ascending."""
    return {size: name for name, size in reversed(namespaces(place).items()) if not load.namespaces or size in load.namespaces}


@dataclass(frozen=True, slots=True)
class Embedded:
    """A folder under ``home``; one that is there already is used again."""

    home: Path
    size: int
    options: dict[str, Any]
    suffix: str = ""
    engine: str = field(default="embedded", init=False)

    @property
    def name(self) -> str:
        """What the folder is called."""
        return f"{self.size}-{'keyword' if self.options.get('embedder') == 'none' else 'vectors'}{self.suffix}"

    @property
    def folder(self) -> Path:
        """Where the store lies."""
        return self.home / self.name

    @property
    def address(self) -> str:
        """The folder."""
        return str(self.folder)

    async def fill(self, texts: Texts) -> dict[str, Any]:
        """Write rows, see :mod:`hindsight.evals.filling`."""
        if (self.folder / "memory.db").exists():
            return {}
        part, sizes = replace(self, suffix="-part"), skewed(self.size)
        shutil.rmtree(part.folder, ignore_errors=True)
        settings, clauses = load_settings(store=part.address, **self.options), await texts.clauses()
        told = partial(texts.tell, f"{self.size:,}: fill")
        spent = await filling.fill(part.folder, settings, texts.load, sizes, clauses, lambda done: told(min(done, self.size), self.size))
        part.folder.rename(self.folder)
        return {"fill_rows_per_s": round(self.size / spent)}

    def half(self) -> list[UUID]:
        """Read from the file."""
        connection = apsw.Connection(str(self.folder / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
        ids = [UUID(id) for (id,) in connection.execute(_HALF)]
        connection.close()
        return ids

    def server_seconds(self) -> float:
        """There is no server."""
        return 0.0

    @contextmanager
    def copied(self) -> Iterator[Self]:
        """A copy of the folder."""
        copy = replace(self, suffix="-copy")
        shutil.rmtree(copy.folder, ignore_errors=True)
        shutil.copytree(self.folder, copy.folder)
        try:
            yield copy
        finally:
            shutil.rmtree(copy.folder)


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database of the server at ``url``, whose user may create databases; filled from the embedded store of the same size."""

    url: str
    source: Embedded
    suffix: str = ""
    engine: str = field(default="postgresql + pgvector", init=False)

    @property
    def name(self) -> str:
        """What the database is called."""
        return f"hindsight_scale_{self.source.name.replace('-', '_')}{self.suffix}"

    @property
    def size(self) -> int:
        """How many memories."""
        return self.source.size

    @property
    def options(self) -> dict[str, Any]:
        """Settings of the store."""
        return self.source.options

    @property
    def address(self) -> str:
        """The server's address with this database."""
        return f"{self.url}{'&' if '?' in self.url else '?'}dbname={self.name}"

    async def fill(self, texts: Texts) -> dict[str, Any]:
        """Copy the embedded store, then let upkeep make the planner's statistics and the indexes of vectors."""
        with self._server() as db:
            if db.execute("SELECT 1 FROM pg_database WHERE datname = %s", (self.name,)).fetchone():
                return {}
        made, part = await self.source.fill(texts), replace(self, suffix="_part")
        self._drop(part.name)
        with self._server() as db:
            db.execute(f'CREATE DATABASE "{part.name}"'.encode())
        settings = load_settings(store=part.address, **self.options)
        store = store_of(settings, embedder_of(settings), SystemClock())
        await store.open()  # the product lays the tables
        try:
            started = time.perf_counter()
            told = partial(texts.tell, f"{self.size:,}: copy")
            await asyncio.to_thread(copy_store, self.source.folder, part.address, lambda done: told(done, self.size))
            copied = time.perf_counter()
            tuned = await store.upkeep.tune()
            made |= {"copy_s": round(copied - started), "tune_s": round(time.perf_counter() - copied)}
            made["vector_indexes"] = tuned["vector_indexes_made"]
        finally:
            await store.close()
        with self._server() as db:
            db.execute(f'ALTER DATABASE "{part.name}" RENAME TO "{self.name}"'.encode())
        return made

    def half(self) -> list[UUID]:
        """Read from the table."""
        with self._server(self.address) as db:
            return [UUID(id) for (id,) in db.execute(_HALF).fetchall()]

    def server_seconds(self) -> float:
        """What the server's processes have spent, where it runs on this machine: those that are there, and those that are gone."""
        with self._server() as db:
            found = db.execute("SELECT pg_backend_pid(), inet_server_addr() IS NULL").fetchone()
            return _spent_by_siblings(found[0]) if found and found[1] else 0.0

    @contextmanager
    def copied(self) -> Iterator[Self]:
        """A database made after the template of this one."""
        copy = replace(self, suffix="_copy")
        self._drop(copy.name)
        with self._server() as db:
            db.execute(f'CREATE DATABASE "{copy.name}" TEMPLATE "{self.name}"'.encode())
        try:
            yield copy
        finally:
            self._drop(copy.name)

    def _drop(self, name: str) -> None:
        with self._server() as db:
            db.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())

    @contextmanager
    def _server(self, address: str | None = None) -> Iterator[Connection[Any]]:
        import psycopg

        with psycopg.connect(address or self.url, autocommit=True) as db:
            yield db


def _spent_by_siblings(process: int) -> float:
    """Seconds of the processor that the children of a process's parent have spent, those that ended included."""
    parent = _stat(process)[1]
    spent = sum(_stat(parent)[13:15])  # of those that ended
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            with suppress(OSError):  # ended meanwhile
                told = _stat(int(place.name))
                spent += sum(told[11:13]) if told[1] == parent else 0
    return spent / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[int]:
    """The numbers of /proc/PID/stat behind the name, from the state on (0 in its place)."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return [0, *(int(each) for each in text[1:])]
