"""Each call of the REST interface, described once; the synchronous and the asynchronous client send the descriptions. No I/O."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar, Unpack
from uuid import UUID

from hindsight.client import answers as a
from hindsight.client import operating_answers as o
from hindsight.client import requests as r
from hindsight.client.filling import FilterFields, Id, filled, filters_in, given, moment, part_of, text_of, turn_items
from hindsight.records import Draft, DraftFields, Event, Outcome, Stats, StoreResult, Turn

T = TypeVar("T")
JSON_LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and how its answer is read. With ``missing`` a 404 is that value, not an error."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    missing: Callable[[], T] | None = None


# Memories


def store(content: str, *, wait: bool = True, **fields: Unpack[DraftFields]) -> Call[StoreResult]:
    """Keep one text as it stands; a refusal is a result with reasons."""
    body = filled(r.StoreRequest, {"content": content, **fields})
    return Call("POST", "/memories", StoreResult.model_validate, body=body, query={"wait": wait})


def store_many(drafts: Sequence[Draft | Mapping[str, Any]], *, wait: bool = True) -> Call[builtins.list[StoreResult]]:
    """Keep many texts; all are checked before the first is written."""
    items = [each.model_dump(exclude_unset=True) if isinstance(each, Draft) else dict(each) for each in drafts]
    body = filled(r.StoreManyRequest, {"items": items})
    return Call("POST", "/memories/batch", lambda found: a.StoreResults.model_validate(found).items, body=body, query={"wait": wait})


def list(
    *, namespace: str | None = None, limit: int = 100, cursor: str | None = None, **filters: Unpack[FilterFields]
) -> Call[a.MemoryPage]:
    """Memories that pass the filters, newest first, a page at a time."""
    asked = filled(r.ListRequest, filters_in(filters) | {"namespace": namespace, "limit": limit, "cursor": cursor})
    return Call("GET", "/memories", a.MemoryPage.model_validate, query=asked)


def get(id: Id, *, at: datetime | str | None = None) -> Call[a.MemoryAnswer | None]:
    """The memory (``at``: as it was then), or None where there is none that this caller may see."""
    return Call("GET", f"/memories/{part_of(id)}", a.MemoryAnswer.model_validate, query=given(at=moment(at)), missing=lambda: None)


def update(id: Id, *, expected_version: int | None = None, reason: str | None = None, **changes: Any) -> Call[a.MemoryAnswer]:
    """Change fields; ``VersionConflict`` where ``expected_version`` no longer stands."""
    body = filled(r.UpdateRequest, {**changes, **given(reason=reason)})
    tag = "*" if expected_version is None else f'"{expected_version}"'
    return Call("PATCH", f"/memories/{part_of(id)}", a.MemoryAnswer.model_validate, body=body, headers={"If-Match": tag})


def forget(id: Id, *, mode: Literal["erase", "archive"] = "erase", reason: str | None = None) -> Call[bool]:
    """Erase a memory for good, or archive it; False when there was none."""
    query = given(mode=mode, reason=reason)
    return Call("DELETE", f"/memories/{part_of(id)}", lambda found: bool(found["found"]), query=query, missing=lambda: False)


def restore(id: Id) -> Call[a.MemoryAnswer]:
    """Make an archived memory active again."""
    return Call("POST", f"/memories/{part_of(id)}/restore", a.MemoryAnswer.model_validate)


def history(id: Id) -> Call[builtins.list[Event]]:
    """What happened to a memory, oldest first."""
    return Call("GET", f"/memories/{part_of(id)}/history", lambda found: a.Events.model_validate(found).items)


def lineage(id: Id) -> Call[a.LineageAnswer]:
    """What a memory was made of, and what was made of it."""
    return Call("GET", f"/memories/{part_of(id)}/lineage", a.LineageAnswer.model_validate)


def undo(
    *,
    agent: str | None = None,
    session: str | None = None,
    source: str | None = None,
    memory: Id | None = None,
    undo: Id | None = None,
    since: datetime | str | None = None,
    namespace: str | None = None,
    dry_run: bool = False,
    reason: str | None = None,
) -> Call[a.UndoAnswer]:
    """Take back what an agent, session, source or memory did; for admins alone."""
    named = {"agent": agent, "session": session, "source": source, "memory": text_of(memory), "undo": text_of(undo), "since": moment(since)}
    body = filled(r.UndoRequest, named | {"namespace": namespace, "dry_run": dry_run, "reason": reason})
    return Call("POST", "/undo", a.UndoAnswer.model_validate, body=body)


# Recall


def retrieve(
    query: str,
    *,
    k: int | None = None,
    namespace: str | None = None,
    min_relevance: float | None = None,
    explain: bool = False,
    profile: Literal["product", "weighted"] | None = None,
    routes: Sequence[str] | None = None,
    now: datetime | str | None = None,
    cold: bool = False,
    session: str | None = None,
    **filters: Unpack[FilterFields],
) -> Call[a.RecallAnswer]:
    """The memories that help with ``query``, best first; ``.render()`` gives the block for a prompt."""
    asked: dict[str, Any] = {"query": query, "k": k, "namespace": namespace, "min_relevance": min_relevance, "explain": explain}
    asked |= {"profile": profile, "routes": None if routes is None else [*routes], "now": moment(now), "cold": cold, "session": session}
    return Call("POST", "/recall", a.RecallAnswer.model_validate, body=filled(r.RecallRequest, asked | filters_in(filters)))


def context(
    query: str,
    *,
    k: int | None = None,
    knowledge_k: int | None = None,
    budget: int | None = None,
    session: str | None = None,
    namespace: str | None = None,
    **filters: Unpack[FilterFields],
) -> Call[a.ContextAnswer]:
    """Experience and knowledge for ``query`` in marked sections under one budget; ``.render()`` gives the block for a prompt."""
    asked = {"query": query, "k": k, "knowledge_k": knowledge_k, "budget": budget, "session": session, "namespace": namespace}
    return Call("POST", "/context", a.ContextAnswer.model_validate, body=filled(r.ContextRequest, asked | filters_in(filters)))


def ingest_text(text: str, *, name: str, namespace: str | None = None, shared: bool = False) -> Call[a.IngestAnswer]:
    """Keep a text as the document ``name``; the same name again brings the memory up to date."""
    body = filled(r.IngestRequest, {"text": text, "name": name, "namespace": namespace, "shared": shared})
    return Call("POST", "/ingest", a.IngestAnswer.model_validate, body=body)


def why(id: Id, query: str, *, namespace: str | None = None, **filters: Unpack[FilterFields]) -> Call[a.ExplanationAnswer]:
    """Why this memory is, or is not, among the answers to ``query``."""
    body = filled(r.WhyRequest, {"query": query, "namespace": namespace} | filters_in(filters))
    return Call("POST", f"/memories/{part_of(id)}/why", a.ExplanationAnswer.model_validate, body=body)


def retrieval(id: Id) -> Call[a.RetrievalAnswer]:
    """One logged retrieval of the caller."""
    return Call("GET", f"/retrievals/{part_of(id)}", a.RetrievalAnswer.model_validate)


def retrievals(*, namespace: str | None = None, limit: int = 100) -> Call[builtins.list[a.RetrievalAnswer]]:
    """The caller's logged retrievals, newest first."""
    query = given(namespace=namespace, limit=limit)
    return Call("GET", "/retrievals", lambda found: a.RetrievalList.model_validate(found).items, query=query)


def feedback(retrieval: Id, verdict: Literal["helpful", "harmful", "unused"], *, ids: Sequence[Id] = ()) -> Call[builtins.list[UUID]]:
    """Say how what a retrieval showed proved itself; the memories whose usefulness changed."""
    body = filled(r.FeedbackRequest, {"retrieval": str(retrieval), "verdict": verdict, "ids": [str(id) for id in ids]})
    return Call("POST", "/feedback", lambda found: a.FeedbackAnswer.model_validate(found).changed, body=body)


# Sessions and tasks


def open_sessions(*, namespace: str | None = None) -> Call[builtins.list[a.SessionAnswer]]:
    """The caller's open sessions, the one touched last first."""
    return Call("GET", "/sessions", lambda found: a.SessionList.model_validate(found).items, query=given(namespace=namespace))


def open_session(id: str = "", *, goal: str | None = None, namespace: str | None = None) -> Call[a.WorkingAnswer]:
    """Open a session, or take one up where it was left; an empty id begins a new one."""
    body = filled(r.SessionRequest, {"id": id, "goal": goal, "namespace": namespace})
    return Call("POST", "/sessions", a.WorkingAnswer.model_validate, body=body)


def session(id: str, *, namespace: str | None = None, language: Literal["zh", "en"] | None = None) -> Call[a.WorkingAnswer]:
    """Board and window of an open session; ``.rendered`` is what a prompt gets."""
    return Call("GET", f"/sessions/{part_of(id)}", a.WorkingAnswer.model_validate, query=given(namespace=namespace, language=language))


def turn(
    session: str,
    content: str,
    *,
    role: str = "user",
    speaker: str | None = None,
    at: datetime | str | None = None,
    id: str | None = None,
    pin: bool = False,
    namespace: str | None = None,
) -> Call[int]:
    """Take a turn into a session's window and the raw log; its position."""
    asked = {"content": content, "role": role, "speaker": speaker, "at": moment(at), "id": id, "pin": pin, "namespace": namespace}
    body = filled(r.TurnRequest, asked)
    return Call("POST", f"/sessions/{part_of(session)}/turns", lambda found: a.TurnTaken.model_validate(found).position, body=body)


def close_session(id: str, *, discard: bool = False, namespace: str | None = None) -> Call[a.ClosedAnswer]:
    """Distil what is worth keeping and end the session; or, with ``discard``, keep nothing."""
    body = filled(r.CloseRequest, {"discard": discard, "namespace": namespace})
    return Call("POST", f"/sessions/{part_of(id)}/close", a.ClosedAnswer.model_validate, body=body)


def turns(session_id: str, first: int | None = None, last: int | None = None, *, namespace: str | None = None) -> Call[builtins.list[Turn]]:
    """Raw turns of the caller's own session, by position."""
    query = given(session_id=session_id, first=first, last=last, namespace=namespace)
    return Call("GET", "/turns", lambda found: a.Turns.model_validate(found).items, query=query)


def observe(turns: Sequence[Turn | Mapping[str, Any]], *, namespace: str | None = None) -> Call[a.ObservedAnswer]:
    """Hand over turns of a conversation; what people state in them is kept at once."""
    body = filled(r.ObserveRequest, {"turns": turn_items(turns), "namespace": namespace})
    return Call("POST", "/turns", a.ObservedAnswer.model_validate, body=body)


def task_started(
    task: str, *, id: str = "", task_type: str | None = None, tools: Sequence[str] = (), namespace: str | None = None
) -> Call[a.WorkingAnswer]:
    """Begin a task: its session, with the task as its goal."""
    body = filled(r.TaskStartRequest, {"task": task, "id": id, "task_type": task_type, "tools": [*tools], "namespace": namespace})
    return Call("POST", "/tasks", a.WorkingAnswer.model_validate, body=body)


def task_finished(outcome: Outcome | str, *, id: str | None = None, namespace: str | None = None, **fields: Any) -> Call[a.TaskAnswer]:
    """End a task: always one episode, and a lesson where the same error came a second time."""
    body = filled(r.TaskFinishRequest, {"outcome": outcome, "id": id, "namespace": namespace, **fields})
    return Call("POST", "/tasks/finished", a.TaskAnswer.model_validate, body=body)


# Review and learning


def reviews(*, namespace: str | None = None, limit: int = 100) -> Call[builtins.list[a.ReviewAnswer]]:
    """What waits for a person; for reviewers alone."""
    query = given(namespace=namespace, limit=limit)
    return Call("GET", "/reviews", lambda found: a.ReviewList.model_validate(found).items, query=query)


def approve(
    id: Id, *, content: str | None = None, priority: int | None = None, reason: str | None = None, expected_version: int | None = None
) -> Call[a.MemoryAnswer]:
    """Make a memory that waits active; for reviewers alone."""
    asked = {"content": content, "priority": priority, "reason": reason, "expected_version": expected_version}
    return Call("POST", f"/reviews/{part_of(id)}/approve", a.MemoryAnswer.model_validate, body=filled(r.ApproveRequest, asked))


def reject(id: Id, *, reason: str, expected_version: int | None = None) -> Call[a.MemoryAnswer]:
    """Put a memory away; for reviewers alone."""
    body = filled(r.RejectRequest, {"reason": reason, "expected_version": expected_version})
    return Call("POST", f"/reviews/{part_of(id)}/reject", a.MemoryAnswer.model_validate, body=body)


def reopen(id: Id, *, reason: str | None = None) -> Call[a.MemoryAnswer]:
    """Take the last approval or rejection back; for reviewers alone."""
    body = filled(r.ReopenRequest, {"reason": reason})
    return Call("POST", f"/reviews/{part_of(id)}/reopen", a.MemoryAnswer.model_validate, body=body)


def postpone(id: Id, *, days: float = 7, reason: str | None = None) -> Call[datetime]:
    """Decide later; from when on it waits again."""
    body = filled(r.PostponeRequest, {"days": days, "reason": reason})
    return Call("POST", f"/reviews/{part_of(id)}/postpone", lambda found: a.Postponed.model_validate(found).until, body=body)


def scan_conflicts(*, namespace: str | None = None) -> Call[builtins.list[a.ConflictAnswer]]:
    """Look for active statements that contradict each other; for reviewers alone."""
    body = filled(r.NamespaceRequest, {"namespace": namespace})
    return Call("POST", "/conflicts/scan", lambda found: a.ConflictList.model_validate(found).items, body=body)


def reflect(
    episode: Id | None = None,
    *,
    namespace: str | None = None,
    agents: Sequence[str] = (),
    shared: bool = False,
    language: Literal["zh", "en"] | None = None,
) -> Call[a.ReflectionAnswer]:
    """Look for causes of failure and propose rules, which wait for review."""
    asked = {"episode": text_of(episode), "namespace": namespace, "agents": [*agents], "shared": shared, "language": language}
    return Call("POST", "/reflect", a.ReflectionAnswer.model_validate, body=filled(r.ReflectRequest, asked))


def patterns(*, namespace: str | None = None, limit: int = 20) -> Call[a.PatternsAnswer]:
    """Where the caller's tasks fail most, and which lessons were shown in vain or never."""
    return Call("GET", "/patterns", a.PatternsAnswer.model_validate, query=given(namespace=namespace, limit=limit))


# Operation


def stats(*, namespace: str | None = None) -> Call[Stats]:
    """Counts of the store (for admins), or of one namespace."""
    return Call("GET", "/stats", Stats.model_validate, query=given(namespace=namespace))


def verify() -> Call[o.VerificationAnswer]:
    """Whether anybody changed the store around hindsight; for admins alone."""
    return Call("POST", "/verify", o.VerificationAnswer.model_validate)


def jobs(*, states: Sequence[str] = (), limit: int = 100) -> Call[builtins.list[o.JobAnswer]]:
    """Queued work, newest first; for admins alone."""
    return Call("GET", "/jobs", lambda found: o.JobList.model_validate(found).items, query=given(state=[*states], limit=limit))


def retry_job(id: int) -> Call[bool]:
    """Give a dead job all its tries again; False where there is no such dead job."""
    return Call("POST", f"/jobs/{int(id)}/retry", lambda _: True, missing=lambda: False)


def create_token(
    name: str,
    *,
    agent: str,
    namespaces: Sequence[str] = ("*",),
    scopes: Sequence[str] = ("read", "write"),
    per_minute: int = 0,
    expires_at: datetime | None = None,
) -> Call[o.NewTokenAnswer]:
    """A new bearer token; its ``secret`` is shown this once. For admins alone."""
    asked = {"name": name, "agent": agent, "namespaces": [*namespaces], "scopes": [*scopes], "per_minute": per_minute}
    body = filled(r.TokenRequest, asked | {"expires_at": expires_at})
    return Call("POST", "/tokens", o.NewTokenAnswer.model_validate, body=body)


def tokens() -> Call[builtins.list[o.TokenAnswer]]:
    """Every token, without its secret; for admins alone."""
    return Call("GET", "/tokens", lambda found: o.TokenList.model_validate(found).items)


def revoke_token(id: Id) -> Call[None]:
    """Refuse a token from now on; for admins alone."""
    return Call("DELETE", f"/tokens/{part_of(id)}", lambda _: None)


def backup() -> Call[o.BackupAnswer]:
    """Back the whole store up to the place that the server's settings name; for admins alone."""
    return Call("POST", "/backups", o.BackupAnswer.model_validate)


def backups() -> Call[builtins.list[o.BackupAnswer]]:
    """Every backup of the store, newest first; for admins alone."""
    return Call("GET", "/backups", lambda found: o.BackupList.model_validate(found).items)


def import_lines(lines: bytes, *, format: str = "auto", namespace: str | None = None) -> Call[o.ImportAnswer]:
    """Import the text of a file of JSON Lines: an export, or the history of another program."""
    headers = {"Content-Type": JSON_LINES}
    query = given(format=format, namespace=namespace)
    return Call("POST", "/import", o.ImportAnswer.model_validate, content=lines, query=query, headers=headers)
