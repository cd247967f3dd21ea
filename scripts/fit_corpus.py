"""Development sets for the fit scripts: stored through the ordinary write path, queries read by the ordinary read path.

Vectors are kept in a file of the work folder, so that a changed schema or tokeniser costs no second embedding.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.seeds import centring_for
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.evals.beir import BeirFolder, Query, read_beir
from hindsight.moments import read_moment
from hindsight.ports import Embedder, Vector
from hindsight.recall.surroundings import Surroundings
from hindsight.recall.understand import Understood, understand
from hindsight.records import Filter, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.writer import Writer

NOW = datetime(2026, 11, 30, tzinfo=UTC)
"""When queries without a time of their own are asked."""
FOLDS = 5
_CHUNK = 512


class KeptEmbedder:
    """An embedder whose vectors are kept in ``file``: the same texts are embedded once, whatever else changes."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self._file = file
        self.model_id, self.dimension = inner.model_id, inner.dimension
        self._vectors: dict[bytes, Vector] = {}
        self._fresh = 0
        if file.exists():
            with np.load(file) as kept:
                self._vectors = dict(zip((bytes(key) for key in kept["keys"]), kept["vectors"], strict=True))

    async def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vector:
        keys = [_key(text, kind) for text in texts]
        missing = [number for number, key in enumerate(keys) if key not in self._vectors]
        for start in range(0, len(missing), _CHUNK):
            part = missing[start : start + _CHUNK]
            vectors = await self._inner.embed([texts[number] for number in part], kind=kind)
            self._vectors.update(zip((keys[number] for number in part), vectors, strict=True))
        self._fresh += len(missing)
        return np.stack([self._vectors[key] for key in keys]).astype(np.float32)

    async def close(self) -> None:
        self.save()
        await self._inner.close()

    def save(self) -> None:
        """Write the file where there is something new."""
        if self._fresh:
            keys = np.array([np.frombuffer(key, dtype=np.uint8) for key in self._vectors])
            np.savez(self._file, keys=keys, vectors=np.stack(list(self._vectors.values())))
            self._fresh = 0


def _key(text: str, kind: str) -> bytes:
    return hashlib.blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of a set, understood and embedded. ``relevant`` are rows of the set's store; ``fold`` keeps conversations together."""

    set: str
    id: str
    category: str
    fold: int
    filter: Filter
    query: Understood
    raw: Vector
    centred: Vector
    relevant: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A development set in a store. ``unanswerable`` are questions that nothing in it answers."""

    name: str
    store: SqliteStore
    folder: BeirFolder
    asked: list[Asked]
    unanswerable: list[Asked]


def open_embedder(work: Path) -> KeptEmbedder:
    """The bundled embedder, its vectors kept in the work folder."""
    inner = make_embedder("auto")
    assert inner is not None
    return KeptEmbedder(inner, work / "vectors.npz")


async def open_corpus(data: Path, work: Path, embedder: KeptEmbedder) -> Corpus:
    """The set in the folder ``data``, stored under ``work`` (what is there already is kept)."""
    folder = read_beir(data)
    store = SqliteStore(
        work / folder.name,
        embedder=(embedder.model_id, embedder.dimension),
        centring=centring_for(embedder.model_id),
        durability="normal",
        clock=FixedClock(NOW),
    )
    await store.open()
    if (await store.stats()).memories < len(folder.documents):
        writer = Writer(store, embedder, FixedClock(NOW), debug=False, max_queue=1)
        await writer.store(folder.documents, Attribution(Principal(), "default", UTC))
        embedder.save()
    rows = await _rows_of_keys(store, folder)
    asked = await _ask(folder, folder.queries, store, embedder, rows)
    unanswerable = [query for queries in folder.unanswerable.values() for query in queries]
    return Corpus(folder.name, store, folder, asked, await _ask(folder, unanswerable, store, embedder, rows))


def fold_of(folder: BeirFolder, query: Query) -> int:
    """Queries of one conversation or persona share a fold; where there is one pool, equal questions of all sets do."""
    scopes = folder.scopes()
    return scopes.index(query.scope) % FOLDS if len(scopes) > 1 else zlib.crc32(query.id.encode()) % FOLDS


async def _rows_of_keys(store: SqliteStore, folder: BeirFolder) -> dict[tuple[str, str], int]:
    rows = {}
    for scope in folder.scopes():
        visible = await store.visible(Filter(namespace=scope, agent="default", now=NOW))
        memories = await store.fetch(visible)
        rows.update({(scope, str(memory.key)): int(row) for memory, row in zip(memories, visible, strict=True)})
    return rows


async def _ask(
    folder: BeirFolder, queries: Sequence[Query], store: SqliteStore, embedder: KeptEmbedder, rows: dict[tuple[str, str], int]
) -> list[Asked]:
    if not queries:
        return []
    vectors = await embedder.embed([query.text for query in queries], kind="query")
    surroundings = Surroundings(store)
    asked = []
    for query, vector in zip(queries, vectors, strict=True):
        now = read_moment(query.now, UTC)[0] if query.now else NOW
        filter = Filter(namespace=query.scope, agent="default", now=now)
        around = await surroundings.of(filter, 0)
        understood = understand(query.text, now=now, zone=UTC, speakers=around.speakers, dialogues=around.dialogues)
        asked.append(
            Asked(
                set=folder.name,
                id=query.id,
                category=query.category,
                fold=fold_of(folder, query),
                filter=filter,
                query=understood,
                raw=vector,
                centred=await store.centred(filter, vector, language=understood.language),
                relevant=np.array(sorted(rows[query.scope, key] for key in query.relevant if (query.scope, key) in rows), dtype=np.int64),
            )
        )
    return asked
