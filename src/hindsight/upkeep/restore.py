"""Putting a backup back: checked file by file, loaded beside the place, looked at there, and only then taken."""

from __future__ import annotations

import asyncio
import errno
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from hindsight.errors import InvalidInput, NotFound, StoreCorrupt, StoreUnavailable
from hindsight.ports import RecordStore
from hindsight.scratch import clear_scratch, scratch
from hindsight.seals import SealHeads
from hindsight.snapshots import BackupPlace, SnapshotSource, SnapshotTarget
from hindsight.upkeep.backup import remember
from hindsight.upkeep.backups import MANIFEST, Backup, list_backups
from hindsight.upkeep.packing import digest, unpack
from hindsight.upkeep.verify import Verification, verify

_PACKED = (".enc", ".zst")


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done. ``kept`` is where the store that was there is now, None where there was none; ``seals`` is what verifying said:
    ``ok``, ``not sealed``, ``wrong key`` (none that fits is at hand) or ``tampered`` (before the backup was made).
    """

    backup: Backup
    place: str
    kept: str | None
    memories: int
    seals: str


class LoadedStore(RecordStore, SnapshotSource, Protocol):
    """A store with its records and notes."""


class Restorer:
    """Restores into one place.

    Args:
        target: the place.
        open_store: the loaded store at an address, not opened yet, with the keys of its seals.
        heads: the ends of the chains that are kept outside the store; those of the restored one replace them.
        passphrase: of encrypted backups.
    """

    def __init__(
        self,
        target: SnapshotTarget,
        open_store: Callable[[str], LoadedStore],
        heads: SealHeads | None,
        passphrase: bytes | None,
        open_place: Callable[[str], BackupPlace],
    ) -> None:
        self._target = target
        self._open_store = open_store
        self._heads = heads
        self._passphrase = passphrase
        self._open_place = open_place

    async def restore(self, address: str, *, at: datetime | None = None, replace: bool = False) -> Restored:
        """Restore the newest backup at an address, or with ``at`` the newest that was made by then.

        Raises:
            NotFound: there is no such backup.
            StoreMisplaced: a store is there already, and ``replace`` was not given.
            StoreBusy: the store that is there is in use.
            StoreCorrupt: the backup is damaged.
            ConfigurationError: it is encrypted with another passphrase.
        """
        backup, place, inside = await asyncio.to_thread(self._choose, address, at)
        if backup.engine != self._target.engine:
            raise InvalidInput(
                f"backup {backup.id} is of a store on {backup.engine}, and {self._target.place} is on {self._target.engine}. Restore it into its own "
                "kind, then `hindsight export` and `hindsight import`."
            )
        await asyncio.to_thread(self._target.check, replace=replace)
        await asyncio.to_thread(clear_scratch)
        try:
            with scratch("restore") as folder:
                loaded = await asyncio.to_thread(self._load, backup, place, inside, folder)
            found, memories = await self._look_at(loaded, backup, place.address)
            kept = await asyncio.to_thread(self._target.take)
        except OSError as error:
            hint = "free some space there, or set TMPDIR" if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} else "check it"
            raise StoreUnavailable(
                f"nothing was restored: {error.filename or tempfile.gettempdir()}: {error.strerror or error}; {hint}."
            ) from error
        finally:
            await asyncio.to_thread(self._target.discard)
        self._keep_heads(found)
        return Restored(backup, self._target.place, kept, memories, found.state)

    def _choose(self, address: str, at: datetime | None) -> tuple[Backup, BackupPlace, str]:
        place = self._open_place(address)
        found = list_backups(place)
        if not found:
            raise NotFound(f"there is no backup at {address}; `hindsight backup list --to {address}` shows what there is.")
        fitting = [backup for backup in found if at is None or backup.created <= at]
        if not fitting:
            raise NotFound(f"no backup at {address} was made by {at}; the oldest is of {found[-1].created:%Y-%m-%d %H:%M:%S} UTC.")
        alone = MANIFEST in place.names()
        return fitting[0], place, "" if alone else f"{fitting[0].id}/"

    def _load(self, backup: Backup, place: BackupPlace, inside: str, folder: Path) -> str:
        plain, packed = folder / "plain", folder / "packed"
        plain.mkdir()
        packed.mkdir()
        for file in backup.files:
            if "/" in file.name or file.name.startswith("."):
                raise StoreCorrupt(f"backup {backup.id} names a file {file.name!r}; its manifest was changed. Take another backup.")
            here = packed / file.name
            place.fetch(f"{inside}{file.name}", here)
            if here.stat().st_size != file.size or digest(here) != file.sha256:
                raise StoreCorrupt(f"{file.name} of backup {backup.id} is not what its manifest says; take another backup.")
            unpack(here, plain / _plain_name(file.name), self._passphrase)
            here.unlink()
        return self._target.load(plain, backup.schema_version)

    async def _look_at(self, address: str, backup: Backup, source: str) -> tuple[Verification, int]:
        store = self._open_store(address)
        await store.open()
        try:
            found = await verify(store)
            memories = (await store.stats()).memories
            await remember(store, backup, source)  # it was made before the store could know of it
        finally:
            await store.close()
        damage = [fault.message for fault in found.faults if fault.what == "index"]
        if damage or memories != backup.counts.get("memories"):
            what = damage[0] if damage else f"it holds {memories:,} memories, and its manifest says {backup.counts.get('memories'):,}"
            raise StoreCorrupt(f"backup {backup.id} does not hold a sound store: {what} Take another backup.")
        return found, memories

    def _keep_heads(self, found: Verification) -> None:
        if self._heads is None or found.state != "ok":
            return
        self._heads.forget(found.store)
        for namespace, (number, mac) in found.heads.items():
            self._heads.put(found.store, namespace, number, bytes.fromhex(mac))


def _plain_name(name: str) -> str:
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return name
