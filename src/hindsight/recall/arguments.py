"""The loose arguments of ``retrieve`` and of listings become one checked ``Filter``. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Any, Literal, TypedDict, TypeVar

from hindsight.errors import InvalidInput
from hindsight.moments import read_moment, step_of
from hindsight.records import Channel, Filter, Kind, Layer, Outcome, Source, Status
from hindsight.text.fold import sanitise
from hindsight.text.synonyms import normalise_outcome, normalise_task_type
from hindsight.text.times import parse_within

EnumT = TypeVar("EnumT", bound=StrEnum)
Many = str | Iterable[str] | None


class FilterArguments(TypedDict, total=False):
    """Filters of a search; each takes one value or several (any of them), unless said otherwise.

    ``within`` is a span back from now (``"3d"``, ``"12h"``, ``"2w"``); ``since`` (inclusive) and ``until`` (exclusive) bound
    the event time; ``tools_match`` reads ``tools`` as ``any``, ``all`` or exactly this ``chain``; ``at`` asks for what was
    valid at that time; ``scope`` is ``own``, ``shared`` or ``all``.
    """

    scope: Literal["own", "shared", "all"]
    key_prefix: str
    kind: str | Iterable[str]
    layer: str | Iterable[str]
    status: str | Iterable[str]
    task_type: str | Iterable[str]
    outcome: str | Iterable[str]
    tools: str | Iterable[str]
    tools_match: Literal["any", "all", "chain"]
    tags: str | Iterable[str]
    entities: str | Iterable[str]
    source: str | Iterable[str]
    channel: str | Iterable[str]
    session_id: str
    speaker: str
    avoid: bool
    since: datetime | str
    until: datetime | str
    within: str
    at: datetime | str


def build_filter(namespace: str, agent: str, now: datetime, zone: tzinfo, arguments: FilterArguments) -> Filter:
    """The filter of a call at ``now``.

    Raises:
        InvalidInput: an unknown filter or value; the message names what is allowed.
    """
    unknown = set(arguments) - set(FilterArguments.__annotations__)
    if unknown:
        known = ", ".join(sorted(FilterArguments.__annotations__))
        raise InvalidInput(f"unknown filter {', '.join(sorted(unknown))}; known: {known}.")
    given: dict[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    values: dict[str, Any] = {"namespace": namespace, "agent": agent, "now": now}
    for name, field, enum in _ENUMS:
        values[field] = _members(name, given.pop(name, None), enum)
    if not values["statuses"]:
        del values["statuses"]
    values["outcomes"] = tuple(Outcome(normalise_outcome(each)) for each in _many("outcome", given.pop("outcome", None)))
    values["task_types"] = tuple(normalise_task_type(each) for each in _many("task_type", given.pop("task_type", None)))
    for name in ("tools", "tags", "entities"):
        values[name] = _many(name, given.pop(name, None))
    within = given.pop("within", None)
    if within is not None:
        values["since"] = now - parse_within(within)
    for name in ("since", "until", "at"):
        if name in given:
            moment, precision = read_moment(given.pop(name), zone, field=name)
            values[name] = moment + step_of(precision) if name == "at" and step_of(precision).days else moment
    for name, allowed in (("scope", ("own", "shared", "all")), ("tools_match", ("any", "all", "chain"))):
        if name in given and given[name] not in allowed:
            raise InvalidInput(f"{name}: {given[name]!r} is not one of {', '.join(allowed)}.")
    for name in ("key_prefix", "session_id", "speaker"):
        if name in given and not isinstance(given[name], str):
            raise InvalidInput(f"{name}: text is needed, not {type(given[name]).__name__}.")
    values.update({name: sanitise(value) if isinstance(value, str) else value for name, value in given.items()})
    return Filter(**values)


_ENUMS: tuple[tuple[str, str, type[StrEnum]], ...] = (
    ("kind", "kinds", Kind),
    ("layer", "layers", Layer),
    ("status", "statuses", Status),
    ("source", "sources", Source),
    ("channel", "channels", Channel),
)


def _many(name: str, value: Many) -> tuple[str, ...]:
    if value is None:
        return ()
    items = (value,) if isinstance(value, str) else tuple(value)
    for item in items:
        if not isinstance(item, str):
            raise InvalidInput(f"{name}: text is needed, not {type(item).__name__}.")
    return tuple(sanitise(item) for item in items)


def _members(name: str, value: Many, enum: type[EnumT]) -> tuple[EnumT, ...]:
    members = []
    for item in _many(name, value):
        try:
            members.append(enum(item.strip().lower()))
        except ValueError:
            raise InvalidInput(f"{name}: {item!r} is not one of {', '.join(enum)}.") from None
    return tuple(members)
