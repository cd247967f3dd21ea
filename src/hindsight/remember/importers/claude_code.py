"""Claude Code's session logs: one ``.jsonl`` a session, or a project's folder of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hindsight.records import Role
from hindsight.remember.importers.conversation import Message, call_line, entry_of, text_of
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_lines, kind_of, moment_of

_COMMANDS = ("<command-", "<local-command-")
"""How lines begin that record a command of the interface, not something said."""


def files(path: Path) -> tuple[Path, ...]:
    """The sessions of a project's folder, or the file itself."""
    if not path.is_dir():
        return (path,)
    found = tuple(sorted(each for each in path.glob("*.jsonl") if each.is_file()))
    if not found:
        raise fault(path, None, "a project's folder holds one .jsonl file a session; there is none here.")
    return found


def read(source: Source) -> Iterator[Entry]:
    """What was said and which tools were called; bookkeeping lines and subagents' own talk are left out."""
    for path in source.files:
        for line, value in json_lines(path):
            if value.get("type") not in ("user", "assistant") or value.get("isMeta") or value.get("isSidechain"):
                continue
            message = _message(path, line, value, source)
            if not message.text.startswith(_COMMANDS):
                yield entry_of(message)


def recognises(head: Head) -> bool:
    """Lines carry a session id and a type; the first may be a summary or a snapshot."""
    value = head.value
    if not isinstance(value, dict) or head.array or not isinstance(value.get("type"), str):
        return False
    return "sessionId" in value or "leafUuid" in value or value["type"] == "file-history-snapshot"


def _message(path: Path, line: int, value: Mapping[str, Any], source: Source) -> Message:
    message, session, uuid = value.get("message"), value.get("sessionId"), value.get("uuid")
    if not isinstance(message, Mapping):
        raise fault(path, line, f"message: an object is needed, not {kind_of(message)}.")
    if not isinstance(session, str) or not isinstance(uuid, str):
        raise fault(path, line, "sessionId and uuid: text is needed.")
    try:
        text, tools, result = _content(message.get("content"))
    except ValueError as error:
        raise fault(path, line, f"{error}.") from error
    role = Role.TOOL if result else Role.USER if value["type"] == "user" else Role.ASSISTANT
    return Message(
        path=path,
        line=line,
        session=session,
        position=line,  # a session's log only grows
        role=role,
        text=text,
        at=moment_of(value.get("timestamp"), source.zone, path, line),
        id=uuid,
        tools=tools,
        key=f"claude-code:{uuid}",  # a resumed session repeats earlier lines in a new file
    )


def _content(content: Any) -> tuple[str, tuple[str, ...], bool]:
    """(text, tools called, whether it is tools' output alone)."""
    if not isinstance(content, list):
        return text_of(content), (), False
    texts, tools, spoken = [], [], False
    for block in content:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if kind == "tool_use":
            tools.append(str(block.get("name", "tool")))
            texts.append(call_line(tools[-1], block.get("input", "")))
        elif kind == "tool_result":
            texts.append(("error: " if block.get("is_error") else "") + text_of(block.get("content")))
        else:
            spoken = True
            texts.append(text_of([block]))
    result = not spoken and not tools and bool(texts)
    return "\n".join(text for text in texts if text), tuple(tools), result


FORMAT = Format(
    name="claude-code",
    description="a Claude Code session (.jsonl), or a project's folder of sessions",
    recognises=recognises,
    files=files,
    read=read,
)
