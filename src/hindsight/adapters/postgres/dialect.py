"""The statements of the shared catalogue as PostgreSQL words them, and texts as it can keep them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader, TextLoader

from hindsight.adapters.relational.queries import Statement, parse

_NAMED = re.compile(r"(?<!:):([a-z_]+)")


@cache
def own_statements() -> Mapping[str, str]:
    """What is worded differently, by key."""
    folder = files(__package__).joinpath("statements")
    found = {}
    for path in folder.iterdir():
        if path.name.endswith(".sql"):
            for name, text in parse(path.read_text(encoding="utf-8")).items():
                found[f"{path.name.removesuffix('.sql')}.{name}"] = text
    return found


@cache
def worded(sql: str) -> str:
    """A statement with psycopg's placeholders, in PostgreSQL's words where they differ.

    ``sql`` of the shared catalogue is found by its key; any other text is taken as it is written.
    """
    text = own_statements().get(sql.key, sql) if isinstance(sql, Statement) else sql
    return _NAMED.sub(r"%(\1)s", text.replace("%", "%%").replace("?", "%s"))


@cache
def gives_rows(text: str) -> bool:
    """Whether a statement of the catalogue answers with rows."""
    return "RETURNING" in text or text.startswith(("SELECT", "WITH"))


# PostgreSQL's texts hold no NUL. It is kept as two characters, and so is the one that announces it; the order of texts stays as it was.
_KEPT = str.maketrans({"\0": "\1\1", "\1": "\1\2"})
_GIVEN = re.compile("\1([\1\2])")


def kept_text(text: str) -> str:
    """A text as the database keeps it."""
    return text.translate(_KEPT) if "\0" in text or "\1" in text else text


def given_text(text: str) -> str:
    """The inverse of :func:`kept_text`."""
    return _GIVEN.sub(lambda found: chr(ord(found[1]) - 1), text) if "\1" in text else text


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(kept_text(obj))


class _Loader(TextLoader):
    def load(self, data: Buffer) -> str | bytes:
        return _loaded(super().load(data))


class _BinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str | bytes:
        return _loaded(super().load(data))


def _loaded(text: str | bytes) -> str | bytes:
    return given_text(text) if isinstance(text, str) else text


def register(adapters: AdaptersMap) -> None:
    """Let a connection keep every text."""
    adapters.register_dumper(str, _Dumper)
    adapters.register_loader("text", _Loader)
    adapters.register_loader("text", _BinaryLoader)


def plain(bindings: Any) -> Any:
    """Bindings as psycopg takes them."""
    return dict(bindings) if isinstance(bindings, Mapping) else tuple(bindings)
