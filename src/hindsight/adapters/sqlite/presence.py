"""A mark on the open database that no other SQLite library in this process can wipe away.

SQLite's own locks are POSIX record locks, which belong to the process: when the standard library's ``sqlite3`` looks into the
file in a process that has the store open, and closes it, the kernel drops the locks of both libraries. It then takes itself for
the last user, and deletes the log that the store goes on writing to. Locks of an open file description (Linux) belong to
whoever opened it: with a shared one where SQLite's connections hold theirs, nobody is ever the last user while the store is open.
"""

from __future__ import annotations

import os
import struct
import sys
import threading
from pathlib import Path

_CONNECTED = (0x40000002, 510)
"""Start and length of the range in the database file that every connection locks shared (``SHARED_FIRST`` of SQLite's os.h)."""
_SHARING = (128, 1)
"""The byte of the ``-shm`` file that every process locks shared (``UNIX_SHM_DMS`` of os_unix.c)."""

_guard = threading.Lock()
_present: dict[tuple[int, int], _Mark] = {}
"""By device and inode. One mark a file and process: closing a second descriptor of the file would drop SQLite's locks as well."""


class _Mark:
    def __init__(self, file: Path) -> None:
        self.users = 0
        self._handles = [(os.open(file, os.O_RDWR), _CONNECTED), (os.open(f"{file}-shm", os.O_RDWR), _SHARING)]

    def lock(self, *, locked: bool) -> None:
        for handle, (start, length) in self._handles:
            _set_lock(handle, start, length, locked=locked)

    def close(self) -> None:
        for handle, _ in self._handles:
            os.close(handle)


def arrive(file: Path) -> tuple[int, int]:
    """Mark the database, which a connection has open in WAL mode, as used; returns what :meth:`leave` wants."""
    status = file.stat()
    key = (status.st_dev, status.st_ino)
    with _guard:
        mark = _present.get(key)
        if mark is None:
            mark = _present[key] = _Mark(file)
        mark.lock(locked=True)
        mark.users += 1
    return key


def before_leaving(key: tuple[int, int]) -> None:
    """Take the mark of the last user away: SQLite's last connection empties and removes the log when it closes."""
    with _guard:
        if _present[key].users == 1:
            _present[key].lock(locked=False)


def leave(key: tuple[int, int]) -> None:
    """Forget the mark; called when the connections are closed."""
    with _guard:
        mark = _present[key]
        mark.users -= 1
        if not mark.users:
            mark.close()
            del _present[key]


if sys.platform == "linux":
    import fcntl

    def _set_lock(handle: int, start: int, length: int, *, locked: bool) -> None:
        kind = fcntl.F_RDLCK if locked else fcntl.F_UNLCK
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0))

else:

    def _set_lock(handle: int, start: int, length: int, *, locked: bool) -> None:
        """Such locks are not to be had here."""
