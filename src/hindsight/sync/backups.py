"""Backups for synchronous code."""

from __future__ import annotations

import builtins

from hindsight import memory as asynchronous
from hindsight.sync.loop import LoopThread
from hindsight.upkeep.backup import BackupKeeper
from hindsight.upkeep.backups import Backup


class BackupCalls:
    """What a memory offers to its owner about backups; for admins alone."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def backup(self, to: str | None = None) -> Backup:
        """Back the whole store up while it is used, and take away what is older than the backups to keep."""
        return self._loop.run(self._memory.backup(to))

    def backups(self, at: str | None = None) -> builtins.list[Backup]:
        """Every backup, the newest first."""
        return self._loop.run(self._memory.backups(at))

    @property
    def keeper(self) -> BackupKeeper:
        """What makes, lists and prunes backups; its calls are asynchronous."""
        return self._memory.keeper
