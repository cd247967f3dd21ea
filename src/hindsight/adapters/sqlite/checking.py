"""Is the store sound: the file itself, the full-text index, and what is derived from the records."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from hindsight.adapters.relational.checking import drift, missing, wrong_vectors
from hindsight.adapters.relational.queries import load, rows
from hindsight.errors import StoreCorrupt

_SQL = load("store.sql", __package__)
_FULLTEXT = load("fulltext.sql", __package__)


def check(db: apsw.Connection, dimension: int | None) -> list[str]:
    """What is wrong, one sentence each."""
    faults: list[str] = []
    steps: tuple[Callable[[], list[str]], ...] = (
        lambda: _damage(db),
        lambda: missing(db),
        lambda: drift(db),
        lambda: wrong_vectors(db, dimension),
    )
    for step in steps:
        try:
            faults += step()
        except (apsw.CorruptError, StoreCorrupt) as error:
            faults.append(f"Reading failed: {error}")
    return faults


def check_terms(db: apsw.Connection) -> list[str]:
    """Whether the full-text index holds exactly the stored token texts. Needs a connection that may write."""
    try:
        db.execute(_FULLTEXT["check_terms"])
    except apsw.CorruptError:
        return ["The keyword index does not match the records; run `hindsight reindex --keywords`."]
    return []


def _damage(db: apsw.Connection) -> list[str]:
    return [f"The database file is damaged: {text}. Restore a backup." for (text,) in rows(db, _SQL["integrity"]) if text != "ok"]
