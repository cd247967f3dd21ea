"""Upkeep's part of a store: leases, records in bulk, and what is removed with a person's data."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hindsight.adapters.relational import erasing
from hindsight.adapters.relational.core import Core
from hindsight.adapters.relational.mapping import read_memory, to_json, unpack_text
from hindsight.adapters.relational.pruning import Pruner
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.sealing import SealWriter
from hindsight.ports import NewEvent
from hindsight.records import Kind, Memory, Status
from hindsight.tending import HistoryCut, HistoryStep, Trace, UpkeepState
from hindsight.text.fold import fold
from hindsight.text.standing import stands

_SQL = load("upkeep.sql")
_META = load("store.sql")
_FAR = 1e12
_AHEAD = 3_600.0
"""Seconds by which clocks of replicas may differ. What was noted later than that was noted by a clock that was wrong: it holds nobody up."""


class Upkeeping:
    """The ``UpkeepStore`` of a store.

    Args:
        core: the open store.
        after_erasing: takes away what the engine itself keeps of erased rows.
        tune: what the engine does for its own health.
        log_keeps: whether old pages in the engine's log hold what was erased, until that log is emptied.
    """

    def __init__(
        self, core: Core, after_erasing: Callable[[], Awaitable[None]], tune: Callable[[], Awaitable[dict[str, int]]], *, log_keeps: bool
    ) -> None:
        self._core = core
        self._after_erasing = after_erasing
        self._tune = tune
        self._log_keeps = log_keeps

    async def begin(self, name: str, holder: str, *, seconds: float, unless_since: datetime | None = None) -> bool:
        """Take the lease of a job."""
        now = self._core.clock.now().timestamp()
        since = _FAR if unless_since is None else unless_since.timestamp()
        names = {"name": name, "holder": holder, "now": now, "until": now + seconds, "since": since, "ahead": now + _AHEAD}
        return bool(await self._core.write(lambda db: rows(db, _SQL["begin"], names)))

    async def hold(self, name: str, holder: str, *, seconds: float) -> bool:
        """Prolong it."""
        names = {"name": name, "holder": holder, "until": self._core.clock.now().timestamp() + seconds}
        return bool(await self._core.write(lambda db: rows(db, _SQL["hold"], names)))

    async def end(self, name: str, holder: str, *, report: Mapping[str, Any] | None, error: str | None) -> bool:
        """Give it back with what the run did."""
        text = None if report is None else to_json(dict(report))
        names = {"name": name, "holder": holder, "now": self._core.clock.now().timestamp(), "report": text, "error": error}
        return bool(await self._core.write(lambda db: rows(db, _SQL["finish"], names)))

    async def states(self) -> list[UpkeepState]:
        """Every job that ever ran."""
        found = await self._core.read(lambda db: rows(db, _SQL["states"]))
        return [
            UpkeepState(name, holder, _time(until), _time(started), _time(finished), None if report is None else json.loads(report), error)
            for name, holder, until, started, finished, report, error in found
        ]

    async def scan(
        self, namespace: str, *, statuses: Sequence[Status], kinds: Sequence[Kind], after: int = 0, limit: int = 500, having: str = ""
    ) -> list[tuple[int, Memory]]:
        """The next records of every agent, oldest first."""
        names = {
            "namespace": namespace,
            "statuses": to_json([each.value for each in statuses]),
            "kinds": to_json([each.value for each in kinds]),
            "after": after,
            "limit": limit,
            "like": f'%"{having}":%' if having else "%",  # fields that are not set are not in the text
        }
        found = await self._core.read(lambda db: rows(db, _SQL["scan"], names))
        return [(values[0], read_memory(values[1:])) for values in found]

    async def evict(self, ids: Sequence[UUID], event: NewEvent) -> list[UUID]:
        """Take records out that are kept elsewhere."""
        return await self._core.write_indexed(
            lambda db, index: erasing.erase(db, index, ids, event, self._core.sealing.writer(db), self._core.images, mentions=False)
        )

    async def scrub(self, traces: Sequence[Trace]) -> None:
        """Remove what speaks of records that are not in the store any more."""
        if not traces:
            return

        def work(db: Database) -> None:
            erasing.scrub(db, [(str(each.id), each.namespace, each.content) for each in traces], self._core.sealing.writer(db))
            self._mark(db)

        await self._core.write_indexed(lambda db, _: work(db))
        await self._after_erasing()

    async def scrub_subject(self, namespace: str, words: Sequence[str]) -> dict[str, int]:
        """Remove every turn, logged query, queued job, session and history text that holds one of the words."""

        def work(db: Database) -> dict[str, int]:
            counts = _scrub_subject(db, namespace, Words(words), self._core.sealing.writer(db))
            self._mark(db)
            return counts

        counts = await self._core.write_indexed(lambda db, _: work(db))
        await self._after_erasing()
        return counts

    async def counts(self, ids: Sequence[UUID]) -> dict[str, int]:
        """How much of records there is in every table and index."""

        def work(db: Database) -> dict[str, int]:
            found: dict[str, int] = {}
            for id in map(str, ids):
                for name in ("record", "shown", "votes", "event_texts"):
                    found[name] = found.get(name, 0) + int(value(db, _SQL[f"count_{name}"], (id,)))
                for (row,) in rows(db, _SQL["row_of"], (id, id)):
                    for name in ("tokens", "vectors", "passages", "links", "attributes"):
                        found[name] = found.get(name, 0) + int(value(db, _SQL[f"count_{name}"], (row,)))
            return found

        return await self._core.read(work)

    async def cut_history(self, order: HistoryCut, step: HistoryStep, *, limit: int = 1000) -> HistoryStep:
        """Cut the history by at most so many entries."""
        sealing = self._core.sealing
        if order.dry_run:
            return await self._core.read(lambda db: Pruner(db, sealing, order).step(step, limit))
        # Most of what was left stays: writers are only kept waiting for the rest.
        if (following := await self._core.read(lambda db: Pruner(db, sealing, order).idle(step, limit))) is not None:
            return following

        def work(db: Database) -> HistoryStep:
            sealing.writer(db)  # a sealed store without its key is written to by nobody
            return Pruner(db, sealing, order).step(step, limit)

        return await self._core.write_indexed(lambda db, _: work(db))

    async def tune(self) -> dict[str, int]:
        """What the engine does for its own health."""
        return await self._tune()

    def _mark(self, db: Database) -> None:
        if self._log_keeps:
            db.execute(_META["set_meta"], ("log_holds_erased", "1"))


class Words:
    """Folded words that are looked for in texts; a Latin one as a whole word only."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [fold(word) for word in words if fold(word)]

    def within(self, *texts: str | None) -> bool:
        """Whether one of them stands in one of the texts."""
        for text in texts:
            if not text:
                continue
            folded = fold(text)
            if any(stands(word, folded) for word in self._words):
                return True
        return False


def _scrub_subject(db: Database, namespace: str, words: Words, seals: SealWriter | None) -> dict[str, int]:
    counts = dict.fromkeys(("turns", "retrievals", "jobs", "sessions", "events"), 0)
    for number, speaker, content in rows(db, _SQL["turns"], (namespace,)):
        if words.within(speaker, unpack_text(content)):
            db.execute(_SQL["delete_turn"], (number,))
            counts["turns"] += 1
    for number, query, detail in rows(db, _SQL["retrievals"], (namespace,)):
        if words.within(query, detail):
            db.execute(_SQL["blank_retrieval"], (number,))
            counts["retrievals"] += 1
    for id, payload, result, error in rows(db, _SQL["jobs"], (namespace,)):
        if words.within(payload, result, error):
            db.execute(_SQL["blank_job"], (id,))
            counts["jobs"] += 1
    for agent, session, body in rows(db, _SQL["sessions"], (namespace,)):
        if words.within(session, body):
            db.execute(_SQL["delete_session"], (namespace, agent, session))
            counts["sessions"] += 1
    for seq, before, after, reason in rows(db, _SQL["event_texts"], (namespace,)):
        if words.within(before, after, reason):
            for core in rows(db, _SQL["blank_event"], (seq,)):
                counts["events"] += 1
                if seals is not None:
                    seals.scrub(core)
    if seals is not None:
        seals.flush()
    return counts


def _time(moment: float | None) -> datetime | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC)
