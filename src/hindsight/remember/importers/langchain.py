"""LangChain and LangGraph dumps: serialised message lists, a thread's state, or its history of states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from hindsight.records import Role
from hindsight.remember.importers.conversation import Message, call_line, digest, entry_of, items_of, text_of
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_pieces, kind_of, moment_of, one_file

_ROLES = {
    "human": Role.USER,
    "user": Role.USER,
    "ai": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "system": Role.OTHER,
    "developer": Role.OTHER,
    "chat": Role.OTHER,
}
_BEGINNING = 3


def read(source: Source) -> Iterator[Entry]:
    """Messages of one list, or of each thread; of a thread's history the state with most messages stands for all."""
    for path in source.files:
        pieces = json_pieces(path)
        first = [piece for _, piece in zip(range(_BEGINNING), pieces, strict=False)]
        if first and _messages_of(first[0][1]) is None:
            messages = ((line, _flat(path, line, value)) for line, value in chain(first, pieces))
            yield from _thread(path, _name(path, [_flat(path, line, value) for line, value in first]), messages, source)
            continue
        longest: dict[str, tuple[int, int]] = {}
        for number, (line, value) in enumerate(chain(first, pieces)):
            thread, found = _state(path, line, value)
            if thread not in longest or len(found) > longest[thread][0]:
                longest[thread] = (len(found), number)
        chosen = {number for _, number in longest.values()}
        for number, (line, value) in enumerate(json_pieces(path)):
            if number in chosen:
                thread, found = _state(path, line, value)
                yield from _thread(path, thread, ((line, fields) for fields in found), source)


def recognises(head: Head) -> bool:
    """Messages are typed ``human`` / ``ai`` or are serialised constructors; states hold a list of them."""
    value = head.value
    if not isinstance(value, dict):
        return False
    messages = _messages_of(value)
    if messages is not None:
        value = messages[0] if messages else {}
    if not isinstance(value, dict):
        return False
    if "lc" in value and isinstance(value.get("kwargs"), dict):
        return True
    return str(value.get("type")) in _ROLES and ("data" in value or "content" in value) and "role" not in value


def _messages_of(value: Any) -> list[Any] | None:
    """The messages of a state, of a snapshot of one, or of a checkpoint; None where the value is a message itself."""
    if not isinstance(value, Mapping):
        return None
    for holder in (value, value.get("values"), value.get("channel_values"), _within(value, "checkpoint", "channel_values")):
        if isinstance(holder, Mapping) and isinstance(holder.get("messages"), list):
            return list(holder["messages"])
    return None


def _within(value: Mapping[str, Any], *names: str) -> Any:
    inner: Any = value
    for name in names:
        inner = inner.get(name) if isinstance(inner, Mapping) else None
    return inner


def _state(path: Path, line: int, value: Any) -> tuple[str, list[dict[str, Any]]]:
    """(thread, messages) of a state."""
    messages = _messages_of(value)
    if messages is None:
        raise fault(path, line, "a state is an object with a list of messages, like the ones before it.")
    found = [_flat(path, line, each) for each in messages]
    for id in (value.get("thread_id"), _within(value, "config", "configurable", "thread_id"), _within(value, "metadata", "thread_id")):
        if isinstance(id, str) and id:
            return id, found
    return _name(path, found), found


def _thread(path: Path, thread: str, messages: Iterable[tuple[int, Mapping[str, Any]]], source: Source) -> Iterator[Entry]:
    for position, (line, fields) in enumerate(messages):
        if fields["type"] != "remove":
            yield entry_of(_message(path, line, fields, source, thread=thread, position=position))


def _name(path: Path, messages: Sequence[Mapping[str, Any]]) -> str:
    return f"{path.name.split('.')[0]}-{digest(messages[:_BEGINNING])}"


def _flat(path: Path, line: int, value: Any) -> dict[str, Any]:
    """The fields of a message in any of its three forms, with its type."""
    if isinstance(value, Mapping) and isinstance(
        value.get("kwargs"), Mapping
    ):  # dumpd: {"lc": 1, "id": [..., "HumanMessage"], "kwargs": …}
        fields = dict(value["kwargs"])
        names = value.get("id")
        if "type" not in fields and isinstance(names, list) and names:
            fields["type"] = str(names[-1]).removesuffix("Chunk").removesuffix("Message").lower()
    elif isinstance(value, Mapping) and isinstance(value.get("data"), Mapping):  # messages_to_dict: {"type": …, "data": …}
        fields = {"type": value.get("type"), **value["data"]}
    elif isinstance(value, Mapping):
        fields = dict(value)
    else:
        raise fault(path, line, f"a message is an object, not {kind_of(value)}.")
    fields["type"] = str(fields.get("type") or fields.get("role")).removesuffix("MessageChunk").lower()
    if fields["type"] not in _ROLES and fields["type"] != "remove":
        raise fault(path, line, f"type: {fields['type']!r} is not one of {', '.join(_ROLES)}.")
    return fields


def _message(path: Path, line: int, fields: Mapping[str, Any], source: Source, *, thread: str, position: int) -> Message:
    kind, name, id = fields["type"], fields.get("name"), fields.get("id")
    try:
        text = text_of(fields.get("content"))
        calls = [call for call in items_of(fields.get("tool_calls"), "tool_calls") if isinstance(call, Mapping)]
    except ValueError as error:
        raise fault(path, line, f"{error}.") from error
    tools = tuple(str(call.get("name")) for call in calls)
    role = _ROLES[kind]
    extra = fields.get("additional_kwargs")
    when = fields.get("created_at") or fields.get("timestamp") or (_within(extra, "timestamp") if isinstance(extra, Mapping) else None)
    return Message(
        path=path,
        line=line,
        session=thread,
        position=position,
        role=role,
        text="\n".join(part for part in (text, *(call_line(call.get("name"), call.get("args", "")) for call in calls)) if part),
        speaker=name if isinstance(name, str) and role is not Role.TOOL else None,
        at=moment_of(when, source.zone, path, line),
        id=id if isinstance(id, str) and id else None,
        tools=tools or ((name,) if isinstance(name, str) and role is Role.TOOL else ()),
        instruction=kind in {"system", "developer"},
    )


FORMAT = Format(
    name="langchain",
    description="LangChain or LangGraph messages, a thread's state or its history (JSON or JSON Lines)",
    recognises=recognises,
    files=one_file,
    read=read,
)
