"""What the store's methods share: the engine, the namespaces in memory, the identity of the vectors."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np

from hindsight.adapters.relational.cache import View
from hindsight.adapters.relational.image import Images
from hindsight.adapters.relational.indexed import Asked, IndexedVectors, NamespaceVectors, StoredVectors
from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.relational.searching import Namespace, Search
from hindsight.adapters.relational.terms import Reach, TokenIndex
from hindsight.errors import InvalidInput, ModelMismatch, StoreError, StoreUnavailable
from hindsight.ports import Centring, Clock, Rows, Vector, VectorIndex
from hindsight.records import Filter

T = TypeVar("T")
P = ParamSpec("P")

_SQL = load("store.sql")
_RECORDS = load("records.sql")
MOVING = "moving"
"""The note, beside the records, of what was moved into this store and how far that is."""
_NOWHERE = 0
"""The code of a namespace that does not exist (yet)."""


class Engine(Protocol):
    """Connections and threads; the event loop never waits for the database."""

    async def read(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` in a read transaction (one snapshot)."""
        ...

    async def write(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` in a durable transaction, beside those of other processes."""
        ...

    async def write_indexed(self, work: Callable[[Database, TokenIndex], T]) -> T:
        """Run work on records in a durable transaction; all processes take turns, so that rows and changes grow in the order of commits."""
        ...

    def snapshot(self) -> AbstractContextManager[Database]:
        """A connection of its own in a read transaction, for long work (an export). Blocking."""
        ...


@dataclass(slots=True)
class _Snapshot:
    """What :meth:`Core.reading` reads on. ``searches`` keeps the filters too, so that their ids stay theirs."""

    database: Database
    given_up: threading.Event
    searches: dict[tuple[int, bool], tuple[Filter, Search]] = field(default_factory=dict)

    def connection(self) -> Database:
        """The database, for as long as somebody waits for the result."""
        if self.given_up.is_set():
            raise StoreError("nobody waits for this answer any more.")
        return self.database


class Core(ABC):
    """The open store. ``place`` is what messages call it."""

    numbers_given = ""
    """What an INSERT says that brings the numbers which the database would give."""
    reach = Reach()
    """How many postings of words one query may read."""
    receiving = False
    """Whether it is opened to be moved into."""

    def __init__(
        self,
        place: str,
        *,
        embedder: tuple[str, int] | None,
        centring: Centring | None,
        clock: Clock,
        reindexing: bool,
        sealing: Sealing | None = None,
    ) -> None:
        self.place = place
        self.sealing = sealing or Sealing(None, None)
        self._reindexing = reindexing
        self.embedder = embedder
        self.dimension = embedder[1] if embedder else None
        self.clock = clock
        self._centring = centring
        self.vector_index: VectorIndex | None = None
        """What is asked instead of holding the vectors of large namespaces in the process."""
        self.images: Images | None = None
        """Where what was loaded of large namespaces is kept for the next process."""
        self._namespaces: dict[str, Namespace] = {}
        self._guard = threading.Lock()
        self._inside = threading.local()

    @abstractmethod
    def open(self) -> None:
        """Connect and migrate. Blocking."""

    @abstractmethod
    def close(self) -> None:
        """Finish and disconnect. Blocking; safe to call twice."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The open engine."""

    def confined(self, work: Callable[Concatenate[Database, P], T]) -> Callable[Concatenate[Database, P], T]:
        """The work as the database lets the present caller do it (:mod:`hindsight.confinement`); here: without a wall of its own."""
        return work

    async def read(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` on a snapshot: inside :meth:`reading` on that one, at once."""
        snapshot: _Snapshot | None = getattr(self._inside, "snapshot", None)
        return await self.engine.read(self.confined(work)) if snapshot is None else work(snapshot.connection())

    async def reading(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine that awaits nothing but reads of this store, on a reader's thread and one snapshot, leaving neither.

        One that is no longer waited for stops at its next read.
        """
        given_up, context = threading.Event(), copy_context()  # so that spans in there belong to those out here
        try:
            return await self.engine.read(self.confined(lambda db: context.run(self._driven, _Snapshot(db, given_up), work())))
        finally:
            given_up.set()

    def _driven(self, snapshot: _Snapshot, coroutine: Coroutine[Any, Any, T]) -> T:
        self._inside.snapshot = snapshot
        try:
            coroutine.send(None)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            self._inside.snapshot = None
            coroutine.close()
        raise RuntimeError("a coroutine that reads on a snapshot waited for something else")

    async def write(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` in a durable transaction."""
        return await self.engine.write(self.confined(work))

    async def write_indexed(self, work: Callable[[Database, TokenIndex], T]) -> T:
        """The same for work on records, which notes changes of the full-text index."""
        return await self.engine.write_indexed(self.confined(work))

    async def search(self, filter: Filter, work: Callable[[Search], T], *, vectors: bool = False) -> T:
        """Run a search in the filter's namespace; ``vectors`` says whether it needs the matrix."""
        snapshot: _Snapshot | None = getattr(self._inside, "snapshot", None)
        if snapshot is None:
            return await self.engine.read(self.confined(lambda db: work(self.searcher(db, filter, vectors=vectors))))
        database = snapshot.connection()
        # Questions of one retrieval share the filter, and with it what was made for it.
        known = snapshot.searches.get((id(filter), vectors))
        if known is None:
            known = (filter, self.searcher(database, filter, vectors=vectors))
            snapshot.searches[id(filter), vectors] = known
        return work(known[1])

    def searcher(self, db: Database, filter: Filter, *, vectors: bool = False) -> Search:
        """The search of a filter on the snapshot of ``db``."""
        if vectors:
            self.check_model(db)
        namespace = self.namespace(db, filter.namespace)
        with namespace.lock:
            view = namespace.cache.view(db, change_number(db))
            compared = self._vectors(db, namespace, view, filter) if vectors else None
        return Search(db, namespace, filter, view=view, vectors=compared, now=self.clock.now())

    def _vectors(self, db: Database, namespace: Namespace, view: View, filter: Filter) -> NamespaceVectors | None:
        """The vectors of a view just taken: held in the process, or found through the index. The namespace's lock is held."""
        index = self._index_of(db, filter.namespace, view)
        if index is None or self.dimension is None:
            return namespace.cache.vectors(db, view)
        namespace.cache.release_vectors()
        asked = Asked(index, filter.namespace, filter, filter.now or self.clock.now())
        return IndexedVectors(db, view, namespace.means.of(db, view), self.dimension, asked)

    def _index_of(self, db: Database, name: str, view: View) -> VectorIndex | None:
        index = self.vector_index
        return index if index is not None and index.serves(db, name, view.code, view.count) else None

    def namespace(self, db: Database, name: str) -> Namespace:
        """What is kept of a namespace; something empty where there is none of this name."""
        with self._guard:
            found = self._namespaces.get(name)
            if found is None:
                code = value(db, _RECORDS["namespace_code"], (name,))
                if code is None:
                    return Namespace(_NOWHERE, self.dimension, self._centring, self.reach)
                found = self._namespaces[name] = Namespace(code, self.dimension, self._centring, self.reach, self.images)
            return found

    def view(self, db: Database, name: str) -> View:
        """The columns of a namespace on the snapshot of ``db``."""
        namespace = self.namespace(db, name)
        with namespace.lock:
            return namespace.cache.view(db, change_number(db))

    def vectors_of(self, db: Database, wanted: Rows) -> Vector:
        """Centred vectors of rows of any namespaces, zeros where there is none."""
        result = np.zeros((len(wanted), self.dimension or 0), dtype=np.float32)
        if self.dimension is None:
            return result
        self.check_model(db)
        for (name,) in rows(db, _RECORDS["namespaces_of_rows"], (to_json(wanted.tolist()),)):
            namespace = self.namespace(db, name)
            with namespace.lock:
                view = namespace.cache.view(db, change_number(db))
                compared: NamespaceVectors | StoredVectors | None
                if self._index_of(db, name, view) is None:
                    compared = namespace.cache.vectors(db, view)
                else:
                    compared = StoredVectors(db, view, namespace.means.of(db, view), self.dimension)
            places = view.places(wanted)
            if compared is not None:
                result[places >= 0] = compared.centred(places[places >= 0])
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

    def check_model(self, db: Database) -> None:
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
            f"the vectors in {self.place} are of {theirs['model']} ({theirs['dimension']} dimensions), but the embedder is {model} "
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

    def check_whole(self, db: Database) -> None:
        """When the store is opened: is a move into it finished.

        Raises:
            StoreUnavailable: it is not.
        """
        note = None if self.receiving else value(db, _SQL["get_meta"], (MOVING,))
        if note is not None and "left" not in json.loads(note):
            raise StoreUnavailable(
                f"{self.place} holds a part of a store that is being moved here; let `hindsight migrate` finish, or run it again, which goes on "
                "where it was."
            )

    def check_embedder(self, db: Database) -> None:
        """When the store is opened: are its vectors this embedder's; from now on they are."""
        if self.embedder is None or self._reindexing:
            return
        if value(db, _SQL["has_vectors"]):
            self.check_model(db)
        if value(db, _SQL["get_meta"], ("embedder",)) != self._identity():
            db.execute(_SQL["set_meta"], ("embedder", self._identity()))


def change_number(db: Database) -> int:
    """The number of the last change of a record that the snapshot sees."""
    return int(value(db, _SQL["change_number"]))
