"""When a lesson ("when X, do not do Y") applies to a query. Pure."""

from __future__ import annotations

from hindsight.recall.state import SessionState
from hindsight.recall.understand import Understood
from hindsight.records import Memory
from hindsight.text.tokens import query_tokens

LEAST_SHARED = 0.3
"""Share of the condition's terms that the query, or the session, must hold for the condition to be met."""
LEAST_SHARED_ALONE = 0.5
"""The same where the task is not known on either side."""


def applies(memory: Memory, relevance: float, query: Understood, state: SessionState | None, threshold: float | None) -> bool:
    """Whether the condition and the task of a memory's lesson are those of the query.

    The task matches where the memory names none, or one that the query or the session is about (its neighbours included); the
    condition where enough of its words occur, or where the memory as a whole is relevant enough.
    """
    lesson = memory.lesson
    if lesson is None:
        return False
    tasks = set(query.task_types) | ({state.task_type} if state is not None and state.task_type else set())
    known = memory.task_type is not None and bool(tasks)
    if known and memory.task_type not in tasks:
        return False
    terms = set(query_tokens(lesson.condition))
    asked = set(query.terms) | (set(query_tokens(state.text())) if state is not None else set())
    shared = len(terms & asked) / len(terms) if terms else 0.0
    if shared >= (LEAST_SHARED if known else LEAST_SHARED_ALONE):
        return True
    return threshold is not None and relevance >= threshold and shared > 0
