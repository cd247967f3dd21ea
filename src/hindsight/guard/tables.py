"""The pattern tables of a language, compiled, with the literals that rule most patterns out for most texts. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Protocol

from hindsight.guard import patterns_en, patterns_other, patterns_zh
from hindsight.text.remembered import remembered

GRAM = 3
"""Characters of the sequences by which needles are looked up."""


class _Table(Protocol):
    HARD: dict[str, tuple[str, ...]]
    SOFT: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns with their names; ``needles`` says of which literal a match of which patterns needs one, ``always`` which need none.

    Needles stand under their first ``GRAM`` characters, each with its last; ``short`` holds those that have fewer.
    """

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    needles: Mapping[str, tuple[tuple[str, str, tuple[int, ...]], ...]]
    short: Mapping[str, tuple[int, ...]]
    always: tuple[int, ...]

    def wanted(self, window: str) -> list[tuple[str, re.Pattern[str]]]:
        """The patterns that may match in a window, in their order."""
        wanted = set(self.always)
        # Most needles are ruled out by their ends, looked up in all sequences of the window at once.
        grams, shorter = _grams(window)
        for beginning in self.needles.keys() & grams:
            for needle, end, places in self.needles[beginning]:
                if end in grams and needle in window:
                    wanted.update(places)
        for needle in self.short.keys() & shorter:
            wanted.update(self.short[needle])
        return [self.patterns[place] for place in sorted(wanted)]


@remembered(2)
def _grams(window: str) -> tuple[frozenset[str], frozenset[str]]:
    """All sequences of ``GRAM`` characters of a window, and the shorter ones; families and hints are looked for in the same window."""
    pairs = set(map("".join, pairwise(window)))
    return frozenset(map("".join, zip(window, window[1:], window[2:], strict=False))), frozenset(pairs.union(window))


@cache
def hard(language: str) -> Patterns:
    """The patterns of families."""
    rules = [(family, pattern) for table in _modules(language) for family, patterns in table.HARD.items() for pattern in patterns]
    return _patterns([(family, pattern, (pattern,)) for family, pattern in rules])


@cache
def soft(language: str) -> Patterns:
    """The patterns of hints, one a name."""
    tables = [table.SOFT for table in _modules(language)]
    parts = {name: [each for table in tables for each in table.get(name, ())] for table in tables for name in table}
    return _patterns([(name, "|".join(f"(?:{each})" for each in found), found) for name, found in parts.items()])


def _patterns(rules: Sequence[tuple[str, str, Sequence[str]]]) -> Patterns:
    """From (name, pattern, the patterns by which its needles are known)."""
    known = _needles()
    places: dict[str, list[int]] = {}
    always = []
    for place, (_, _, parts) in enumerate(rules):
        if not all(part in known for part in parts):
            always.append(place)
            continue
        for needle in dict.fromkeys(needle for part in parts for needle in known[part]):
            places.setdefault(needle, []).append(place)
    beginnings: dict[str, list[tuple[str, str, tuple[int, ...]]]] = {}
    for needle, each in places.items():
        if len(needle) >= GRAM:
            beginnings.setdefault(needle[:GRAM], []).append((needle, needle[-GRAM:], tuple(each)))
    return Patterns(
        tuple((name, re.compile(pattern)) for name, pattern, _ in rules),
        {beginning: tuple(each) for beginning, each in beginnings.items()},
        {needle: tuple(each) for needle, each in places.items() if len(needle) < GRAM},
        tuple(always),
    )


def _modules(language: str) -> tuple[_Table, ...]:
    tables: dict[str, tuple[_Table, ...]] = {"en": (patterns_en,), "zh": (patterns_zh,), "mixed": (patterns_en, patterns_zh)}
    return tables.get(language, (patterns_en, patterns_zh, patterns_other))


@cache
def _needles() -> dict[str, tuple[str, ...]]:
    """By pattern; made by ``scripts/fit_guard.py`` from the patterns themselves. A pattern without an entry is always tried."""
    stored = json.loads(resources.files("hindsight.guard").joinpath("needles.json").read_text("utf-8"))
    return {pattern: tuple(needles) for pattern, needles in stored.items()}
