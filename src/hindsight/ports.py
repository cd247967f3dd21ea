"""What the flows need of the outside: Protocols that adapters implement. No I/O here.

Searches speak in *rows*: a row is the store's own dense int64 number of a record, stable while the record lives. Routes,
features and fusion work on numpy arrays of rows; only the few winners are fetched as ``Memory``.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hindsight.learnt import LearningStore
from hindsight.records import Event, Filter, Memory, Stats, Turn
from hindsight.revectoring import VectorStaging
from hindsight.seals import HistoryStore
from hindsight.tending import HistoryCut, HistoryStep, Trace, UpkeepState, UpkeepStore
from hindsight.values import (
    Centring,
    ChatMessage,
    ChatReply,
    Columns,
    Committed,
    Decision,
    IndexedWords,
    Job,
    JobState,
    NewEvent,
    NewJob,
    Page,
    RetrievalRow,
    Rows,
    Scored,
    SessionState,
    StagedVector,
    TermHits,
    Token,
    Vector,
    Vote,
    Write,
)

__all__ = [
    "Centring",
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "Clock",
    "Columns",
    "Committed",
    "Decision",
    "Embedder",
    "HistoryCut",
    "HistoryStep",
    "HistoryStore",
    "IndexedWords",
    "Job",
    "JobState",
    "LearningStore",
    "NewEvent",
    "NewJob",
    "Page",
    "RecordStore",
    "RemembersVectors",
    "Reranker",
    "RetrievalRow",
    "Rows",
    "Scored",
    "SessionState",
    "SessionStore",
    "StagedVector",
    "TermHits",
    "Token",
    "TokenStore",
    "Trace",
    "UpkeepState",
    "UpkeepStore",
    "Vector",
    "VectorIndex",
    "VectorStaging",
    "Vote",
    "Write",
]

T = TypeVar("T")


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


@runtime_checkable
class RemembersVectors(Embedder, Protocol):
    """An embedder that keeps the vectors of texts it has seen."""

    def forget(self, texts: Sequence[str] | None = None) -> None:
        """Drop the vectors of these texts, or all."""
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


class ChatModel(Protocol):
    """A language model that answers messages."""

    model_id: str

    async def complete(self, messages: Sequence[ChatMessage], *, max_tokens: int, schema: Mapping[str, Any] | None = None) -> ChatReply:
        """The answer. ``schema`` (JSON Schema) is what the answer's JSON must follow; the caller checks it all the same."""
        ...

    async def close(self) -> None:
        """Free what it holds."""
        ...


class SessionStore(Protocol):
    """Working memory that survives a restart; apart from the records, so that nothing of it is recalled before the session ends."""

    async def load_session(self, namespace: str, agent: str, session_id: str) -> SessionState | None: ...

    async def save_session(self, state: SessionState, *, expected_version: int | None) -> bool:
        """Write ``state``, durable when it returns; False where another writer was first and nothing was written.

        ``expected_version`` is the one that must stand, None for a new session.
        """
        ...

    async def drop_session(self, namespace: str, agent: str, session_id: str, *, expected_version: int | None = None) -> bool:
        """Forget a session; False where there was none, or another version stands than the expected one."""
        ...

    async def open_sessions(self, namespace: str, agent: str) -> list[SessionState]:
        """Sessions of an agent, the one touched last first."""
        ...

    async def idle_sessions(self, before: datetime, *, limit: int = 100) -> list[SessionState]:
        """Sessions of everybody that were not touched since ``before``, the oldest first."""
        ...


class TokenStore(Protocol):
    """Bearer tokens, by the digest of their secret."""

    async def add_token(self, token: Token, digest: bytes) -> bool:
        """Durable when it returns; False where the digest is taken."""
        ...

    async def token_of(self, digest: bytes) -> Token | None:
        """The token with this digest, revoked and expired ones too."""
        ...

    async def tokens(self) -> list[Token]:
        """Every token, the oldest first."""
        ...

    async def any_token(self) -> bool:
        """Whether one was ever made."""
        ...

    async def revoke_token(self, id: UUID, at: datetime) -> bool:
        """Revoke; False where there is none in force."""
        ...

    async def token_used(self, id: UUID, at: datetime) -> None: ...


class VectorIndex(Protocol):
    """Finds candidates among the vectors of large namespaces, so that no process has to hold them. Called on a reader's thread.

    It may be wrong in any way but one: a row that it never names is not found. Whether a row passes the filter, and how near it is, is
    decided from the store's own columns and vectors (``hindsight.adapters.relational.indexed``).
    """

    def serves(self, db: Any, namespace: str, code: int, count: int) -> bool:
        """Whether the namespace, of about ``count`` records, is searched here; else the process holds its vectors and scans them.

        ``db`` is the reader's connection and snapshot, ``code`` the namespace's number in the store.
        """
        ...

    def nearest(self, db: Any, namespace: str, code: int, filter: Filter, now: datetime, query: Vector, wanted: int) -> Iterator[Rows]:
        """Rows whose centred vectors, or those of their passages, are nearest to ``query`` (centred, of length 1, float32), roughly best
        first, in batches, until nobody takes more.

        The caller drops what does not pass ``filter`` at ``now`` (which the index may use, to name few such rows) and stops once it has
        ``wanted`` rows that do. A row may come twice.

        Raises:
            IndexUnavailable: it cannot be asked; the search goes on without vectors, and says so.
        """
        ...


class RecordStore(HistoryStore, Protocol):
    """Records and everything that must commit with them. Every search applies the whole filter inside."""

    async def open(self) -> None:
        """Connect, migrate, check the embedder's id and dimension against the store (``ModelMismatch``)."""
        ...

    async def close(self) -> None:
        """Flush what is buffered and disconnect; safe to call twice."""
        ...

    async def reading(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine that awaits nothing but this store's reads: beside the event loop, on one snapshot, without a wait a read."""
        ...

    async def commit(self, writes: Sequence[Write]) -> builtins.list[Committed]:
        """Write all in ONE transaction, or none; durable when it returns."""
        ...

    async def erase(self, ids: Sequence[UUID], event: NewEvent) -> builtins.list[UUID]:
        """Remove record, tokens, vector, edges, event texts and logged queries for good; returns the ids that were there."""
        ...

    async def get(self, id: UUID) -> Memory | None: ...

    async def find_keys(self, namespace: str, agent: str, idempotency_keys: Sequence[str]) -> dict[str, UUID]:
        """Ids of the live (not archived) records that hold these keys; keys that nobody holds are left out."""
        ...

    async def fetch(self, rows: Rows) -> builtins.list[Memory]:
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

    async def history(self, id: UUID) -> builtins.list[Event]: ...

    async def codes(self, values: Sequence[tuple[Literal["session", "speaker", "task_type"], str]]) -> builtins.list[int]:
        """Interned codes of column values, -1 for unknown ones; speakers are matched folded."""
        ...

    async def speakers(self, namespace: str) -> dict[str, int]:
        """Every speaker of the namespace (folded name) and its code."""
        ...

    async def visible(self, filter: Filter) -> Rows:
        """Every row that passes the filter, ascending."""
        ...

    async def search_vector(
        self, filter: Filter, vector: Vector, *, limit: int, language: str | None = None, centre: bool = True
    ) -> Scored:
        """Nearest by (centred) cosine.

        ``language`` of the query picks the mean that is subtracted from it; None finds it by the vector. ``centre=False``
        takes the vector as one that is centred already (:meth:`centred`).
        """
        ...

    async def centred(self, filter: Filter, vector: Vector, *, language: str | None = None) -> Vector:
        """The query vector as searches compare it: the mean of its language in the namespace subtracted, of length 1."""
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

    async def vector_scores(
        self, filter: Filter, rows: Rows, vector: Vector, *, language: str | None = None, centre: bool = True
    ) -> NDArray[np.float32]:
        """(Centred) cosine of given rows, NaN where a row has no vector."""
        ...

    async def term_scores(self, filter: Filter, rows: Rows, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of given rows, 0 where no term matches."""
        ...

    async def term_hits(self, filter: Filter, rows: Rows, terms: Sequence[str]) -> TermHits:
        """What each term adds to the BM25 of given rows."""
        ...

    async def vectors(self, rows: Rows) -> Vector:
        """(Centred, normalised) vectors of rows, zeros where there is none."""
        ...

    async def columns(self, filter: Filter, rows: Rows) -> Columns:
        """Attributes of given rows, in that order; one that is gone meanwhile has NaN, -1 and False."""
        ...

    async def neighbours(self, filter: Filter, rows: Rows, *, reach: int) -> NDArray[np.int64]:
        """``(n, 2 * reach)`` visible rows before and after each row in its session (-reach..-1, 1..reach), -1 for none."""
        ...

    async def session_rows(self, filter: Filter, sessions: NDArray[np.int64], *, limit: int) -> Rows:
        """Visible rows of the sessions (codes), at most ``limit`` of each, in order."""
        ...

    async def add_turns(self, namespace: str, agent: str, turns: Sequence[Turn]) -> int:
        """Append raw turns; an agent's own; those already there (session, position) are left alone. Returns how many were new."""
        ...

    async def turns(
        self, namespace: str, agent: str, session_id: str, first: int | None = None, last: int | None = None
    ) -> builtins.list[Turn]: ...

    async def enqueue(self, jobs: Sequence[NewJob]) -> builtins.list[int]:
        """Durable when it returns."""
        ...

    async def lease(self, worker: str, kinds: Sequence[str], *, seconds: float = 15.0, limit: int = 1) -> builtins.list[Job]:
        """Take due jobs; one whose lease ran out is taken again. Jobs with one order key go one at a time, in order."""
        ...

    async def renew(self, worker: str, *, seconds: float = 15.0) -> int:
        """Prolong the leases that a worker still holds; how many there are."""
        ...

    async def retry(self, job: int) -> bool:
        """Put a dead job back among the waiting ones; False where there is no such dead job."""
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

    async def jobs(self, *, states: Sequence[str] = (), limit: int = 100) -> builtins.list[JobState]: ...

    async def log_retrievals(self, rows: Sequence[RetrievalRow]) -> None: ...

    async def retrieval(self, id: UUID) -> RetrievalRow | None: ...

    async def change_number(self) -> int:
        """Grows with every committed change, in any process; caches compare it."""
        ...

    async def namespaces(self) -> builtins.list[str]: ...

    async def stats(self, namespace: str | None = None) -> Stats: ...

    async def check(self) -> builtins.list[str]:
        """What is wrong with the store (integrity, index drift), one sentence each; empty when sound."""
        ...
