"""Numbered migrations in one transaction under a lock that all processes share; a newer database is refused, never touched."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors

from hindsight import __version__
from hindsight.adapters.postgres.faults import first_line
from hindsight.errors import StoreTooNew, StoreUnavailable

_FILE = re.compile(r"(\d{4})_\w+\.sql")
OLDEST_SERVER = 160_000
MIGRATING = 0x68736D31
"""The advisory lock of migrations (``hsm1``)."""


def migrations() -> list[tuple[int, str, str]]:
    """(number, file name, SQL) of every migration, in order."""
    folder = files(__package__).joinpath("migrations")
    found = [(int(match[1]), path.name, path) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))]
    return [(number, name, path.read_text(encoding="utf-8")) for number, name, path in sorted(found, key=lambda each: each[0])]


def check_server(db: psycopg.Connection[Any], place: str) -> None:
    """Whether this PostgreSQL can hold a store.

    Raises:
        StoreUnavailable: it is too old, or the database's encoding is not UTF-8.
    """
    if db.info.server_version < OLDEST_SERVER:
        raise StoreUnavailable(f"{place} is PostgreSQL {db.info.server_version // 10_000}; hindsight needs 16 or newer.")
    encoding = db.execute("SHOW server_encoding").fetchone()
    if encoding is None or encoding[0] != "UTF8":
        raise StoreUnavailable(
            f"the database at {place} keeps texts as {encoding[0] if encoding else 'unknown'}; create one with ENCODING 'UTF8'."
        )


def schema_version(db: psycopg.Connection[Any]) -> int:
    """The number of the last migration that the database has seen; 0 for one without a store."""
    if db.execute("SELECT to_regclass('migrations') IS NULL OR to_regclass('memories') IS NULL").fetchone() == (True,):
        return 0
    found = db.execute("SELECT coalesce(max(number), 0) FROM migrations").fetchone()
    return int(found[0]) if found else 0


def migrate(db: psycopg.Connection[Any], *, place: str) -> None:
    """Bring the database to this version's schema; of several processes, one does it and the others wait.

    Raises:
        StoreTooNew: a newer version wrote it.
        StoreUnavailable: it holds tables of another program, or this user may not create any.
    """
    steps = migrations()
    known = steps[-1][0]
    with db.transaction():
        db.execute("SET LOCAL lock_timeout = '10min'")
        db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(current_schema()))", (MIGRATING,))
        version = schema_version(db)
        if version > known:
            raise _too_new(db, version, known, place)
        try:
            for number, name, sql in steps:
                if number > version:
                    db.execute(sql.encode())
                    db.execute(
                        "INSERT INTO migrations (number, name, written_by, applied_at) VALUES (%s, %s, %s, %s)",
                        (number, name, __version__, datetime.now(UTC).isoformat()),
                    )
        except (errors.DuplicateTable, errors.DuplicateFunction, errors.DuplicateObject) as error:
            raise StoreUnavailable(
                f"{place} holds tables of another program ({first_line(error)}); nothing was changed. Give hindsight a database of its own, "
                "or a schema (?options=-csearch_path%3Dhindsight)."
            ) from error
        except (errors.InsufficientPrivilege, errors.InvalidSchemaName) as error:
            raise StoreUnavailable(
                f"{place}: hindsight's tables cannot be created ({first_line(error)}); nothing was changed. Let its user create tables "
                "(GRANT CREATE ON SCHEMA public), or make it the owner of the database."
            ) from error


def _too_new(db: psycopg.Connection[Any], version: int, known: int, place: str) -> StoreTooNew:
    found = db.execute("SELECT written_by FROM migrations WHERE number = %s", (version,)).fetchone()
    writer = found[0] if found else "of a newer version"
    return StoreTooNew(
        f"{place} has schema {version}, written by hindsight {writer}; this is {__version__} and knows schema {known}. Install hindsight "
        f"{writer} or later; nothing was changed."
    )
