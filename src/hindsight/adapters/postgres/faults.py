"""PostgreSQL's errors become the product's own, each with what to do about it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from hindsight.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreUnavailable

CONFLICTS = (errors.DeadlockDetected, errors.SerializationFailure)
"""Two transactions got into each other's way: the same again succeeds."""


@contextmanager
def as_store_error(place: str) -> Iterator[None]:
    """Translate what the driver raises inside; other exceptions pass. ``place`` is the database's address, without a password."""
    try:
        yield
    except (psycopg.Error, UnicodeEncodeError, OverflowError, struct.error) as error:
        raise translated(error, place) from error


def translated(error: Exception, place: str) -> Exception:
    """The product's error for one of the driver's; any other as it is."""
    if isinstance(error, psycopg.Error):
        return _translate(error, place)
    if isinstance(error, UnicodeEncodeError):
        return InvalidInput(
            f"a text holds {error.object[error.start : error.end]!r}, which is not valid Unicode; clean it. Nothing was written."
        )
    if isinstance(error, OverflowError | struct.error):
        return InvalidInput(f"a number is too large to be stored ({error}); nothing was written.")
    return error


def first_line(error: BaseException) -> str:
    """What the driver says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _translate(error: psycopg.Error, place: str) -> StoreError | InvalidInput:
    said = first_line(error)
    if isinstance(error, errors.NumericValueOutOfRange):
        return InvalidInput(f"a number is too large to be stored ({said}); nothing was written.")
    if isinstance(error, errors.ProgramLimitExceeded):
        return InvalidInput(f"a name (of a namespace, session or agent) is too long for PostgreSQL ({said}); nothing was written.")
    if isinstance(error, (errors.LockNotAvailable, errors.QueryCanceled, *CONFLICTS)):
        return StoreBusy(f"{place}: others kept the store locked for too long ({said}); try again, or look for a process that hangs.")
    if isinstance(error, errors.DiskFull | errors.OutOfMemory | errors.InsufficientResources):
        return StoreUnavailable(f"{place} has no room left ({said}); free some and try again. Nothing was written.")
    if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
        return StoreUnavailable(f"{place} may not be used like this ({said}); let hindsight's user own its tables, on the primary server.")
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreCorrupt(f"{place} is damaged ({said}); restore a backup, or ask `hindsight doctor`.")
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.UndefinedFunction):
        return StoreCorrupt(f"{place} lacks a part of hindsight's schema ({said}); restore a backup, or name another database.")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(f"PostgreSQL at {place} does not answer ({said}). Check that it runs and can be reached; then try again.")
    return StoreError(f"{place}: {said}")
