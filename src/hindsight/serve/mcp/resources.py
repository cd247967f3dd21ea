"""Memories, their past, and sessions as resources: ``memory://{id}[/history|/lineage]`` and ``session://{session_id}``."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import mcp_types as types

from hindsight.errors import InvalidInput, NotFound
from hindsight.remember.versions import differences
from hindsight.serve.desk import Desk

TEMPLATES = (
    types.ResourceTemplate(
        name="memory",
        title="Memory 记忆",
        uri_template="memory://{id}",
        description="One memory with all its fields, as JSON. 一条记忆的全部字段",
        mime_type="application/json",
    ),
    types.ResourceTemplate(
        name="history",
        title="History 历史",
        uri_template="memory://{id}/history",
        description="What happened to a memory, by whom, with the differences, as JSON. 一条记忆的变更历史",
        mime_type="application/json",
    ),
    types.ResourceTemplate(
        name="lineage",
        title="Lineage 来源",
        uri_template="memory://{id}/lineage",
        description="What a memory was made of and what was made of it, as JSON. 一条记忆的来源与衍生",
        mime_type="application/json",
    ),
    types.ResourceTemplate(
        name="session",
        title="Session 会话",
        uri_template="session://{session_id}",
        description="The raw turns of a session, as JSON. 会话的原始轮次",
        mime_type="application/json",
    ),
)
_UNSHOWN = {"debug", "seal", "idempotency_key"}


async def read(desk: Desk, uri: str) -> types.ReadResourceResult:
    """The content behind a resource's address.

    Raises:
        InvalidInput: no such kind of address, or a malformed id.
        NotFound: nothing is there for this caller.
    """
    scheme, separator, rest = uri.partition("://")
    name = unquote(rest)
    if not separator or scheme not in ("memory", "session") or not name:
        raise InvalidInput(f"resource {uri!r} is not known; addresses are memory://{{id}} and session://{{session_id}}.")
    id, _, part = name.partition("/")
    if scheme == "memory" and part not in ("", *_PARTS):
        raise InvalidInput(f"resource {uri!r} is not known; a memory has {', '.join(f'memory://{{id}}/{each}' for each in _PARTS)}.")
    value = await (_PARTS.get(part, _memory)(desk, id) if scheme == "memory" else _session(desk, name))
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)])


async def _memory(desk: Desk, id: str) -> Any:
    memory = await (await desk.agents_memory()).get(id)
    if memory is None:
        raise NotFound(f"there is no memory {id} for this caller.")
    return memory.model_dump(mode="json", exclude_none=True, exclude=_UNSHOWN)


async def _history(desk: Desk, id: str) -> Any:
    events = await (await desk.agents_memory()).history(id)
    return [
        event.model_dump(mode="json", exclude_none=True, exclude={"before", "after"}) | {"differences": differences(event)}
        for event in events
    ]


async def _lineage(desk: Desk, id: str) -> Any:
    return (await (await desk.agents_memory()).lineage(id)).to_json()


_PARTS = {"history": _history, "lineage": _lineage}


async def _session(desk: Desk, session_id: str) -> Any:
    turns = await (await desk.agents_memory()).turns(session_id)
    if not turns:
        raise NotFound(f"there is no session {session_id!r}, or nothing was said in it.")
    return [turn.model_dump(mode="json", exclude_none=True, exclude={"session_id"}) for turn in turns]
