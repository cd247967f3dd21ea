"""Numbered migrations: each file and the record of it in one transaction; a newer store is refused, never touched."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.resources import files

import apsw

from hindsight import __version__
from hindsight.adapters.relational.queries import load, value
from hindsight.errors import StoreTooNew, StoreUnavailable

_FILE = re.compile(r"(\d{4})_\w+\.sql")
_SQL = load("store.sql", __package__)
APPLICATION_ID = 0x68736D31
"""``hsm1``: marks the file as a hindsight store."""


def migrations() -> list[tuple[int, str, str]]:
    """(number, file name, SQL) of every migration, in order."""
    folder = files(__package__).joinpath("migrations")
    found = [(int(match[1]), path.name, path) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))]
    return [(number, name, path.read_text(encoding="utf-8")) for number, name, path in sorted(found, key=lambda each: each[0])]


def schema_version(db: apsw.Connection) -> int:
    """The number of the last migration that the store has seen; 0 for an empty file."""
    return int(db.pragma("user_version"))


def migrate(db: apsw.Connection, *, file: str) -> None:
    """Bring the store to this version's schema. The caller holds the writers' lock.

    Raises:
        StoreTooNew: a newer version wrote it.
        StoreUnavailable: the file is another program's database.
    """
    steps = migrations()
    version, known = schema_version(db), steps[-1][0]
    if version > known:
        written_by = _writer_of(db, version)
        raise StoreTooNew(
            f"{file} has schema {version}, written by hindsight {written_by or 'of a newer version'}; this is {__version__} and knows "
            f"schema {known}. Install hindsight {written_by or '(the newer version)'} or later; nothing was changed."
        )
    application = int(db.pragma("application_id"))
    if (version and application != APPLICATION_ID) or (not version and (application or value(db, _SQL["count_tables"]))):
        raise StoreUnavailable(f"{file} is a database, but not one of hindsight's; nothing was changed. Choose another folder.")
    for number, name, sql in steps:
        if number > version:
            _apply(db, number, name, sql)


def _writer_of(db: apsw.Connection, version: int) -> str | None:
    try:
        name: str | None = value(db, _SQL["written_by"], (version,))
    except apsw.SQLError:  # a later schema may keep this elsewhere
        return None
    return name


def _apply(db: apsw.Connection, number: int, name: str, sql: str) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(sql).fetchall()  # only a consumed cursor runs every statement of a file
        db.execute(_SQL["record_migration"], (number, name, __version__, datetime.now(UTC).isoformat()))
        db.pragma("user_version", number)
        db.pragma("application_id", APPLICATION_ID)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
