"""Which backups there are: their manifests, read from the place that holds them, and what each may still hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from hindsight.errors import StoreCorrupt
from hindsight.scratch import scratch
from hindsight.snapshots import BackupPlace

MANIFEST = "manifest.json"
FORM = 1
"""The number of the manifest's form; a higher one is refused."""
_ID = re.compile(r"(?P<id>(?P<time>[0-9]{8}T[0-9]{6}Z)-[0-9a-f]{6})/")


@dataclass(frozen=True, slots=True)
class BackupFile:
    """One file of a backup as it is kept: packed, and encrypted where the backup is. ``sha256`` and ``size`` are of that form."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A finished backup. ``expires`` is when it is due to go while backups are made daily; ``address`` is where it lies."""

    id: str
    address: str
    created: datetime
    expires: datetime
    engine: str
    schema_version: int
    written_by: str
    store_id: str
    embedder: str | None
    encrypted: bool
    counts: dict[str, int]
    files: tuple[BackupFile, ...]

    @property
    def size(self) -> int:
        """Bytes kept."""
        return sum(file.size for file in self.files)

    def may_hold(self, created: datetime) -> bool:
        """Whether a memory that was written at ``created`` can be in it."""
        return created <= self.created

    def manifest(self) -> bytes:
        """The JSON that is kept beside the files."""
        values: dict[str, Any] = {"form": FORM, **asdict(self)}
        del values["address"]
        values |= {"created": self.created.isoformat(), "expires": self.expires.isoformat()}
        return (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def read_manifest(text: bytes, address: str) -> Backup:
    """A backup from its manifest.

    Raises:
        StoreCorrupt: this is no manifest, or one of a newer version.
    """
    try:
        values = json.loads(text)
        form = values.pop("form")
        if form != FORM:
            raise StoreCorrupt(f"{address} has a manifest of form {form}; this version reads {FORM}. Install the version that wrote it.")
        files = tuple(BackupFile(**each) for each in values.pop("files"))
        created, expires = (datetime.fromisoformat(values.pop(name)) for name in ("created", "expires"))
        return Backup(address=address, created=created, expires=expires, files=files, **values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreCorrupt(f"{address}/{MANIFEST} is no manifest of a backup ({error}); take another backup.") from error


def list_backups(place: BackupPlace) -> list[Backup]:
    """Every finished backup in a place, the newest first; a place that is one backup itself gives that one. Blocking.

    Raises:
        StoreUnavailable: the place cannot be reached.
        StoreCorrupt: a manifest cannot be read.
    """
    found = []
    with scratch("list") as folder:
        for number, name in enumerate(place.names()):
            if name != MANIFEST and not (name.endswith(f"/{MANIFEST}") and name.count("/") == 1):
                continue
            file = folder / str(number)
            place.fetch(name, file)
            inside = name.removesuffix(MANIFEST).rstrip("/")
            found.append(read_manifest(file.read_bytes(), "/".join(filter(None, (place.address.rstrip("/"), inside)))))
    return sorted(found, key=lambda backup: (backup.created, backup.id), reverse=True)


def unfinished(names: Iterable[str], before: datetime) -> list[str]:
    """The files of backups that were begun before a time and have no manifest: what made them was killed."""
    names = list(names)
    whole = {name.removesuffix(f"/{MANIFEST}") for name in names if name.endswith(f"/{MANIFEST}")}
    begun = f"{before:%Y%m%dT%H%M%SZ}"
    return [name for name in names if (found := _ID.match(name)) and found["id"] not in whole and found["time"] < begun]


def holding(backups: Iterable[Backup], created: datetime) -> list[Backup]:
    """The backups in which a memory that was written at ``created`` can be: those made after it."""
    return [backup for backup in backups if backup.may_hold(created)]
