"""The reconcile stage: what becomes of new statements beside the standing ones, as writes of one transaction.

Same statement → one record, better founded. Contradiction or update → the old one is superseded where the writer's trust is
at least its own, and otherwise both stay, marked as a conflict. Anything else stands for itself. Episodes, procedures and
knowledge pass through untouched.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TypeVar
from uuid import UUID

import numpy as np

from hindsight.errors import IndexUnavailable, VersionConflict
from hindsight.guard.trust import corroborates
from hindsight.ports import Committed, NewEvent, RecordStore, Vector, Write
from hindsight.records import LAYER_OF, EventAction, Filter, Kind, Layer, Memory, Principal, Status, StoreStatus
from hindsight.remember.commit import build_write, event_of
from hindsight.remember.embed import Embedded
from hindsight.remember.reconcile.relation import MERGING, SUPERSEDING, Relation
from hindsight.telemetry import traced
from hindsight.text.language import detect_language
from hindsight.text.tokens import query_tokens

T = TypeVar("T")
_Word = tuple[str, str, str]
CANDIDATES = 16
"""Standing records looked at for each route and statement."""
ATTEMPTS = 10
FEW = 4
"""Records that need nothing from the store are made ready on the event loop, unless there are more of them."""
SEMANTIC = tuple(kind for kind in Kind if LAYER_OF[kind] is Layer.SEMANTIC)


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a new memory: the record that stands for it, how, and why. ``status`` is None where it was simply stored."""

    id: UUID
    status: StoreStatus | None = None
    reasons: tuple[str, ...] = ()


class Reconciler:
    """Settles new memories against those of the same agent in the same namespace."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        # Two statements that contradict each other must not both look before either is written.
        self._one_at_a_time = asyncio.Lock()

    @traced("hindsight.store.reconcile")
    async def commit(
        self,
        memories: Sequence[Memory],
        vectors: Mapping[UUID, Embedded],
        principal: Principal,
        now: datetime,
        *,
        verbatim: bool,
        notes: Mapping[UUID, str] | None = None,
    ) -> dict[UUID, Settled]:
        """Write the memories and what changes with them in one transaction; the answer is keyed by their ids.

        ``verbatim``: the texts were given to be kept as they are; a merge then keeps the new wording. ``notes``: what the guard said of each,
        for its history.

        Raises:
            VersionConflict: records changed under it in every attempt.
        """
        if not any(map(_relates, memories)):
            return await self._settle(memories, vectors, principal, now, verbatim=verbatim, notes=notes or {})
        async with self._one_at_a_time:
            return await self._settle(memories, vectors, principal, now, verbatim=verbatim, notes=notes or {})

    async def _settle(
        self,
        memories: Sequence[Memory],
        vectors: Mapping[UUID, Embedded],
        principal: Principal,
        now: datetime,
        *,
        verbatim: bool,
        notes: Mapping[UUID, str],
    ) -> dict[UUID, Settled]:
        async def planned() -> tuple[Plan, list[Write]]:
            plan = Plan(principal, now, verbatim=verbatim)
            fetched: dict[int, Memory] = {}
            for memory in memories:
                plan.add(memory, await self._candidates(memory, vectors[memory.id].vector, now, fetched) if _relates(memory) else [])
            return plan, plan.writes(vectors, notes)

        attempt = 1
        while True:
            apart = len(memories) > FEW or any(map(_relates, memories))
            plan, writes = await (self._store.reading(planned) if apart else planned())
            try:
                return plan.settled(await self._store.commit(writes) if writes else [])
            except VersionConflict:
                if attempt == ATTEMPTS:
                    raise
                attempt += 1

    async def _candidates(self, memory: Memory, vector: Vector | None, now: datetime, fetched: dict[int, Memory]) -> list[Memory]:
        """Standing statements of the agent that share words or meaning with it. ``fetched``: by row, what was read on this snapshot before."""
        filter = Filter(namespace=memory.namespace, agent=memory.agent, scope="own", kinds=SEMANTIC, statuses=(Status.ACTIVE,), now=now)
        standing = await self._found(filter, memory.text(), vector, fetched)
        return [record for record in standing if record.agent == memory.agent and record.status is Status.ACTIVE]

    async def _found(self, filter: Filter, text: str, vector: Vector | None, fetched: dict[int, Memory]) -> list[Memory]:
        rows = [(await self._store.search_terms(filter, query_tokens(text), limit=CANDIDATES)).rows]
        if vector is not None:
            with suppress(IndexUnavailable):  # words find most of them; a write does not wait for an index
                rows.append((await self._store.search_vector(filter, vector, limit=CANDIDATES, language=detect_language(text))).rows)
        found = np.unique(np.concatenate(rows))
        missing = np.array([row for row in found.tolist() if row not in fetched], dtype=np.int64)
        if len(missing):
            records = await self._store.fetch(missing)
            if len(records) < len(missing):  # some went since: what is left cannot be told apart by place
                return await self._store.fetch(found)
            fetched.update(zip(missing.tolist(), records, strict=True))
        return [fetched[row] for row in found.tolist()]


class Plan:
    """What one transaction will write. A later memory of the batch is settled against the earlier ones too. No I/O."""

    def __init__(self, principal: Principal, now: datetime, *, verbatim: bool) -> None:
        self._principal = principal
        self._now = now
        self._verbatim = verbatim
        self._new: dict[UUID, Memory] = {}
        self._changed: dict[UUID, tuple[Memory, Memory, NewEvent]] = {}
        self._settled: dict[UUID, Settled] = {}
        self._of_word: dict[_Word, list[int]] = {}
        self._order: list[UUID] = []

    def add(self, memory: Memory, candidates: Sequence[Memory]) -> None:
        """Settle one memory against standing ``candidates`` and what the plan holds already."""
        standing = {record.id: self._changed[record.id][1] if record.id in self._changed else record for record in candidates}
        words = _words_of(memory)
        standing |= {id: self._new[id] for id in self._nearest(words) if _relates(self._new[id])}
        active = [record for record in standing.values() if record.status is Status.ACTIVE]
        related = [(record, _relation(record, memory)) for record in active] if _relates(memory) else []
        twin = next((record for record, relation in related if relation in MERGING), None)
        if twin is not None:
            self._merge(twin, memory)
            return
        self._settled[memory.id] = Settled(memory.id)
        for record, relation in related:
            memory = self._settle(record, memory, relation)
        self._new[memory.id] = memory
        for word in words:
            self._of_word.setdefault(word, []).append(len(self._order))
        self._order.append(memory.id)

    def _nearest(self, words: frozenset[_Word]) -> list[UUID]:
        """The new memories of the same pool that share most words, as many as a search for standing ones gives, in their order."""
        shared = Counter(chain.from_iterable(self._of_word.get(word, ()) for word in words))
        return [self._order[place] for place in sorted(place for place, _ in shared.most_common(CANDIDATES))]

    def writes(self, vectors: Mapping[UUID, Embedded], notes: Mapping[UUID, str]) -> list[Write]:
        """The transaction, new records in the order they came."""
        writes = []
        for memory in self._new.values():
            created = event_of("created", self._principal, self._now, session_id=memory.session_id, reason=notes.get(memory.id))
            writes.append(build_write(memory, vectors.get(memory.id), created))
        for before, after, event in self._changed.values():
            if after.text() == before.text():
                writes.append(Write(memory=after, event=event, expected_version=before.version))
            else:
                writes.append(build_write(after, None, event, expected_version=before.version))
        return writes

    def settled(self, committed: Sequence[Committed]) -> dict[UUID, Settled]:
        """What became of each memory, once the writes are done."""
        for memory, done in zip(self._new.values(), committed, strict=False):
            if not done.created:
                reason = "a memory with this idempotency key is there already"
                self._settled[memory.id] = Settled(done.id, StoreStatus.DUPLICATE, (reason,))
        return dict(self._settled)

    def _settle(self, old: Memory, new: Memory, relation: Relation) -> Memory:
        if relation not in SUPERSEDING:
            return new
        if _happened_before(new, old):
            return self._already_superseded(old, new)
        if new.trust >= old.trust:
            end = max(new.valid_from or new.occurred_at or self._now, old.valid_from or old.occurred_at or old.created_at)
            self._change(old, "superseded", f"{relation} by {new.id}", new.session_id, status=Status.SUPERSEDED, valid_to=end)
            self._settled[new.id] = _with_reason(self._settled[new.id], f"supersedes {old.id} ({relation})")
            return new.model_copy(update={"supersedes": new.supersedes or old.id, "valid_from": new.valid_from or end})
        self._change(old, "updated", f"in conflict with {new.id}", new.session_id, conflicts_with=_united(old.conflicts_with, (new.id,)))
        self._settled[new.id] = _with_reason(self._settled[new.id], f"in conflict with {old.id}, which is trusted more")
        return new.model_copy(update={"conflicts_with": _united(new.conflicts_with, (old.id,))})

    def _already_superseded(self, old: Memory, new: Memory) -> Memory:
        """A statement from before the standing one (a history imported later) comes in as the past that it is."""
        if _relation(new, old) not in SUPERSEDING or old.trust < new.trust:
            return new
        if old.supersedes is None:
            self._change(old, "updated", f"supersedes {new.id}, which came in later", new.session_id, supersedes=new.id)
        self._settled[new.id] = _with_reason(self._settled[new.id], f"superseded by {old.id}, which is more recent")
        return new.model_copy(update={"status": Status.SUPERSEDED, "valid_to": old.event_time})

    def _merge(self, old: Memory, new: Memory) -> None:
        """One record for both. Only another origin makes the statement surer; an agent that repeats itself does not."""
        fresh = (
            new.session_id is not None
            and (new.session_id, new.turn_ids) != (old.session_id, old.turn_ids)
            and not set(new.refs) <= set(old.refs)
        )
        surer = max(old.confidence, new.confidence) if new.trust >= old.trust else old.confidence
        changes: dict[str, object] = {
            "confidence": surer + (1 - surer) * 0.3 if fresh and corroborates(old, new) else surer,
            "importance": max(old.importance, new.importance) if new.trust >= old.trust else old.importance,
            "refs": _united(old.refs, new.refs),
            "tags": _united(old.tags, new.tags),
            "entities": _united(old.entities, new.entities),
            "turn_ids": _united(old.turn_ids, new.turn_ids) if new.session_id == old.session_id else old.turn_ids,
            "expires_at": max(old.expires_at, new.expires_at) if old.expires_at and new.expires_at else None,
        }
        if self._verbatim and new.trust >= old.trust:
            changes["content"] = new.content
        self._change(old, "merged", "the same statement", new.session_id, **changes)
        self._settled[new.id] = Settled(old.id, StoreStatus.MERGED, (f"the same statement as {old.id}",))

    def _change(self, old: Memory, action: EventAction, reason: str, session: str | None, **changes: object) -> None:
        if old.id in self._new:
            self._new[old.id] = old.model_copy(update=changes)
            return
        before = self._changed[old.id][0] if old.id in self._changed else old
        stamp = {"version": before.version + 1, "updated_at": max(self._now, before.created_at)}
        event = event_of(action, self._principal, self._now, session_id=session, reason=reason)
        self._changed[old.id] = (before, old.model_copy(update=changes | stamp), event)


def _relation(old: Memory, new: Memory) -> Relation:
    # Its patterns take time to compile: a process that stores no statements does without.
    from hindsight.remember.reconcile.relate import relate

    return relate(old, new)


def _relates(memory: Memory) -> bool:
    return LAYER_OF[memory.kind] is Layer.SEMANTIC and memory.status is Status.ACTIVE


def _words_of(memory: Memory) -> frozenset[_Word]:
    """The words of a statement, each with its pool; none of what is no statement."""
    if not _relates(memory):
        return frozenset()
    return frozenset((memory.namespace, memory.agent, word) for word in query_tokens(memory.text()))


def _happened_before(new: Memory, old: Memory) -> bool:
    return new.occurred_at is not None and old.occurred_at is not None and new.occurred_at < old.occurred_at


def _with_reason(settled: Settled, reason: str) -> Settled:
    return Settled(settled.id, settled.status, (*settled.reasons, reason))


def _united(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return first + tuple(each for each in second if each not in first)
