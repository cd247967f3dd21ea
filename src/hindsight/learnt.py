"""What learning asks of a store beside the records. Import it from ``hindsight.ports``. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from hindsight.records import Memory
from hindsight.values import Decision, RetrievalRow, Vote


class LearningStore(Protocol):
    """Decisions of reviewers, grounds of candidates, judgements of what was shown. What it holds of a record goes with the record."""

    async def awaiting(self, namespace: str, now: datetime, *, limit: int = 100) -> list[Memory]:
        """Pending and quarantined records of every agent that nobody has decided on (or only until now), the oldest first."""
        ...

    async def in_conflict(self, namespace: str, *, limit: int = 100) -> list[Memory]:
        """Active records of every agent that are marked as contradicting another, the oldest first."""
        ...

    async def doubted(self, namespace: str, now: datetime, *, harmful: int, limit: int = 100) -> list[Memory]:
        """Active records of every agent judged harmful so often, and not approved or postponed since."""
        ...

    async def decide(self, decision: Decision) -> None: ...

    async def decisions(self, memory_id: UUID) -> list[Decision]:
        """What was decided on a record, oldest first."""
        ...

    async def rejected(self, namespace: str, signatures: Sequence[str]) -> set[str]:
        """Those of the signatures whose last decision was a rejection."""
        ...

    async def put_grounds(self, memory_id: UUID, signature: str, body: Mapping[str, Any]) -> None:
        """Keep, or replace, what a candidate rests on (JSON); nothing where the record is gone."""
        ...

    async def grounds(self, ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
        """What the candidates among these records rest on."""
        ...

    async def vote(self, vote: Vote, at: datetime) -> None:
        """Keep a judgement in the place of an earlier one on the same retrieval and record."""
        ...

    async def votes(self, retrieval: UUID) -> list[Vote]:
        """Judgements of what a retrieval showed."""
        ...

    async def blamed(self, memory_id: UUID, agent: str, besides: UUID) -> bool:
        """Whether a harmful vote of the agent on the record counts already, in another retrieval than ``besides``."""
        ...

    async def times_shown(self, ids: Sequence[UUID]) -> dict[UUID, int]:
        """How many logged retrievals showed each record."""
        ...

    async def retrievals_of(self, namespace: str, agent: str, session_id: str) -> list[RetrievalRow]:
        """Logged retrievals of an agent's session, oldest first."""
        ...

    async def latest_retrievals(self, namespace: str, agent: str, *, limit: int = 100) -> list[RetrievalRow]:
        """Logged retrievals of an agent, newest first."""
        ...
