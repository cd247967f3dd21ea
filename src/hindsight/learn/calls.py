"""The calls of learning that :class:`hindsight.Hindsight` offers; each hands its arguments on."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from hindsight.learn.conflicts import Conflict
from hindsight.learn.feedback import Feedback
from hindsight.learn.patterns import PatternFinder, Patterns
from hindsight.learn.reflector import Reflection, Reflector
from hindsight.learn.review import POSTPONED_DAYS, ReviewItem, Reviews
from hindsight.ports import ChatModel, Clock, LearningStore, RecordStore, RetrievalRow
from hindsight.records import Memory
from hindsight.remember.attribute import Attribution, read_id
from hindsight.remember.writer import Writer


@dataclass(frozen=True, slots=True)
class Learning:
    """The flows of learning for one caller. ``flush`` writes the log of retrievals that still waits."""

    reviews: Reviews
    reflector: Reflector
    feedback: Feedback
    patterns: PatternFinder
    flush: Callable[[], Awaitable[None]]

    @staticmethod
    def of(
        store: RecordStore,
        learning: LearningStore,
        writer: Writer,
        attribution: Attribution,
        clock: Clock,
        chat: ChatModel | None,
        flush: Callable[[], Awaitable[None]],
    ) -> Learning:
        """Put together."""
        return Learning(
            Reviews(store, learning, writer, attribution, clock),
            Reflector(store, learning, writer, attribution, clock, chat),
            Feedback(store, learning, attribution, clock),
            PatternFinder(store, learning, attribution, clock),
            flush,
        )


class LearningCalls:
    """What a memory offers to learn from what happened."""

    _learning: Learning

    async def reflect(
        self,
        episode: UUID | str | None = None,
        *,
        namespace: str | None = None,
        agents: Sequence[str] = (),
        shared: bool = False,
        language: Literal["zh", "en"] | None = None,
    ) -> Reflection:
        """Look for causes of failure in the caller's episodes (or those that have to do with one) and propose rules and procedures.

        What is proposed waits for review and is never active by itself. With a language model set, it drafts as well. ``agents``
        (for reviewers) takes in other agents' episodes; ``shared`` proposes rules for every agent of the namespace.
        """
        id = read_id(episode) if episode is not None else None
        return await self._learning.reflector.reflect(id, namespace=namespace, agents=agents, shared=shared, language=language)

    async def reviews(self, *, namespace: str | None = None, limit: int = 100) -> builtins.list[ReviewItem]:
        """What waits for a person: pending rules, quarantined memories, conflicts, memories that harmed; for reviewers alone."""
        return await self._learning.reviews.queue(namespace, limit=limit)

    async def approve(
        self,
        id: UUID | str,
        *,
        content: str | None = None,
        priority: int | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Make a memory that waits active, with full trust, worded anew where ``content`` is given; for reviewers alone."""
        return await self._learning.reviews.approve(
            read_id(id), content=content, priority=priority, reason=reason, expected_version=expected_version
        )

    async def reject(self, id: UUID | str, *, reason: str, expected_version: int | None = None) -> Memory:
        """Put a memory away; the same is not proposed again. For reviewers alone."""
        return await self._learning.reviews.reject(read_id(id), reason=reason, expected_version=expected_version)

    async def reopen(self, id: UUID | str, *, reason: str | None = None) -> Memory:
        """Take the last approval or rejection of a memory back; it waits again as it did before. For reviewers alone."""
        return await self._learning.reviews.reopen(read_id(id), reason=reason)

    async def postpone(self, id: UUID | str, *, days: float = POSTPONED_DAYS, reason: str | None = None) -> datetime:
        """Decide later; from when on it waits again. For reviewers alone."""
        return await self._learning.reviews.postpone(read_id(id), days=days, reason=reason)

    async def scan_conflicts(self, *, namespace: str | None = None) -> builtins.list[Conflict]:
        """Look for active statements of the whole pool that contradict each other, and file them for review; for reviewers alone."""
        return await self._learning.reviews.scan(namespace)

    async def feedback(
        self, retrieval: UUID | str, verdict: Literal["helpful", "harmful", "unused"], *, ids: Sequence[UUID | str] = ()
    ) -> builtins.list[UUID]:
        """Say how what a retrieval showed (``ids``: some of it) proved itself; the memories whose usefulness changed by that."""
        await self._learning.flush()
        return await self._learning.feedback.give(read_id(retrieval), verdict, [read_id(id) for id in ids])

    async def retrieval(self, id: UUID | str) -> RetrievalRow:
        """What one retrieval of the caller was asked and showed, as it was logged; ``NotFound`` where there is none."""
        await self._learning.flush()
        return await self._learning.feedback.retrieval(read_id(id, "retrieval"))

    async def retrievals(self, *, namespace: str | None = None, limit: int = 100) -> builtins.list[RetrievalRow]:
        """The caller's logged retrievals, newest first."""
        await self._learning.flush()
        return await self._learning.feedback.retrievals(namespace, limit=limit)

    async def patterns(self, *, namespace: str | None = None, limit: int = 20) -> Patterns:
        """Where the caller's tasks fail most, how that changes, which lessons were shown in vain or never, and what would help."""
        await self._learning.flush()
        return await self._learning.patterns.find(namespace=namespace, limit=limit)
