"""Announced changes: something was so and is no more, or is otherwise now. Told so that what was said before can be superseded. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hindsight.records import Role
from hindsight.remember.distil.change_en import find_change_en, name_limit_en, restate_en
from hindsight.remember.distil.change_zh import find_change_zh, name_limit_zh, restate_zh
from hindsight.remember.distil.clauses import Clause


def find_change(clause: Clause) -> tuple[Literal["constraint", "preference", "identity"], float] | None:
    """The kind of state that the clause says to have changed for its speaker, and how surely; None where it says no such thing."""
    if clause.supposed or clause.reported or clause.role in (Role.ASSISTANT, Role.TOOL):
        return None
    find = find_change_zh if clause.language == "zh" else find_change_en
    return find(clause, clause.masked.strip())


def restate(text: str, language: Literal["zh", "en"]) -> str:
    """The statement with what ended named as ended, and without the particle of a proposal; other statements as they are."""
    return restate_zh(text) if language == "zh" else restate_en(text)


def name_limit(text: str, earlier: Sequence[str], language: Literal["zh", "en"]) -> str:
    """A changed budget or deadline with what it is for, where an earlier statement of the talk named that; the latest one counts."""
    name = name_limit_zh if language == "zh" else name_limit_en
    return next((named for each in reversed(earlier) if (named := name(text, each)) is not None), text)
