"""The names of what a new statement can be to a standing one."""

from __future__ import annotations

from enum import StrEnum


class Relation(StrEnum):
    """What a new statement is to an old one."""

    EXACT = "exact"
    SAME = "same"
    CONTRADICTION = "contradiction"
    UPDATE = "update"
    REFINEMENT = "refinement"
    RELATED = "related"
    UNRELATED = "unrelated"


SUPERSEDING = frozenset({Relation.CONTRADICTION, Relation.UPDATE})
MERGING = frozenset({Relation.EXACT, Relation.SAME})
