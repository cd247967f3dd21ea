"""Tools that write: memory_store, memory_update, memory_forget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from hindsight.errors import InvalidInput
from hindsight.records import Kind, Outcome, Source, StoreResult, StoreStatus, Visibility
from hindsight.serve.desk import Desk
from hindsight.serve.mcp.tool import Answer, Arguments, Tool

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

Share = Annotated[float, Field(ge=0, le=1, strict=True)]


class LessonArgument(Arguments):
    """When ``condition``, (do not) do ``action``, because ``reason``."""

    condition: str
    action: str
    reason: str = ""
    avoid: bool = Field(default=True, strict=True, description="true: do NOT do it; false: do it")


class StoreArguments(Arguments):
    """Arguments of memory_store."""

    content: str = Field(description="One self-contained statement, names and values spelled out. 一条完整独立的陈述")
    kind: Kind = Field(default=Kind.FACT, description="episode: what happened in a task; procedure: how to; rule waits for approval")
    query: str | None = Field(default=None, description="The situation in which it will help. 何种情境下有用")
    outcome: Outcome | None = Field(default=None, description="How it ended; fixed: failed, then repaired; corrected: by the user")
    lesson: LessonArgument | None = Field(default=None, description="What to avoid or do next time. 教训")
    task_type: str | None = Field(default=None, description="Such as deployment, coding")
    tools: list[str] | None = Field(default=None, description="Tools used, in order")
    error_code: str | None = None
    tags: list[str] | None = None
    source: Source | None = Field(default=None, description="inferred: concluded, not seen. 推断而非亲见")
    importance: Share | None = None
    occurred_at: str | None = Field(default=None, description="ISO time of the event; 2025 or 2025-03 will do")
    expires_at: str | None = None
    session_id: str | None = None
    visibility: Visibility | None = Field(default=None, description="shared: for all agents of the namespace, may need approval")


class StoreData(BaseModel):
    """What became of the text."""

    id: str | None = None
    status: StoreStatus
    reasons: list[str] | None = None


class UpdateArguments(Arguments):
    """Arguments of memory_update."""

    id: str
    content: str | None = None
    query: str | None = None
    outcome: Outcome | None = None
    task_type: str | None = None
    tools: list[str] | None = None
    tags: list[str] | None = None
    expires_at: str | None = None
    expected_version: Annotated[int, Field(strict=True, ge=1)] | None = Field(default=None, description="Refuse if it changed since")
    reason: str | None = None


class UpdateData(BaseModel):
    """The memory after the change."""

    id: str
    version: int
    status: str


class ForgetArguments(Arguments):
    """Arguments of memory_forget."""

    id: str
    mode: Literal["erase", "archive"] = Field(default="erase", description="erase: gone for good; archive: can be restored. 彻底删除/归档")
    reason: str | None = None


class ForgetData(BaseModel):
    """Whether there was such a memory."""

    id: str
    mode: Literal["erase", "archive"]
    found: bool


async def store(desk: Desk, arguments: StoreArguments) -> Answer:
    """Keep one text."""
    return Answer(stored_data(await keep(desk, **arguments.given())))


async def keep(desk: Desk, content: str, **fields: Any) -> StoreResult:
    """Store as the calling agent."""
    return await (await desk.agents_memory()).store(content, **fields)


def stored_data(result: StoreResult) -> StoreData:
    """The result in the tool's form."""
    id = str(result.id) if result.id is not None else None
    return StoreData(id=id, status=result.status, reasons=list(result.reasons) or None)


async def update(desk: Desk, arguments: UpdateArguments) -> Answer:
    """Change fields of a memory; the id of an open session instead takes a note on its board."""
    memory = await desk.agents_memory()
    if (board := await _noted(memory, arguments)) is not None:
        return Answer(board)
    changes = arguments.given(without=frozenset({"id", "expected_version", "reason"}))
    new = await memory.update(arguments.id, expected_version=arguments.expected_version, reason=arguments.reason, **changes)
    return Answer(UpdateData(id=str(new.id), version=new.version, status=new.status))


async def _noted(memory: Hindsight, arguments: UpdateArguments) -> UpdateData | None:
    """The literature's way to write on a session's board; None where ``id`` names no open session."""
    if not any(state.session_id == arguments.id for state in await memory.open_sessions()):
        return None
    if arguments.content is None:
        raise InvalidInput("content: is required to note something on a session's board.")
    await memory.session(arguments.id).note(arguments.content)
    version = next((state.version for state in await memory.open_sessions() if state.session_id == arguments.id), 1)
    return UpdateData(id=arguments.id, version=version, status="working")


async def forget(desk: Desk, arguments: ForgetArguments) -> Answer:
    """Erase or archive a memory; that it is not there is an answer, not a failure, so that a repeated call is harmless."""
    found = await (await desk.agents_memory()).forget(arguments.id, mode=arguments.mode, reason=arguments.reason)
    return Answer(ForgetData(id=arguments.id, mode=arguments.mode, found=found))


TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="memory_store",
        title="Remember 记住",
        description=(
            "Keep what will help later: outcomes, lessons, facts, preferences, constraints, how-tos. One statement a call; no secrets. "
            "保存以后有用的经验、事实、偏好、约束或做法，每次一条，勿存密钥。"
        ),
        arguments=StoreArguments,
        result=StoreData,
        run=store,
        idempotent=True,
    ),
    Tool(
        name="memory_update",
        title="Correct 更正",
        description="Correct a memory by id; only the given fields change, the old values stay in its history. 按 id 更正一条记忆。",
        arguments=UpdateArguments,
        result=UpdateData,
        run=update,
        destructive=True,
    ),
    Tool(
        name="memory_forget",
        title="Forget 遗忘",
        description="Erase or archive a memory that is wrong, outdated or unwanted. 删除或归档错误、过时或用户不想保留的记忆。",
        arguments=ForgetArguments,
        result=ForgetData,
        run=forget,
        destructive=True,
        idempotent=True,
    ),
)
