"""Named SQL (each ``.sql`` file beside this module holds statements that begin with ``-- name: …``) and how it is run.

The texts are SQLite's. An engine that words a statement differently has its own text under the same key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Protocol, Self

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


class Statement(str):
    """The text of a statement, and the key by which every engine knows it: file and name (``records.get``)."""

    __slots__ = ("key",)

    def __new__(cls, text: str, key: str) -> Self:
        statement = super().__new__(cls, text)
        statement.key = key
        return statement

    key: str


class Cursor(Protocol):
    """The rows of a statement, as tuples."""

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection inside a transaction."""

    def execute(self, sql: str, bindings: Any = ..., /) -> Cursor: ...

    def executemany(self, sql: str, bindings: Iterable[Any], /) -> object: ...


def parse(text: str) -> dict[str, str]:
    """The statements of a file's text by name."""
    parts = _NAME.split(text)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


@cache
def load(file: str, package: str = __package__) -> Mapping[str, Statement]:
    """The statements of a package's file by name."""
    stem = file.removesuffix(".sql")
    found = parse(files(package).joinpath(file).read_text(encoding="utf-8"))
    return {name: Statement(body, f"{stem}.{name}") for name, body in found.items()}


def rows(db: Database, sql: str, bindings: Any = ()) -> list[Any]:
    """All rows of a statement, as tuples; also runs a statement with RETURNING to its end."""
    return db.execute(sql, bindings).fetchall()


def value(db: Database, sql: str, bindings: Any = ()) -> Any:
    """The first column of the first row; None where there is no row."""
    found = db.execute(sql, bindings).fetchall()
    return found[0][0] if found else None
