"""Vectors of large namespaces by pgvector (``VectorIndex``): one table with an HNSW index a namespace.

The table holds the centred vectors (int8 minus the mean of the record's language, of length 1) of records and of passages as ``halfvec``.
Triggers write it in the transaction that writes the raw ones, so that whatever changes a vector (a store, an erasure, a move) changes the
index too. The means are those of the moment when the index was made; they only decide which candidates are looked at. A backup leaves the
tables out: they are made anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import count as numbers
from typing import Any

import numpy as np
import psycopg
from psycopg import errors, sql

from hindsight.adapters.postgres.connection import PostgresConnection
from hindsight.adapters.postgres.faults import first_line
from hindsight.adapters.relational.attributes import DTYPE
from hindsight.adapters.relational.core import Core, change_number
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.ports import Rows, Vector
from hindsight.records import Filter
from hindsight.snapshots import Remark

LARGE = 100_000
"""Namespaces of so many records are searched by an index, where they have one. Below, a process scans them faster than it asks (82,767
real vectors: 5 ms against 17), misses none, and writes cost half; what the index saves is the 0.4 KB a vector that each process holds.
"""
TABLE = "vectors_near_"
"""What the names of an index's tables begin with."""
BUILDING = 0x68736D33
"""The advisory lock of those who make indexes (``hsm3``)."""
_OLDEST = (0, 8)
"""The first version of pgvector that goes on scanning an index where a filter drops what it found."""
_LINKS, _BUILT_WITH = 24, 128
_EF_SEARCH = "400"
"""So many come out of one walk through the graph; the walk goes on where more are asked for, and each goes about as long."""
_MOST_SCANNED = "40000"
_MEMORY = "512MB"
_IMPATIENT = b"SET LOCAL lock_timeout = '10s'"
"""Who waits to change a table keeps everybody behind him waiting: better another time."""
_BATCH = 2000
"""So many rows are copied while writers wait."""
_WIDEST = 4000
"""pgvector indexes no longer half-precision vectors."""
_IN_PLACE = 3900
"""Vectors of so many components lie in the row itself, which a page of 8 KB holds."""
_RARE = 0.01
"""A language of a smaller share has no mean of its own in the index."""
_LOG = logging.getLogger(__name__)
_SQL = load("hnsw.sql", __package__)


class HnswIndex:
    """The indexes of one store. ``patient`` opens a connection for long work, ``turn`` is the statement that waits for a writer's turn."""

    def __init__(self, core: Core, patient: Callable[[], AbstractContextManager[psycopg.Connection[Any]]], turn: bytes) -> None:
        self._core = core
        self._patient = patient
        self._turn = turn
        self._schema: str | None = None
        self._cursors = numbers(1)

    def serves(self, db: Any, namespace: str, code: int, count: int) -> bool:
        """Whether the namespace is large and its index whole; asked of the database, where others may have dropped it."""
        del namespace
        return count >= LARGE and bool(value(db, _SQL["indexed"], (f"{TABLE}{code}_order",))) and self._extension(db) is not None

    def nearest(self, db: Any, namespace: str, code: int, filter: Filter, now: datetime, query: Vector, wanted: int) -> Iterator[Rows]:
        """See ``VectorIndex``; the filter is left to the caller, who goes on until it has enough."""
        del namespace, filter, now
        connection: psycopg.Connection[Any] = db.raw
        schema, cursor = sql.Identifier(self._extension(db) or "public"), sql.Identifier(f"near_{next(self._cursors)}")
        declare = sql.SQL('DECLARE {} NO SCROLL CURSOR FOR SELECT "row" FROM {} ORDER BY vector OPERATOR({}.<#>) %s::{}.halfvec')
        try:
            # A value of the extension's type comes first: it loads the library, which knows these settings. A planner that takes a small
            # index for dearer than sorting everything is not asked.
            connection.execute(sql.SQL("SELECT '[1]'::{}.halfvec").format(schema))
            db.execute(_SQL["tune"], (_EF_SEARCH, _MOST_SCANNED))
            connection.execute(declare.format(cursor, sql.Identifier(f"{TABLE}{code}"), schema, schema), (_text(query),))
            for setting in ("enable_seqscan", "enable_sort"):  # the plan is made: what comes after is planned as always
                connection.execute(sql.SQL("RESET {}").format(sql.Identifier(setting)))
            size = wanted + wanted // 4  # most filters hide a few
            while True:
                fetch = sql.SQL("FETCH {} FROM {}").format(sql.Literal(size), cursor)
                found = connection.cursor(binary=True).execute(fetch).fetchall()
                yield np.fromiter((row for (row,) in found), dtype=np.int64, count=len(found))
                if len(found) < size:
                    return
                size *= 2
        except errors.UndefinedTable as error:
            # Somebody put other vectors into the store since the index was looked for: the same again finds what is there now.
            raise errors.SerializationFailure(f"the index of vectors was replaced: {first_line(error)}") from error

    def build(self) -> dict[str, int]:
        """Make the index of every large namespace that has none, and drop those of namespaces that shrank. Blocking, for minutes where there
        are hundreds of thousands; others read and write meanwhile.
        """
        done = {"vector_indexes_made": 0, "vector_indexes_dropped": 0}
        with self._patient() as connection:
            lock = "SELECT pg_try_advisory_lock(%s, hashtext(current_schema()))"
            if connection.execute(lock, (BUILDING,)).fetchone() != (True,):  # another process is at it
                return done
            db = PostgresConnection(connection)
            sizes = {code: (name, size) for code, name, size in rows(db, _SQL["large"])}
            known = dict(rows(db, _SQL["indexes"]))
            due = [code for code, (_, size) in sizes.items() if size >= LARGE and not known.get(code)]
            over = [code for code in known if code not in sizes or sizes[code][1] < LARGE // 2]
            for code in over:
                self._drop(connection, code)
                done["vector_indexes_dropped"] += 1
            if due and 0 < (self._core.dimension or 0) <= _WIDEST and self._provided(connection):
                for code in due:
                    self._make(connection, code, sizes[code][0], self._core.dimension or 0)
                    done["vector_indexes_made"] += 1
        return done

    def remarks(self, db: Database) -> list[Remark]:
        """What an operator should know of large namespaces."""
        large = [(code, name, size) for code, name, size in rows(db, _SQL["large"]) if size >= LARGE]
        if not large or not 0 < (self._core.dimension or 0) <= _WIDEST:
            return []
        known = dict(rows(db, _SQL["indexes"]))
        bare = [f"{name} ({size:,})" for code, name, size in large if not known.get(code)]
        if not bare:
            return [Remark("vector index", "ok", f"{len(large)} large namespaces are searched by their index")]
        found = f"every process holds and scans all vectors of {', '.join(bare[:5])}"
        if self._extension(db) is None and not value(db, _SQL["extension_to_be_had"]):
            remedy = "Install pgvector 0.8 or newer on the server (postgresql-NN-pgvector), then run `hindsight upkeep stats`."
        else:
            remedy = "Run `hindsight upkeep stats`; it makes the index (where it may not create the extension: CREATE EXTENSION vector)."
        return [Remark("vector index", "warn", found, remedy)]

    def _extension(self, db: Any) -> str | None:
        """The schema of the extension, quoted; None where there is none that is new enough."""
        if self._schema is None:
            found = rows(db, _SQL["extension"])
            if found and tuple(int(part) for part in found[0][1].split(".")[:2]) >= _OLDEST:
                self._schema = found[0][0]
        return self._schema

    def _provided(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether the extension is there, or could be made."""
        db = PostgresConnection(connection)
        if self._extension(db) is None and value(db, _SQL["extension_to_be_had"]):
            try:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            except psycopg.DatabaseError as error:
                _LOG.warning(
                    "the extension vector could not be created (%s); run CREATE EXTENSION vector as a superuser.", first_line(error)
                )
        return self._extension(db) is not None

    def _drop(self, connection: psycopg.Connection[Any], code: int) -> None:
        with connection.transaction():
            connection.execute(_IMPATIENT)
            connection.execute(self._turn)
            rows(PostgresConnection(connection), _SQL["unindex"], (str(code),))

    def _make(self, connection: psycopg.Connection[Any], code: int, name: str, dimension: int) -> None:
        means = self._means(name)
        self._drop(connection, code)  # what an interrupted making left
        near, schema = sql.Identifier(f"{TABLE}{code}"), sql.Identifier(self._extension(PostgresConnection(connection)) or "public")
        with connection.transaction():
            connection.execute(_IMPATIENT)
            connection.execute(self._turn)
            own = sql.Identifier(value(PostgresConnection(connection), "SELECT current_schema()"))
            connection.execute(sql.SQL("SET LOCAL search_path = {}, {}").format(own, schema))
            for statement in _definitions(code, dimension, means):
                connection.execute(statement)
        for table, part in (("vectors", "-1"), ("passages", "number")):
            self._copy(connection, code, table, part)
        connection.execute(sql.SQL("SET maintenance_work_mem = {}").format(sql.Literal(_MEMORY)))
        create = sql.SQL("CREATE INDEX CONCURRENTLY {} ON {} USING hnsw (vector {}.halfvec_ip_ops) WITH (m = {}, ef_construction = {})")
        shape = (sql.Literal(_LINKS), sql.Literal(_BUILT_WITH))
        connection.execute(create.format(sql.Identifier(f"{TABLE}{code}_order"), near, schema, *shape))

    def _copy(self, connection: psycopg.Connection[Any], code: int, table: str, part: str) -> None:
        """Take over what was there before the triggers, a batch at a time in a writer's turn, so that nothing is erased meanwhile."""
        batch = sql.SQL(
            'WITH batch AS (SELECT "row", {part} AS part, data, scale FROM {table} WHERE namespace = {code} AND "row" > %s '
            'AND "row" <= (SELECT max("row") FROM (SELECT "row" FROM {table} WHERE namespace = {code} AND "row" > %s ORDER BY "row" LIMIT {size}) AS s)), '
            'copied AS (INSERT INTO {near} ("row", part, vector) SELECT "row", part, {centred}(data, scale, "row") FROM batch ON CONFLICT DO NOTHING) '
            'SELECT max("row") FROM batch'
        ).format(
            part=sql.SQL("-1") if part == "-1" else sql.Identifier(part),
            table=sql.Identifier(table),
            code=sql.Literal(code),
            size=sql.Literal(_BATCH),
            near=sql.Identifier(f"{TABLE}{code}"),
            centred=sql.Identifier(f"centred_{code}"),
        )
        last: int | None = -1
        while last is not None:
            with connection.transaction():
                connection.execute(self._turn)
                found = connection.execute(batch, (last, last)).fetchone()
                last = found[0] if found else None

    def _means(self, name: str) -> dict[int, Vector]:
        """The means that the index subtracts, by language: of every language that is not rare."""
        with self._core.engine.snapshot() as db:
            namespace = self._core.namespace(db, name)
            with namespace.lock:
                view = namespace.cache.view(db, change_number(db))
                means = namespace.means.of(db, view)
            counts = np.bincount(view.column("language")[view.live].astype(np.int64), minlength=1)
        return {code: mean for code, mean in means.by_code.items() if counts[code] >= _RARE * counts.sum()}


def _definitions(code: int, dimension: int, means: dict[int, Vector]) -> list[sql.Composed]:
    """Table, function and triggers of an index. A language without a mean takes the one that the vector points to most."""
    near, centred, place = sql.Identifier(f"{TABLE}{code}"), sql.Identifier(f"centred_{code}"), sql.Literal(code)
    offset = int(DTYPE.fields["language"][1]) if DTYPE.fields is not None else 0
    values = sql.SQL(", ").join(
        sql.SQL("({}, {}::vector)").format(sql.Literal(language), sql.Literal(_text(mean))) for language, mean in means.items()
    )
    made = [
        sql.SQL(
            'CREATE TABLE {} ("row" BIGINT NOT NULL, part INTEGER NOT NULL, vector halfvec({}) NOT NULL, PRIMARY KEY ("row", part))'
        ).format(near, sql.Literal(dimension)),
        sql.SQL(
            "CREATE FUNCTION {} (data BYTEA, scale DOUBLE PRECISION, place BIGINT) RETURNS halfvec LANGUAGE sql STABLE BEGIN ATOMIC "
            "SELECT l2_normalize(raw.vector - means.mean)::halfvec FROM (SELECT components(data, scale)::vector AS vector, "
            '(SELECT get_byte(packed, {}) FROM attributes WHERE namespace = {} AND "row" = place) AS language) AS raw, '
            "(VALUES {}) AS means (language, mean) ORDER BY means.language IS DISTINCT FROM raw.language, raw.vector <=> means.mean LIMIT 1; END"
        ).format(centred, sql.Literal(offset), place, values),
    ]
    if dimension <= _IN_PLACE:
        made.append(sql.SQL("ALTER TABLE {} ALTER COLUMN vector SET STORAGE PLAIN").format(near))
    for table in ("vectors", "passages"):
        for when, what, row in (("put", "INSERT OR UPDATE", "new"), ("gone", "DELETE", "old")):
            made.append(
                sql.SQL(
                    "CREATE TRIGGER {} AFTER {} ON {} FOR EACH ROW WHEN ({}.namespace = {}) EXECUTE FUNCTION bring_near({}, {})"
                ).format(
                    sql.Identifier(f"near_{code}_{when}"),
                    sql.SQL(what),
                    sql.Identifier(table),
                    sql.SQL(row),
                    place,
                    sql.Literal(str(code)),
                    sql.Literal(table),
                )
            )
    return made


def _text(vector: Vector) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(f'{component:.7g}' for component in vector.tolist())}]"
