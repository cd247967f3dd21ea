"""What the REST interface is asked. The server checks these forms, the client fills them. No I/O."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from hindsight.records import Channel, Draft, Kind, Layer, Outcome, Role, Scope, Source, Status

_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_NUMBER = re.compile(r"[-+]?[\d.]+")
Id = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(max_length=1_024)]
Names = Annotated[list[Name], Field(max_length=1_000)]
Text = Annotated[str, Field(max_length=65_536)]


class Request(BaseModel):
    """Base of the forms: nothing unknown is taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Dated(Draft):
    """A draft whose times may be a year or month alone; a bare number would else be read as seconds since 1970."""

    @field_validator("valid_from", "valid_to", "expires_at", mode="before")
    @classmethod
    def _no_bare_numbers(cls, value: Any) -> Any:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            raise ValueError("give an ISO 8601 time such as 2025-03-08T14:30+08:00")  # noqa: TRY004 - pydantic reads this class
        if isinstance(value, str) and (found := _YEAR_OR_MONTH.fullmatch(value.strip())):
            month = int(found[2] or 1)
            if not 1 <= month <= 12 or int(found[1]) < 1:
                raise ValueError(f"{value} is no month")
            return datetime(int(found[1]), month, 1)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            raise ValueError("give an ISO 8601 time such as 2025-03-08T14:30+08:00")
        return value


class StoreRequest(_Dated):
    """A text to keep, with what is known of it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"content": "用户对花生过敏", "kind": "constraint", "tags": ["health"]},
                {
                    "content": "The gateway answers 504 when the upstream is down: look at the upstream first.",
                    "kind": "rule",
                    "lesson": {"condition": "the gateway answers 504", "action": "restart the gateway", "reason": "the upstream is down"},
                    "outcome": "failure",
                    "occurred_at": "2025-03-08",
                },
            ]
        }
    )


class StoreManyRequest(Request):
    """Texts to keep; all are checked before the first is written."""

    items: Annotated[list[StoreRequest], Field(min_length=1, max_length=1_000)]


class UpdateRequest(_Dated):
    """The fields to change; those that are left out stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "Backups run at 04:00", "reason": "moved on 2025-03-08"}]})

    content: str = ""
    reason: Text | None = Field(None, description="Why; kept in the history.")


class FilterRequest(Request):
    """Filters; a list is any of its values. ``since`` is inclusive, ``until`` exclusive, ``within`` a span back from now (``3d``)."""

    namespace: Name | None = Field(None, description="Pool; default: the caller's.")
    scope: Literal["own", "shared", "all"] | None = None
    key_prefix: Name | None = None
    kind: list[Kind] | None = None
    layer: list[Layer] | None = None
    status: list[Status] | None = None
    task_type: Names | None = None
    outcome: list[Outcome] | None = None
    tools: Names | None = None
    tools_match: Literal["any", "all", "chain"] | None = None
    tags: Names | None = None
    entities: Names | None = None
    source: list[Source] | None = None
    channel: list[Channel] | None = None
    session_id: Name | None = None
    speaker: Name | None = None
    avoid: bool | None = None
    since: Name | None = Field(None, description="ISO time, or a year or month.", examples=["2025-03"])
    until: Name | None = None
    within: Name | None = Field(None, examples=["3d"])
    at: Name | None = Field(None, description="What held at this time.")

    def arguments(self) -> dict[str, Any]:
        """Those that were given, but the namespace, as keyword arguments."""
        return self.model_dump(include=set(FilterRequest.model_fields) - {"namespace"}, exclude_none=True)


class ListRequest(FilterRequest):
    """A listing, newest first."""

    limit: Annotated[int, Field(ge=1, le=1_000)] = 100
    cursor: Annotated[str, Field(max_length=200)] | None = Field(None, description="`cursor` of the page before.")


class RecallRequest(FilterRequest):
    """A query, with filters."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "用户对什么过敏？"}, {"query": "backups", "k": 3, "explain": True}]}
    )

    query: Annotated[str, Field(max_length=1_048_576)]
    k: Annotated[int, Field(ge=1, le=1_000)] | None = Field(None, description="Exactly how many; default: what is relevant.")
    min_relevance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    explain: bool = False
    profile: Literal["product", "weighted"] | None = None
    routes: Names | None = None
    now: Name | None = None
    cold: bool = Field(False, description="Archived ones too.")
    session: Name | None = Field(None, description="Open session that tells what the query is about.")


class ContextRequest(FilterRequest):
    """A query for experience and knowledge; the filters are those of the experience."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "How do we roll back a deployment?"}]})

    query: Annotated[str, Field(max_length=1_048_576)]
    k: Annotated[int, Field(ge=1, le=1_000)] | None = Field(None, description="Memories of experience; default: what is relevant.")
    knowledge_k: Annotated[int, Field(ge=1, le=1_000)] | None = Field(None, description="Chunks of knowledge; default: what is relevant.")
    budget: Annotated[int, Field(ge=50, le=1_000_000)] | None = Field(None, description="Most tokens of the block.")
    session: Name | None = Field(None, description="Open session that tells what the query is about.")


class IngestRequest(Request):
    """A document's text; what the same name said before and says no more is retired."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "handbook/rollback.md", "text": "# Rollback\nRun `make rollback` on the bastion host."}]}
    )

    name: Annotated[str, Field(min_length=1, max_length=1_024)] = Field(description="Its ending tells the form: `.md`, `.html`, `.py` …")
    text: Annotated[str, Field(min_length=1, max_length=4 * 1024 * 1024)]
    namespace: Name | None = None
    shared: bool = Field(False, description="For all agents of the pool.")


class WhyRequest(FilterRequest):
    """Why a memory is, or is not, among the answers to a query."""

    query: Annotated[str, Field(max_length=65_536)]


class UndoRequest(Request):
    """What to take back; everything given must fit."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"session": "task-17", "dry_run": True}]})

    agent: Name | None = None
    session: Name | None = None
    source: Name | None = None
    memory: Id | None = None
    undo: Id | None = None
    since: Name | None = None
    namespace: Name | None = None
    dry_run: bool = False
    reason: Text | None = None


class SessionRequest(Request):
    """A session to open or take up again."""

    id: Annotated[str, Field(max_length=200)] = Field("", description="Empty: a new one.", examples=["task-17"])
    goal: Text | None = Field(None, examples=["Book the venue"])
    namespace: Name | None = None


class TurnRequest(Request):
    """A turn of a session."""

    content: Annotated[str, Field(max_length=1_048_576)] = Field(examples=["It needs step-free access."])
    role: Role = Role.USER
    speaker: Name | None = None
    at: Name | None = None
    id: Name | None = None
    pin: bool = False
    namespace: Name | None = None


class CloseRequest(Request):
    """How a session ends."""

    discard: bool = Field(False, description="Keep nothing but the raw turns.")
    namespace: Name | None = None


class ObservedTurn(Request):
    """A raw turn of a conversation, by its place in it."""

    session_id: Annotated[str, Field(min_length=1, max_length=200)]
    position: Annotated[int, Field(ge=0, le=2**31)]
    content: Annotated[str, Field(max_length=1_048_576)]
    speaker: Name | None = None
    role: Role = Role.USER
    at: datetime | None = None
    id: Name | None = None


class ObserveRequest(Request):
    """Turns of a conversation."""

    turns: Annotated[list[ObservedTurn], Field(min_length=1, max_length=1_000)] = Field(
        examples=[[{"session_id": "chat-1", "position": 0, "content": "我不吃香菜。", "role": "user"}]]
    )
    namespace: Name | None = None


class TaskStartRequest(Request):
    """A task that begins."""

    task: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(examples=["Refund order 1182"])
    id: Annotated[str, Field(max_length=200)] = ""
    task_type: Name | None = None
    tools: Names = []
    namespace: Name | None = None


class ToolCallRequest(Request):
    """A call of a tool; ``error`` is what it failed with."""

    tool: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    result: Annotated[str, Field(max_length=1_000_000)] = ""
    error: Annotated[str, Field(max_length=1_000_000)] = ""
    at: datetime | None = None


class TaskFinishRequest(Request):
    """How a task ended."""

    outcome: Outcome = Field(examples=["success"])
    id: Annotated[str, Field(max_length=200)] | None = Field(None, description="The task's open session.")
    namespace: Name | None = None
    task: Text | None = Field(None, examples=["Refund order 1182"])
    task_type: Name | None = None
    tools: Names | None = None
    calls: Annotated[list[ToolCallRequest], Field(max_length=200)] | None = None
    decisions: Annotated[list[Text], Field(max_length=200)] | None = None
    result: Text | None = None
    error: Text | None = None
    repaired_by: Text | None = None
    tags: Names | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ApproveRequest(Request):
    """How a memory that waits becomes active."""

    content: Annotated[str, Field(max_length=1_048_576)] | None = Field(None, description="Word it anew.")
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | None = None
    reason: Text | None = None
    expected_version: Annotated[int, Field(ge=1, le=2**31)] | None = None


class RejectRequest(Request):
    """Why a memory is put away."""

    reason: Annotated[str, Field(min_length=1, max_length=65_536)] = Field(examples=["It holds for one customer alone."])
    expected_version: Annotated[int, Field(ge=1, le=2**31)] | None = None


class ReopenRequest(Request):
    """Why a decision is taken back."""

    reason: Text | None = Field(None, examples=["Decided on the wrong one."])


class PostponeRequest(Request):
    """For how long a decision is put off."""

    days: Annotated[float, Field(gt=0, le=3_650, allow_inf_nan=False)] = 7
    reason: Text | None = None


class NamespaceRequest(Request):
    """The pool that a call is about."""

    namespace: Name | None = None


class ReflectRequest(Request):
    """Where to look for causes of failure."""

    episode: Id | None = None
    namespace: Name | None = None
    agents: Names = []
    shared: bool = False
    language: Literal["zh", "en"] | None = None


class FeedbackRequest(Request):
    """How what a retrieval showed proved itself."""

    retrieval: Id
    verdict: Literal["helpful", "harmful", "unused"]
    ids: Annotated[list[Id], Field(max_length=1_000)] = Field([], description="Some of it; default: all.")


class TokenRequest(Request):
    """A token to make."""

    name: Annotated[str, Field(min_length=1, max_length=1_024)] = Field(examples=["support bot"])
    agent: Annotated[str, Field(min_length=1, max_length=1_024)] = Field(examples=["support"])
    namespaces: Annotated[list[Name], Field(min_length=1, max_length=1_000)] = ["*"]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=10)] = ["read", "write"]
    per_minute: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    expires_at: datetime | None = None
