"""What the flows need of the outside: Protocols that adapters implement. No I/O here.

Searches speak in *rows*: a row is the store's own dense int64 number of a record, stable while the record lives. Routes,
features and fusion work on numpy arrays of rows; only the few winners are fetched as ``Memory``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hindsight.records import Channel, Event, EventAction, Filter, Memory, Stats, Turn

Rows = NDArray[np.int64]
Vector = NDArray[np.float32]


class Clock(Protocol):
    """The time, so that tests can set it."""

    def now(self) -> datetime:
        """The present instant, timezone-aware, UTC."""
        ...


class Embedder(Protocol):
    """Texts to vectors. Vectors are raw (not centred) and L2-normalised."""

    model_id: str
    dimension: int

    async def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vector:
        """``(len(texts), dimension)`` float32; the same text gives the same vector, alone or in a batch, within 1e-3."""
        ...

    async def close(self) -> None:
        """Free the model."""
        ...


class Reranker(Protocol):
    """A cross-encoder: reads query and text together."""

    model_id: str

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One score a text, higher is better, on any scale."""
        ...

    async def close(self) -> None:
        """Free the model."""
        ...


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their scores, best first; parallel arrays."""

    rows: Rows
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Columns:
    """Attributes of rows as parallel arrays, for filters, features and scoring.

    Times are Unix seconds (NaN where unknown). Codes of ``kind``, ``outcome``, ``source``, ``status``, ``role``, ``precision``
    are the positions of the value in its enum, -1 for none. ``session``, ``speaker``, ``task_type``, ``language`` are the
    store's interned codes (:meth:`RecordStore.codes`), -1 for none. ``position`` orders rows inside a session. ``length`` is
    the number of index tokens.
    """

    rows: Rows
    occurred: NDArray[np.float64]
    created: NDArray[np.float64]
    valid_from: NDArray[np.float64]
    valid_to: NDArray[np.float64]
    precision: NDArray[np.int8]
    kind: NDArray[np.int8]
    outcome: NDArray[np.int8]
    source: NDArray[np.int8]
    status: NDArray[np.int8]
    role: NDArray[np.int8]
    avoid: NDArray[np.bool_]
    session: NDArray[np.int64]
    position: NDArray[np.int64]
    speaker: NDArray[np.int64]
    task_type: NDArray[np.int64]
    language: NDArray[np.int8]
    length: NDArray[np.int32]
    trust: NDArray[np.float32]
    confidence: NDArray[np.float32]
    importance: NDArray[np.float32]
    priority: NDArray[np.int32]
    helpful: NDArray[np.int32]
    harmful: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be written with the change that it tells of."""

    action: EventAction
    actor: str
    channel: Channel
    at: datetime
    session_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be queued in the same transaction. ``payload`` is JSON; ``order_key`` keeps jobs of one session in order."""

    kind: str
    payload: Mapping[str, Any]
    namespace: str
    order_key: str | None = None
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """One record to be written in one transaction: the row, its tokens, vector, entities, event and jobs.

    Without ``expected_version`` the record is new: where its (namespace, agent, idempotency key) is taken, nothing is
    written and the standing id comes back. With it, the record with this id is replaced if that version still stands.
    ``tokens`` and ``vector`` of None on a replacement leave the indexed ones as they are.
    """

    memory: Memory
    event: NewEvent
    tokens: Sequence[str] | None = None
    language: str = "other"
    vector: Vector | None = None
    entities: Sequence[tuple[str, str]] = ()
    expected_version: int | None = None
    jobs: Sequence[NewJob] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """What a write became: ``created`` is false where the idempotency key stood already."""

    id: UUID
    created: bool
    version: int


@dataclass(frozen=True, slots=True)
class Job:
    """A leased job."""

    id: int
    kind: str
    payload: dict[str, Any]
    namespace: str
    attempts: int
    order_key: str | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """A job as an operator sees it."""

    id: int
    kind: str
    namespace: str
    state: Literal["waiting", "leased", "done", "dead"]
    attempts: int
    created_at: datetime
    error: str | None = None
    result: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RetrievalRow:
    """What one retrieval saw and showed, for explanations and feedback; JSON-able parts only."""

    id: UUID
    namespace: str
    agent: str
    at: datetime
    query: str
    shown: Sequence[UUID]
    detail: Mapping[str, Any]
    session_id: str | None = None
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing; ``cursor`` fetches the next, None at the end."""

    items: Sequence[Memory]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Centring:
    """Mean vectors to subtract before comparing, by language (``""`` for every other); ``weight`` pseudo-counts of the seed.

    The mean in force is (weight * seed + sum of the namespace's vectors of that language) / (weight + their number).
    """

    version: str
    seeds: Mapping[str, Vector] = field(default_factory=dict)
    weight: float = 200.0


class RecordStore(Protocol):
    """Records and everything that must commit with them. Every search applies the whole filter inside."""

    async def open(self) -> None:
        """Connect, migrate, check the embedder's id and dimension against the store (``ModelMismatch``)."""
        ...

    async def close(self) -> None:
        """Flush what is buffered and disconnect; safe to call twice."""
        ...

    async def commit(self, writes: Sequence[Write]) -> list[Committed]:
        """Write all in ONE transaction, or none; durable when it returns."""
        ...

    async def erase(self, ids: Sequence[UUID], event: NewEvent) -> list[UUID]:
        """Remove record, tokens, vector, edges, event texts and logged queries for good; returns the ids that were there."""
        ...

    async def get(self, id: UUID) -> Memory | None: ...

    async def find_keys(self, namespace: str, agent: str, idempotency_keys: Sequence[str]) -> dict[str, UUID]:
        """Ids of the live (not archived) records that hold these keys; keys that nobody holds are left out."""
        ...

    async def fetch(self, rows: Rows) -> list[Memory]:
        """The records of ``rows`` in that order; rows erased meanwhile are left out."""
        ...

    async def row_of(self, ids: Sequence[UUID]) -> Rows:
        """Rows of ids, -1 where there is none."""
        ...

    async def list(self, filter: Filter, *, limit: int = 100, cursor: str | None = None) -> Page:
        """Newest first."""
        ...

    def export(self, namespace: str | None = None) -> AsyncIterator[Memory]:
        """Every record but quarantined ones, oldest first, from one consistent snapshot."""
        ...

    async def history(self, id: UUID) -> list[Event]: ...

    async def codes(self, values: Sequence[tuple[Literal["session", "speaker", "task_type"], str]]) -> list[int]:
        """Interned codes of column values, -1 for unknown ones; speakers are matched folded."""
        ...

    async def speakers(self, namespace: str) -> dict[str, int]:
        """Every speaker of the namespace (folded name) and its code."""
        ...

    async def visible(self, filter: Filter) -> Rows:
        """Every row that passes the filter, ascending."""
        ...

    async def search_vector(self, filter: Filter, vector: Vector, *, limit: int) -> Scored:
        """Nearest by (centred) cosine."""
        ...

    async def search_terms(self, filter: Filter, terms: Sequence[str], *, limit: int) -> Scored:
        """Best by BM25 with the namespace's own statistics (``hindsight.text.bm25``)."""
        ...

    async def search_time(self, filter: Filter, start: datetime, end: datetime, *, limit: int) -> Scored:
        """Events in [start, end), scored 1, then near ones, falling with their distance."""
        ...

    async def search_entities(self, filter: Filter, names: Sequence[str], *, hops: int, limit: int) -> Scored:
        """Spreading activation from entities (folded names) over alias and co-occurrence edges, hubs damped."""
        ...

    async def vector_scores(self, filter: Filter, rows: Rows, vector: Vector) -> NDArray[np.float32]:
        """(Centred) cosine of given rows, NaN where a row has no vector."""
        ...

    async def term_scores(self, filter: Filter, rows: Rows, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of given rows, 0 where no term matches."""
        ...

    async def vectors(self, rows: Rows) -> Vector:
        """(Centred, normalised) vectors of rows, zeros where there is none."""
        ...

    async def columns(self, filter: Filter, rows: Rows) -> Columns:
        """Attributes of given rows."""
        ...

    async def neighbours(self, filter: Filter, rows: Rows, *, reach: int) -> NDArray[np.int64]:
        """``(n, 2 * reach)`` visible rows before and after each row in its session (-reach..-1, 1..reach), -1 for none."""
        ...

    async def session_rows(self, filter: Filter, sessions: NDArray[np.int64], *, limit: int) -> Rows:
        """Visible rows of the sessions (codes), at most ``limit`` of each, in order."""
        ...

    async def add_turns(self, namespace: str, agent: str, turns: Sequence[Turn]) -> int:
        """Append raw turns; those already there (session, position) are left alone. Returns how many were new."""
        ...

    async def turns(self, namespace: str, session_id: str, first: int | None = None, last: int | None = None) -> list[Turn]: ...

    async def enqueue(self, jobs: Sequence[NewJob]) -> list[int]:
        """Durable when it returns."""
        ...

    async def lease(self, worker: str, kinds: Sequence[str], *, seconds: float = 15.0, limit: int = 1) -> list[Job]:
        """Take due jobs; one whose lease ran out is taken again. Jobs with one order key go one at a time, in order."""
        ...

    async def finish(self, job: int, worker: str, result: Mapping[str, Any] | None = None) -> bool:
        """Mark done; False where the lease was lost."""
        ...

    async def fail(self, job: int, worker: str, error: str, *, retry_at: datetime | None) -> bool:
        """Give back for a later try, or, without ``retry_at``, put into the dead-letter list."""
        ...

    async def queued(self) -> int:
        """Number of jobs waiting or leased."""
        ...

    async def jobs(self, *, states: Sequence[str] = (), limit: int = 100) -> list[JobState]: ...

    async def log_retrievals(self, rows: Sequence[RetrievalRow]) -> None: ...

    async def retrieval(self, id: UUID) -> RetrievalRow | None: ...

    async def change_number(self) -> int:
        """Grows with every committed change, in any process; caches compare it."""
        ...

    async def namespaces(self) -> list[str]: ...

    async def stats(self, namespace: str | None = None) -> Stats: ...

    async def check(self) -> list[str]:
        """What is wrong with the store (integrity, index drift), one sentence each; empty when sound."""
        ...
