"""What a page was asked, from its address or its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from hindsight.errors import InvalidInput

ONE = (
    "kind",
    "layer",
    "status",
    "outcome",
    "task_type",
    "session_id",
    "since",
    "until",
    "channel",
    "source",
    "scope",
    "key_prefix",
    "speaker",
)
MANY = ("tags", "tools", "entities")


def filters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The filters that stand in an address; empty fields are none."""
    found: dict[str, Any] = {name: given[name].strip() for name in ONE if given.get(name, "").strip()}
    return found | {name: listed(given[name]) for name in MANY if listed(given.get(name, ""))}


def listed(text: str) -> list[str]:
    """Words separated by commas, as both scripts write them."""
    return [each.strip() for each in text.replace("，", ",").replace("、", ",").split(",") if each.strip()]


def text(form: FormData, name: str) -> str:
    """A field of a form; empty where it is not there."""
    given = form.get(name, "")
    return given.strip() if isinstance(given, str) else ""


def whole(given: str, name: str, *, least: int = 0, most: int = 2**31) -> int | None:
    """A whole number, or None where nothing was entered.

    Raises:
        InvalidInput: it is none, or out of bounds.
    """
    if not given:
        return None
    try:
        number = int(given)
    except ValueError:
        raise InvalidInput(f"{name}: {given[:40]!r} is no whole number.") from None
    if not least <= number <= most:
        raise InvalidInput(f"{name}: {number} is not between {least:,} and {most:,}.")
    return number


def share(given: str, name: str) -> float | None:
    """A number from 0 to 1, or None where nothing was entered.

    Raises:
        InvalidInput: it is none.
    """
    if not given:
        return None
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InvalidInput(f"{name}: {given[:40]!r} is no number from 0 to 1.")
    return number
