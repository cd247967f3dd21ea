"""The store's folder: who may see it, and the lock by which writers of all processes take turns."""

from __future__ import annotations

import os
import time
from glob import escape
from pathlib import Path
from types import TracebackType

from hindsight.errors import StoreBusy, StoreCorrupt, StoreMisplaced, StoreUnavailable

DATABASE = "memory.db"
RESTORING, KEPT = "restoring-", "before-restore-"
"""In the names of folders beside the store's: one that a restore fills, and what a restore replaced."""
_SOON = 0.05
_MARK = b"hindsight store; writers take turns by locking this file\n"


def prepare_folder(folder: Path) -> Path:
    """Create the folder (0700) and the database file (0600) where they are missing; returns the file.

    Raises:
        StoreMisplaced: the path is a file.
        StoreUnavailable: it may not be created or written.
        StoreCorrupt: the database is gone or empty although there was one: an empty store would hide the loss.
    """
    file = folder / DATABASE
    try:
        check_restore(folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = folder / "writer.lock"
        used = lock.exists() and lock.stat().st_size > 0
        if used and (not file.exists() or file.stat().st_size == 0):
            raise StoreCorrupt(
                f"{file} is {'empty' if file.exists() else 'missing'}, but this folder held memories. Restore a backup of the folder, or `hindsight import` an export into a new one; "
                f"to start anew on purpose, remove {lock.name} as well."
            )
        if file.is_dir():
            raise StoreMisplaced(f"{file} is a folder; the database must be a file. Move it away.")
        if not file.exists():  # an existing one is not opened here: closing it would drop SQLite's locks of this process
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except FileExistsError:
        raise StoreMisplaced(f"{folder} is a file; a store is a folder. Choose another path (HINDSIGHT_STORE).") from None
    except NotADirectoryError:
        raise StoreMisplaced(f"a part of the path {folder} is a file; choose another path (HINDSIGHT_STORE).") from None
    except OSError as error:
        raise StoreUnavailable(
            f"the store folder {folder} cannot be used: {error.strerror}. Check its permissions and free space."
        ) from error
    return file


def check_restore(folder: Path) -> None:
    """A store that is not there may be one of which a restore was killed between putting the old folder aside and the new one in its place.

    Raises:
        StoreCorrupt: it is; the message says where the old one lies.
    """
    if folder.exists():
        return
    kept = sorted(folder.parent.glob(f"{escape(folder.name)}.{KEPT}*"), key=lambda path: path.stat().st_mtime)
    if kept and any(folder.parent.glob(f".{escape(folder.name)}.{RESTORING}*")):
        raise StoreCorrupt(
            f"{folder} is missing: a restore was interrupted when it had put the old store aside. Move {kept[-1]} back to {folder}, or "
            "`hindsight restore` again. To start anew on purpose, create an empty folder there."
        )


class WriterLock:
    """An exclusive lock on a file, taken for each write transaction; the kernel frees it when a process dies."""

    def __init__(self, path: Path, seconds: float) -> None:
        self._path = path
        self._seconds = seconds
        self._handle: int | None = None

    def __enter__(self) -> None:
        if self._handle is None:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        begun, pause = time.monotonic(), 0.0002
        while not try_lock(self._handle):
            waited = time.monotonic() - begun
            if waited > self._seconds:
                raise StoreBusy(
                    f"another process held {self._path} for over {self._seconds:.0f} s; try again, or look for a process that hangs."
                )
            time.sleep(pause)
            # A write takes a few milliseconds: who looks again soon leaves the file idle for less. Who has to wait long looks seldom.
            pause = min(pause * 1.5, 0.001 if waited < _SOON else 0.004)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._handle is not None
        _unlock(self._handle)

    def mark_used(self) -> None:
        """Remember in the lock file that the folder holds a store. Called with the lock held."""
        assert self._handle is not None
        if os.fstat(self._handle).st_size == 0:
            os.write(self._handle, _MARK)
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


if os.name == "posix":
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file for this opening of it alone; False where somebody has it. Closing it, or dying, frees it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

else:

    def try_lock(handle: int) -> bool:  # noqa: ARG001 - without flock, SQLite's own lock is all there is
        """There is nothing to be locked with."""
        return True

    def _unlock(handle: int) -> None:
        """Nothing was locked."""
