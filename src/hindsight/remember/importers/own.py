"""hindsight's own JSON Lines: what ``hindsight export`` writes, or lines with just a content and whatever else is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hindsight.records import Draft, Memory
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, json_pieces, kind_of, one_file

_SERVER_FIELDS = frozenset(Memory.model_fields) - frozenset(Draft.model_fields)


def read(source: Source) -> Iterator[Entry]:
    """Each line: with an ``id`` a record as it was exported, without one a draft to be stored anew."""
    for path in source.files:
        for line, value in json_pieces(path):
            if not isinstance(value, dict):
                raise fault(path, line, f"a record is an object with a content, not {kind_of(value)}.")
            if "id" not in value:
                yield Entry(path, line, draft=value)
                continue
            draft, server = _split(value)
            yield Entry(path, line, draft=draft, server=server, unique=str(value["id"]).lower())


def recognises(head: Head) -> bool:
    """Own exports carry a content beside the time they were written; hand-written lines a content and no chat role, or a kind."""
    value = head.value
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        return False
    return {"id", "namespace", "created_at"} <= value.keys() or "kind" in value or ("role" not in value and "type" not in value)


def _split(value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    server = {name: each for name, each in value.items() if name in _SERVER_FIELDS}
    return {name: each for name, each in value.items() if name not in server}, server


FORMAT = Format(
    name="hindsight",
    description="JSON Lines written by `hindsight export`, or lines with a content and any other field of a memory",
    recognises=recognises,
    files=one_file,
    read=read,
)
