"""Backups of an open store: copied while it is used, packed, put away with a manifest, the oldest taken away."""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hindsight import __version__
from hindsight.errors import ConfigurationError, InvalidInput, StoreUnavailable
from hindsight.ports import Clock
from hindsight.scratch import clear_scratch, scratch
from hindsight.snapshots import BackupPlace, Condition, Remark, SnapshotFacts, SnapshotSource
from hindsight.upkeep.backups import MANIFEST, Backup, BackupFile, list_backups, unfinished
from hindsight.upkeep.packing import new_salt, pack

NOTE, IDENTITY = "backups", "identity"
_EVERY = timedelta(days=1)
_LONGEST = timedelta(days=1)
"""No backup takes longer: one without a manifest that was begun before was killed."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True, slots=True)
class BackupOptions:
    """How backups are made. ``place``: where, unless a call names another; empty: nowhere. ``keep``: so many of the newest stay. ``store``: the
    folder of an embedded store, in which no backup may lie.
    """

    place: str
    keep: int
    passphrase: bytes | None
    open_place: Callable[[str], BackupPlace]
    store: Path | None = None


@dataclass(frozen=True, slots=True)
class LastBackup:
    """What the store remembers of its last backup."""

    id: str
    address: str
    created: datetime


class BackupKeeper:
    """Makes, lists and prunes the backups of one open store."""

    def __init__(self, source: SnapshotSource, clock: Clock, options: BackupOptions) -> None:
        self._source = source
        self._clock = clock
        self._options = options

    @property
    def placed(self) -> bool:
        """Whether the settings say where backups go."""
        return bool(self._options.place)

    async def make(self, to: str | None = None) -> Backup:
        """Make a backup and take away what is older than the ones to keep. Nothing is listed as a backup before all of it is there.

        Raises:
            ConfigurationError: no place was named.
            StoreUnavailable: there is no room, or the place does not answer; the store and older backups are as they were.
        """
        place = self._place(to)
        created = self._clock.now()
        id = f"{created:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        await asyncio.to_thread(clear_scratch)
        try:
            with scratch("backup") as folder:
                backup = await self._put_away(place, folder, id, created)
        except OSError as error:
            hint = "free some space there, or set TMPDIR" if error.errno in _FULL else "check it"
            raise StoreUnavailable(
                f"no backup was made: {error.filename or tempfile.gettempdir()}: {error.strerror or error}; {hint}. The store is as it was."
            ) from error
        await remember(self._source, backup, place.address)
        await self.prune(to)
        return backup

    async def backups(self, at: str | None = None) -> list[Backup]:
        """Every backup of this store, the newest first: in the place named, else in all places that were ever used.

        Raises:
            StoreUnavailable: a place cannot be reached.
        """
        addresses = [at] if at else await self.places()
        return [backup for address in addresses for backup in await asyncio.to_thread(self._listed, address)]

    async def places(self) -> list[str]:
        """Where backups of this store were put, the configured place first."""
        known, _ = await _noted(self._source)
        return list(dict.fromkeys([*([self._options.open_place(self._options.place).address] if self._options.place else []), *known]))

    async def last(self) -> LastBackup | None:
        """The last one that was made; from the store itself, so that no place is asked."""
        return (await _noted(self._source))[1]

    async def age(self) -> float | None:
        """Seconds since the last one; None where there was none."""
        last = await self.last()
        return None if last is None else max(0.0, (self._clock.now() - last.created).total_seconds())

    async def condition(self) -> Condition:
        """How the store is doing."""
        return await self._source.condition()

    async def without_vector(self) -> int:
        """Active records that search by meaning cannot find."""
        return await self._source.without_vector()

    async def remarks(self) -> list[Remark]:
        """What an operator should know of the engine below."""
        return await self._source.remarks()

    async def prune(self, at: str | None = None) -> list[Backup]:
        """Take away all but the newest ones of this store, and what killed runs left half done; the finished ones taken away."""
        place = self._place(at)
        own = await self._identity()
        mine = [backup for backup in await asyncio.to_thread(list_backups, place) if backup.store_id == own]
        gone = mine[self._options.keep :]
        for backup in gone:  # the manifest first: a backup that is half gone must not look whole
            names = [f"{backup.id}/{MANIFEST}", *(f"{backup.id}/{file.name}" for file in backup.files)]
            await asyncio.to_thread(place.remove, names)
        left = unfinished(await asyncio.to_thread(place.names), self._clock.now() - _LONGEST)
        if left:
            await asyncio.to_thread(place.remove, left)
        return gone

    def _place(self, address: str | None) -> BackupPlace:
        wanted = address or self._options.place
        if not wanted:
            raise ConfigurationError("name a place for the backup: --to FOLDER or --to s3://bucket/path, or set HINDSIGHT_BACKUP_TO.")
        store = self._options.store
        if store is not None and "://" not in wanted and Path(wanted).expanduser().resolve().is_relative_to(store.resolve()):
            raise InvalidInput(
                f"{wanted} lies in the store's own folder, and would be lost with it; name a place elsewhere. No backup was made."
            )
        return self._options.open_place(wanted)

    def _listed(self, address: str) -> list[Backup]:
        return list_backups(self._options.open_place(address))

    async def _put_away(self, place: BackupPlace, folder: Path, id: str, created: datetime) -> Backup:
        plain, packed = folder / "plain", folder / "packed"
        plain.mkdir()
        packed.mkdir()
        own = await self._identity()
        facts = await self._source.write_snapshot(plain)
        suffix = ".zst" if self._options.passphrase is None else ".zst.enc"
        files, salt = [], new_salt()
        put: list[str] = []
        try:
            for file in sorted(plain.iterdir()):
                target = packed / f"{file.name}{suffix}"
                size, digest = await asyncio.to_thread(pack, file, target, self._options.passphrase, salt)
                file.unlink()
                put.append(f"{id}/{target.name}")
                await asyncio.to_thread(place.put, put[-1], target)
                target.unlink()
                files.append(BackupFile(target.name, size, digest))
            backup = self._described(place, id, created, own, facts, tuple(files))
            manifest = packed / MANIFEST
            manifest.write_bytes(backup.manifest())
            put.append(f"{id}/{MANIFEST}")
            await asyncio.to_thread(place.put, put[-1], manifest)
        except BaseException:
            await asyncio.to_thread(place.remove, put)
            raise
        return backup

    def _described(
        self, place: BackupPlace, id: str, created: datetime, store_id: str, facts: SnapshotFacts, files: tuple[BackupFile, ...]
    ) -> Backup:
        return Backup(
            id=id,
            address=f"{place.address.rstrip('/')}/{id}",
            created=created,
            expires=created + self._options.keep * _EVERY,
            engine=facts.engine,
            schema_version=facts.schema_version,
            written_by=__version__,
            store_id=store_id,
            embedder=facts.embedder,
            encrypted=self._options.passphrase is not None,
            counts=facts.counts,
            files=files,
        )

    async def _identity(self) -> str:
        """By which this store's backups are told from those of others in the same place; a restored store keeps it."""
        known = await self._source.noted(IDENTITY)
        if known is None:
            known = secrets.token_hex(16)
            await self._source.note(IDENTITY, known)
        return known


async def remember(source: SnapshotSource, backup: Backup, address: str) -> None:
    """Note in a store that this is its last backup, and that backups of it lie at ``address``."""
    places, _ = await _noted(source)
    values = {
        "places": list(dict.fromkeys([*places, address])),
        "last": {"id": backup.id, "address": backup.address, "created": backup.created.isoformat()},
    }
    await source.note(NOTE, json.dumps(values, ensure_ascii=False))


async def _noted(source: SnapshotSource) -> tuple[list[str], LastBackup | None]:
    text = await source.noted(NOTE)
    if text is None:
        return [], None
    values = json.loads(text)
    last = values["last"]
    return values["places"], LastBackup(last["id"], last["address"], datetime.fromisoformat(last["created"]))
