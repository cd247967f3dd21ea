"""Identity: who the speaker is, whom and what they have, where they are. One confidence a clause, 0 for none. Pure."""

from __future__ import annotations

from hindsight.records import Role
from hindsight.remember.distil.clauses import Clause
from hindsight.remember.distil.identity_en import find_identity_en
from hindsight.remember.distil.identity_zh import find_identity_zh


def find_identity(clause: Clause) -> float:
    """How surely the clause says who its speaker is or what their circumstances are, 0..1."""
    if clause.supposed or clause.question or clause.reported or clause.role in (Role.ASSISTANT, Role.TOOL):
        return 0.0
    text = clause.masked.strip()
    return find_identity_zh(text) if clause.language == "zh" else find_identity_en(text)
