"""Copies of an embedded store: made while it is used, and put in its place."""

from __future__ import annotations

import os
import secrets
import shutil
import tarfile
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

import apsw

from hindsight.adapters.relational.notes import snapshot_facts
from hindsight.adapters.sqlite.engine import Engine
from hindsight.adapters.sqlite.faults import as_store_error
from hindsight.adapters.sqlite.files import DATABASE, KEPT, RESTORING
from hindsight.adapters.sqlite.migrate import schema_version
from hindsight.errors import StoreBusy, StoreCorrupt, StoreMisplaced, StoreUnavailable
from hindsight.scratch import clear, hold
from hindsight.snapshots import SnapshotFacts

COLD = "cold"
"""The folder of archived texts, where they are kept in the store's own folder."""
_COLD_FILE = "cold.tar"
_PAGES = 512
"""Copied at a time; between two, the thread may be interrupted."""


def write_snapshot(engine: Engine, folder: Path) -> SnapshotFacts:
    """Copy the database page by page, as one read transaction sees it: writers go on, and their pages stay in the log until the end.

    Blocking. The rows of open sessions are overwritten in the copy.
    """
    target = folder / DATABASE
    with engine.snapshot() as source, as_store_error(target):
        facts = snapshot_facts(source, engine="sqlite", schema_version=schema_version(source))  # the first read fixes the snapshot
        copy = apsw.Connection(str(target))
        try:
            with copy.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_PAGES)
            copy.pragma("journal_mode", "DELETE")  # so that the file alone is whole
            copy.pragma("secure_delete", "ON")
            copy.execute("DELETE FROM sessions").fetchall()
        finally:
            copy.close()
    target.chmod(0o600)
    cold = engine.file.with_name(COLD)
    if cold.is_dir():  # after the database: what it no longer holds is there by then
        try:
            with tarfile.open(folder / _COLD_FILE, "w") as packed:
                packed.add(cold, arcname=COLD, filter=_finished)
        except OSError as error:
            raise StoreUnavailable(
                f"{folder} cannot be written: {error.strerror or error}; free some space. The store is as it was."
            ) from error
    return facts


def _finished(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if Path(member.name).name.startswith(".") else member


class SqliteTarget:
    """The folder of an embedded store (a ``SnapshotTarget``)."""

    engine = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)
        self._folder = folder
        self._beside: Path | None = None
        self._lock: int | None = None

    def check(self, *, replace: bool) -> None:
        """Whether a store may be put here."""
        if self._folder.exists() and not self._folder.is_dir():
            raise StoreMisplaced(f"{self._folder} is a file; a store is a folder. Choose another path (--store).")
        if not self._folder.exists() or not any(self._folder.iterdir()):
            return
        if not replace:
            raise StoreMisplaced(
                f"{self._folder} is not empty; restore into an empty folder (--store), or use --replace, which keeps what is there aside."
            )
        self._check_unused()

    def load(self, folder: Path, schema_version: int) -> str:  # noqa: ARG002 - the file carries its schema itself
        """Copy the database into a folder beside the place."""
        beside = self._folder.with_name(f".{self._folder.name}.{RESTORING}{secrets.token_hex(4)}")
        try:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            clear(self._folder.parent, f".{escape(self._folder.name)}.{RESTORING}*")
            beside.mkdir(mode=0o700)
            self._beside, self._lock = beside, hold(beside)
            shutil.move(folder / DATABASE, beside / DATABASE)
            (beside / DATABASE).chmod(0o600)
            if (folder / _COLD_FILE).exists():
                with tarfile.open(folder / _COLD_FILE) as packed:
                    packed.extractall(beside, filter="data")
        except tarfile.TarError as error:
            raise StoreCorrupt(f"the cold store in the backup cannot be read ({error}); take another backup.") from error
        except OSError as error:
            raise StoreUnavailable(f"{beside} cannot be written: {error.strerror or error}; nothing was replaced.") from error
        return str(beside)

    def take(self) -> str | None:
        """Move the old folder aside, and the new one into its place."""
        assert self._beside is not None
        kept: Path | None = None
        try:
            if self._folder.exists() and any(self._folder.iterdir()):
                self._check_unused()
                moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
                kept = self._folder.with_name(f"{self._folder.name}.{KEPT}{moment}-{secrets.token_hex(2)}")
                self._folder.rename(kept)
            elif self._folder.exists():
                self._folder.rmdir()
            try:
                self._beside.rename(self._folder)
            except OSError:
                if kept is not None:
                    kept.rename(self._folder)
                raise
        except OSError as error:
            raise StoreUnavailable(f"{self._folder} cannot be replaced: {error.strerror or error}; it is as it was.") from error
        self._beside = None
        self._let_go()
        return str(kept) if kept is not None else None

    def discard(self) -> None:
        """Remove the folder beside."""
        if self._beside is not None:
            shutil.rmtree(self._beside, ignore_errors=True)
            self._beside = None
        self._let_go()

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _check_unused(self) -> None:
        """Nobody else may have the store open: their writes would go into the folder that is put aside."""
        file = self._folder / DATABASE
        if not file.exists():
            return
        try:
            connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                connection.pragma("locking_mode", "EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE").fetchall()
                connection.execute("ROLLBACK").fetchall()
            finally:
                connection.close()
        except (apsw.BusyError, apsw.LockedError):
            raise StoreBusy(
                f"{self._folder} is in use; stop what has it open (hindsight serve, worker, mcp) and restore again. Nothing was changed."
            ) from None
        except (apsw.NotADBError, apsw.CorruptError, apsw.IOError, apsw.CantOpenError):
            return  # a damaged store is what one restores for
