"""Short texts that a store keeps beside the records, and what a snapshot of it is of."""

from __future__ import annotations

from hindsight.adapters.relational.core import Core, change_number
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.snapshots import Condition, Remark, SnapshotFacts

_SQL = load("notes.sql")
_META = load("store.sql")
PREFIX = "note:"


class Notes:
    """The notes of a ``SnapshotSource``."""

    _core: Core
    _contradicting: tuple[int, int] | None = None
    """Of which change, and how many."""

    async def note(self, name: str, text: str) -> None:
        """Keep a text; it replaces the one of that name."""
        await self._core.write(lambda db: rows(db, _META["set_meta"], (PREFIX + name, text)))

    async def noted(self, name: str) -> str | None:
        """The text of that name."""
        found: str | None = await self._core.read(lambda db: value(db, _META["get_meta"], (PREFIX + name,)))
        return found

    async def remarks(self) -> list[Remark]:
        """What an operator should know of the engine; of this one, nothing."""
        return []

    async def condition(self) -> Condition:
        """What an operator watches, in one look; what needs a look at every record is only looked at anew after a change."""
        return await self._core.read(self._condition)

    def _condition(self, db: Database) -> Condition:
        now, change = self._core.clock.now().timestamp(), change_number(db)
        oldest, stale = rows(db, _SQL["queue"], {"now": now})[0]
        if self._contradicting is None or self._contradicting[0] != change:
            self._contradicting = (change, int(value(db, _SQL["conflicts"])))
        return Condition(
            queue_age=0.0 if oldest is None else max(0.0, now - oldest),
            stale_leases=int(stale),
            review_backlog=int(value(db, _SQL["backlog"], {"now": now})),
            conflicts=self._contradicting[1],
        )

    async def without_vector(self) -> int:
        """Active records that search by meaning cannot find."""
        return int(await self._core.read(lambda db: value(db, _SQL["without_vector"])))


def snapshot_facts(db: Database, *, engine: str, schema_version: int) -> SnapshotFacts:
    """What the store is, on one snapshot."""
    return SnapshotFacts(
        engine=engine,
        schema_version=schema_version,
        embedder=value(db, _META["get_meta"], ("embedder",)),
        counts=dict(rows(db, _SQL["counts"])),
    )
