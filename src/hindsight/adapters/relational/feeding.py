"""The store's side of a vector engine: what changed, what its points are made of, and searches that ask it."""

from __future__ import annotations

import builtins
import json
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from hindsight.adapters.relational.attributes import unpack
from hindsight.adapters.relational.core import Core, change_number
from hindsight.adapters.relational.mapping import read_memory, to_json
from hindsight.adapters.relational.notes import PREFIX
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.errors import IndexUnavailable
from hindsight.following import NOTE, Changed, Following, IndexPoint, Nearest, VectorEngine
from hindsight.ports import Rows, Vector, VectorIndex
from hindsight.records import Filter
from hindsight.vectors import dequantise

_SQL = load("feeding.sql")
_RECORDS = load("records.sql")
_META = load("store.sql")
_NAME = PREFIX + NOTE
_FRESH = 4096
"""So many of the newest rows that the engine may not have yet are looked at beside what it names."""
_STATE_SECONDS = 0.25


class Feeding:
    """The ``ChangeFeed`` of a store."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def following(self) -> Following | None:
        """How far the engine is."""
        return await self._core.read(_following)

    async def move(self, before: Following | None, after: Following) -> bool:
        """Note it, if nobody else did meanwhile."""
        text = after.as_text()
        if before is None:
            return bool(await self._core.write(lambda db: rows(db, _SQL["first_note"], (_NAME, text))))
        return bool(await self._core.write(lambda db: rows(db, _SQL["replace_note"], (text, _NAME, before.as_text()))))

    async def model(self) -> tuple[str, int] | None:
        """What made the vectors in use."""
        return await self._core.read(_model)

    async def change_number(self) -> int:
        """The last change."""
        return await self._core.read(change_number)

    async def changed(self, after: int, limit: int) -> Changed:
        """The next rows that changed."""
        return await self._core.read(lambda db: _changed(db, after, limit))

    async def last_row(self) -> int:
        """The newest row."""
        return int(await self._core.read(lambda db: rows(db, _SQL["ends_of_rows"])[0][1]))

    async def rows_after(self, row: int, limit: int) -> builtins.list[int]:
        """The next rows."""
        return [each for (each,) in await self._core.read(lambda db: rows(db, _SQL["rows_after"], (row, limit)))]

    async def points(self, rows: Sequence[int]) -> builtins.list[IndexPoint]:
        """What an engine keeps of rows."""
        return await self._core.read(lambda db: _points(db, rows)) if rows else []

    async def count(self) -> int:
        """How many records have a vector."""
        return int(await self._core.read(lambda db: value(db, _SQL["count"])))

    async def sampled(self, number: int) -> builtins.list[IndexPoint]:
        """Records from all over the store: the next ones after rows chosen by chance."""

        def work(db: Database) -> builtins.list[IndexPoint]:
            first, last = rows(db, _SQL["ends_of_rows"])[0]
            starts = [random.randint(first, last) - 1 for _ in range(number)] if last else []
            chosen = {each for start in starts for (each,) in rows(db, _SQL["rows_after"], (start, 1))}
            return _points(db, sorted(chosen))

        return await self._core.read(work)


class Fed:
    """What a store has for an engine beside it."""

    _core: Core
    erased: Callable[[Sequence[UUID]], Awaitable[object]] | None = None
    """Told at once of records that were erased, where something beside the store holds copies."""

    @property
    def feed(self) -> Feeding:
        """What an engine is fed from."""
        return Feeding(self._core)

    def search_with(self, index: VectorIndex | None) -> None:
        """Ask it for the nearest vectors in the namespaces that it serves."""
        self._core.vector_index = index


class EngineIndex:
    """The ``VectorIndex`` of a store whose vectors an engine searches.

    Args:
        engine: what is asked.
        dimension: of the vectors of this process's embedder.
        model: its name.
    """

    serve_from = 50_000
    """A smaller namespace is searched in the process: its vectors take less than 20 MB and a few milliseconds."""

    def __init__(self, engine: VectorEngine, *, model: str, dimension: int) -> None:
        self._engine = engine
        self._model = (model, dimension)
        self._known: tuple[float, Following | None] = (-1.0, None)

    def serves(self, db: Database, namespace: str, code: int, count: int) -> bool:  # noqa: ARG002 - the size alone decides
        """Whether the namespace is large and the engine holds all of it; while it is being filled, the process goes on by itself."""
        if count < self.serve_from:
            return False
        state = self._state(db)
        return state is not None and state.searched is not None and (state.model, state.dimension) == self._model

    def nearest(
        self,
        db: Database,
        namespace: str,  # noqa: ARG002 - the filter names it too
        code: int,
        filter: Filter,
        now: datetime,
        query: Vector,
        wanted: int,
    ) -> Iterator[Rows]:
        """What the engine names, and with the first of it the newest rows that it may not have yet.

        Raises:
            IndexUnavailable: it does not answer.
        """
        state = self._state(db)
        if state is None or state.searched is None:
            raise IndexUnavailable(
                f"{self._engine.place} is not filled from this store yet; `hindsight worker` or `hindsight serve` does it."
            )
        collection, change = state.searched
        fresh = np.fromiter((row for (row,) in rows(db, _SQL["fresh_rows"], (change, code, _FRESH))), dtype=np.int64)
        languages = tuple(each for (each,) in rows(db, _SQL["language_codes"]))
        asked = Nearest(filter, now, query, wanted, languages, bool(value(db, _SQL["has_passages"], (code,))))
        try:
            for batch in self._engine.nearest(collection, asked):
                yield np.concatenate([batch, fresh])
                fresh = fresh[:0]
        except IndexUnavailable:
            self._known = (-1.0, None)  # perhaps the collection is another by now
            raise

    def _state(self, db: Database) -> Following | None:
        """How far the engine is, as it stood a moment ago: an older state only means that more rows are taken for new."""
        at, state = self._known
        now = time.monotonic()
        if now - at > _STATE_SECONDS:
            state = _following(db)
            self._known = (now, state)
        return state


def _following(db: Database) -> Following | None:
    return Following.of(value(db, _META["get_meta"], (_NAME,)))


def _model(db: Database) -> tuple[str, int] | None:
    known = value(db, _META["get_meta"], ("embedder",))
    if known is None or not value(db, _META["has_vectors"]):
        return None
    fields = json.loads(known)
    return str(fields["model"]), int(fields["dimension"])


def _changed(db: Database, after: int, limit: int) -> Changed:
    oldest, last = value(db, _SQL["oldest_change"]), change_number(db)
    if after > last or (oldest is not None and after < last and oldest > after + 1):
        return Changed((), last, behind=True)
    found = rows(db, _SQL["changed_after"], (after, limit))
    return Changed(tuple(dict.fromkeys(row for _, row in found)), found[-1][0] if found else after)


def _points(db: Database, wanted: Sequence[int]) -> builtins.list[IndexPoint]:
    text = to_json([int(row) for row in wanted])
    memories = {values[0]: read_memory(values[1:]) for values in rows(db, _RECORDS["fetch"], (text,))}
    packed = {row: unpack(data) for row, data in rows(db, _SQL["packed"], (text,))}
    names: dict[int, list[str]] = defaultdict(list)
    for row, name in rows(db, _SQL["names"], (text,)):
        names[row].append(name)
    vectors = {row: found[0] for row, found in _by_row(rows(db, _SQL["vectors"], (text,))).items()}
    passages = _by_row(rows(db, _SQL["passages"], (text,)))
    return [
        IndexPoint(
            row=row,
            memory=memory,
            language=packed[row]["language"],
            starts=memory.event_time.timestamp(),
            ends=packed[row]["ends"],
            entities=tuple(names[row]),
            vector=vectors.get(row),
            passages=passages.get(row),
        )
        for row, memory in sorted(memories.items())
        if row in packed and (row in vectors or row in passages)
    ]


def _by_row(found: Sequence[Any]) -> dict[int, Vector]:
    """Raw vectors of rows, ``(n, d)`` each."""
    parts: dict[int, list[tuple[float, bytes]]] = defaultdict(list)
    for row, scale, data in found:
        parts[row].append((scale, data))
    return {
        row: dequantise(
            np.frombuffer(b"".join(data for _, data in each), dtype=np.int8).reshape(len(each), -1),
            np.array([scale for scale, _ in each], dtype=np.float32),
        )
        for row, each in parts.items()
    }
