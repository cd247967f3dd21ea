"""A call's arguments become checked forms and parts of addresses. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel, ValidationError

from hindsight.client.requests import UpdateRequest
from hindsight.errors import InvalidInput
from hindsight.records import Turn

ModelT = TypeVar("ModelT", bound=BaseModel)
Many = str | Sequence[str]
Id = UUID | str


class FilterFields(TypedDict, total=False):
    """Filters of a search, as :class:`hindsight.Hindsight` takes them."""

    scope: Literal["own", "shared", "all"]
    key_prefix: str
    kind: Many
    layer: Many
    status: Many
    task_type: Many
    outcome: Many
    tools: Many
    tools_match: Literal["any", "all", "chain"]
    tags: Many
    entities: Many
    source: Many
    channel: Many
    session_id: str
    speaker: str
    avoid: bool
    since: datetime | str
    until: datetime | str
    within: str
    at: datetime | str


def filled(form: type[ModelT], values: Mapping[str, Any]) -> dict[str, Any]:
    """The checked form as JSON; what was not given is left out.

    Raises:
        InvalidInput: a value does not fit; nothing was sent.
    """
    named = {name: sendable(value) for name, value in values.items() if value is not None or form is UpdateRequest}
    try:
        return form.model_validate(named).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told = "; ".join(f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in faults)
        raise InvalidInput(f"{told}; nothing was sent.") from None


def sendable(value: Any) -> Any:
    """``value`` with its texts as they can be encoded and stored, as the memory itself would make them: without NUL, lone surrogates → U+FFFD."""
    if isinstance(value, str):
        clean = value.replace("\0", "")
        return clean if clean.isascii() else clean.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {sendable(name): sendable(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(each) for each in value]
    return value


def turn_items(turns: Sequence[Any]) -> list[dict[str, Any]]:
    """Turns as JSON.

    Raises:
        InvalidInput: they are no list of turns.
    """
    if isinstance(turns, (str, bytes, Mapping)) or not all(isinstance(each, (Turn, Mapping)) for each in turns):
        raise InvalidInput("turns: a list of turns is needed, each with session_id, position, content and role.")
    return [each.model_dump(mode="json") if isinstance(each, Turn) else dict(each) for each in turns]


_LISTS = ("kind", "layer", "status", "task_type", "outcome", "tools", "tags", "entities", "source", "channel")
_TIMES = ("since", "until", "at")


def filters_in(filters: FilterFields) -> dict[str, Any]:
    """Filters as the forms take them: single values become lists, times become text."""
    chosen: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    for name in _LISTS:
        if name in chosen:
            chosen[name] = [chosen[name]] if isinstance(chosen[name], str) else [*chosen[name]]
    return chosen | {name: moment(chosen[name]) for name in _TIMES if name in chosen}


def given(**values: Any) -> dict[str, Any]:
    """Those that were given."""
    return {name: value for name, value in values.items() if value is not None}


def moment(value: datetime | str | None) -> str | None:
    """A time as text."""
    return value.isoformat() if isinstance(value, datetime) else value


def text_of(value: Id | None) -> str | None:
    """An id as text."""
    return None if value is None else str(value)


def part_of(value: Id) -> str:
    """One part of a path; an empty one would name another resource, and dots would leave it."""
    text = str(value)
    if not text.strip() or text in {".", ".."}:
        raise InvalidInput(f"id: {text!r} names nothing.")
    return quote(text, safe="")
