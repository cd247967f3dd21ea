"""An episode as learning sees it: which tools were called in what order, how it ended, what failed. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from hindsight.records import Kind, Memory, Outcome

WENT_WRONG = frozenset({Outcome.FAILURE, Outcome.FIXED, Outcome.CORRECTED})
"""Outcomes of tasks that met a failure, whether or not it was mended."""
_FAILED = re.compile(r"([\w.\-]+)\([^()]{0,80}\) ?(?:failed|失败): ?([^→]*?)(?= → |\. |。|\Z)")
"""A failed call as episodes tell of it (``hindsight.remember.task``)."""
_ERROR = re.compile(r"(?:Error: |错误：)(.*?)(?=\. (?:Repaired by|Result): |。(?:修复方式|结果)：|[.。]?\Z)", re.DOTALL)
"""The error of a whole task, as episodes tell of it."""


@dataclass(frozen=True, slots=True)
class Run:
    """One task that ended.

    Args:
        id: of its episode.
        agent: who did it.
        task_type: None where none was named.
        tools: the calls in their order.
        failed: whether something went wrong, mended or not.
        error: code or signature of the error, if any.
        failing: the tool whose call failed last.
        message: what it failed with, in the episode's words.
        text: the episode.
    """

    id: UUID
    agent: str
    task_type: str | None
    tools: tuple[str, ...]
    failed: bool
    error: str | None = None
    failing: str | None = None
    message: str = ""
    text: str = ""


def run_of(memory: Memory) -> Run | None:
    """The run that an episode tells of; None where it tells of none, or does not say how it ended."""
    if memory.kind is not Kind.EPISODE or memory.outcome is Outcome.UNKNOWN:
        return None
    failed = memory.outcome in WENT_WRONG
    failing, message = _failed_call(memory) if failed else (None, "")
    return Run(
        id=memory.id,
        agent=memory.agent,
        task_type=memory.task_type,
        tools=memory.tools,
        failed=failed,
        error=memory.error_code,
        failing=failing,
        message=message,
        text=memory.content,
    )


def runs_of(memories: Sequence[Memory]) -> list[Run]:
    """The runs of the episodes among ``memories``, in their order."""
    return [run for memory in memories if (run := run_of(memory)) is not None]


def _failed_call(memory: Memory) -> tuple[str | None, str]:
    """(tool, message) of the last call that the episode says failed; with an error but no such call, the last tool."""
    found = [match for match in _FAILED.finditer(memory.content) if match[1] in memory.tools]
    if found:
        return found[-1][1], found[-1][2].strip()
    if not memory.tools or not memory.error_code:
        return None, ""
    told = _ERROR.search(memory.content)
    return memory.tools[-1], told[1].strip() if told else ""
