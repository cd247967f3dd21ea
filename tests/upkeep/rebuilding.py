"""Two small embedders and what a store on disk holds, for the tests of re-embedding; as a program, a slow run that can be killed."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.ports import NewEvent, Write
from hindsight.records import Channel, Kind, Memory, new_id
from hindsight.remember.commit import build_write
from hindsight.remember.embed import embed_texts
from hindsight.upkeep.reindex import Reindexer

AT = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)


class HashEmbedder:
    """A vector drawn from the digest of a text: the same text, the same vector. ``meanwhile`` is awaited before each batch."""

    def __init__(self, model_id: str, dimension: int, *, salt: str = "", meanwhile: Callable[[], Awaitable[None]] | None = None) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self.calls = 0
        self._salt = salt
        self._meanwhile = meanwhile

    async def embed(self, texts: Sequence[str], *, kind: str) -> np.ndarray:
        self.calls += 1
        if self._meanwhile is not None:
            await self._meanwhile()
        return np.stack([self.vector(text) for text in texts])

    def vector(self, text: str) -> np.ndarray:
        seed = hashlib.sha256(f"{self.model_id}\0{self._salt}\0{text}".encode()).digest()
        vector = np.random.default_rng(list(seed)).normal(size=self.dimension).astype(np.float32)
        return vector / np.linalg.norm(vector)

    async def close(self) -> None:
        """Nothing is held."""


class Zero(HashEmbedder):
    """Some texts point nowhere."""

    def vector(self, text: str) -> np.ndarray:
        return super().vector(text) * (0 if "7" in text else 1)


def old_model() -> HashEmbedder:
    return HashEmbedder("old", 8)


def new_model(**options: object) -> HashEmbedder:
    return HashEmbedder("new", 12, **options)


def store_for(folder: Path, embedder: HashEmbedder | None, *, reindexing: bool = False) -> SqliteStore:
    identity = (embedder.model_id, embedder.dimension) if embedder is not None else None
    return SqliteStore(folder, embedder=identity, reindexing=reindexing)


def reindexer(folder: Path, embedder: HashEmbedder) -> Reindexer:
    return Reindexer(store_for(folder, embedder, reindexing=True), embedder)


async def write_of(content: str, embedder: HashEmbedder | None, *, standing: Memory | None = None, **fields: object) -> Write:
    """A new record, or the next version of one that stands."""
    if standing is not None:
        memory = standing.model_copy(update={"content": content, "version": standing.version + 1, **fields})
    else:
        defaults = {"namespace": "work", "kind": Kind.FACT, "idempotency_key": f"key of {content[:40]}", "agent": "alice", **fields}
        memory = Memory(
            id=new_id(int(AT.timestamp() * 1000)),
            channel=Channel.USER,
            trust=1.0,
            created_at=AT,
            updated_at=AT,
            content=content,
            **defaults,
        )
    event = NewEvent(action="updated" if standing else "created", actor="alice", channel=Channel.USER, at=AT)
    embedded = (await embed_texts(embedder, [memory.text()]))[0]
    return build_write(memory, embedded, event, expected_version=standing.version if standing else None)


def texts(count: int) -> list[str]:
    """Short ones in two languages, and every 50th long enough for passages of its own."""
    return [
        f"部署手册第 {n} 条。" * (400 if n % 50 == 0 else 1) if n % 2 == 0 else f"note number {n} on deploying the service"
        for n in range(count)
    ]


async def filled(folder: Path, embedder: HashEmbedder | None, count: int) -> None:
    store = store_for(folder, embedder)
    await store.open()
    await store.commit(
        [await write_of(content, embedder, namespace=("work", "home")[n % 3 == 0]) for n, content in enumerate(texts(count))]
    )
    await store.close()


def on_disk(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """What re-embedding makes, and what it must leave alone, by table; vectors go by content, so that two stores can be compared."""
    named = 'SELECT m.content, v.scale, v.data FROM {0} AS v JOIN memories AS m ON m."row" = v."row" ORDER BY m.content, v.scale, v.data'
    questions = {
        "vectors": named.format("vectors"),
        "passages": named.format("passages"),
        "staged": 'SELECT "row" FROM staged_vectors UNION ALL SELECT "row" FROM staged_passages',
        "memories": "SELECT id, version, record FROM memories ORDER BY id",
        "events": "SELECT memory_id, action, at FROM events ORDER BY seq",
        "tokens": 'SELECT "row", text FROM tokens ORDER BY "row"',
        "meta": "SELECT value FROM meta WHERE name IN ('embedder', 'reindex') ORDER BY name",
    }
    with sqlite3.connect(f"file:{folder / 'memory.db'}?mode=ro", uri=True) as db:
        found = {name: db.execute(sql).fetchall() for name, sql in questions.items()}
    db.close()
    return found


async def slow_run(folder: Path) -> None:
    """Tell of each page, and take so long for one that whoever reads it can kill us in time."""

    async def wait() -> None:
        await asyncio.sleep(0.2)

    def tell(done: int, total: int, stage: str) -> None:
        sys.stdout.write(f"{done} {total} {stage}\n")
        sys.stdout.flush()

    await reindexer(folder, new_model(meanwhile=wait)).run(tell)


if __name__ == "__main__":
    asyncio.run(slow_run(Path(sys.argv[1])))
