"""The tool of working memory: memory_session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from hindsight.errors import InvalidInput
from hindsight.records import Outcome, Role
from hindsight.serve.desk import Desk
from hindsight.serve.mcp.tool import Answer, Arguments, Tool

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.session.session import Session

Action = Literal["open", "turn", "goal", "step", "done", "ask", "note", "pin", "show", "close"]
_WITH_TEXT = {"turn", "goal", "step", "ask", "note", "pin"}


class SessionArguments(Arguments):
    """Arguments of memory_session."""

    action: Action
    session_id: str = Field(default="", description="Empty with open: a new one")
    text: str | None = Field(default=None, description="What is said, noted, begun or done; with open: the goal")
    role: Role | None = Field(default=None, description="Of a turn")
    outcome: Outcome | None = Field(default=None, description="With close: how the task ended; keeps an episode")
    error: str | None = None
    repaired_by: str | None = None
    task_type: str | None = None
    tools: list[str] | None = Field(default=None, description="Used, in order")


class SessionData(BaseModel):
    """The session after the call; ``kept`` are ids of memories that closing kept."""

    session_id: str
    open: bool
    position: int | None = None
    kept: list[str] | None = None


async def session(desk: Desk, arguments: SessionArguments) -> Answer:
    """Do one thing to a session; the text is the working memory as it stands after it."""
    if arguments.action in _WITH_TEXT and not (arguments.text or "").strip():
        raise InvalidInput(f"text: is required with action={arguments.action}.")
    if arguments.action != "open" and not arguments.session_id.strip():
        raise InvalidInput(f"session_id: is required with action={arguments.action}; open gives one.")
    if arguments.action != "close" and any(value is not None for value in (arguments.outcome, arguments.error, arguments.repaired_by)):
        raise InvalidInput(f"outcome, error and repaired_by belong to action=close, not {arguments.action}.")
    memory = await desk.agents_memory()
    one = memory.session(arguments.session_id)
    if arguments.action == "close":
        return await _close(memory, one, arguments)
    position = await _act(one, arguments)
    return Answer(SessionData(session_id=one.id, open=True, position=position), text=await one.show())


async def _act(one: Session, arguments: SessionArguments) -> int | None:
    text = arguments.text
    match arguments.action:
        case "open":
            await one.open(text, task_type=arguments.task_type, tools=arguments.tools or ())
        case "turn":
            return await one.turn(str(text), role=arguments.role or Role.USER)
        case "done":
            await one.done(text)
        case "goal" | "step" | "ask" | "note" | "pin":
            await getattr(one, arguments.action)(str(text))
    return None


async def _close(memory: Hindsight, one: Session, arguments: SessionArguments) -> Answer:
    """Distil and empty; with an outcome the task's episode is kept as well."""
    kept = []
    if arguments.outcome is not None:
        about = arguments.given(without=frozenset({"action", "session_id", "text", "role", "outcome"}))
        if arguments.text:
            about["result"] = arguments.text
        ended = await memory.task_finished(arguments.outcome, id=one.id, **about)
        kept = [result.id for result in (ended.episode, ended.lesson, *ended.learned, *ended.distilled) if result is not None]
    else:
        kept = [result.id for result in (await one.close()).kept]
    return Answer(SessionData(session_id=one.id, open=False, kept=[str(id) for id in kept if id is not None]))


TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="memory_session",
        title="Working memory 工作记忆",
        description=(
            "Board and recent turns of one task, within a token budget; close keeps what is worth it. "
            "一项任务的工作记忆：目标、步骤、约束与近期对话；close 时提炼保存。"
        ),
        arguments=SessionArguments,
        result=SessionData,
        run=session,
    ),
)
