"""Constraints: limits that must not be broken (health, law, money, time, prohibitions, duties). One confidence a clause, 0 for none. Pure."""

from __future__ import annotations

from hindsight.records import Role
from hindsight.remember.distil.clauses import Clause
from hindsight.remember.distil.constraint_en import find_constraint_en
from hindsight.remember.distil.constraint_zh import find_constraint_zh


def find_constraint(clause: Clause) -> float:
    """How surely the clause states a limit that holds for its speaker, 0..1. An assistant's or tool's words set none."""
    if clause.supposed or clause.reported or clause.question or clause.role in (Role.ASSISTANT, Role.TOOL):
        return 0.0
    text = clause.masked.strip()
    ordered = clause.role is Role.USER
    return find_constraint_zh(text, ordered=ordered) if clause.language == "zh" else find_constraint_en(text, ordered=ordered)
