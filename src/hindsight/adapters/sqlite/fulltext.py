"""The full-text index (FTS5), changed at the end of each transaction."""

from __future__ import annotations

import apsw

from hindsight.adapters.relational.queries import load

_SQL = load("fulltext.sql", __package__)


class IndexChanges:
    """What a transaction does to the full-text index, done at its end and in order of rows.

    FTS5 writes a segment whenever a savepoint or statement journal begins or a lower row number comes: interleaved with other
    statements, each record would make a segment of its own.
    """

    def __init__(self) -> None:
        self._rows: dict[int, tuple[str | None, str | None]] = {}

    def index(self, row: int, text: str) -> None:
        """Put a record in."""
        self._rows[row] = (self._rows.get(row, (None, None))[0], text)

    def unindex(self, row: int, text: str) -> None:
        """Take a record out; ``text`` is what is indexed, or was to be."""
        pending = self._rows.get(row)
        self._rows[row] = (text, None) if pending is None else (pending[0], None)

    def add(self, later: IndexChanges) -> None:
        """Append the changes of a later part of the transaction."""
        for row, (before, after) in later._rows.items():
            if before is not None:
                self.unindex(row, before)
            if after is not None:
                self.index(row, after)

    def apply(self, db: apsw.Connection) -> None:
        """Do it."""
        for row, (before, after) in sorted(self._rows.items()):
            if before is not None:
                db.execute(_SQL["unindex"], (row, before))
            if after is not None:
                db.execute(_SQL["index"], (row, after))
        self._rows.clear()
