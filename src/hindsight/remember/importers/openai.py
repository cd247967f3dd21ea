"""Message lists in the OpenAI form: one list, a message a line, or a conversation (``{"messages": […]}``) a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from hindsight.remember.importers.conversation import INSTRUCTIONS, ROLES, Message, call_line, digest, entry_of, items_of, text_of
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_pieces, kind_of, moment_of, one_file, suffix_of

_TIMES = ("created_at", "timestamp", "create_time", "created", "time")
_SESSIONS = ("session_id", "conversation_id", "thread_id", "id")
# A list that grows keeps its beginning: so many messages name a conversation that has no id.
_BEGINNING = 3


def read(source: Source) -> Iterator[Entry]:
    """Messages in order; a conversation that names itself is that session, another is named after the file and its beginning."""
    for path in source.files:
        pieces = json_pieces(path)
        first = list(_take(pieces, _BEGINNING))
        loose = [piece for piece in first if not (isinstance(piece[1], Mapping) and "messages" in piece[1])]
        if not loose:
            for line, conversation in chain(first, pieces):
                yield from _conversation(path, line, conversation, source)
            continue
        session = _name(path, [value for _, value in first])
        for position, (line, value) in enumerate(chain(first, pieces)):
            yield entry_of(_message(path, line, value, source, session=session, position=position))


def recognises(head: Head) -> bool:
    """A message has a role; a conversation a list of such messages."""
    value = head.value
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = next(iter(value["messages"]), {"role": "user"})
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return "lc" not in value and not isinstance(value.get("message"), dict)


def _take(pieces: Iterator[tuple[int, Any]], count: int) -> Iterator[tuple[int, Any]]:
    for _, piece in zip(range(count), pieces, strict=False):
        yield piece


def _conversation(path: Path, line: int, value: Any, source: Source) -> Iterator[Entry]:
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
        raise fault(path, line, "a conversation is an object with a list of messages, like the ones before it.")
    messages = value["messages"]
    named = next((value[name] for name in _SESSIONS if isinstance(value.get(name), str) and value[name]), None)
    session = named or _name(path, messages if suffix_of(path) != ".json" else messages[:_BEGINNING])
    for position, message in enumerate(messages):
        yield entry_of(_message(path, line, message, source, session=session, position=position))


def _message(path: Path, line: int, value: Any, source: Source, *, session: str, position: int) -> Message:
    if not isinstance(value, Mapping):
        raise fault(path, line, f"a message is an object with role and content, not {kind_of(value)}.")
    role, name, id = value.get("role"), value.get("name"), value.get("id")
    if not isinstance(role, str) or role.lower() not in ROLES:
        raise fault(path, line, f"role: {role!r} is not one of {', '.join(ROLES)}.")
    if not isinstance(name, str | None) or not isinstance(id, str | None):
        raise fault(path, line, "name and id: text is needed.")
    try:
        text = text_of(value.get("content"))
        calls, tools = _calls(value)
    except ValueError as error:
        raise fault(path, line, f"{error}.") from error
    role = role.lower()
    return Message(
        path=path,
        line=line,
        session=session,
        position=position,
        role=ROLES[role],
        text="\n".join(part for part in (text, *calls) if part),
        speaker=name if ROLES[role] is not ROLES["tool"] else None,
        at=moment_of(next((value[each] for each in _TIMES if value.get(each) is not None), None), source.zone, path, line),
        id=id or None,
        tools=tools or ((name,) if name and ROLES[role] is ROLES["tool"] else ()),
        instruction=role in INSTRUCTIONS,
    )


def _calls(value: Mapping[str, Any]) -> tuple[list[str], tuple[str, ...]]:
    """Lines of the tool calls of a message, and the tools' names."""
    given = [call.get("function", call) if isinstance(call, Mapping) else call for call in items_of(value.get("tool_calls"), "tool_calls")]
    if value.get("function_call") is not None:
        given.append(value["function_call"])
    for call in given:
        if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
            raise ValueError("tool_calls: each is an object with a function's name and arguments")  # noqa: TRY004 - told with its line
    return [call_line(call["name"], call.get("arguments", "")) for call in given], tuple(call["name"] for call in given)


def _name(path: Path, beginning: list[Any]) -> str:
    return f"{path.name.split('.')[0]}-{digest(beginning)}"


FORMAT = Format(
    name="openai",
    description="a list of messages with role and content (JSON or JSON Lines), or conversations with a list of messages",
    recognises=recognises,
    files=one_file,
    read=read,
)
