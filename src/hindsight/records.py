"""The records of hindsight: one ``Memory`` type, used unchanged by the SDK, MCP, REST and the console. No I/O.

Times are timezone-aware; a record keeps UTC. Event time (``occurred_at``) is not write time (``created_at``), and keeps
its precision: a date known only by its year is never treated as 1 January.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self, TypedDict
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hindsight.vocabulary import (
    CHANNEL_TRUST,
    LAYER_OF,
    OUTCOME_WEIGHT,
    SOURCE_WEIGHT,
    Channel,
    EventAction,
    Kind,
    Layer,
    Outcome,
    Precision,
    Role,
    Source,
    Status,
    StoreStatus,
    Visibility,
)

__all__ = [
    "CHANNEL_TRUST",
    "LAYER_OF",
    "MAX_CONTENT_BYTES",
    "MAX_FIELD_BYTES",
    "MAX_LIST_ITEMS",
    "OUTCOME_WEIGHT",
    "SOURCE_WEIGHT",
    "Channel",
    "DebugInfo",
    "Draft",
    "DraftFields",
    "Event",
    "EventAction",
    "Filter",
    "Kind",
    "Layer",
    "Lesson",
    "Memory",
    "Outcome",
    "Precision",
    "Principal",
    "Ref",
    "Role",
    "Source",
    "Stats",
    "Status",
    "StoreResult",
    "StoreStatus",
    "Turn",
    "Visibility",
    "default_idempotency_key",
    "new_id",
    "utc",
]

MAX_CONTENT_BYTES = 1_048_576
"""Longest ``content`` in UTF-8 bytes (1 MiB); ``MAX_FIELD_BYTES`` bounds every other text field."""
MAX_FIELD_BYTES = 65_536
MAX_LIST_ITEMS = 1_000

_Text = Annotated[str, Field(max_length=MAX_FIELD_BYTES)]
_Short = Annotated[str, Field(max_length=1_024)]
_Shorts = Annotated[tuple[_Short, ...], Field(max_length=MAX_LIST_ITEMS)]
_Unit = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Lesson(_Record):
    """When ``condition``, (do not) do ``action``, because ``reason``. ``avoid`` marks a negative memory."""

    condition: _Text
    action: _Text
    reason: _Text = ""
    avoid: bool = True


class Ref(_Record):
    """A pointer to raw source: turns ``first``..``last`` (positions, inclusive) of a session, or a span of a document."""

    session_id: _Short | None = None
    first: int | None = None
    last: int | None = None
    document: _Short | None = None
    start: int | None = None
    end: int | None = None


class DebugInfo(_Record):
    """How a record came to be, for whoever looks into it later. ``event_time``: the words that ``occurred_at`` was read from."""

    session_id: str | None = None
    turn_ids: tuple[str, ...] = ()
    model: str | None = None
    prompt_version: str | None = None
    distiller: str | None = None
    guard: str | None = None
    event_time: str | None = None


class Draft(_Record):
    """What a caller may say of a memory to be stored; the server sets the rest.

    ``occurred_at`` takes a datetime or ISO 8601 text, also just ``2023`` or ``2023-05``: then the precision is kept. A time
    without an offset is read in the configured time zone.
    """

    content: str
    kind: Kind = Kind.FACT
    query: _Text = ""
    namespace: _Short | None = None
    agent: _Short | None = None
    key: _Short | None = None
    visibility: Visibility = Visibility.PRIVATE
    speaker: _Short | None = None
    role: Role | None = None
    refs: Annotated[tuple[Ref, ...], Field(max_length=MAX_LIST_ITEMS)] = ()
    lesson: Lesson | None = None
    outcome: Outcome = Outcome.UNKNOWN
    task_type: _Short | None = None
    tools: _Shorts = ()
    error_code: _Short | None = None
    tags: _Shorts = ()
    entities: _Shorts = ()
    source: Source = Source.OBSERVED
    confidence: _Unit = 1.0
    importance: _Unit = 0.5
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    occurred_at: datetime | str | None = None
    occurred_precision: Precision | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    session_id: _Short | None = None
    turn_ids: _Shorts = ()
    idempotency_key: _Short | None = None
    parents: Annotated[tuple[UUID, ...], Field(max_length=MAX_LIST_ITEMS)] = ()
    debug: DebugInfo | None = None


class DraftFields(TypedDict, total=False):
    """The fields of :class:`Draft` beside ``content``, as keyword arguments; plain strings are taken for enums."""

    kind: Kind | str
    query: str
    namespace: str | None
    agent: str | None
    key: str | None
    visibility: Visibility | str
    speaker: str | None
    role: Role | str | None
    refs: Sequence[Ref | Mapping[str, Any]]
    lesson: Lesson | Mapping[str, Any] | None
    outcome: Outcome | str
    task_type: str | None
    tools: Sequence[str]
    error_code: str | None
    tags: Sequence[str]
    entities: Sequence[str]
    source: Source | str
    confidence: float
    importance: float
    priority: int
    occurred_at: datetime | str | None
    occurred_precision: Precision | str | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expires_at: datetime | str | None
    session_id: str | None
    turn_ids: Sequence[str]
    idempotency_key: str | None
    parents: Sequence[UUID | str]
    debug: DebugInfo | Mapping[str, Any] | None


class Memory(_Record):
    """One memory. Field meanings are the design's; ``trust`` derives from the channel, ``layer`` from the kind."""

    id: UUID
    namespace: str
    agent: str
    key: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    kind: Kind
    query: str = ""
    content: str
    speaker: str | None = None
    role: Role | None = None
    refs: tuple[Ref, ...] = ()
    lesson: Lesson | None = None
    outcome: Outcome = Outcome.UNKNOWN
    task_type: str | None = None
    tools: tuple[str, ...] = ()
    error_code: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    source: Source = Source.OBSERVED
    channel: Channel
    trust: _Unit
    confidence: _Unit = 1.0
    importance: _Unit = 0.5
    priority: int = 0
    status: Status = Status.ACTIVE
    version: Annotated[int, Field(ge=1)] = 1
    supersedes: UUID | None = None
    conflicts_with: tuple[UUID, ...] = ()
    parents: tuple[UUID, ...] = ()
    occurred_at: datetime | None = None
    occurred_precision: Precision | None = None
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    use_count: int = 0
    helpful: int = 0
    harmful: int = 0
    session_id: str | None = None
    turn_ids: tuple[str, ...] = ()
    idempotency_key: str
    debug: DebugInfo | None = None
    seal: str | None = None

    @model_validator(mode="after")
    def _times_are_aware(self) -> Self:
        for name in ("occurred_at", "created_at", "updated_at", "valid_from", "valid_to", "expires_at", "last_used_at"):
            value = getattr(self, name)
            if value is not None and value.tzinfo is None:
                raise ValueError(f"{name} must carry a time zone")
        return self

    @property
    def layer(self) -> Layer:
        """The layer of this memory's kind."""
        return LAYER_OF[self.kind]

    @property
    def event_time(self) -> datetime:
        """When it happened, or, where unknown, when it was written."""
        return self.occurred_at or self.created_at

    def text(self) -> str:
        """What is embedded and indexed: the situation (``query``), the speaker and the statement together."""
        said = f"{self.speaker}: {self.content}" if self.speaker else self.content
        return f"{self.query}\n{said}" if self.query else said


class StoreResult(_Record):
    """The answer to ``store``: a refusal is a result with reasons, not an exception. ``id`` is null where nothing is kept."""

    id: UUID | None
    status: StoreStatus
    reasons: tuple[str, ...] = ()
    job_id: int | None = None


class Turn(_Record):
    """One raw turn of a session's log, kept once, outside the records."""

    session_id: _Short
    position: int
    content: str
    speaker: _Short | None = None
    role: Role = Role.USER
    at: datetime | None = None
    id: _Short | None = None


class Event(_Record):
    """One entry of the append-only history: who did what to which memory. ``before``/``after`` are the changed fields."""

    seq: int
    memory_id: UUID
    namespace: str
    action: EventAction
    actor: str
    channel: Channel
    at: datetime
    session_id: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    reason: str | None = None


Scope = Literal["read", "write", "review", "admin", "relay"]


class Principal(_Record):
    """Who calls: set from the token or the environment, never from the call's own text."""

    agent: str = "default"
    channel: Channel = Channel.USER
    namespaces: tuple[str, ...] = ("*",)
    scopes: frozenset[Scope] = frozenset({"read", "write", "review", "admin"})

    def may_use(self, namespace: str) -> bool:
        """Whether the namespace is open to this caller."""
        return "*" in self.namespaces or namespace in self.namespaces


class Filter(_Record):
    """Which records a search may see; applied inside every route.

    ``namespace`` and ``agent`` bound visibility: own records and shared ones (``scope`` narrows to ``own`` or ``shared``).
    Tuples are any-of; ``tools_match`` says how ``tools`` is read (``chain``: exactly this sequence). ``since`` inclusive and
    ``until`` exclusive bound the event time. ``now`` decides expiry and validity; ``at`` asks for what was valid then.
    """

    namespace: str
    agent: str
    scope: Literal["own", "shared", "all"] = "all"
    key_prefix: str | None = None
    kinds: tuple[Kind, ...] = ()
    layers: tuple[Layer, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    task_types: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    tools: tuple[str, ...] = ()
    tools_match: Literal["any", "all", "chain"] = "any"
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    channels: tuple[Channel, ...] = ()
    session_id: str | None = None
    speaker: str | None = None
    avoid: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    at: datetime | None = None
    now: datetime | None = None


class Stats(_Record):
    """Counts of a store: ``memories`` by status, ``kinds`` and ``layers`` of active ones, ``queued`` jobs (waiting and leased).

    ``sealed`` are the entries of all chains of seals: their number never falls in an untouched store.
    """

    namespaces: dict[str, int]
    statuses: dict[str, int]
    kinds: dict[str, int]
    layers: dict[str, int]
    queued: int
    dead_jobs: int
    events: int
    retrievals: int
    turns: int
    vectors: int
    embedder: str | None
    dimension: int | None
    bytes_on_disk: int
    schema_version: int
    sealed: int = 0

    @property
    def memories(self) -> int:
        """All records, whatever their status."""
        return sum(self.statuses.values())


def new_id(milliseconds: int | None = None) -> UUID:
    """A UUIDv7 (RFC 9562 section 5.7): 48 bits of Unix milliseconds, then version, variant and 74 random bits."""
    millis = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    value = (millis & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def default_idempotency_key(content: str, session_id: str | None, turn_ids: tuple[str, ...]) -> str:
    """Hash of (content, session, turns): the key of a store call that brings none of its own."""
    parts = "\x1f".join((content, session_id or "", *turn_ids))
    return hashlib.blake2b(parts.encode("utf-8"), digest_size=16).hexdigest()


def utc(value: datetime) -> datetime:
    """The same instant in UTC; raises ``ValueError`` on a time without zone, since guessing one would shift history."""
    if value.tzinfo is None:
        raise ValueError("a time without zone cannot be placed; add an offset such as +08:00 or Z")
    return value.astimezone(UTC)
