"""Upkeep for synchronous code."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Unpack
from uuid import UUID

from hindsight import memory as asynchronous
from hindsight.recall.arguments import FilterArguments
from hindsight.records import Memory
from hindsight.sync.loop import LoopThread
from hindsight.upkeep.backups import Backup
from hindsight.upkeep.erasure import Evidence
from hindsight.upkeep.follow import SAMPLE, Comparison
from hindsight.upkeep.run import Report
from hindsight.upkeep.runner import Planned
from hindsight.upkeep.thaw import Thawed


class UpkeepCalls:
    """What a memory offers to keep it small, true and fast, and to forget for real; for admins alone."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def upkeep(self, name: str, *, dry_run: bool = False) -> Report:
        """Run an upkeep job now, or with ``dry_run`` tell what it would do."""
        return self._loop.run(self._memory.upkeep(name, dry_run=dry_run))

    def upkeep_jobs(self) -> builtins.list[Planned]:
        """Every upkeep job, when it runs by itself, and its last run."""
        return self._loop.run(self._memory.upkeep_jobs())

    def vector_engine(self, *, sample: int = SAMPLE) -> Comparison | None:
        """The engine that holds vectors beside the store, compared with it; None where there is none."""
        return self._loop.run(self._memory.vector_engine(sample=sample))

    def backup_with_vectors(self, to: str | None = None) -> tuple[Backup, str | None]:
        """As ``backup``, and a snapshot that the vector engine writes of the same moment, by its name."""
        return self._loop.run(self._memory.backup_with_vectors(to))

    def thaw(self, ids: Sequence[UUID | str]) -> builtins.list[Thawed]:
        """Bring archived memories back, from the cold store too."""
        return self._loop.run(self._memory.thaw(ids))

    def search_cold(self, query: str, *, namespace: str | None = None, limit: int = 20) -> builtins.list[Memory]:
        """Memories that lie in the cold store alone and share words with ``query``, best first."""
        return self._loop.run(self._memory.search_cold(query, namespace=namespace, limit=limit))

    def erase(
        self,
        ids: Sequence[UUID | str] = (),
        *,
        agent: str | None = None,
        subject: Sequence[str] = (),
        namespace: str | None = None,
        dry_run: bool = False,
        reason: str | None = None,
        **filters: Unpack[FilterArguments],
    ) -> Evidence:
        """Forget for real everything that fits, wherever it lies; the evidence tells what was removed and what is left."""
        return self._loop.run(
            self._memory.erase(ids, agent=agent, subject=subject, namespace=namespace, dry_run=dry_run, reason=reason, **filters)
        )
