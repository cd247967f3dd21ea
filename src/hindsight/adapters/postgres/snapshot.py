"""Copies of a store on PostgreSQL: every table by COPY from one snapshot, and back into the tables of the same schema version.

No tool is called: ``pg_dump`` refuses a server that is newer than itself, and tables whose rows are walled off, and it ties the copy to the
name of its schema.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from hindsight.adapters.postgres.engine import Engine, address_of
from hindsight.adapters.postgres.faults import as_store_error
from hindsight.adapters.postgres.hnsw import TABLE
from hindsight.adapters.postgres.migrate import migrations
from hindsight.adapters.relational.notes import snapshot_facts
from hindsight.errors import StoreBusy, StoreMisplaced, StoreTooNew, StoreUnavailable
from hindsight.snapshots import SnapshotFacts

TABLES = "tables.json"
_LEFT_OUT = frozenset({"sessions"})
_READ = 1 << 20
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relpersistence = 'p' AND NOT relispartition ORDER BY 1"
_COLUMNS = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
_WALLED = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relforcerowsecurity ORDER BY 1"
_SEQUENCES = """
SELECT a.attrelid::regclass::text, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL
"""
_OBJECTS = """
SELECT 'TABLE', format('%%I.%%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'p')
UNION ALL
SELECT 'FUNCTION', p.oid::regprocedure::text FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = %(schema)s AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'SEQUENCE', format('%%I.%%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relkind = 'S' AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
"""
_OTHERS = """
SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hindsight' AND datname = current_database() AND pid <> pg_backend_pid()
"""


def write_snapshot(engine: Engine, folder: Path) -> SnapshotFacts:
    """Copy every table as one transaction sees them; writers are not kept waiting. Blocking."""
    with engine.snapshot() as db, as_store_error(engine.place):
        connection = db.raw
        version = int(_value(connection, "SELECT coalesce(max(number), 0) FROM migrations"))
        facts = snapshot_facts(db, engine="postgresql", schema_version=version)
        described: list[dict[str, Any]] = []
        for (table,) in connection.execute(_TABLES).fetchall():
            if table in _LEFT_OUT or table.startswith(TABLE):
                continue
            columns = [name for (name,) in connection.execute(_COLUMNS, (table,)).fetchall()]
            out = sql.SQL("COPY {} ({}) TO STDOUT").format(sql.Identifier(table), _names(columns))
            with _writing(folder / f"{table}.copy") as stream, connection.cursor() as cursor, cursor.copy(out) as copy:
                for piece in copy:
                    stream.write(piece)
            described.append({"table": table, "columns": columns})
        with _writing(folder / TABLES) as stream:
            stream.write(json.dumps(described).encode())
    return facts


class PostgresTarget:
    """The schema of a store on PostgreSQL (a ``SnapshotTarget``)."""

    engine = "postgresql"

    def __init__(self, url: str) -> None:
        self._url = url
        self._address, self.place = address_of(url)
        self._beside: str | None = None

    def check(self, *, replace: bool) -> None:
        """Whether a store may be put here."""
        with self._connect() as db:
            there = db.execute(_TABLES).fetchall()
            if there and not replace:
                raise StoreMisplaced(
                    f"{self.place} holds tables already; restore into an empty database or schema, or use --replace, which keeps what is there aside."
                )
            if there:
                self._check_unused(db)

    def load(self, folder: Path, schema_version: int) -> str:
        """Make the tables in a schema of their own, and fill them, in one transaction."""
        steps = migrations()
        if schema_version > steps[-1][0]:
            raise StoreTooNew(
                f"the backup has schema {schema_version}; this version knows {steps[-1][0]}. Install the version that wrote it."
            )
        beside = f"hindsight_restoring_{secrets.token_hex(4)}"
        with self._connect() as db, db.transaction():
            db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(beside)))
            self._beside = beside
            db.execute("SELECT set_config('search_path', %s, true)", (beside,))
            for number, _, text in steps:
                if number <= schema_version:
                    db.execute(text.encode())
            walled = [name for (name,) in db.execute(_WALLED).fetchall()]
            for name in walled:  # COPY does not write through such walls
                db.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(sql.Identifier(name)))
            for each in json.loads((folder / TABLES).read_bytes()):
                _fill(db, each["table"], each["columns"], folder / f"{each['table']}.copy")
            for name in walled:
                db.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(sql.Identifier(name)))
            for table, column, sequence in db.execute(_SEQUENCES).fetchall():
                highest = _value(
                    db, sql.SQL("SELECT max({}) FROM {}").format(sql.Identifier(column), sql.Identifier(table.split(".")[-1].strip('"')))
                )
                db.execute("SELECT setval(%s, %s, %s)", (sequence, highest or 1, highest is not None))
        return self._address_of_schema(beside)

    def take(self) -> str | None:
        """Move the old tables into a schema of their own, and the new ones into their place, in one transaction."""
        assert self._beside is not None
        kept: str | None = None
        with self._connect() as db, db.transaction():
            schema = str(_value(db, "SELECT current_schema()"))
            if db.execute(_TABLES).fetchall():
                self._check_unused(db)
                kept = f"{schema}_before_{datetime.now(UTC):%Y%m%dt%H%M%S}_{secrets.token_hex(2)}"
                db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(kept)))
                _move(db, schema, kept)
            _move(db, self._beside, schema)
            db.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(self._beside)))
        self._beside = None
        return f"schema {kept} of {self.place}" if kept is not None else None

    def discard(self) -> None:
        """Drop the schema beside."""
        if self._beside is None:
            return
        with self._connect() as db:
            db.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(self._beside)))
        self._beside = None

    @contextmanager
    def _connect(self) -> Iterator[psycopg.Connection[Any]]:
        with as_store_error(self.place), psycopg.connect(self._address, autocommit=True, application_name="hindsight restore") as db:
            if _value(db, "SELECT current_schema()") is None:
                raise StoreMisplaced(
                    f"{self.place}: the schema of this address does not exist; create it (CREATE SCHEMA …) and restore again."
                )
            yield db

    def _check_unused(self, db: psycopg.Connection[Any]) -> None:
        if _value(db, _OTHERS):
            raise StoreBusy(f"{self.place} is in use; stop the servers and workers of hindsight that use this database, and restore again.")

    def _address_of_schema(self, schema: str) -> str:
        return psycopg.conninfo.make_conninfo(self._address, options=f"-csearch_path={schema}")


def _fill(db: psycopg.Connection[Any], table: str, columns: list[str], file: Path) -> None:
    named = sql.Identifier(table)
    if _value(db, "SELECT to_regclass(quote_ident(%s)) IS NULL", (table,)):
        raise StoreUnavailable(f"the backup has a table {table} that its schema version does not know; install the version that wrote it.")
    db.execute(sql.SQL("TRUNCATE {}").format(named))
    into = sql.SQL("COPY {} ({}) FROM STDIN").format(named, _names(columns))
    with file.open("rb") as stream, db.cursor() as cursor, cursor.copy(into) as copy:
        while piece := stream.read(_READ):
            copy.write(piece)


def _move(db: psycopg.Connection[Any], source: str, target: str) -> None:
    """Give tables (with indexes, triggers and their sequences), functions and sequences another schema."""
    for kind, name in db.execute(_OBJECTS, {"schema": source}).fetchall():
        db.execute(sql.SQL("ALTER {} {} SET SCHEMA {}").format(sql.SQL(kind), sql.SQL(name), sql.Identifier(target)))


def _names(columns: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(column) for column in columns)


def _value(db: psycopg.Connection[Any], statement: Any, bindings: Any = None) -> Any:
    found = db.execute(statement, bindings).fetchone()
    return found[0] if found else None


@contextmanager
def _writing(file: Path) -> Iterator[Any]:
    try:
        with file.open("xb") as stream:
            yield stream
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be written: {error.strerror or error}; free some space. The store is as it was.") from error
