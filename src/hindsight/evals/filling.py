"""Fill an embedded store with far more memories than could be embedded for a benchmark.

Memories are composed of a few of many clauses (:meth:`hindsight.evals.workload.Workload.composed`). The clauses are tokenised and embedded
by the product; a memory's tokens are those of its clauses, its vector is their mean with a little noise, so that vectors lie as real ones do
and no two are equal. Rows are made by the product's own functions and written by its own statements, many to a transaction; what is left out
is what a caller's import also checks and a filled store does not need: the guard, look-ups of keys that are taken, seals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.attributes import pack, unpack
from hindsight.adapters.relational.codes import Interner
from hindsight.adapters.relational.graph import GraphChanges, edge_owner
from hindsight.adapters.relational.mapping import memory_values
from hindsight.adapters.relational.queries import load, value
from hindsight.adapters.relational.terms import indexed_text
from hindsight.assemble import embedder_of, store_of
from hindsight.clock import SystemClock
from hindsight.evals.workload import Workload
from hindsight.ports import Vector
from hindsight.records import Channel, Memory, Precision, new_id
from hindsight.settings import Settings
from hindsight.text.entities import extract_entities
from hindsight.text.indexing import indexed_tokens
from hindsight.text.language import Language
from hindsight.vectors import quantise

BATCH = 20_000
NOISE = 0.1
"""Length of the noise that is added to a vector of length 1."""
AGENT = "default"
_KEPT_CHANGES = 1_000
_RECORDS, _TERMS = load("records.sql"), load("fulltext.sql", "hindsight.adapters.sqlite")
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Clauses:
    """Texts with what the product makes of each; the first half English, the rest Chinese."""

    texts: list[str]
    tokens: list[list[str]]
    entities: list[list[tuple[str, str]]]
    vectors: Vector

    def language(self, place: int) -> Language:
        """That of the clause at ``place``."""
        return "en" if place < len(self.texts) // 2 else "zh"


async def make_clauses(
    load_: Workload, count: int, settings: Settings, kept: Path | None = None, progress: Progress | None = None
) -> Clauses:
    """``count`` clauses; vectors are kept in the file ``kept``, and taken from it where they are of the same model and texts."""
    texts = load_.clauses(count)
    tokens = [indexed_tokens(text, text) for text in texts]
    entities = [
        [(each.norm, str(each.kind)) for each in extract_entities(text, "en" if place < count // 2 else "zh")]
        for place, text in enumerate(texts)
    ]
    model = embedder_of(settings)
    if model is None:
        return Clauses(texts, tokens, entities, np.empty((count, 0), dtype=np.float32))
    signature = np.array([model.model_id, texts[0], texts[-1]])
    stored = _kept_vectors(kept, count, signature)
    if stored is not None:
        return Clauses(texts, tokens, entities, stored)
    parts = []
    for start in range(0, count, 128):
        parts.append(await model.embed(texts[start : start + 128], kind="passage"))
        if progress is not None:
            progress(min(count, start + 128))
    await model.close()
    vectors = np.concatenate(parts)
    if kept is not None:
        np.savez(kept, vectors=vectors, signature=signature)
    return Clauses(texts, tokens, entities, vectors)


def _kept_vectors(kept: Path | None, count: int, signature: NDArray[Any]) -> Vector | None:
    if kept is None or not kept.exists():
        return None
    with np.load(kept) as stored:
        vectors: Vector = stored["vectors"]
        return vectors if len(vectors) == count and np.array_equal(stored["signature"], signature) else None


async def fill(
    folder: Path, settings: Settings, load_: Workload, sizes: Sequence[int], clauses: Clauses, progress: Progress | None = None
) -> float:
    """Make the store at ``folder`` with namespaces of these sizes; how many seconds the rows took.

    ``settings`` must be of that folder and without seals.
    """
    store = store_of(settings, embedder_of(settings), SystemClock())
    await store.open()  # the product lays the store
    await store.close()
    started = time.perf_counter()
    filler = _Filler(folder / "memory.db", clauses)
    composed, done = load_.composed(sizes, clauses.texts), 0
    while batch := list(islice(composed, BATCH)):
        filler.write(batch, last=done + BATCH + _KEPT_CHANGES > sum(sizes))
        done += len(batch)
        if progress is not None:
            progress(done)
    filler.close()
    return time.perf_counter() - started


class _Filler:
    """Writes rows on a connection of its own, while nobody else has the store open."""

    def __init__(self, file: Path, clauses: Clauses) -> None:
        self._db = apsw.Connection(str(file))
        for pragma in (
            "journal_mode = WAL",
            "synchronous = OFF",
            "cache_size = -400000",
            "temp_store = MEMORY",
            "wal_autocheckpoint = 50000",
        ):
            self._db.execute(f"PRAGMA {pragma}").fetchall()
        self._clauses = clauses
        self._random = np.random.default_rng(7)
        self._namespaces: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self._now = datetime.now(UTC) - timedelta(days=1)

    def write(self, batch: Sequence[tuple[dict[str, Any], list[int]]], *, last: bool) -> None:
        """One transaction."""
        self._db.execute("BEGIN IMMEDIATE")
        first = int(value(self._db, 'SELECT coalesce(max("row"), 0) + 1 FROM memories'))
        memories = [self._memory(fields) for fields, _ in batch]
        pools = [self._code(self._namespaces, "namespace", memory.namespace) for memory in memories]
        self._many("insert_memory", map(memory_values, memories))
        at = self._now.isoformat()
        events = ((str(each.id), each.namespace, "created", AGENT, "user", at, each.session_id, None, None, None) for each in memories)
        self._many("add_event", events)
        numbered = list(zip(range(first, first + len(batch)), pools, memories, (chosen for _, chosen in batch), strict=True))
        self._attributes(numbered)
        self._vectors(numbered)
        self._tokens(numbered)
        if last:
            self._many("add_change", ((pool, row, 1) for row, pool, _, _ in numbered[-_KEPT_CHANGES:]))
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Bring everything into the file."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._db.close()

    def _attributes(self, numbered: Sequence[tuple[int, int, Memory, list[int]]]) -> None:
        codes, graph = Interner(self._db), GraphChanges(self._db)
        packed = []
        for row, pool, memory, chosen in numbered:
            language = self._code(self._languages, "language", self._clauses.language(chosen[0]))
            length = sum(len(self._clauses.tokens[each]) for each in chosen)
            data = pack(memory, row=row, codes=codes.intern(memory), language=language, length=length)
            packed.append((pool, row, data))
            entities = dict(pair for each in chosen for pair in self._clauses.entities[each])
            graph.link(pool, row, sorted(entities.items()), edge_owner(unpack(data)))
        self._many("put_attributes", sorted(packed))
        graph.flush()
        codes.flush()

    def _vectors(self, numbered: Sequence[tuple[int, int, Memory, list[int]]]) -> None:
        width = self._clauses.vectors.shape[1]
        if not width:
            return
        vectors = np.stack([self._clauses.vectors[chosen].mean(axis=0) for *_, chosen in numbered])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors += (NOISE / np.sqrt(width)) * self._random.standard_normal(vectors.shape, dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        data, scales = quantise(vectors)
        rows = ((pool, row, scale, each.tobytes()) for (row, pool, *_), scale, each in zip(numbered, scales.tolist(), data, strict=True))
        self._many("put_vector", sorted(rows))

    def _tokens(self, numbered: Sequence[tuple[int, int, Memory, list[int]]]) -> None:
        texts = [(row, " ".join([self._text(pool, each) for each in chosen])) for row, pool, _, chosen in numbered]
        self._many("put_tokens", texts)
        self._db.executemany(_TERMS["index"], texts)

    def _memory(self, fields: dict[str, Any]) -> Memory:
        times: dict[str, Any] = {"created_at": self._now, "updated_at": self._now, "occurred_precision": Precision.SECOND}
        return Memory(id=new_id(), agent=AGENT, channel=Channel.USER, trust=1.0, **times, **fields)

    def _text(self, pool: int, clause: int) -> str:
        """What is indexed of a clause in a namespace."""
        text = self._texts.get((pool, clause))
        if text is None:
            text = self._texts[pool, clause] = indexed_text(pool, self._clauses.tokens[clause])
        return text

    def _code(self, known: dict[str, int], table: str, name: str) -> int:
        if name not in known:
            known[name] = int(value(self._db, _RECORDS[f"add_{table}"], (name,)))
        return known[name]

    def _many(self, statement: str, bindings: Iterator[tuple[Any, ...]] | Sequence[tuple[Any, ...]]) -> None:
        for _ in self._db.executemany(_RECORDS[statement], bindings):
            pass  # what a statement returns has to be read to its end
