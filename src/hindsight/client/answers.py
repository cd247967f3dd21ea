"""What the REST interface answers. The server fills these forms, the client reads them. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from hindsight.records import LAYER_OF, Event, Layer, Memory, Role, StoreResult, Turn


class Answer(BaseModel):
    """Base of the forms; the server fills them from objects with the same attributes, clients ignore what they do not know."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore")


class MemoryAnswer(Memory):
    """A memory, with its layer."""

    model_config = ConfigDict(extra="ignore", from_attributes=True)

    @computed_field(description="The layer of this memory's kind.")  # type: ignore[prop-decorator]
    @property
    def layer(self) -> Layer:
        """The layer of this memory's kind."""
        return LAYER_OF[self.kind]


class MemoryPage(Answer):
    """A page of a listing; ``cursor`` fetches the next, null at the end."""

    items: list[MemoryAnswer]
    cursor: str | None


class StoreResults(Answer):
    """One result for each text, in their order."""

    items: list[StoreResult]


class Forgotten(Answer):
    """Whether there was such a memory."""

    id: UUID
    mode: Literal["erase", "archive"]
    found: bool


class Events(Answer):
    """What happened to a memory, oldest first."""

    items: list[Event]


class LineageAnswer(Answer):
    """Trees of nodes ``{id, kind, status, agent, channel, content, again, branches}``: what a memory was made of, and what was made of it."""

    id: UUID
    parents: list[dict[str, Any]]
    children: list[dict[str, Any]]
    cut: bool


class UndoneItem(Answer):
    """What an undo does to one memory."""

    id: UUID
    effect: Literal["withdrawn", "descendant", "restored", "unchanged"]
    events: list[int]
    content: str | None = Field(description="As it was before; null for quarantined ones.")
    after: str | None = Field(description="As it is afterwards; null for quarantined ones.")


class Lost(Answer):
    """What cannot be taken back, and why."""

    id: UUID
    why: str


class UndoAnswer(Answer):
    """What an undo did, or with ``dry_run`` would do; ``undo`` takes it back."""

    undo: UUID | None
    dry_run: bool
    namespace: str
    items: list[UndoneItem]
    lost: list[Lost]


class CandidateAnswer(Answer):
    """One candidate of a retrieval: rank and score on each route, features, and its fate."""

    id: UUID
    routes: dict[str, dict[str, float]]
    features: dict[str, float | None]
    fused: float
    relevance: float
    score: float
    shown: bool
    dropped: str | None


class ExplanationAnswer(Answer):
    """A retrieval laid open; ``verdict`` answers a ``why`` in one sentence."""

    query: str
    language: str
    understood: dict[str, Any]
    weights: dict[str, float]
    routes: dict[str, int]
    timings_ms: dict[str, float]
    verdict: str | None
    candidates: list[CandidateAnswer]


class HitAnswer(Answer):
    """One memory found."""

    memory: MemoryAnswer
    score: float
    relevance: float
    routes: list[str]
    labels: list[str]
    factors: dict[str, float]


class RecallAnswer(Answer):
    """What a retrieval found, best first; ``rendered`` is the block for a prompt."""

    id: UUID
    query: str
    hits: list[HitAnswer]
    flags: list[str]
    language: str
    took_ms: float
    timings: dict[str, float]
    rendered: str
    explanation: ExplanationAnswer | None = None

    def render(self) -> str:
        """The block for a prompt, as the server wrote it; empty where nothing was found."""
        return self.rendered


class ExternalPassage(Answer):
    """A passage that an external retriever brought."""

    text: str
    title: str = ""
    source: str = ""
    retriever: str = ""


class ContextAnswer(Answer):
    """Experience and knowledge for a query in marked sections under one budget; ``rendered`` is the block for a prompt."""

    query: str
    experience: RecallAnswer | None
    knowledge: RecallAnswer | None
    standing: list[str] = Field(description="Constraints of the caller, whatever is asked.")
    external: list[ExternalPassage] = Field(description="What external retrievers brought and the guard let through.")
    flags: list[str]
    tokens: int = Field(description="Estimated tokens of the block.")
    rendered: str

    def render(self) -> str:
        """The block for a prompt; empty where nothing was found."""
        return self.rendered


class IngestAnswer(Answer):
    """What ingesting a document did, in chunks: ``held`` wait for a person, ``retired`` are no longer in the document."""

    chunks: int
    stored: int
    held: int
    refused: int
    unchanged: int
    returned: int
    retired: int


class SessionAnswer(Answer):
    """An open session."""

    session_id: str
    namespace: str
    goal: str
    opened_at: datetime
    touched_at: datetime


class SessionList(Answer):
    """Open sessions of the caller, the one touched last first."""

    items: list[SessionAnswer]


class SessionTurn(Answer):
    """A turn in a session's window. ``worth`` is what it is kept by: the least worthy turn goes first."""

    position: int
    content: str
    role: Role
    speaker: str | None
    at: datetime | None
    importance: float
    worth: float
    pinned: bool
    tokens: int


class WorkingAnswer(Answer):
    """Board and window of a session; ``rendered`` is what a prompt gets."""

    session_id: str
    goal: str
    current: str
    done: list[str]
    constraints: list[str]
    questions: list[str]
    notes: list[str]
    turns: list[SessionTurn]
    rendered: str


class TurnTaken(Answer):
    """Where a turn stands in its session."""

    session_id: str
    position: int


class ClosedAnswer(Answer):
    """What closing a session kept, and what it left out."""

    session_id: str
    kept: list[StoreResult]
    left_out: list[str]
    turns: int


class Turns(Answer):
    """Raw turns by position."""

    items: list[Turn]


class ObservedAnswer(Answer):
    """What turns set off: memories stated in them, and jobs that will distil what has gathered."""

    kept: list[StoreResult]
    jobs: list[int]


class TaskAnswer(Answer):
    """What was kept of a task."""

    episode: StoreResult
    lesson: StoreResult | None
    distilled: list[StoreResult]
    learned: list[StoreResult]


class Contradicting(Answer):
    """The other side of a conflict."""

    id: UUID
    content: str
    priority: int


class DecisionAnswer(Answer):
    """An earlier decision."""

    decision: Literal["approved", "rejected", "postponed"]
    actor: str
    at: datetime
    reason: str | None


class ReviewAnswer(Answer):
    """One thing that waits for a person, with what it rests on."""

    why: Literal["pending", "quarantined", "conflict", "harmful"]
    memory: MemoryAnswer
    grounds: dict[str, Any]
    conflicts: list[Contradicting]
    decisions: list[DecisionAnswer]


class ReviewList(Answer):
    """What waits, the oldest first."""

    items: list[ReviewAnswer]


class Postponed(Answer):
    """From when on it waits again."""

    id: UUID
    until: datetime


class ConflictAnswer(Answer):
    """Two active memories that cannot both hold; recall shows the first one first."""

    first: UUID
    second: UUID


class ConflictList(Answer):
    """Contradictions that were found and marked just now."""

    items: list[ConflictAnswer]


class ProposalAnswer(Answer):
    """A rule or procedure that was proposed; ``id`` is null where it was not stored."""

    id: UUID | None
    status: str
    kind: str
    text: str
    support: int
    confidence: float
    supporting: list[UUID]
    opposing: list[UUID]


class ReflectionAnswer(Answer):
    """What reflecting proposed."""

    episodes: int
    candidates: list[ProposalAnswer]
    left_out: list[str]


class PatternsAnswer(Answer):
    """Where tasks fail most, over time, and which lessons were shown in vain or never."""

    runs: int
    failures: int
    cells: list[dict[str, Any]]
    trend: list[dict[str, Any]]
    shown_and_failed: list[dict[str, Any]]
    never_shown: list[dict[str, Any]]


class FeedbackAnswer(Answer):
    """The memories whose usefulness changed."""

    changed: list[UUID]


class RetrievalAnswer(Answer):
    """A logged retrieval: what was asked, shown, and what each candidate was worth."""

    id: UUID
    namespace: str
    agent: str
    at: datetime
    query: str
    shown: list[UUID]
    session_id: str | None
    took_ms: float
    detail: Mapping[str, Any]


class RetrievalList(Answer):
    """Logged retrievals of the caller, newest first."""

    items: list[RetrievalAnswer]
