"""Every test in this folder that takes a store runs once for each backend; a new one joins by a line in ``BACKENDS``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight.adapters.postgres import hnsw
from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational import cache, indexed
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.ports import Centring, Committed, NewEvent, RecordStore, Write
from hindsight.records import Channel, Filter, Kind, Memory, new_id
from hindsight.text.fold import fold

NOW = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
DIMENSION = 8


Make = Callable[[str, FixedClock, Centring | None, "tuple[str, int] | None"], RecordStore]
"""Makes a store by its name: the same name means the same store."""


def sqlite(request: pytest.FixtureRequest) -> Make:
    folder: Path = request.getfixturevalue("tmp_path")
    return lambda name, clock, centring, embedder: SqliteStore(folder / name, embedder=embedder, centring=centring, clock=clock)


def postgres(request: pytest.FixtureRequest, kind: type[PostgresStore] = PostgresStore) -> Make:
    new_url = request.getfixturevalue("postgres_url")
    urls: dict[str, str] = {}

    def make(name: str, clock: FixedClock, centring: Centring | None, embedder: tuple[str, int] | None) -> RecordStore:
        if name not in urls:
            urls[name] = new_url()
        return kind(urls[name], embedder=embedder, centring=centring, clock=clock)

    return make


class IndexedStore(PostgresStore):
    """Makes the index of its vectors as soon as there are any."""

    async def commit(self, writes: Sequence[Write]) -> list[Committed]:
        done = await super().commit(writes)
        await asyncio.to_thread(self._database.hnsw.build)
        return done


def pgvector(request: pytest.FixtureRequest) -> Make:
    """PostgreSQL, where every namespace counts as large and no filter leaves few."""
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    patch.setattr(hnsw, "LARGE", 1)
    patch.setattr(indexed, "SCANNED", 0)
    return postgres(request, IndexedStore)


def mapped(request: pytest.FixtureRequest) -> Make:
    """SQLite, where every namespace is large enough for an image."""
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    patch.setattr(cache, "IMAGE_FROM", 1)
    return sqlite(request)


BACKENDS = {"postgres": postgres, "sqlite": sqlite}
SEARCHED_BY = {**BACKENDS, "mapped": mapped, "pgvector": pgvector}
"""Those by which searches are tested: also where candidates come from an index, and where a namespace comes from an image."""


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def open_store(
    backend: str, request: pytest.FixtureRequest, clock: FixedClock
) -> AsyncIterator[Callable[..., Awaitable[RecordStore]]]:
    """A function that opens a store; the same name opens the same store again, in a new instance."""
    opened: list[RecordStore] = []
    make = SEARCHED_BY[backend](request)

    async def open_one(
        name: str = "store", *, centring: Centring | None = None, embedder: tuple[str, int] | None = ("test", DIMENSION)
    ) -> RecordStore:
        store = make(name, clock, centring, embedder)
        await store.open()
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: Callable[..., Awaitable[RecordStore]]) -> RecordStore:
    return await open_store()


class Writes:
    """Writes with everything that a test does not care about filled in."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._random = np.random.default_rng(7)
        self._count = 0

    def vector(self) -> np.ndarray:
        vector = self._random.normal(size=DIMENSION).astype(np.float32)
        return vector / np.linalg.norm(vector)

    def event(self, action: str = "created", **fields: Any) -> NewEvent:
        return NewEvent(**{"action": action, "actor": "alice", "channel": Channel.USER, "at": self.now, **fields})

    def memory(self, content: str, **fields: Any) -> Memory:
        self._count += 1
        at = self.now + timedelta(microseconds=self._count)
        defaults = {
            "id": new_id(int(at.timestamp() * 1000)),
            "namespace": "work",
            "agent": "alice",
            "kind": Kind.FACT,
            "channel": Channel.USER,
            "trust": 1.0,
            "created_at": at,
            "updated_at": at,
            "idempotency_key": f"key-{self._count}",
        }
        return Memory(**{**defaults, "content": content, **fields})

    def __call__(
        self,
        content: str,
        *,
        tokens: Sequence[str] | None = None,
        vector: Any = "random",
        language: str = "en",
        links: Sequence[tuple[str, str]] = (),
        **fields: Any,
    ) -> Write:
        memory = self.memory(content, **fields)
        named = [(fold(name), "named") for name in memory.entities]
        return Write(
            memory=memory,
            event=self.event(),
            tokens=content.lower().split() if tokens is None else tokens,
            language=language,
            vector=self.vector() if isinstance(vector, str) else vector,
            entities=[*named, *links],
        )

    def long(self, write: Write, passages: Sequence[Any]) -> Write:
        """The same as a long record, with vectors of its passages."""
        return replace(write, passages=np.asarray(passages, dtype=np.float32))

    def replacement(
        self, write: Write, *, tokens: Sequence[str] | None = None, vector: Any = None, action: str = "updated", **fields: Any
    ) -> Write:
        """The next version of what ``write`` wrote."""
        version = write.memory.version
        memory = write.memory.model_copy(update={"version": version + 1, "updated_at": self.now, **fields})
        return replace(
            write, memory=memory, event=self.event(action), tokens=tokens, vector=vector, passages=None, expected_version=version
        )


@pytest.fixture
def write() -> Writes:
    return Writes(NOW)


@pytest.fixture
def mine() -> Filter:
    """What alice sees in the namespace work."""
    return Filter(namespace="work", agent="alice")


@pytest.fixture
async def filled(open_store: Callable[..., Awaitable[RecordStore]], write: Writes) -> RecordStore:
    """A store of 400 records of two agents in two languages, one of them long."""
    chance = np.random.default_rng(8)
    seeds = {name: chance.normal(size=DIMENSION).astype(np.float32) for name in ("en", "zh")}
    store = await open_store(centring=Centring("1", seeds))
    writes = []
    for number in range(400):
        language = "en" if number % 3 else "zh"
        vector = (seeds[language] + 0.4 * chance.normal(size=DIMENSION)).astype(np.float32)
        agent = "bob" if number % 7 == 0 else "alice"
        writes.append(write(f"{number}", vector=vector, language=language, agent=agent, kind=list(Kind)[number % 2]))
    writes[5] = write.long(writes[5], [seeds["zh"] + 0.4 * chance.normal(size=DIMENSION) for _ in range(3)])
    await store.commit(writes)
    return store
