"""Tasks: begun with a session of their own, ended with the one episode that is always kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict, Unpack

from hindsight.errors import InvalidInput, NotFound
from hindsight.records import Outcome
from hindsight.remember.attribute import Attribution, validated
from hindsight.remember.task import TaskReport, ToolCall
from hindsight.remember.triggers import TaskKept, TaskTrigger
from hindsight.session.session import Session
from hindsight.session.sessions import Sessions
from hindsight.session.state import Working
from hindsight.text.synonyms import normalise_outcome, normalise_task_type


class TaskFields(TypedDict, total=False):
    """What may be said of a task when it ends, beside its outcome; see :class:`hindsight.remember.task.TaskReport`."""

    task: str | None
    task_type: str | None
    tools: Sequence[str]
    calls: Sequence[ToolCall | Mapping[str, Any]]
    decisions: Sequence[str]
    result: str
    error: str
    repaired_by: str
    tags: Sequence[str]
    started_at: datetime | None
    finished_at: datetime | None


class Tasks:
    """Tasks of one caller."""

    def __init__(self, sessions: Sessions, trigger: TaskTrigger, attribution: Attribution) -> None:
        self._sessions = sessions
        self._trigger = trigger
        self._attribution = attribution

    async def start(
        self, task: str, *, id: str = "", task_type: str | None = None, tools: Sequence[str] = (), namespace: str | None = None
    ) -> Session:
        """Open the task's session: its goal is the task."""
        session = self._sessions.session(id, namespace=namespace)
        await session.open(task, task_type=normalise_task_type(task_type) if task_type else None, tools=tools)
        return session

    async def finish(
        self, outcome: Outcome | str, *, id: str | None = None, namespace: str | None = None, **fields: Unpack[TaskFields]
    ) -> TaskKept:
        """Keep the episode, with what the open session ``id`` knows of the task, and close that session.

        Without ``id`` the task must be told; tools that were used may be given by their names, or as ``calls`` in full.

        Raises:
            InvalidInput: a field does not fit, or neither an open session nor ``task`` says what the task was; nothing was written.
        """
        session = self._sessions.session(id, namespace=namespace) if id else None
        working = await _working(session)
        report = validated(TaskReport, _told(outcome, id, working, fields), "task: ")
        if session is None or working is None:
            return await self._trigger.finished(report, self._attribution, namespace=namespace)
        kept = await self._trigger.finished(report, session.attribution_for(working), namespace=namespace)
        return replace(kept, distilled=(await session.close()).kept)


async def _working(session: Session | None) -> Working | None:
    if session is None:
        return None
    try:
        return await session.state()
    except NotFound:
        return None


def _told(outcome: Outcome | str, id: str | None, working: Working | None, fields: TaskFields) -> dict[str, Any]:
    """The report: what the caller says, then what the session knows."""
    given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    tools = given.pop("tools", ())
    if isinstance(tools, str):
        raise InvalidInput("tools: a list of names is needed, in the order of their use, not one text.")
    if tools and "calls" not in given:
        given["calls"] = [{"tool": tool} for tool in tools]
    if given.get("task_type"):
        given["task_type"] = normalise_task_type(str(given["task_type"]))
    told: dict[str, Any] = {"outcome": normalise_outcome(outcome) if isinstance(outcome, str) else outcome}
    if working is not None:
        board = working.board
        steps = (*board.done, board.current) if board.current else board.done
        told |= {"task": board.goal, "task_type": working.task_type, "decisions": steps, "started_at": working.opened_at}
        told["task_id"] = f"{id}@{working.opened_at.timestamp():.6f}"
    elif id:
        told["task_id"] = id
    told |= {"session_id": id} | given
    if not told.get("task"):
        raise InvalidInput("task: say what the task was; no open session with a goal tells it.")
    return told
