"""What learning keeps beside the records: decisions of reviewers, grounds of candidates, judgements of what was shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.journal import read_retrievals
from hindsight.adapters.relational.mapping import read_memory, to_json
from hindsight.adapters.relational.queries import Database, load, rows
from hindsight.ports import Decision, RetrievalRow, Vote
from hindsight.records import Memory

_SQL = load("learning.sql")


class Learning:
    """The ``LearningStore`` of a store, in its own tables."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def awaiting(self, namespace: str, now: datetime, *, limit: int = 100) -> list[Memory]:
        """Pending and quarantined records that nobody has decided on, the oldest first."""
        return await self._memories("awaiting", {"namespace": namespace, "now": now.timestamp(), "limit": limit})

    async def in_conflict(self, namespace: str, *, limit: int = 100) -> list[Memory]:
        """Active records that are marked as contradicting another, the oldest first."""
        return await self._memories("in_conflict", {"namespace": namespace, "limit": limit})

    async def doubted(self, namespace: str, now: datetime, *, harmful: int, limit: int = 100) -> list[Memory]:
        """Active records judged harmful so often, and not looked at since."""
        return await self._memories("doubted", {"namespace": namespace, "now": now.timestamp(), "least": harmful, "limit": limit})

    async def decide(self, decision: Decision) -> None:
        """Keep a decision."""
        until = decision.until.timestamp() if decision.until is not None else None
        values = (
            str(decision.memory_id),
            decision.namespace,
            decision.decision,
            decision.signature,
            decision.actor,
            decision.at.timestamp(),
            decision.reason,
            until,
        )
        await self._core.write(lambda db: rows(db, _SQL["decide"], values))

    async def decisions(self, memory_id: UUID) -> list[Decision]:
        """What was decided on a record, oldest first."""
        return [_decision(*row) for row in await self._core.read(lambda db: rows(db, _SQL["decisions"], (str(memory_id),)))]

    async def rejected(self, namespace: str, signatures: Sequence[str]) -> set[str]:
        """Those of the signatures that were rejected, and not approved since."""
        names = {"namespace": namespace, "signatures": to_json(list(signatures))}
        return {signature for (signature,) in await self._core.read(lambda db: rows(db, _SQL["rejected"], names))}

    async def put_grounds(self, memory_id: UUID, signature: str, body: Mapping[str, Any]) -> None:
        """Keep, or replace, what a candidate rests on; nothing where the record is gone."""
        await self._core.write(lambda db: rows(db, _SQL["put_grounds"], (signature, to_json(dict(body)), str(memory_id))))

    async def grounds(self, ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
        """What the candidates among these records rest on."""
        asked = to_json([str(id) for id in ids])
        return {UUID(id): json.loads(body) for id, body in await self._core.read(lambda db: rows(db, _SQL["grounds"], (asked,)))}

    async def vote(self, vote: Vote, at: datetime) -> None:
        """Keep a judgement in the place of an earlier one on the same retrieval and record."""
        names = {
            "retrieval": str(vote.retrieval),
            "memory": str(vote.memory_id),
            "agent": vote.agent,
            "verdict": vote.verdict,
            "counted": int(vote.counted),
            "at": at.timestamp(),
        }
        await self._core.write(lambda db: rows(db, _SQL["vote"], names))

    async def votes(self, retrieval: UUID) -> list[Vote]:
        """Judgements of what a retrieval showed."""
        found = await self._core.read(lambda db: rows(db, _SQL["votes"], (str(retrieval),)))
        return [Vote(retrieval, UUID(id), agent, verdict, bool(counted)) for id, agent, verdict, counted in found]

    async def blamed(self, memory_id: UUID, agent: str, besides: UUID) -> bool:
        """Whether a harmful vote of the agent on the record counts already."""
        asked = (str(memory_id), agent, str(besides))
        return bool((await self._core.read(lambda db: rows(db, _SQL["blamed"], asked)))[0][0])

    async def times_shown(self, ids: Sequence[UUID]) -> dict[UUID, int]:
        """How many logged retrievals showed each record."""
        asked = to_json([str(id) for id in ids])
        return {UUID(id): count for id, count in await self._core.read(lambda db: rows(db, _SQL["times_shown"], (asked,)))}

    async def retrievals_of(self, namespace: str, agent: str, session_id: str) -> list[RetrievalRow]:
        """Logged retrievals of an agent's session, oldest first."""
        return await self._core.read(lambda db: read_retrievals(rows(db, _SQL["retrievals_of"], (namespace, agent, session_id))))

    async def latest_retrievals(self, namespace: str, agent: str, *, limit: int = 100) -> list[RetrievalRow]:
        """Logged retrievals of an agent, newest first."""
        return await self._core.read(lambda db: read_retrievals(rows(db, _SQL["latest_retrievals"], (namespace, agent, limit))))

    async def _memories(self, name: str, bindings: Mapping[str, Any]) -> list[Memory]:
        def work(db: Database) -> list[Memory]:
            return [read_memory(values) for values in rows(db, _SQL[name], dict(bindings))]

        return await self._core.read(work)


def _decision(
    memory_id: str, namespace: str, decision: Any, signature: str, actor: str, at: float, reason: str | None, until: float | None
) -> Decision:
    return Decision(
        memory_id=UUID(memory_id),
        namespace=namespace,
        decision=decision,
        signature=signature,
        actor=actor,
        at=datetime.fromtimestamp(at, UTC),
        reason=reason,
        until=None if until is None else datetime.fromtimestamp(until, UTC),
    )
