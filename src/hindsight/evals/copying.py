"""Copy an embedded store into an empty one on PostgreSQL, as fast as a benchmark needs it: by COPY, indexes made after the rows.

What moves a store for a user (``hindsight migrate``) compares every row and can be cut off anywhere; here neither is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from hindsight.adapters.relational.moving import NUMBERED, TABLES

if TYPE_CHECKING:
    from psycopg import Connection

_OWN = frozenset({"meta", "languages", "upkeep", "sessions"})
"""What the open store wrote by itself, or what a filled one has not; languages come first, since some are there already."""
_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = current_schema() AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace)
"""
_WALLED = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relforcerowsecurity"
Progress = Callable[[int], None]


def copy_store(folder: Path, address: str, progress: Progress | None = None) -> None:
    """Bring every record of the store in ``folder`` to the empty store at ``address``, whose tables are there. Nobody uses either meanwhile."""
    import psycopg

    source = apsw.Connection(str(folder / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    with psycopg.connect(address, autocommit=True) as db:
        indexes = db.execute(_INDEXES).fetchall()
        walled = [name for (name,) in db.execute(_WALLED).fetchall()]
        for name, _ in indexes:
            _run(db, f'DROP INDEX "{name}"')
        for name in walled:  # COPY does not write through such walls
            _run(db, f'ALTER TABLE "{name}" NO FORCE ROW LEVEL SECURITY')
        _run(db, "DELETE FROM languages")
        for table in ("languages", *(table for table in TABLES if table not in _OWN)):
            _copy(source, db, table, progress)
        for name in walled:
            _run(db, f'ALTER TABLE "{name}" FORCE ROW LEVEL SECURITY')
        _run(db, "SET maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            _run(db, definition)
        for table in NUMBERED:
            key = TABLES[table][0].strip('"')
            _run(db, f"""SELECT setval(pg_get_serial_sequence('{table}', '{key}'), max("{key}")) FROM {table}""")  # noqa: S608 - our names
    source.close()


def _copy(source: apsw.Connection, db: Connection[Any], table: str, progress: Progress | None) -> None:
    columns = [name for (name,) in source.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    names = ", ".join(f'"{name}"' for name in columns)
    order = ", ".join(TABLES[table])
    rows = source.execute(f"SELECT {names} FROM {table} ORDER BY {order}")  # noqa: S608 - our names
    counted: Iterator[tuple[Any, ...]] = _counted(rows, progress) if table == "memories" and progress is not None else iter(rows)
    target = f"{table} ({names})"
    if table == "tokens":  # one text here, an array of words there
        _run(db, 'CREATE TEMP TABLE texts ("row" BIGINT, text TEXT)')
        target = "texts"
    with db.cursor() as cursor, cursor.copy(f"COPY {target} FROM STDIN".encode()) as copy:
        for row in counted:
            copy.write_row(row)
    if table == "tokens":
        _run(db, """INSERT INTO tokens ("row", words) SELECT "row", string_to_array(text, ' ') FROM texts ORDER BY "row" """)
        _run(db, "DROP TABLE texts")


def _counted(rows: apsw.Cursor, progress: Progress) -> Iterator[tuple[Any, ...]]:
    for number, row in enumerate(rows, start=1):
        yield row
        if number % 10_000 == 0:
            progress(number)


def _run(db: Connection[Any], statement: str) -> None:
    db.execute(statement.encode())
