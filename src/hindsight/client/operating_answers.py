"""What the REST interface answers about running a store, and how it refuses. No I/O."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from hindsight.client.answers import Answer
from hindsight.records import Scope


class JobAnswer(Answer):
    """Queued work."""

    id: int
    kind: str
    namespace: str
    state: Literal["waiting", "leased", "done", "dead"]
    attempts: int
    created_at: datetime
    error: str | None
    result: dict[str, Any] | None


class JobList(Answer):
    """Queued work, newest first."""

    items: list[JobAnswer]


class TokenAnswer(Answer):
    """A bearer token without its secret."""

    id: UUID
    name: str
    agent: str
    namespaces: list[str]
    scopes: list[Scope]
    per_minute: int
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewTokenAnswer(TokenAnswer):
    """A token just made; ``secret`` is shown this once."""

    secret: str


class TokenList(Answer):
    """Every token, the oldest first."""

    items: list[TokenAnswer]


class ImportAnswer(Answer):
    """What an import did."""

    format: str
    read: int
    stored: int
    pending: int
    merged: int
    duplicates: int
    refused: int
    skipped: int
    turns: int
    namespaces: list[str]
    seconds: float


class BackupFileAnswer(Answer):
    """One file of a backup as it is kept: packed, and encrypted where the backup is."""

    name: str = Field(examples=["memory.db.zst"])
    size: int = Field(description="Bytes.", examples=[48_211])
    sha256: str


class BackupAnswer(Answer):
    """A finished backup of the whole store."""

    id: str = Field(examples=["20250308T030000Z-9f1c22"])
    address: str = Field(description="Where it lies.", examples=["/backups"])
    created: datetime
    expires: datetime = Field(description="When it is due to go while backups are made daily.")
    engine: str = Field(examples=["sqlite"])
    schema_version: int
    written_by: str
    store_id: str
    embedder: str | None
    encrypted: bool
    counts: dict[str, int] = Field(examples=[{"memories": 1_204}])
    files: list[BackupFileAnswer]
    size: int = Field(description="Bytes kept.", examples=[48_211])


class BackupList(Answer):
    """Every backup of the store, newest first."""

    items: list[BackupAnswer]


class HappeningAnswer(Answer):
    """What happened just now: a memory was written (its ``kind``), or something recalled (how many it has ``shown``)."""

    what: Literal["memory", "retrieval"]
    id: UUID
    at: datetime
    agent: str
    text: str = Field(description="The content, or the query; shortened.")
    kind: str | None
    shown: int | None


class FaultAnswer(Answer):
    """One thing that is not as it was sealed."""

    what: str
    message: str
    namespace: str
    memory_id: str | None
    entry: int | None


class VerificationAnswer(Answer):
    """Whether anybody changed the store around hindsight."""

    ok: bool
    state: Literal["ok", "tampered", "damaged", "wrong key", "not sealed"]
    entries: int
    records: int
    faults: list[FaultAnswer]
    heads: dict[str, tuple[int, str]]


class FaultOfField(Answer):
    """A part of the request that does not fit."""

    field: str
    message: str


class Problem(Answer):
    """RFC 9457: what went wrong; ``detail`` says what to do."""

    type: str = Field(examples=["urn:hindsight:problem:NotFound"])
    title: str = Field(examples=["No such thing"])
    status: int = Field(examples=[404])
    detail: str = Field(
        examples=[
            "there is no memory 0197a1b2-0000-7000-8000-000000000000 for this caller; its id may be mistyped, or it belongs to another agent."
        ]
    )
    retryable: bool = False
    current: int | None = Field(None, description="With a conflict of versions: the version that stands.")
    line: int | None = Field(None, description="With a failed import: the line.")
    errors: list[FaultOfField] | None = Field(None, description="With a request that does not fit: its faults.")
