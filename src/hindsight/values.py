"""Values that cross the ports: what stores, models and flows hand each other. No I/O. Import them from ``hindsight.ports``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hindsight.records import Channel, EventAction, Memory, Scope

Rows = NDArray[np.int64]
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a chat model answered. ``complete`` is false where it stopped at the token limit."""

    text: str
    complete: bool
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token without its secret. ``per_minute`` bounds requests, 0: no bound."""

    id: UUID
    name: str
    agent: str
    namespaces: tuple[str, ...]
    scopes: frozenset[Scope]
    per_minute: int
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session's working memory at rest. ``body`` is JSON; ``version`` grows with every change, so that no writer overwrites another."""

    namespace: str
    agent: str
    session_id: str
    body: Mapping[str, Any]
    version: int
    opened_at: datetime
    touched_at: datetime


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their scores, best first; parallel arrays."""

    rows: Rows
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TermHits:
    """Which terms of a query given rows hold; columns are the asked terms in their order.

    ``idf`` (terms,) is 0 for a term that no record of the namespace holds; ``worth`` (rows, terms) is idf times saturation,
    0 where the row does not hold the term: its sum over the terms is the row's BM25.
    """

    idf: NDArray[np.float32]
    worth: NDArray[np.float32]


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
    ``tokens`` (with ``language`` and ``entities``) and ``vector`` (with
    ``passages``) of None on a replacement leave the indexed ones as they are. ``passages`` ``(n, dimension)`` are the vectors of a long
    record's passages: it is as near to a query as the nearest of them, or as the whole.
    """

    memory: Memory
    event: NewEvent
    tokens: Sequence[str] | None = None
    language: str = "other"
    vector: Vector | None = None
    passages: Vector | None = None
    entities: Sequence[tuple[str, str]] = ()
    expected_version: int | None = None
    jobs: Sequence[NewJob] = ()


@dataclass(frozen=True, slots=True)
class StagedVector:
    """What a new model makes of a record as it was at ``version``: its vector, and ``(n, dimension)`` of its passages where it is long."""

    row: int
    id: UUID
    version: int
    vector: Vector
    passages: Vector | None = None


@dataclass(frozen=True, slots=True)
class IndexedWords:
    """What keyword search and the graph know of a record as it was at ``version``; ``entities`` are (folded name, kind)."""

    row: int
    id: UUID
    version: int
    tokens: Sequence[str]
    language: str
    entities: Sequence[tuple[str, str]]


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
class Decision:
    """What a reviewer decided on a record. ``signature`` is a digest of what was proposed, the same when it is proposed again."""

    memory_id: UUID
    namespace: str
    decision: Literal["approved", "rejected", "postponed"]
    signature: str
    actor: str
    at: datetime
    reason: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Vote:
    """How a record that a retrieval showed proved itself; ``counted`` tells whether it entered the record's counters."""

    retrieval: UUID
    memory_id: UUID
    agent: str
    verdict: Literal["helpful", "harmful", "unused"]
    counted: bool = True


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
