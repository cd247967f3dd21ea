"""Cutting the history: entries that nothing needs any more go, and the rest is sealed so that nobody can take away more.

A chain's beginning is replaced by a cut, which says up to which link, where the next one continues, and which links of before are left.
Each of those carries the seal of the link before it, so that it is verified by itself; the sum over the keyed digests of all of them (the
multiset hash MSet-Add-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, 2003) shows that none went or came. A step is one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from hindsight.adapters.relational.mapping import to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.sealing import Sealing
from hindsight.errors import StoreCorrupt
from hindsight.records import utc
from hindsight.seals import FIRST, KEY_BYTES, Sealer, total_of
from hindsight.tending import HistoryCut, HistoryStep

_SQL = load("pruning.sql")
_LASTING = ("created", "reviewed", "undone")
"""What stays of the history of a memory as long as that is there."""


class _Link(NamedTuple):
    number: int
    kind: str
    memory_id: str
    event: int
    key: bytes
    mac: bytes


class _Facts(NamedTuple):
    """Of an event: ``stands`` tells whether its memory is there, ``latest`` whether nothing happened to that later, ``spoken_of`` whether a
    link after the cut is about the event. The others are about when the memory was erased last: whether this event is that, or the one
    right before, which a tombstone names.
    """

    seq: int
    action: str
    at: str
    stands: bool
    latest: bool
    spoken_of: bool
    gone_at: str | None
    is_gone: bool | None
    before_gone: bool | None
    by_keeper: bool | None
    moved: bool | None


@dataclass(slots=True)
class _Cut:
    """A row of ``seal_cuts`` while it moves on."""

    chain: int
    namespace: str
    number: int = 0
    last: bytes = FIRST[0]
    mac: bytes = FIRST[1]
    kept: int = 0
    total: int = 0
    before: str = ""


class Pruner:
    """One step in one namespace, inside the writer's transaction (or a read transaction, where ``plan`` is only asked what would go)."""

    def __init__(self, db: Database, sealing: Sealing, order: HistoryCut) -> None:
        self._db = db
        self._sealer = sealing.sealer
        self._store = sealing.store
        self._order = order

    def step(self, step: HistoryStep, limit: int) -> HistoryStep:
        """The next step after ``step``; nothing is left to do when it is ``done``."""
        if self._sealer is None:
            return self._events(step, limit)
        found = rows(self._db, _SQL["head"], (self._order.namespace,))
        if not found:
            return HistoryStep(step.phase, step.after, 0, done=True)
        chain, head = found[0]
        if self._order.dry_run:
            return self._plan(chain, head, step, limit)
        cut = self._load(chain)
        return self._advance(cut, head, self._sealer, limit) if step.phase == "cut" else self._sweep(cut, self._sealer, step, limit)

    def _plan(self, chain: int, head: int, step: HistoryStep, limit: int) -> HistoryStep:
        """What a step would remove."""
        page = self._page(chain, step.after, head, limit)
        needed = self._needed(page, chain, head - 1)
        return HistoryStep(
            step.phase, page[-1].number if page else 0, sum(not needed[link.number] for link in page), done=len(page) < limit
        )

    def _advance(self, cut: _Cut, head: int, sealer: Sealer, limit: int) -> HistoryStep:
        """Move the cut on. The last link of a chain always stays: the next one continues it."""
        page = self._page(cut.chain, cut.number, head, limit)
        needed, removed = self._needed(page, cut.chain, cut.number), 0
        for link in page:
            if link.number != cut.number + 1 or link.kind == "broken":
                raise StoreCorrupt(f"the history of the namespace {cut.namespace!r} is not whole; run `hindsight verify`.")
            if needed[link.number] or self._explains(link):
                self._db.execute(_SQL["mark_previous"], (cut.last + cut.mac, cut.chain, link.number))
                cut.total += sealer.kept((cut.namespace, link.number), (link.key, link.mac))
                cut.kept += 1
            else:
                self._drop(cut.chain, link)
                removed += 1
            cut.number, cut.last, cut.mac = link.number, link.key, link.mac
        if page:
            cut.before = utc(self._order.before).isoformat()
            self._put(cut, sealer)
        return HistoryStep("cut", 0, removed, done=len(page) < limit)

    def idle(self, step: HistoryStep, limit: int) -> HistoryStep | None:
        """The next step where that has nothing to remove, found out by reading alone; else None."""
        found = rows(self._db, _SQL["head"], (self._order.namespace,))
        if self._sealer is None or not found or step.phase == "cut":
            return None
        cut = self._load(found[0][0])
        page = self._page(cut.chain, step.after, cut.number + 1, limit)
        needed = self._needed(page, cut.chain, cut.number)
        return self._swept(page, step, 0, limit) if all(needed.values()) else None

    def _swept(self, page: Sequence[_Link], step: HistoryStep, removed: int, limit: int) -> HistoryStep:
        return HistoryStep("sweep", page[-1].number, removed) if len(page) == limit else HistoryStep("cut", step.after, removed)

    def _sweep(self, cut: _Cut, sealer: Sealer, step: HistoryStep, limit: int) -> HistoryStep:
        """Take away links of before the cut that were needed once and are no more. This comes first: of what was moved away entries go in
        their order, so that those which are left make sense wherever it is cut short.
        """
        page = self._page(cut.chain, step.after, cut.number + 1, limit)
        needed, gone = self._needed(page, cut.chain, cut.number), dict[int, tuple[bytes, bytes]]()
        for link in page:
            if needed[link.number] or self._explains(link) or link.kind == "scrub":
                continue  # what speaks of an event goes with it
            self._drop(cut.chain, link)
            gone[link.number] = (link.key, link.mac)
            if link.event:
                gone |= {number: tuple(sealed) for number, *sealed in rows(self._db, _SQL["drop_scrubs"], (cut.chain, link.event))}
        if gone:
            cut.total -= sum(sealer.kept((cut.namespace, number), sealed) for number, sealed in gone.items())
            cut.kept -= len(gone)
            self._put(cut, sealer)
        return self._swept(page, step, len(gone), limit)

    def _events(self, step: HistoryStep, limit: int) -> HistoryStep:
        """The same for a store without seals."""
        page = [
            _Link(seq, "erase" if action == "erased" else "write", memory_id, seq, b"", b"")
            for seq, memory_id, action in rows(self._db, _SQL["page_of_events"], (self._order.namespace, step.after, limit))
        ]
        needed = self._needed(page, -1, 0)
        gone = [link for link in page if not needed[link.number]]
        for link in () if self._order.dry_run else gone:
            if not self._explains(link):
                self._drop(-1, link)
        return HistoryStep("cut", page[-1].number if page else 0, len(gone), done=len(page) < limit)

    def _page(self, chain: int, after: int, end: int, limit: int) -> list[_Link]:
        return [_Link(*values) for values in rows(self._db, _SQL["page_of_links"], (chain, after, end, limit))]

    def _needed(self, page: Sequence[_Link], chain: int, cut: int) -> dict[int, bool]:
        """By number, whether the event that a link speaks of is needed; of a link without one, whether its memory is there."""
        order, events = self._order, sorted({link.event for link in page if link.event})
        asked = {
            "events": to_json(events), "chain": chain, "cut": cut, "keeper": order.keeper, "channel": order.channel, "moved": order.moved
        }  # fmt: skip
        needed = {facts[0] for facts in map(_Facts._make, rows(self._db, _SQL["facts"], asked)) if self._needs(facts)}
        return {
            link.number: link.event in needed if link.event else value(self._db, _SQL["standing"], (link.memory_id,)) is not None
            for link in page
        }

    def _needs(self, event: _Facts) -> bool:
        young = self._young(event.at)
        if event.spoken_of:
            return True
        if event.stands:
            return young or event.latest or bool(event.before_gone) or event.action in _LASTING
        if event.gone_at is None or not event.by_keeper:
            return young or bool(event.is_gone or event.before_gone)
        return self._young(event.gone_at) and not event.moved and (young or bool(event.is_gone or event.before_gone))

    def _young(self, at: str) -> bool:
        return datetime.fromisoformat(at) >= self._order.before

    def _explains(self, link: _Link) -> bool:
        """Whether it says why a memory is not there of which there still are entries: it is the last of them to go."""
        return link.kind == "erase" and bool(rows(self._db, _SQL["explained"], (link.memory_id, link.event, link.memory_id)))

    def _drop(self, chain: int, link: _Link) -> None:
        self._db.execute(_SQL["drop_link"], (chain, link.number))
        if link.kind == "scrub" or not link.event:
            return
        if link.kind == "erase" and value(self._db, _SQL["last_erased"], (link.memory_id,)) == link.event:
            self._db.execute(_SQL["drop_tombstone"], (link.memory_id,))
        self._db.execute(_SQL["drop_event"], (link.event,))
        self._db.execute(_SQL["drop_parents"], (link.memory_id,) * 3)

    def _load(self, chain: int) -> _Cut:
        found = rows(self._db, _SQL["cut"], (self._order.namespace,))
        if not found:
            return _Cut(chain, self._order.namespace)
        _, namespace, number, last, mac, kept, total, before, key, _ = found[0]
        cut = _Cut(chain, namespace, number, last, mac, kept, int.from_bytes(total), before)
        if self._sealer is not None and key != self._sealer.key:  # the key was changed: the new one vouches for what is left
            links = rows(self._db, _SQL["kept_links"], (chain, number))
            cut.total = sum(self._sealer.kept((namespace, place), (link, seal)) for place, link, seal in links)
        return cut

    def _put(self, cut: _Cut, sealer: Sealer) -> None:
        total = total_of([cut.total])
        seal = sealer.cut(self._store, (cut.namespace, cut.number), (cut.last, cut.mac), (cut.kept, total), cut.before)
        self._db.execute(_SQL["put_cut"], (cut.chain, cut.number, cut.last, cut.mac, cut.kept, total, cut.before, sealer.key, seal))


def previous_of(marked: bytes | None) -> tuple[bytes, bytes] | None:
    """(key, seal) of the link before one that was left before a cut."""
    if marked is None:
        return None
    return (marked[:KEY_BYTES], marked[KEY_BYTES:]) if marked else FIRST
