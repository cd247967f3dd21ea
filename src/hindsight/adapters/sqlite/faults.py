"""SQLite's errors become the product's own, each with what to do about it."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from hindsight.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreUnavailable


@contextmanager
def as_store_error(file: Path) -> Iterator[None]:
    """Translate what SQLite and the file system raise inside; other exceptions pass."""
    try:
        yield
    except apsw.Error as error:
        raise _translate(error, file) from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"a text holds {error.object[error.start : error.end]!r}, which is not valid Unicode; clean it. Nothing was written."
        ) from error
    except (OverflowError, struct.error) as error:
        raise InvalidInput(f"a number is too large to be stored ({error}); nothing was written.") from error
    except OSError as error:
        raise StoreUnavailable(f"{file}: {error.strerror or error}. Check that the folder exists, is writable and has room.") from error


def _translate(error: apsw.Error, file: Path) -> StoreError:
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreBusy(f"another process kept {file} locked for too long; try again, or look for a process that hangs.")
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return StoreCorrupt(
            f"{file} is damaged ({error}); nothing was changed. Restore a backup of the folder, or `hindsight import` an export into a new one, or run `hindsight doctor`."
        )
    if isinstance(error, apsw.FullError):
        return StoreUnavailable(f"no room left for {file}; free some disk space and try again. Nothing was written.")
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError | apsw.AuthError):
        return StoreUnavailable(f"{file} may not be written; give this user write permission for the folder and the files in it.")
    if isinstance(error, apsw.CantOpenError) and file.exists() and not os.access(file.parent, os.W_OK):
        return StoreUnavailable(
            f"{file} cannot be opened, since {file.parent} may not be written: a store keeps its log there even when it is only read. Give this "
            "user write permission, or copy the folder to a place that may be written."
        )
    if isinstance(error, apsw.CantOpenError):
        return StoreUnavailable(
            f"{file} cannot be opened ({error}); check that it is a file, not a folder or link, and that this user may write to its folder."
        )
    if isinstance(error, apsw.IOError):
        return StoreUnavailable(f"reading or writing {file} failed ({error}); check the disk and its free space. Nothing was written.")
    return StoreError(f"{file}: {error}")
