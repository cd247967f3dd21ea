"""The filter and scoring fields of a record, packed into bytes of one fixed layout so that whole namespaces load as arrays."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.records import Channel, Kind, Memory, Outcome, Precision, Role, Source, Status, Visibility

LAYOUT: tuple[tuple[str, str], ...] = (
    ("occurred", "d"),
    ("ends", "d"),
    ("created", "d"),
    ("valid_from", "d"),
    ("valid_to", "d"),
    ("expires", "d"),
    ("position", "q"),
    ("session", "i"),
    ("speaker", "i"),
    ("task_type", "i"),
    ("agent", "i"),
    ("key", "i"),
    ("tags", "i"),
    ("tools", "i"),
    ("length", "i"),
    ("trust", "f"),
    ("confidence", "f"),
    ("importance", "f"),
    ("priority", "i"),
    ("helpful", "i"),
    ("harmful", "i"),
    ("kind", "b"),
    ("outcome", "b"),
    ("source", "b"),
    ("channel", "b"),
    ("status", "b"),
    ("visibility", "b"),
    ("role", "b"),
    ("precision", "b"),
    ("language", "b"),
    ("avoid", "?"),
)
"""Field and struct format. Times are Unix seconds, NaN where unknown; ``ends`` is the end of the event's time at its precision
(a year-only date lasts the year); ``session`` … ``tools`` are interned codes, -1 for none."""

DTYPE = np.dtype([(name, f"<{code}" if code not in "b?" else {"b": "i1", "?": "?"}[code]) for name, code in LAYOUT])
_STRUCT = struct.Struct("<" + "".join(code for _, code in LAYOUT))
_NAMES = tuple(name for name, _ in LAYOUT)
_NAN = float("nan")

CODED_FIELDS = ("agent", "session", "speaker", "task_type", "key", "tags", "tools")
"""Fields whose values are interned in the table ``codes``."""

ENUMS: dict[str, tuple[type[StrEnum], dict[str, int]]] = {
    name: (kind, {member.value: position for position, member in enumerate(kind)})
    for name, kind in (
        ("kind", Kind),
        ("outcome", Outcome),
        ("source", Source),
        ("channel", Channel),
        ("status", Status),
        ("visibility", Visibility),
        ("role", Role),
        ("precision", Precision),
    )
}

_FIXED_SPANS = {
    Precision.MINUTE: timedelta(minutes=1),
    Precision.HOUR: timedelta(hours=1),
    Precision.DAY: timedelta(days=1),
    Precision.WEEK: timedelta(days=7),
}
_MONTHS = {Precision.MONTH: 1, Precision.SEASON: 3, Precision.YEAR: 12, Precision.DECADE: 120}


def enum_code(field: str, value: str | None) -> int:
    """The position of a value in its enum, -1 for none."""
    return -1 if value is None else ENUMS[field][1][value]


def pack(memory: Memory, *, row: int, codes: Mapping[str, int], language: int, length: int) -> bytes:
    """The packed attributes of a record. ``codes`` holds the interned fields, -1 for none."""
    values: dict[str, Any] = {
        "occurred": _seconds(memory.occurred_at),
        "ends": event_end(memory),
        "created": memory.created_at.timestamp(),
        "valid_from": _seconds(memory.valid_from),
        "valid_to": _seconds(memory.valid_to),
        "expires": _seconds(memory.expires_at),
        "position": next((ref.first for ref in memory.refs if ref.first is not None), row),
        "length": length,
        "trust": memory.trust,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "priority": memory.priority,
        "helpful": memory.helpful,
        "harmful": memory.harmful,
        "language": language,
        "avoid": memory.lesson is not None and memory.lesson.avoid,
    }
    for name in CODED_FIELDS:
        values[name] = codes[name]
    for name, attribute in (
        ("kind", memory.kind),
        ("outcome", memory.outcome),
        ("source", memory.source),
        ("channel", memory.channel),
        ("status", memory.status),
        ("visibility", memory.visibility),
        ("role", memory.role),
        ("precision", memory.occurred_precision),
    ):
        values[name] = enum_code(name, attribute)
    return _STRUCT.pack(*[values[name] for name in _NAMES])


def unpack(packed: bytes) -> dict[str, Any]:
    """The fields of one packed record."""
    return dict(zip(_NAMES, _STRUCT.unpack(packed), strict=True))


def as_array(packed: bytes) -> NDArray[Any]:
    """Packed records, one after the other, as a structured array."""
    return np.frombuffer(packed, dtype=DTYPE)


def event_end(memory: Memory) -> float:
    """The (exclusive) end of the event's time; of an instant, the instant itself."""
    start = memory.event_time
    precision = memory.occurred_precision if memory.occurred_at is not None else None
    if precision in _FIXED_SPANS:
        return start.timestamp() + _FIXED_SPANS[precision].total_seconds()
    if precision in _MONTHS:
        return _months_later(start, _MONTHS[precision]).timestamp()
    return start.timestamp()


def _months_later(start: datetime, months: int) -> datetime:
    """The start of the calendar month ``months`` later, in the zone that ``start`` was the local midnight of.

    The zone is not kept; half a day puts a local midnight between -12 and +12 h into its own month.
    """
    shifted = start.astimezone(UTC) + timedelta(hours=12)
    first = shifted.replace(day=1)
    count = first.month - 1 + months
    year = first.year + count // 12
    if year > 9999:
        return datetime.max.replace(tzinfo=UTC)
    later = first.replace(year=year, month=count % 12 + 1)
    return start + (later - first)


def _seconds(value: datetime | None) -> float:
    return _NAN if value is None else value.timestamp()
