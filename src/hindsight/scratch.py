"""Folders for the time of some work. They hold texts of memories: what killed processes left of them, :func:`clear_scratch` removes.

A folder that is in use is locked by whoever made it; the kernel frees the lock when the process dies.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "hindsight-scratch-"
_NEW = 60.0 if sys.platform != "win32" else 86_400.0
"""Younger folders, in seconds, are left alone: between making one and locking it somebody else may look. Without locks a day must do."""


@contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """A folder among the system's temporary ones, removed in the end."""
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{purpose}-") as folder:
        lock = hold(Path(folder))
        try:
            yield Path(folder)
        finally:
            os.close(lock)


def clear_scratch() -> None:
    """Remove what killed processes of this user left a minute ago or earlier. For what happens seldom: it lists the temporary folder."""
    clear(Path(tempfile.gettempdir()), f"{_PREFIX}*")


def clear(parent: Path, pattern: str) -> None:
    """Remove folders of this user that nobody uses any more. What cannot be removed stays."""
    with suppress(OSError):
        for folder in parent.glob(pattern):
            with suppress(OSError):
                state = folder.lstat()
                if folder.is_symlink() or not folder.is_dir() or (hasattr(os, "geteuid") and state.st_uid != os.geteuid()):
                    continue
                if abs(time.time() - state.st_mtime) >= _NEW and not _in_use(folder):
                    shutil.rmtree(folder, ignore_errors=True)


if sys.platform != "win32":
    import fcntl

    def hold(folder: Path) -> int:
        """Lock a folder as in use; it is until what this gives is closed."""
        handle = os.open(folder, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle

    def _in_use(folder: Path) -> bool:
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

else:

    def hold(folder: Path) -> int:  # noqa: ARG001 - a folder cannot be locked here; age must do
        """There are no such locks; age must do."""
        return os.open(os.devnull, os.O_RDONLY)

    def _in_use(folder: Path) -> bool:  # noqa: ARG001 - a folder cannot be locked here; age must do
        return False
