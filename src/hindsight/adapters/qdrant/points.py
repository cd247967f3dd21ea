"""Records as points: vectors, and what filters ask for. No text of a record goes into Qdrant."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from qdrant_client import models

from hindsight.following import IndexPoint
from hindsight.ports import Vector
from hindsight.text.fold import fold

WHOLE, PASSAGES = "whole", "passages"
"""A record as a whole, and the passages of a long one, of which the nearest counts."""
MARK = UUID(int=1)
"""The id of the point that holds the mark of the last batch; records have UUIDv7."""
_MOST_PASSAGES = 1_000
"""So many passages of a record are searched; Qdrant takes a little over a million numbers a point."""

_TIMES = ("starts", "ends", "expires", "valid_from", "valid_to")
INDEXED: dict[str, Any] = {
    "namespace": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "key": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=True, enable_hnsw=False),
    "row": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False),
    "language": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False, enable_hnsw=False),
    "avoid": models.BoolIndexParams(type=models.BoolIndexType.BOOL, enable_hnsw=False),
}
"""The index of each field that filters ask for. Only the namespace has links of its own in the graph: every search names it."""
INDEXED |= {
    name: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
    for name in (
        "agent", "visibility", "status", "kind", "outcome", "source", "channel", "task_type", "tags", "tools", "chain", "entities",
        "session", "speaker",
    )
}  # fmt: skip
INDEXED |= {name: models.FloatIndexParams(type=models.FloatIndexType.FLOAT, enable_hnsw=False) for name in _TIMES}


def chain_of(tools: Sequence[str]) -> str:
    """A whole sequence of tools as one word."""
    return hashlib.blake2b(json.dumps(list(tools)).encode(), digest_size=16).hexdigest()


def payload_of(point: IndexPoint) -> dict[str, Any]:
    """What filters ask for; a field that has no value is not there."""
    memory = point.memory
    fields: dict[str, Any] = {
        "row": point.row,
        "language": point.language,
        "namespace": memory.namespace,
        "agent": memory.agent,
        "visibility": memory.visibility.value,
        "status": memory.status.value,
        "kind": memory.kind.value,
        "outcome": memory.outcome.value,
        "source": memory.source.value,
        "channel": memory.channel.value,
        "key": memory.key,
        "task_type": memory.task_type,
        "tags": sorted(set(memory.tags)),
        "tools": sorted(set(memory.tools)),
        "chain": chain_of(memory.tools) if memory.tools else None,
        "entities": sorted(point.entities),
        "session": memory.session_id,
        "speaker": (fold(memory.speaker) or None) if memory.speaker else None,
        "avoid": memory.lesson is not None and memory.lesson.avoid,
        "starts": point.starts,
        "ends": point.ends,
    }
    for name, moment in (("expires", memory.expires_at), ("valid_from", memory.valid_from), ("valid_to", memory.valid_to)):
        fields[name] = None if moment is None else moment.timestamp()
    return {name: value for name, value in fields.items() if value is not None and value != []}


def vectors_of(point: IndexPoint) -> dict[str, Any]:
    """Raw vectors by name, as JSON."""
    found: dict[str, Any] = {}
    if point.vector is not None:
        found[WHOLE] = numbers(point.vector)
    if point.passages is not None:
        found[PASSAGES] = [numbers(each) for each in point.passages[:_MOST_PASSAGES]]
    return found


def size_of(point: IndexPoint) -> int:
    """How many vectors it brings."""
    return (point.vector is not None) + (0 if point.passages is None else min(len(point.passages), _MOST_PASSAGES))


def struct_of(point: IndexPoint) -> models.PointStruct:
    """The point."""
    return models.PointStruct(id=str(point.id), vector=vectors_of(point), payload=payload_of(point))


def same(found: models.Record, point: IndexPoint) -> bool:
    """Whether a point is what it should be: every field and every vector, numbers to within what JSON rounds."""
    have, should = dict(found.payload or {}), payload_of(point)
    for name in _TIMES:
        if name in have and name in should and abs(have[name] - should[name]) < 1e-3:
            have[name] = should[name]
    held, wanted = found.vector or {}, vectors_of(point)
    if have != should or not isinstance(held, dict) or held.keys() != wanted.keys():
        return False
    pairs = [(np.asarray(held[name]), np.asarray(wanted[name])) for name in wanted]
    return all(one.shape == other.shape and np.allclose(one, other, atol=1e-5) for one, other in pairs)


def numbers(vector: Vector) -> list[float]:
    """A vector as JSON, to seven digits behind the point: shorter, and more than int8 with a scale holds."""
    rounded: list[float] = np.round(vector.astype(np.float64), 7).tolist()
    return rounded
