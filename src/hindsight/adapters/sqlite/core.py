"""What the store's methods share: the open file, the namespaces in memory, the identity of the vectors."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw
import numpy as np

from hindsight.adapters.sqlite.cache import View
from hindsight.adapters.sqlite.engine import BUSY_MILLISECONDS, Durability, Engine, IndexedWork, Work
from hindsight.adapters.sqlite.files import prepare_folder
from hindsight.adapters.sqlite.mapping import to_json
from hindsight.adapters.sqlite.migrate import migrate
from hindsight.adapters.sqlite.queries import load, rows, value
from hindsight.adapters.sqlite.searching import Namespace, Search
from hindsight.errors import InvalidInput, ModelMismatch, StoreBusy, StoreError
from hindsight.ports import Centring, Clock, Rows, Vector
from hindsight.records import Filter

T = TypeVar("T")

_SQL = load("store.sql")
_RECORDS = load("records.sql")
_NOWHERE = 0
"""The code of a namespace that does not exist (yet)."""
_CHECKPOINT_SECONDS = 10.0
_CHECKPOINT_MILLISECONDS = 50


class Core:
    """The open store."""

    def __init__(
        self,
        folder: Path,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None,
        durability: Durability,
        clock: Clock,
        reindexing: bool,
    ) -> None:
        self.folder = folder
        self._reindexing = reindexing
        self.embedder = embedder
        self.dimension = embedder[1] if embedder else None
        self.clock = clock
        self._centring = centring
        self._durability = durability
        self._engine: Engine | None = None
        self._namespaces: dict[str, Namespace] = {}
        self._guard = threading.Lock()

    def open(self) -> None:
        """Connect and migrate. Blocking."""
        with self._guard:
            if self._engine is not None:
                return
            engine = Engine(prepare_folder(self.folder), self._durability)
            try:
                engine.start(lambda db: self._prepare(db, engine))
            except BaseException:
                engine.close()
                raise
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
        """The open file."""
        if self._engine is None:
            raise StoreError(f"the store {self.folder} is not open; call open() first.")
        return self._engine

    async def read(self, work: Work[T]) -> T:
        """Run ``work`` on a snapshot."""
        return await self.engine.read(work)

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` in a durable transaction."""
        return await self.engine.write(work)

    async def write_indexed(self, work: IndexedWork[T]) -> T:
        """The same for work that notes changes of the full-text index."""
        return await self.engine.write_indexed(work)

    async def empty_log(self) -> None:
        """Empty the log after an erasure, however long readers take; writers go on meanwhile.

        Raises:
            StoreBusy: a reader kept an old snapshot open all the time.
        """
        end, pause = time.monotonic() + _CHECKPOINT_SECONDS, 0.005
        while not await self.engine.alone(empty_log):
            if time.monotonic() > end:
                raise StoreBusy(
                    "the memories are erased, but a long-running reader (an export?) keeps old pages in the log; erase again or reopen the "
                    "store once it is done, so that the last bytes go too."
                )
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.2)

    async def search(self, filter: Filter, work: Callable[[Search], T], *, vectors: bool = False) -> T:
        """Run a search in the filter's namespace; ``vectors`` says whether it needs the matrix."""
        return await self.engine.read(lambda db: work(self.searcher(db, filter, vectors=vectors)))

    def searcher(self, db: apsw.Connection, filter: Filter, *, vectors: bool = False) -> Search:
        """The search of a filter on the snapshot of ``db``."""
        if vectors:
            self.check_model(db)
        namespace = self.namespace(db, filter.namespace)
        with namespace.lock:
            view = namespace.cache.view(db, change_number(db))
            matrix = namespace.cache.vectors(db, view) if vectors else None
        return Search(db, namespace, filter, view=view, vectors=matrix, now=self.clock.now())

    def namespace(self, db: apsw.Connection, name: str) -> Namespace:
        """What is kept of a namespace; something empty where there is none of this name."""
        with self._guard:
            found = self._namespaces.get(name)
            if found is None:
                code = value(db, _RECORDS["namespace_code"], (name,))
                if code is None:
                    return Namespace(_NOWHERE, self.dimension, self._centring)
                found = self._namespaces[name] = Namespace(code, self.dimension, self._centring)
            return found

    def view(self, db: apsw.Connection, name: str) -> View:
        """The columns of a namespace on the snapshot of ``db``."""
        namespace = self.namespace(db, name)
        with namespace.lock:
            return namespace.cache.view(db, change_number(db))

    def vectors_of(self, db: apsw.Connection, wanted: Rows) -> Vector:
        """Centred vectors of rows of any namespaces, zeros where there is none."""
        result = np.zeros((len(wanted), self.dimension or 0), dtype=np.float32)
        if self.dimension is None:
            return result
        self.check_model(db)
        for (name,) in rows(db, _RECORDS["namespaces_of_rows"], (to_json(wanted.tolist()),)):
            namespace = self.namespace(db, name)
            with namespace.lock:
                view = namespace.cache.view(db, change_number(db))
                matrix = namespace.cache.vectors(db, view)
            places = view.places(wanted)
            if matrix is not None:
                result[places >= 0] = matrix.centred(places[places >= 0])
        return result

    def checked_query(self, vector: Vector) -> Vector:
        """A query vector of the store's dimension, float32."""
        query = np.asarray(vector, dtype=np.float32)
        if self.dimension is not None and query.shape != (self.dimension,):
            raise ModelMismatch(
                f"a query vector of shape {query.shape} cannot be compared with the store's vectors of dimension {self.dimension}; "
                "use the store's embedding model, or run `hindsight reindex`."
            )
        if not np.isfinite(query).all():
            raise InvalidInput("the query vector holds NaN or infinity; check the embedding endpoint.")
        return query

    def _prepare(self, db: apsw.Connection, engine: Engine) -> None:
        migrate(db, file=str(engine.file))
        engine.mark_used()
        self._check_embedder(db)
        empty_log(db)

    def check_model(self, db: apsw.Connection) -> None:
        """Whether the vectors that ``db`` sees are this embedder's: another process may have replaced them.

        Raises:
            ModelMismatch: they are another model's.
        """
        known = value(db, _SQL["get_meta"], ("embedder",))
        if self.embedder is None or known is None or known == self._identity():
            return
        theirs = json.loads(known)
        model, dimension = self.embedder
        raise ModelMismatch(
            f"the vectors in {self.folder} are of {theirs['model']} ({theirs['dimension']} dimensions), but the embedder is {model} "
            f"({dimension}). Set the embedder back, or run `hindsight reindex` to embed everything anew; nothing was changed."
        )

    def target(self) -> tuple[str, int]:
        """The model that a reindexing makes vectors with, and their dimension."""
        if self.embedder is None:
            raise ModelMismatch("a keyword-only store has no vectors to make; choose an embedder (HINDSIGHT_EMBEDDER) first.")
        return self.embedder

    def _identity(self) -> str:
        model, dimension = self.target()
        return to_json({"model": model, "dimension": dimension})

    def _check_embedder(self, db: apsw.Connection) -> None:
        if self.embedder is None or self._reindexing:
            return
        if value(db, _SQL["has_vectors"]):
            self.check_model(db)
        if value(db, _SQL["get_meta"], ("embedder",)) != self._identity():
            db.execute(_SQL["set_meta"], ("embedder", self._identity()))


def change_number(db: apsw.Connection) -> int:
    """The number of the last change of a record that the snapshot sees."""
    return int(value(db, _SQL["change_number"]))


def empty_log(db: apsw.Connection) -> bool:
    """After an erasure: move the write-ahead log into the file and cut it off, since old pages in it still hold what was erased.

    False where a reader with an old snapshot prevents it for now.
    """
    if value(db, _SQL["get_meta"], ("log_holds_erased",)) is None:
        return True
    db.set_busy_timeout(_CHECKPOINT_MILLISECONDS)
    try:
        blocked = rows(db, _SQL["checkpoint"])[0][0]
    finally:
        db.set_busy_timeout(BUSY_MILLISECONDS)
    if blocked:
        return False
    db.execute(_SQL["delete_meta"], ("log_holds_erased",))
    return True
