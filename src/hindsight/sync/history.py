"""The past for synchronous code."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from hindsight import memory as asynchronous
from hindsight.remember.lineage import Lineage
from hindsight.remember.undo import UndoReport
from hindsight.sync.loop import LoopThread
from hindsight.upkeep.verify import Verification


class HistoryCalls:
    """What a memory offers to look into its past, to trust it, and to take it back."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def undo(
        self,
        *,
        agent: str | None = None,
        session: str | None = None,
        source: str | None = None,
        memory: UUID | str | None = None,
        undo: UUID | str | None = None,
        since: datetime | str | None = None,
        namespace: str | None = None,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> UndoReport:
        """Take back what an agent, session, source or memory did, and all that grew from it; for admins alone."""
        return self._loop.run(
            self._memory.undo(
                agent=agent,
                session=session,
                source=source,
                memory=memory,
                undo=undo,
                since=since,
                namespace=namespace,
                dry_run=dry_run,
                reason=reason,
            )
        )

    def lineage(self, id: UUID | str) -> Lineage:
        """What a memory was made of, and what was made of it."""
        return self._loop.run(self._memory.lineage(id))

    def verify(self) -> Verification:
        """Whether anybody changed the store around hindsight."""
        return self._loop.run(self._memory.verify())

    def reseal(self) -> int:
        """Seal everything anew as it stands; how many entries. For admins alone."""
        return self._loop.run(self._memory.reseal())
