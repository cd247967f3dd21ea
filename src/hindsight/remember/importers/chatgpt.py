"""ChatGPT's data export: ``conversations.json`` (one file, or several numbered ones in the export's folder)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hindsight.remember.importers.conversation import INSTRUCTIONS, ROLES, Message, entry_of
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_pieces, moment_of

# What a person reads in the conversation; the rest is reasoning, browsing state and interface bookkeeping.
_READABLE = {"text", "multimodal_text", "code", "execution_output"}


def files(path: Path) -> tuple[Path, ...]:
    """The conversations of an unpacked export, or the file itself."""
    if not path.is_dir():
        return (path,)
    found = tuple(sorted(each for each in path.glob("conversations*.json") if each.is_file()))
    if not found:
        raise fault(path, None, "an unpacked ChatGPT export holds conversations.json; there is none here.")
    return found


def read(source: Source) -> Iterator[Entry]:
    """The messages of each conversation's current branch, in order."""
    for path in source.files:
        for line, conversation in json_pieces(path):
            if not isinstance(conversation, Mapping) or not isinstance(conversation.get("mapping"), Mapping):
                raise fault(path, line, "a conversation is an object with a mapping of messages.")
            yield from _conversation(path, line, conversation, source)


def recognises(head: Head) -> bool:
    """A list of conversations with a mapping."""
    if head.folder:
        return any(name.startswith("conversations") and name.endswith(".json") for name in head.names)
    return isinstance(head.value, dict) and isinstance(head.value.get("mapping"), dict)


def _conversation(path: Path, line: int, conversation: Mapping[str, Any], source: Source) -> Iterator[Entry]:
    mapping = conversation["mapping"]
    session = conversation.get("conversation_id") or conversation.get("id")
    if not isinstance(session, str):
        raise fault(path, line, "a conversation needs an id (conversation_id or id).")
    positions = _positions(mapping)
    for node in _branch(path, line, mapping, conversation.get("current_node")):
        message = mapping[node].get("message")
        if (
            isinstance(message, Mapping)
            and (read := _message(path, line, message, source, session=session, position=positions[node])) is not None
        ):
            yield entry_of(read)


def _positions(mapping: Mapping[str, Any]) -> dict[str, int]:
    """Places by time of writing over all branches: they stay the same when a later export has more messages or another branch."""

    def written(node: str) -> float:
        message = mapping[node].get("message") if isinstance(mapping[node], Mapping) else None
        time = message.get("create_time") if isinstance(message, Mapping) else None
        return float(time) if isinstance(time, (int, float)) else 0.0

    return {node: place for place, node in enumerate(sorted(mapping, key=written))}


def _branch(path: Path, line: int, mapping: Mapping[str, Any], last: Any) -> list[str]:
    """Node ids from the first message to the last of the branch that the user sees."""
    if last is None and mapping:
        last = list(mapping)[-1]
    branch: list[str] = []
    seen = set()
    while last is not None:
        if not isinstance(last, str) or last in seen or not isinstance(mapping.get(last), Mapping):
            raise fault(path, line, f"the conversation's messages do not hang together at {last!r}.")
        seen.add(last)
        branch.append(last)
        last = mapping[last].get("parent")
    return branch[::-1]


def _message(path: Path, line: int, message: Mapping[str, Any], source: Source, *, session: str, position: int) -> Message | None:
    author, content, metadata = message.get("author"), message.get("content"), message.get("metadata")
    if not isinstance(author, Mapping) or not isinstance(content, Mapping):
        raise fault(path, line, "a message needs an author and a content.")
    role = str(author.get("role", "")).lower()
    if role not in ROLES:
        raise fault(path, line, f"author.role: {role!r} is not one of {', '.join(ROLES)}.")
    hidden = isinstance(metadata, Mapping) and metadata.get("is_visually_hidden_from_conversation")
    if hidden or str(content.get("content_type")) not in _READABLE:
        return None
    name = author.get("name")
    id = message.get("id")
    return Message(
        path=path,
        line=line,
        session=session,
        position=position,
        role=ROLES[role],
        text=_text(content),
        at=moment_of(message.get("create_time"), source.zone, path, line),
        id=id if isinstance(id, str) else None,
        tools=(name,) if role == "tool" and isinstance(name, str) else (),
        instruction=role in INSTRUCTIONS,
    )


def _text(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return str(content.get("text") or "")
    return "\n".join(part if isinstance(part, str) else "[image]" for part in parts if part)


FORMAT = Format(
    name="chatgpt",
    description="ChatGPT's data export (conversations.json, or the unpacked folder)",
    recognises=recognises,
    files=files,
    read=read,
)
