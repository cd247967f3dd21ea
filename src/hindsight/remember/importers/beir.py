"""BEIR folders: ``corpus.jsonl[.gz]`` with ``_id``, ``text`` and metadata (scope, time, session, speaker, role)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hindsight.records import Role
from hindsight.remember.importers.conversation import ROLES
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_lines, kind_of

_NAMES = ("corpus.jsonl", "corpus.jsonl.gz")


def files(path: Path) -> tuple[Path, ...]:
    """The corpus of a folder, or the file itself."""
    if not path.is_dir():
        return (path,)
    for name in _NAMES:
        if (path / name).is_file():
            return (path / name,)
    raise fault(path, None, f"a BEIR folder holds {' or '.join(_NAMES)}; there is none here.")


def read(source: Source) -> Iterator[Entry]:
    """Each document as an episode under its own id; ``metadata.scope`` names the namespace."""
    for path in source.files:
        for line, document in json_lines(path):
            id, text, title = document.get("_id"), document.get("text"), document.get("title") or ""
            metadata = document.get("metadata") or {}
            if not isinstance(id, str) or not id:
                raise fault(path, line, "_id: text is needed; each document has an id of its own.")
            if not isinstance(text, str) or not isinstance(title, str):
                raise fault(path, line, f"text and title: text is needed, not {kind_of(text if not isinstance(text, str) else title)}.")
            if not isinstance(metadata, Mapping):
                raise fault(path, line, f"metadata: an object is needed, not {kind_of(metadata)}.")
            draft = {
                "content": f"{title}\n{text}" if title else text,
                "kind": "episode",
                "key": id,
                "idempotency_key": id,
                "namespace": metadata.get("scope"),
                "occurred_at": metadata.get("time"),
                "session_id": metadata.get("session"),
                "speaker": metadata.get("speaker"),
                "role": _role(metadata.get("role")),
            }
            yield Entry(path, line, draft={name: value for name, value in draft.items() if value is not None}, unique=id)


def recognises(head: Head) -> bool:
    """A folder with a corpus, or the corpus itself."""
    if head.folder:
        return any(name in head.names for name in _NAMES)
    return isinstance(head.value, dict) and not head.array and "_id" in head.value and "text" in head.value


def _role(value: Any) -> Any:
    return ROLES.get(value.lower(), Role.OTHER) if isinstance(value, str) and value else value


FORMAT = Format(
    name="beir",
    description="a BEIR folder (corpus.jsonl or corpus.jsonl.gz); metadata.scope is the namespace, metadata.time the event time",
    recognises=recognises,
    files=files,
    read=read,
)
