"""Named SQL (each ``.sql`` file beside this module holds statements that begin with ``-- name: …``) and how it is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import apsw

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def load(file: str) -> Mapping[str, str]:
    """The statements of a file by name."""
    parts = _NAME.split(files(__package__).joinpath(file).read_text(encoding="utf-8"))
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def rows(db: apsw.Connection, sql: str, bindings: apsw.Bindings = ()) -> list[Any]:
    """All rows of a statement, as tuples; also runs a statement with RETURNING to its end."""
    return db.execute(sql, bindings).fetchall()


def value(db: apsw.Connection, sql: str, bindings: apsw.Bindings = ()) -> Any:
    """The first column of the first row; None where there is no row."""
    found = db.execute(sql, bindings).fetchall()
    return found[0][0] if found else None
