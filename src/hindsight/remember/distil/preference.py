"""Preferences: what a speaker likes, dislikes, chooses, and how they want to be served. One confidence a clause, 0 for none. Pure."""

from __future__ import annotations

from hindsight.remember.distil.clauses import Clause
from hindsight.remember.distil.preference_en import find_preference_en
from hindsight.remember.distil.preference_zh import find_preference_zh


def find_preference(clause: Clause) -> float:
    """How surely the clause states a lasting preference of its speaker, 0..1."""
    if clause.supposed or clause.reported:
        return 0.0
    find = find_preference_zh if clause.language == "zh" else find_preference_en
    return find(clause, clause.masked.strip())
