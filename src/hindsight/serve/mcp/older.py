"""Calls under the names and arguments that the literature on agent memory uses: answered, though not listed.

Prompts and agents written for those names work unchanged; what they say is mapped onto the same store and the same recall.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from hindsight.errors import InvalidInput, NotFound
from hindsight.records import Kind, Layer, Source, StoreStatus
from hindsight.serve.desk import Desk
from hindsight.serve.mcp.recording import Share, StoreData, keep, stored_data
from hindsight.serve.mcp.retrieving import NOTE, RetrieveData, found
from hindsight.serve.mcp.tool import Answer, Arguments, Tool
from hindsight.serve.mcp.working import SessionData

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

Timestamp = str | Annotated[float, Field(strict=True)]
WORKING = "working"
"""The session of calls that write to working memory without naming one."""
TopK = Annotated[int, Field(strict=True, ge=1, le=50)]


class ExperienceMetadata(Arguments):
    """What is said about an experience."""

    timestamp: Timestamp | None = None
    task_type: str | None = None
    outcome: str | None = None
    tools_used: list[str] | None = None
    tags: list[str] | None = None
    source: Source | None = None


class StoreExperience(Arguments):
    """memory_store(key, query, value, metadata)."""

    key: str | None = None
    query: str = ""
    value: str
    metadata: ExperienceMetadata = ExperienceMetadata()


class StoreMemory(Arguments):
    """store_memory(content, memory_type, importance, expires_at)."""

    content: str
    memory_type: Literal["preference", "fact", "procedure", "episode"] = "fact"
    importance: Share = 0.5
    expires_at: str | None = None


class RecallMemory(Arguments):
    """recall_memory(query, top_k, memory_types)."""

    query: str
    top_k: TopK = 5
    memory_types: list[Literal["preference", "fact", "procedure", "episode"]] | None = None


class ForgetMemory(Arguments):
    """forget_memory(memory_id)."""

    memory_id: str


class WriteMetadata(Arguments):
    """What is said about a written memory."""

    task_type: str | None = None
    status: str | None = None
    tools_used: list[str] | None = None
    timestamp: Timestamp | None = None


class WriteMemory(Arguments):
    """memory_write(memory_type, content, metadata)."""

    memory_type: Literal["working", "episodic", "semantic"]
    content: str
    metadata: WriteMetadata = WriteMetadata()


class SummarizeSession(Arguments):
    """summarize_session(session_id)."""

    session_id: str


class Between(Arguments):
    """A time range with both ends."""

    start: str | None = None
    end: str | None = None


class QueryMemory(Arguments):
    """memory_query(memory_type, query_text, time_range, top_k)."""

    memory_type: Layer | Literal["working"] | None = None
    query_text: str
    time_range: str | Between | Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    top_k: TopK = 5


async def store_experience(desk: Desk, arguments: StoreExperience) -> Answer:
    """An experience: the situation, what to know in it, how it ended."""
    about = arguments.metadata
    fields: dict[str, Any] = about.given(without=frozenset({"timestamp", "tools_used"}))
    if arguments.key is not None:
        fields["key"] = arguments.key
    fields |= _time_and_tools(about)
    return Answer(stored_data(await keep(desk, arguments.value, kind=Kind.EPISODE, query=arguments.query, **fields)))


async def store_memory(desk: Desk, arguments: StoreMemory) -> Answer:
    """Keep a text; the answer is ``stored:{id}``."""
    fields: dict[str, Any] = {"importance": arguments.importance}
    if arguments.expires_at is not None:
        fields["expires_at"] = arguments.expires_at
    result = await keep(desk, arguments.content, kind=arguments.memory_type, **fields)
    if result.id is None:
        raise InvalidInput(f"nothing was stored: {'; '.join(result.reasons) or result.status}.")
    return Answer(stored_data(result), text=f"stored:{result.id}")


async def recall_memory(desk: Desk, arguments: RecallMemory) -> Answer:
    """The ``top_k`` best memories of the given types."""
    kinds = {"kind": list(arguments.memory_types)} if arguments.memory_types else {}
    return await found(desk, arguments.query, k=arguments.top_k, **kinds)


async def forget_memory(desk: Desk, arguments: ForgetMemory) -> Answer:
    """Erase a memory; the answer is ``deleted:{id}``."""
    if not await (await desk.agents_memory()).forget(arguments.memory_id):
        raise NotFound(f"there is no memory {arguments.memory_id} for this caller; nothing was deleted.")
    return Answer(text=f"deleted:{arguments.memory_id}")


async def write_memory(desk: Desk, arguments: WriteMemory) -> Answer:
    """Keep an episode or a fact; ``working`` is a note on the board of the agent's session for calls that name none."""
    about = arguments.metadata
    if arguments.memory_type == "working":
        await (await desk.agents_memory()).session(WORKING).note(arguments.content)
        return Answer(StoreData(id=WORKING, status=StoreStatus.STORED))
    fields: dict[str, Any] = _time_and_tools(about)
    if about.task_type is not None:
        fields["task_type"] = about.task_type
    if about.status is not None:
        fields["outcome"] = about.status
    kind = Kind.EPISODE if arguments.memory_type == "episodic" else Kind.FACT
    return Answer(stored_data(await keep(desk, arguments.content, kind=kind, **fields)))


async def query_memory(desk: Desk, arguments: QueryMemory) -> Answer:
    """The ``top_k`` best memories of a layer, in a time range; of ``working``, the board as it stands."""
    if arguments.memory_type == "working":
        return Answer(RetrieveData(id=WORKING, hits=[], note=NOTE), text=await _board(await desk.agents_memory(), WORKING))
    filters: dict[str, Any] = _range(arguments.time_range)
    if arguments.memory_type is not None:
        filters["layer"] = arguments.memory_type
    return await found(desk, arguments.query_text, k=arguments.top_k, **filters)


async def summarize_session(desk: Desk, arguments: SummarizeSession) -> Answer:
    """Close an open session: what is worth keeping is distilled; the text is its board and window as they stood."""
    memory = await desk.agents_memory()
    one = memory.session(arguments.session_id)
    text = await one.show()
    kept = [str(result.id) for result in (await one.close()).kept if result.id is not None]
    return Answer(SessionData(session_id=one.id, open=False, kept=kept), text=text)


async def _board(memory: Hindsight, id: str) -> str:
    try:
        return await memory.session(id).show()
    except NotFound:
        return ""


def _time_and_tools(about: ExperienceMetadata | WriteMetadata) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if about.tools_used is not None:
        fields["tools"] = about.tools_used
    if isinstance(about.timestamp, str):
        fields["occurred_at"] = about.timestamp
    elif about.timestamp is not None:
        fields["occurred_at"] = _from_unix(about.timestamp)
    return fields


def _from_unix(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(f"metadata.timestamp: {seconds!r} is no time in Unix seconds; give ISO 8601 text or Unix seconds.") from None


def _range(given: str | Between | list[str] | None) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, str):
        return {"within": given}
    ends = (given.start, given.end) if isinstance(given, Between) else given
    return {name: end for name, end in zip(("since", "until"), ends, strict=True) if end}


TOOLS: tuple[Tool[Any], ...] = (
    Tool(name="store_memory", arguments=StoreMemory, result=StoreData, run=store_memory),
    Tool(name="recall_memory", arguments=RecallMemory, result=RetrieveData, run=recall_memory),
    Tool(name="forget_memory", arguments=ForgetMemory, run=forget_memory),
    Tool(name="memory_write", arguments=WriteMemory, result=StoreData, run=write_memory),
    Tool(name="summarize_session", arguments=SummarizeSession, result=SessionData, run=summarize_session),
    Tool(name="memory_query", arguments=QueryMemory, result=RetrieveData, run=query_memory),
)
STORE_EXPERIENCE: Tool[Any] = Tool(name="memory_store", arguments=StoreExperience, result=StoreData, run=store_experience)
"""Shares its name with the listed tool; a call that brings a ``value`` means this one."""
