"""What all conversation formats share: a message becomes a raw turn and, where it says something, an episode that points to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hindsight.errors import InvalidInput
from hindsight.guard.envelope import strip_recalled
from hindsight.records import MAX_CONTENT_BYTES, Precision, Ref, Role, Turn
from hindsight.remember.attribute import validated
from hindsight.remember.importers.source import Entry, fault, kind_of
from hindsight.text.fold import sanitise

TOOL_CHARACTERS = 2_000
"""Of a tool's output this much becomes searchable; the whole is kept as the raw turn."""

ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "system": Role.OTHER,
    "developer": Role.OTHER,
}
INSTRUCTIONS = {"system", "developer"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message, whatever wrote it. ``position`` is stable when the history grows; ``instruction`` marks a system prompt."""

    path: Path
    line: int | None
    session: str
    position: int
    role: Role
    text: str
    speaker: str | None = None
    at: tuple[datetime, Precision] | None = None
    id: str | None = None
    tools: tuple[str, ...] = ()
    instruction: bool = False
    key: str | None = None


def entry_of(message: Message) -> Entry:
    """The entry of a message.

    A system prompt is kept as a raw turn only: it instructs a model and tells nothing of what happened. So is a message
    that holds nothing but recalled memories. A message without text leaves nothing.
    """
    text = sanitise(message.text)
    if not text.strip():
        return Entry(message.path, message.line)
    when, precision = message.at or (None, None)
    session, speaker, id = sanitise(message.session), _clean(message.speaker), _clean(message.id)
    turn = _turn(message, session_id=session, content=text, speaker=speaker, at=when, id=id)
    content = _shortened(strip_recalled(text), message.role)
    if message.instruction or not content.strip():
        return Entry(message.path, message.line, turn=turn)
    draft = {
        "content": content,
        "kind": "episode",
        "role": message.role,
        "speaker": speaker,
        "tools": message.tools,
        "occurred_at": when,
        "occurred_precision": precision,
        "session_id": session,
        "turn_ids": (id or str(message.position),),
        "refs": (Ref(session_id=session, first=message.position, last=message.position),),
        "idempotency_key": message.key,
    }
    return Entry(message.path, message.line, draft={name: value for name, value in draft.items() if value is not None}, turn=turn)


def items_of(value: Any, name: str) -> list[Any]:
    """The items of a field that is a list, or is not there.

    Raises:
        ValueError: it is something else; to be told with its line.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"{name}: a list is needed, not {kind_of(value)}")  # noqa: TRY004 - told with its line
    return value


def digest(parts: Iterable[Any]) -> str:
    """Eight hexadecimal digits that stand for JSON values."""
    hashed = hashlib.blake2b(digest_size=4)
    for part in parts:
        hashed.update(json.dumps(part, ensure_ascii=True, sort_keys=True).encode())
        hashed.update(b"\x1f")
    return hashed.hexdigest()


def text_of(content: Any) -> str:
    """The text of a message's content: text itself, or the text parts of a list; other parts leave a mark such as ``[image]``."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        raise ValueError(f"content: text or a list of parts is needed, not {type(content).__name__}")  # noqa: TRY004 - told with its line
    return "\n".join(part for part in map(_part, content) if part)


def call_line(name: Any, arguments: Any) -> str:
    """How a tool call reads in a text: ``→ name(arguments)``."""
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"→ {name}({shown})"


def _turn(message: Message, **fields: Any) -> Turn:
    try:
        return validated(Turn, {"position": message.position, "role": message.role, **fields})
    except InvalidInput as error:
        raise fault(message.path, message.line, str(error)) from error


def _clean(text: str | None) -> str | None:
    return None if text is None else sanitise(text)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise ValueError(f"content: a part is text or an object, not {type(part).__name__}")  # noqa: TRY004 - told with its line
    for name in ("text", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    kind = str(part.get("type", "part"))
    if kind in {"thinking", "redacted_thinking", "reasoning", "tool_use", "tool_call"}:
        return ""
    return f"[{kind.removeprefix('input_').removesuffix('_url')}]"


def _shortened(text: str, role: Role) -> str:
    if role is Role.TOOL and len(text) > TOOL_CHARACTERS:
        return f"{text[:TOOL_CHARACTERS]} … (+{len(text) - TOOL_CHARACTERS:,})"
    raw = text.encode("utf-8")
    if len(raw) <= MAX_CONTENT_BYTES:
        return text
    head = raw[: MAX_CONTENT_BYTES - 64].decode("utf-8", errors="ignore")
    return f"{head} … (+{len(text) - len(head):,})"
