"""The calls of learning for synchronous code; see :class:`hindsight.learn.calls.LearningCalls`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from hindsight.learn.conflicts import Conflict
from hindsight.learn.patterns import Patterns
from hindsight.learn.reflector import Reflection
from hindsight.learn.review import POSTPONED_DAYS, ReviewItem
from hindsight.ports import RetrievalRow
from hindsight.records import Memory

if TYPE_CHECKING:
    from hindsight import memory as asynchronous
    from hindsight.sync.loop import LoopThread


class LearningCalls:
    """Each method hands its arguments to the asynchronous one with the same name, and waits."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def reflect(
        self,
        episode: UUID | str | None = None,
        *,
        namespace: str | None = None,
        agents: Sequence[str] = (),
        shared: bool = False,
        language: Literal["zh", "en"] | None = None,
    ) -> Reflection:
        """Look for causes of failure in past episodes and propose rules and procedures, which wait for review."""
        return self._loop.run(self._memory.reflect(episode, namespace=namespace, agents=agents, shared=shared, language=language))

    def reviews(self, *, namespace: str | None = None, limit: int = 100) -> list[ReviewItem]:
        """What waits for a person; for reviewers alone."""
        return self._loop.run(self._memory.reviews(namespace=namespace, limit=limit))

    def approve(
        self,
        id: UUID | str,
        *,
        content: str | None = None,
        priority: int | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Make a memory that waits active, with full trust; for reviewers alone."""
        return self._loop.run(
            self._memory.approve(id, content=content, priority=priority, reason=reason, expected_version=expected_version)
        )

    def reject(self, id: UUID | str, *, reason: str, expected_version: int | None = None) -> Memory:
        """Put a memory away; the same is not proposed again. For reviewers alone."""
        return self._loop.run(self._memory.reject(id, reason=reason, expected_version=expected_version))

    def reopen(self, id: UUID | str, *, reason: str | None = None) -> Memory:
        """Take the last approval or rejection of a memory back; it waits again as it did before. For reviewers alone."""
        return self._loop.run(self._memory.reopen(id, reason=reason))

    def postpone(self, id: UUID | str, *, days: float = POSTPONED_DAYS, reason: str | None = None) -> datetime:
        """Decide later; from when on it waits again. For reviewers alone."""
        return self._loop.run(self._memory.postpone(id, days=days, reason=reason))

    def scan_conflicts(self, *, namespace: str | None = None) -> list[Conflict]:
        """Look for active statements that contradict each other, and file them for review; for reviewers alone."""
        return self._loop.run(self._memory.scan_conflicts(namespace=namespace))

    def feedback(
        self, retrieval: UUID | str, verdict: Literal["helpful", "harmful", "unused"], *, ids: Sequence[UUID | str] = ()
    ) -> list[UUID]:
        """Say how what a retrieval showed proved itself; the memories whose usefulness changed by that."""
        return self._loop.run(self._memory.feedback(retrieval, verdict, ids=ids))

    def retrieval(self, id: UUID | str) -> RetrievalRow:
        """What one retrieval of the caller was asked and showed, as it was logged."""
        return self._loop.run(self._memory.retrieval(id))

    def retrievals(self, *, namespace: str | None = None, limit: int = 100) -> list[RetrievalRow]:
        """The caller's logged retrievals, newest first."""
        return self._loop.run(self._memory.retrievals(namespace=namespace, limit=limit))

    def patterns(self, *, namespace: str | None = None, limit: int = 20) -> Patterns:
        """Where the caller's tasks fail most, how that changes, which lessons were shown in vain or never, and what would help."""
        return self._loop.run(self._memory.patterns(namespace=namespace, limit=limit))
