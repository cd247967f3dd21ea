"""A connection as the shared code sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg

from hindsight.adapters.postgres.dialect import plain, worded


class Found:
    """The rows of a statement; none where it gives none."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor

    def fetchall(self) -> list[Any]:
        """All of them."""
        return self._cursor.fetchall() if self._cursor.description is not None else []

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())


class PostgresConnection:
    """A ``Database`` (:mod:`hindsight.adapters.relational.queries`) inside a transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, bindings: Any = (), /) -> Found:
        """Run a statement of the catalogue."""
        cursor = self._connection.cursor(binary=True)
        cursor.execute(worded(sql), plain(bindings))
        return Found(cursor)

    def executemany(self, sql: str, bindings: Iterable[Any], /) -> None:
        """Run a statement once for each of the bindings."""
        if many := [plain(each) for each in bindings]:
            self._connection.cursor().executemany(worded(sql), many)
