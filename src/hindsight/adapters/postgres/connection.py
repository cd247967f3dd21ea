"""A connection as the shared code sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg

from hindsight.adapters.postgres.dialect import gives_rows, plain, worded


class Found:
    """The rows of a statement. Statements go out together until somebody asks for rows, so that few wait for the network."""

    def __init__(self, cursor: psycopg.Cursor[Any], *, rows: bool) -> None:
        self._cursor = cursor
        self._rows = rows
        self._rest: Iterator[Any] | None = None

    def fetchall(self) -> list[Any]:
        """All of them; none where the statement gives none."""
        return self._cursor.fetchall() if self._rows else []

    def __iter__(self) -> Iterator[Any]:
        if self._rest is None:  # who takes some and comes again goes on behind them
            self._rest = iter(self.fetchall())
        return self._rest


class PostgresConnection:
    """A ``Database`` (:mod:`hindsight.adapters.relational.queries`) inside a transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    @property
    def raw(self) -> psycopg.Connection[Any]:
        """The connection itself, for what is PostgreSQL's own."""
        return self._connection

    def execute(self, sql: str, bindings: Any = (), /) -> Found:
        """Run a statement of the catalogue."""
        cursor = self._connection.cursor(binary=True)
        text = worded(sql)
        cursor.execute(text, plain(bindings))
        return Found(cursor, rows=gives_rows(text))

    def executemany(self, sql: str, bindings: Iterable[Any], /) -> None:
        """Run a statement once for each of the bindings."""
        if many := [plain(each) for each in bindings]:
            self._connection.cursor().executemany(worded(sql), many)
