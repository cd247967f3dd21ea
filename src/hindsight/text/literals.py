"""Literals that a match of a dear pattern cannot do without: looking for them first spares most texts the pattern. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALIKE = {0x130: "i", 0x131: "i", 0x17F: "s", 0x212A: "k"}
"""The only characters beyond ASCII that a pattern which ignores case takes for an ASCII letter."""
_ANY_ALIKE = re.compile("[\u0130\u0131\u017f\u212a]")


def lowered(text: str) -> str:
    """The text in which lower-case literals of a pattern that ignores case are looked for: it holds each one that the pattern could match."""
    if not text.isascii() and _ANY_ALIKE.search(text):
        text = text.translate(_ALIKE)
    return text.lower()


def holds(text: str, literals: Sequence[str]) -> bool:
    """Whether the text has one of the literals."""
    for literal in literals:  # a loop: any() would take longer than looking  # noqa: SIM110
        if literal in text:
            return True
    return False
