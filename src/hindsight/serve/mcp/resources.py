"""Memories and sessions as resources: ``memory://{id}`` and ``session://{session_id}``."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import mcp_types as types

from hindsight.errors import InvalidInput, NotFound
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
    value = await (_memory(desk, name) if scheme == "memory" else _session(desk, name))
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)])


async def _memory(desk: Desk, id: str) -> Any:
    memory = await (await desk.agents_memory()).get(id)
    if memory is None:
        raise NotFound(f"there is no memory {id} for this caller.")
    return memory.model_dump(mode="json", exclude_none=True, exclude=_UNSHOWN)


async def _session(desk: Desk, session_id: str) -> Any:
    turns = await (await desk.agents_memory()).turns(session_id)
    if not turns:
        raise NotFound(f"there is no session {session_id!r}, or nothing was said in it.")
    return [turn.model_dump(mode="json", exclude_none=True, exclude={"session_id"}) for turn in turns]
