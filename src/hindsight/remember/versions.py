"""A memory as it was: the fields of every version follow from the record and its events. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from hindsight.records import Event, Memory, Status

_UNITED = {"merged": ("refs", "tags", "entities", "turn_ids"), "": ("conflicts_with",)}
"""Lists that grow by what an event adds (by action; "": any), so that without another event its own addition stays."""
_CREATION = "created"
_WORDS = re.compile(r"[A-Za-z0-9_'-]+|\s+|.", re.DOTALL)


def as_known_at(memory: Memory, events: Sequence[Event], at: datetime) -> Memory | None:
    """The memory as the store held it at ``at``; None where it was not written yet.

    ``events`` are its own, in order. Their order decides, not the clock: one that ran backwards cannot put a later change before
    an earlier one.
    """
    later: list[Event] = []
    latest: datetime | None = None
    for event in events:
        latest = event.at if latest is None or event.at > latest else latest
        if later or latest > at:
            later.append(event)
    if later and later[0].action == _CREATION:
        return None
    if not later:
        return memory
    known = [event for event in events if event.seq < later[0].seq]
    values = _rewound(memory, later)
    if known:
        values["updated_at"] = max(known[-1].at, memory.created_at)
    return Memory.model_validate(values | {"seal": None})


def without(memory: Memory, events: Sequence[Event], nullified: Collection[int]) -> Memory:
    """The memory as it would be had the events numbered ``nullified`` not happened; quarantined where its creation is among them.

    Events that undid others are told by ``nullified`` alone. Version and time of the change are left to the caller.
    """
    values = _rewound(memory, events)
    for event in events:
        if event.action == "undone" or event.seq in nullified:
            continue
        for name, value in (event.after or {}).items():
            united = name in _UNITED[""] or name in _UNITED.get(event.action, ())
            values[name] = _merged(values.get(name), (event.before or {}).get(name), value) if united else value
    if any(event.action == _CREATION and event.seq in nullified for event in events):
        values["status"] = Status.QUARANTINED.value
    values |= {"version": memory.version, "updated_at": memory.updated_at, "seal": memory.seal}
    return Memory.model_validate(values)


def unreadable(event: Event) -> bool:
    """Whether what an event changed is not known any more: its texts went when a memory was erased."""
    return event.action not in (_CREATION, "erased") and event.before is None and event.after is None


def differences(event: Event) -> dict[str, Any]:
    """What an event changed, by field: ``from`` and ``to``, and for texts ``diff``, with [-what went-] and {+what came+}."""
    before, after = event.before or {}, event.after or {}
    found: dict[str, Any] = {}
    for name in dict.fromkeys((*before, *after)):
        if name == "version":
            continue
        found[name] = {"from": before.get(name), "to": after.get(name)}
        if name in ("content", "query") and isinstance(before.get(name), str) and isinstance(after.get(name), str):
            found[name]["diff"] = text_difference(before[name], after[name])
    return found


def text_difference(before: str, after: str) -> str:
    """Both texts in one, word by word (Chinese: character by character)."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    parts: list[str] = []
    for tag, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = "".join(old[first:last]), "".join(new[start:end])
        parts.append(gone if tag == "equal" else (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else ""))
    return "".join(parts)


def _rewound(memory: Memory, events: Sequence[Event]) -> dict[str, Any]:
    """The fields before ``events``, the last of which led to ``memory``."""
    values: dict[str, Any] = memory.model_dump(mode="json")
    for event in reversed(events):
        values.update(event.before or {})
    return values


def _merged(value: Any, before: Any, after: Any) -> Any:
    """``value`` with what an event added to its list, and without what it took away."""
    standing, old, new = _list(value), _list(before), _list(after)
    kept = [each for each in standing if each in new or each not in old]
    return kept + [each for each in new if each not in old and each not in kept]


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def undone_by(events: Sequence[Event], more: Collection[int] = ()) -> set[int]:
    """Numbers of the events that ``undone`` events (in order) take away, together with ``more``; one that is undone itself takes none."""
    nullified = set(more)
    for event in reversed(events):
        if event.seq not in nullified:
            nullified |= named_events(event)
    return nullified


_NAMED = re.compile(r"^undo [0-9a-f-]{36} of events ([0-9,]+)")


def named_events(event: Event) -> set[int]:
    """Numbers of the events that an ``undone`` event takes away."""
    found = _NAMED.match(event.reason or "") if event.action == "undone" else None
    return {int(number) for number in found[1].split(",")} if found else set()


def undo_reason(undo: str, numbers: Collection[int], why: str) -> str:
    """The reason of an ``undone`` event, which :func:`named_events` reads."""
    return f"undo {undo} of events {','.join(map(str, sorted(numbers)))}: {why}"


def by_memory(events: Sequence[Event]) -> Mapping[Any, list[Event]]:
    """Events grouped by their memory, in order."""
    grouped: dict[Any, list[Event]] = {}
    for event in events:
        grouped.setdefault(event.memory_id, []).append(event)
    return grouped
