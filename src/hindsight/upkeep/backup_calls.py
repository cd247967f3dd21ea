"""The calls about backups that :class:`hindsight.Hindsight` offers."""

from __future__ import annotations

import builtins

from hindsight.errors import AccessDenied, ConfigurationError
from hindsight.remember.attribute import Attribution
from hindsight.upkeep.backup import BackupKeeper
from hindsight.upkeep.backups import Backup


class BackupCalls:
    """What a memory offers to its owner about backups; for admins alone."""

    _keeper: BackupKeeper | None
    _attribution: Attribution

    async def backup(self, to: str | None = None) -> Backup:
        """Back the whole store up while it is used, to a folder or bucket (default: as set), and take away what is older than those to keep.

        Raises:
            ConfigurationError: no place is named.
            StoreUnavailable: there is no room, or the place does not answer; the store and older backups are as they were.
        """
        return await self.keeper.make(to)

    async def backups(self, at: str | None = None) -> builtins.list[Backup]:
        """Every backup, the newest first: in one place, or in all where this store's were put."""
        return await self.keeper.backups(at)

    @property
    def keeper(self) -> BackupKeeper:
        """What makes, lists and prunes backups.

        Raises:
            AccessDenied: the caller may not look after the store.
        """
        if "admin" not in self._attribution.principal.scopes:
            raise AccessDenied("only a caller with the scope 'admin' may make or list backups.")
        if self._keeper is None:
            raise ConfigurationError("this memory was put together without backups.")
        return self._keeper
