"""Between ``Memory`` and its row: columns for what scripts and indexes need, JSON for the rest."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

from hindsight.errors import InvalidInput, StoreCorrupt
from hindsight.records import Event, Memory, Turn

COLUMNS = ("id", "namespace", "agent", "kind", "status", "visibility", "version", "idempotency_key", "created_at", "query", "content")
"""Fields of a record with a column of their own, in the order of the table."""
_IN_COLUMNS = set(COLUMNS)
_NOT_IN_JSON = _IN_COLUMNS | {"seal"}


def memory_values(memory: Memory) -> tuple[Any, ...]:
    """The values of :data:`COLUMNS` and the JSON of the other fields (absent ones left out), as its seal covers them: without it."""
    try:
        rest = memory.model_dump_json(exclude=_NOT_IN_JSON, exclude_none=True)
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise InvalidInput(
            f"memory {memory.id} holds text that is not valid Unicode (a lone surrogate?); clean it and store it again."
        ) from error
    return (
        str(memory.id),
        memory.namespace,
        memory.agent,
        memory.kind.value,
        memory.status.value,
        memory.visibility.value,
        memory.version,
        memory.idempotency_key,
        memory.created_at.isoformat(),
        memory.query,
        memory.content,
        rest,
    )


def read_memory(values: Sequence[Any]) -> Memory:
    """The record of a row: :data:`COLUMNS`, then ``record``."""
    try:
        return Memory.model_validate({**from_json(values[-1]), **dict(zip(COLUMNS, values[:-1], strict=True))})
    except (ValidationError, ValueError, TypeError) as error:
        raise StoreCorrupt(
            f"memory {values[0]} cannot be read back: {str(error).splitlines()[0]}. It was changed from outside, or damaged; run `hindsight doctor`."
        ) from error


def changed_fields(before: Memory, after: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that differ, JSON-able, as they were and as they are."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    names = [name for name in old if old[name] != new[name] and name not in ("updated_at", "seal")]
    return {name: old[name] for name in names}, {name: new[name] for name in names}


def read_event(values: Sequence[Any]) -> Event:
    """The event of a row of the table ``events``."""
    seq, memory_id, namespace, action, actor, channel, at, session_id, before, after, reason = values
    return Event(
        seq=seq,
        memory_id=memory_id,
        namespace=namespace,
        action=action,
        actor=actor,
        channel=channel,
        at=at,
        session_id=session_id,
        before=None if before is None else json.loads(before),
        after=None if after is None else json.loads(after),
        reason=reason,
    )


def read_turn(values: Sequence[Any]) -> Turn:
    """The turn of a row: session_id, position, id, speaker, role, at, content (text, or compressed)."""
    session_id, position, id, speaker, role, at, content = values
    return Turn(
        session_id=session_id,
        position=position,
        id=id,
        speaker=speaker,
        role=role,
        at=None if at is None else datetime.fromisoformat(at),
        content=unpack_text(content),
    )


def to_json(value: Any) -> str:
    """JSON text as it is stored: short, and readable in any language."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    """What JSON has no form for: numbers and arrays of numpy, ids, times."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)


_COMPRESS_FROM = 512
"""Characters from which a turn's text is worth compressing."""


def pack_text(text: str) -> str | bytes:
    """A turn's text as it is kept: compressed where that saves room."""
    return text if len(text) < _COMPRESS_FROM else compress(text)


def compress(text: str) -> bytes:
    """A turn's text where the column holds bytes alone."""
    return zlib.compress(text.encode("utf-8"), 6)


def unpack_text(content: str | bytes) -> str:
    """The inverse of :func:`pack_text` and :func:`compress`."""
    return content if isinstance(content, str) else zlib.decompress(content).decode("utf-8")
