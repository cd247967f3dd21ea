"""How results are shown: one JSON line for programs, rich text for people. Stored text is never read as markup or as terminal codes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from hindsight.records import Memory

# Controls that would move the cursor, colour the screen or turn text around; new lines and tabs stay.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def write_json(value: Mapping[str, Any]) -> None:
    """One line of JSON on stdout; escaped where stdout is not UTF-8."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=plain, default=str) + "\n")


def console(*, stderr: bool = False) -> Console:
    """A console for people; it colours nothing that is not a terminal, and does not guess at markup or emoji."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


def say(text: str) -> None:
    """A line for people on stdout, nothing in it read as markup."""
    sys.stdout.write(visible_controls(text) + "\n")


def visible_controls(text: str) -> str:
    """The text with control characters written out, so that stored text cannot drive the terminal."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def plain(text: str, style: str = "") -> Text:
    """Stored text as it stands."""
    from rich.text import Text

    return Text(visible_controls(text), style=style)


def table(columns: Iterable[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of plain cells; the last column takes what room is left."""
    from rich.table import Table

    names = list(columns)
    made = Table(box=None, pad_edge=False, header_style="bold", show_edge=False, show_header=any(names))
    for place, name in enumerate(names):
        made.add_column(name, overflow="fold", no_wrap=place == 0, ratio=1 if place == len(names) - 1 else None)
    for row in rows:
        made.add_row(*(plain(cell) for cell in row))
    return made


def as_json(memory: Memory) -> dict[str, Any]:
    """A memory as JSON-able values, its layer among them."""
    return {**memory.model_dump(mode="json"), "layer": str(memory.layer)}


def when(moment: datetime | None, zone: tzinfo) -> str:
    """A time for people, in the configured zone."""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M") if moment is not None else "–"


def shortened(text: str, length: int = 160) -> str:
    """One line of a text."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
