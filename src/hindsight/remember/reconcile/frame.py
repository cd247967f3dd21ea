"""A statement in a form that can be compared: normalised tokens, polarity, and what it says to have changed or ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hindsight.text.remembered import remembered

STATE = "*"
"""Leads what a statement implies to have ended without naming it: who graduated is no student."""
NUMBER = re.compile(r"^\d+(?:[.,:]\d+)*%?$")
_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("time", re.compile(r"^\d{1,2}:\d\d$")),
    ("ip", re.compile(r"^\d+(?:\.\d+){3}$")),
    ("date", re.compile(r"^d?\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,2})?$|^\d{1,2}(?:月|日)$|^\d{1,2}月\d{1,2}日$|^周[1-7]$")),
    ("version", re.compile(r"^v\d+(?:\.\d+)*$")),
    ("number", re.compile(r"^\d+(?:[.,]\d+)*%?(?:st|nd|rd|th)?$")),
    ("email", re.compile(r"^\S+@\S+$")),
    ("colour code", re.compile(r"^#[0-9a-f]{3,8}$")),
    ("path", re.compile(r"^(?:~|\.{1,2})?/\S+$")),
    ("zone", re.compile(r"^[a-z]+/[a-z_]+$")),
    ("identifier", re.compile(r"^(?=.*\d)[a-z0-9]+(?:[-_.][a-z0-9]+)+$|^(?=.*\d)(?=.*[a-z])[a-z0-9]{4,}$")),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A parsed statement.

    ``tokens``: content in order, without negation, change markers and grammar words. ``subject`` leads them; the rest tells
    of it. ``changed``: it says that something is different now. ``gone``: what it says to have ended or been replaced.
    ``event``: it tells of something that happened once, which no later event contradicts. ``person``: its subject is, or may be, a person.
    ``link``: the kind of value that it gives: a preposition, ``name`` for a proper name, empty for other words.
    """

    language: Literal["zh", "en"]
    said: str
    tokens: tuple[str, ...]
    subject: tuple[str, ...]
    negated: bool
    changed: bool
    gone: tuple[tuple[str, ...], ...]
    event: bool
    person: bool
    link: str
    predicates: tuple[tuple[int, str], ...]
    """(position in ``tokens`` from which it governs, its word) of each verb."""
    names: frozenset[int]
    """Positions in ``tokens`` of numbers that are part of a name: "room 301", 第三章."""

    content: frozenset[str] = field(init=False, compare=False)
    """The tokens as a set."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", frozenset(self.tokens))

    def governing(self, position: int) -> tuple[int, str] | None:
        """The last predicate that stands before a position."""
        before = [predicate for predicate in self.predicates if predicate[0] <= position]
        return before[-1] if before else None


def type_of(tokens: Sequence[str]) -> str | None:
    """The type of a value that is made of numbers, dates and the like alone; None for words."""
    kinds = set(map(_type_of_token, tokens))
    return kinds.pop() if len(kinds) == 1 else None


@remembered(8_192)
def _type_of_token(token: str) -> str | None:
    return next((name for name, pattern in _TYPES if pattern.match(token)), None)
