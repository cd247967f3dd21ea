"""Interned values of filter columns: a small number instead of a text in every row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.records import Memory
from hindsight.text.fold import fold

_SQL = load("codes.sql")
_LISTS = ("tags", "tools")


def coded_values(memory: Memory) -> dict[str, str | None]:
    """What is interned of a record, by field; None for nothing. Tags are a set, tools a sequence, speakers are folded."""
    return {
        "agent": memory.agent,
        "session": memory.session_id,
        "speaker": (fold(memory.speaker) or None) if memory.speaker else None,
        "task_type": memory.task_type,
        "key": memory.key,
        "tags": to_json(sorted(set(memory.tags))) if memory.tags else None,
        "tools": to_json(memory.tools) if memory.tools else None,
    }


class Interner:
    """Codes for one transaction; :meth:`flush` at its end writes the reference counts and drops what nothing refers to."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[tuple[str, str], int] = {}
        self._deltas: Counter[int] = Counter()

    def intern(self, memory: Memory) -> dict[str, int]:
        """The codes of a record's fields, counted as one more reference each."""
        codes = {field: -1 if text is None else self._code(field, text) for field, text in coded_values(memory).items()}
        self._deltas.update(code for code in codes.values() if code >= 0)
        return codes

    def release(self, codes: Iterable[int]) -> None:
        """One reference less for each code."""
        self._deltas.subtract(code for code in codes if code >= 0)

    def flush(self) -> None:
        """Write the counts; forget values (and their members) that nothing refers to."""
        changed = [(delta, code) for code, delta in self._deltas.items() if delta]
        self._db.executemany(_SQL["change_refs"], changed)
        for _, code in (each for each in changed if each[0] < 0):
            for field, text in rows(self._db, _SQL["drop_unused"], (code,)):
                if field in _LISTS:
                    self._db.executemany(_SQL["drop_member"], [(field, member, code) for member in set(json.loads(text))])

    def _code(self, field: str, text: str) -> int:
        code = self._known.get((field, text))
        if code is None:
            found = value(self._db, _SQL["find"], (field, text))
            code = self._add(field, text) if found is None else int(found)
            self._known[field, text] = code
        return code

    def _add(self, field: str, text: str) -> int:
        code = int(value(self._db, _SQL["add"], (field, text)))
        if field in _LISTS:
            self._db.executemany(_SQL["add_member"], [(field, member, code) for member in set(json.loads(text))])
        return code


def find_code(db: Database, field: str, text: str) -> int:
    """The code of a value, -1 where no record has it."""
    found = value(db, _SQL["find"], (field, text))
    return -1 if found is None else int(found)


def codes_with_member(db: Database, field: str, member: str) -> NDArray[np.int32]:
    """Codes of the tag sets or tool sequences that contain ``member``."""
    return _as_array(rows(db, _SQL["with_member"], (field, member)))


def codes_with_prefix(db: Database, field: str, prefix: str) -> NDArray[np.int32]:
    """Codes of the values that begin with ``prefix``."""
    end = _after(prefix)
    found = rows(db, _SQL["from_value"], (field, prefix)) if end is None else rows(db, _SQL["with_prefix"], (field, prefix, end))
    return _as_array(found)


def texts_of(db: Database, codes: Iterable[int]) -> dict[int, str]:
    """The values of codes."""
    return dict(rows(db, _SQL["values"], (to_json([int(code) for code in codes]),)))


def _after(prefix: str) -> str | None:
    """The first text behind all that begin with ``prefix`` in code point order (SQLite's for UTF-8); None: there is none."""
    for position in range(len(prefix) - 1, -1, -1):
        point = ord(prefix[position])
        if point < 0x10FFFF:
            following = 0xE000 if point == 0xD7FF else point + 1  # surrogates are no characters
            return prefix[:position] + chr(following)
    return None


def _as_array(found: list[tuple[int]]) -> NDArray[np.int32]:
    return np.fromiter((code for (code,) in found), dtype=np.int32, count=len(found))
