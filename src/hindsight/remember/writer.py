"""The write path in order: attribute → guard → embed → reconcile → commit, for one draft or many."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from hindsight.errors import InvalidInput, Overloaded
from hindsight.guard.examine import Guard
from hindsight.guard.verdict import Verdict
from hindsight.ports import Clock, Embedder, NewJob, RecordStore, RemembersVectors
from hindsight.records import Channel, Draft, Memory, Principal, Status, StoreResult, StoreStatus
from hindsight.remember.attribute import Attribution, read_draft
from hindsight.remember.commit import build_memory
from hindsight.remember.embed import Embedded, embed_texts
from hindsight.remember.given import Given
from hindsight.remember.guarding import Guarded, GuardStage
from hindsight.remember.reconcile.stage import Reconciler, Settled
from hindsight.telemetry import counts, traced
from hindsight.text.remembered import forget_texts

BATCH = 128
"""Records embedded and committed together: large enough to amortise the commit, small enough to bound memory and waiting."""
STORE_JOB = "store"
LOGGED_IDS = 20
"""A line of the log names so many memories at most."""
_LOG = logging.getLogger(__name__)

_RESULT_OF = {Status.ACTIVE: StoreStatus.STORED, Status.PENDING: StoreStatus.PENDING, Status.QUARANTINED: StoreStatus.QUARANTINED}


class Writer:
    """Stores drafts. Stateless beside what it is given; safe to use from many tasks."""

    def __init__(
        self, store: RecordStore, embedder: Embedder | None, clock: Clock, *, debug: bool, max_queue: int, guard: Guard | None = None
    ) -> None:
        self._store = store
        self._reconciler = Reconciler(store)
        self._embedder = embedder
        self._clock = clock
        self._debug = debug
        self._max_queue = max_queue
        self.guard = GuardStage(store, guard or Guard())
        self.wake = asyncio.Event()

    @traced("hindsight.store")
    async def store(
        self,
        drafts: Sequence[Draft | Mapping[str, Any]],
        attribution: Attribution,
        *,
        verbatim: bool = True,
        progress: Callable[[int], None] | None = None,
        given: Sequence[Given | None] = (),
    ) -> list[StoreResult]:
        """Check all, then write in batches; each batch is one transaction. Results are in the order of the drafts.

        ``verbatim``: the texts are a caller's own, kept as they are; distilled ones (False) yield to the wording that stands. ``given``:
        vectors of the drafts, by place, for those whose text the guard leaves as it is.
        """
        checked = read_drafts(drafts, attribution, said_at=self._clock.now() if verbatim else None)
        results: list[StoreResult] = []
        for start in range(0, len(checked), BATCH):
            batch = checked[start : start + BATCH]
            known = given[start : start + BATCH]
            results.extend(await self._store_batch(batch, attribution.principal, verbatim=verbatim, given=known))
            if progress is not None:
                progress(len(batch))
        return results

    @traced("hindsight.store.queue")
    async def queue(self, drafts: Sequence[Draft | Mapping[str, Any]], attribution: Attribution) -> list[StoreResult]:
        """Check all, then make them durable as jobs; a worker stores them in order within each session.

        Raises:
            Overloaded: more jobs wait than the setting ``max_queue`` allows; nothing of this call was queued.
        """
        checked = read_drafts(drafts, attribution, said_at=self._clock.now())
        waiting = await self._store.queued()
        if waiting + len(checked) > self._max_queue:
            raise Overloaded(f"{waiting:,} jobs wait already (max_queue is {self._max_queue:,}); try again when workers caught up.")
        principal = attribution.principal.model_dump(mode="json")
        jobs = [
            NewJob(
                kind=STORE_JOB,
                payload={"draft": draft.model_dump(mode="json", exclude_unset=True), "principal": principal},
                namespace=str(draft.namespace),
                order_key=f"{draft.namespace}\x1f{draft.session_id}" if draft.session_id else None,
            )
            for draft in map(self.guard.without_secrets, checked)
        ]
        ids = await self._store.enqueue(jobs)
        self.wake.set()
        counts().stored([StoreStatus.QUEUED] * len(ids))
        return [StoreResult(id=None, status=StoreStatus.QUEUED, job_id=id) for id in ids]

    @traced("hindsight.store.job")
    async def store_job(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Do what :meth:`queue` promised; doing it twice stores once, by the idempotency key. The result as JSON."""
        draft = Draft.model_validate(payload["draft"])
        principal = Principal.model_validate(payload["principal"])
        return (await self._store_batch([draft], principal, verbatim=True))[0].model_dump(mode="json")

    async def settle(self, timeout: float) -> bool:
        """Wait until no job is waiting or leased."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while await self._store.queued():
            if loop.time() >= end:
                return False
            await asyncio.sleep(0.02)
        return True

    @traced("hindsight.store.embed")
    async def embed(self, texts: Sequence[str], given: Sequence[Given | None] = ()) -> list[Embedded]:
        """The vectors of texts to be stored, one result a text. ``given``: vectors that count where they are of the very text."""
        known = [each.vector if each is not None and each.text == text else None for text, each in zip(texts, given, strict=bool(given))]
        return await embed_texts(self._embedder, texts, known)

    @property
    def model(self) -> tuple[str, int] | None:
        """The model that makes the vectors, and their dimension; None for keyword-only."""
        return (self._embedder.model_id, self._embedder.dimension) if self._embedder is not None else None

    def forget_texts(self) -> None:
        """Drop remembered vectors, scans and readings of texts, once records were erased: these must not live on in memory."""
        forget_texts()
        if isinstance(self._embedder, RemembersVectors):
            self._embedder.forget()

    async def _store_batch(
        self, drafts: Sequence[Draft], principal: Principal, *, verbatim: bool, given: Sequence[Given | None] = ()
    ) -> list[StoreResult]:
        now, begun = self._clock.now(), time.perf_counter()
        guarded, memories, standing = await self._store.reading(
            partial(self._examined, drafts, principal.channel, now, composed=not verbatim)
        )
        refused = {memory.id for memory, each in zip(memories, guarded, strict=True) if each.verdict.rejected}
        fresh = [
            memory
            for memory in memories
            if (memory.namespace, memory.agent, memory.idempotency_key) not in standing and memory.id not in refused
        ]
        brought = dict(zip((memory.id for memory in memories), given, strict=True)) if given else {}
        embedded = await self.embed([memory.text() for memory in fresh], [brought[memory.id] for memory in fresh] if given else ())
        vectors = dict(zip((memory.id for memory in fresh), embedded, strict=True))
        notes = {memory.id: each.verdict.audit() for memory, each in zip(memories, guarded, strict=True) if not each.verdict.is_plain}
        settled = await self._reconciler.commit(fresh, vectors, principal, now, verbatim=verbatim, notes=notes) if fresh else {}
        results = []
        for memory, verdict in zip(memories, (each.verdict for each in guarded), strict=True):
            if memory.id in refused:
                results.append(StoreResult(id=None, status=StoreStatus.REJECTED, reasons=verdict.reasons))
                continue
            known = standing.get((memory.namespace, memory.agent, memory.idempotency_key))
            if known is not None:
                results.append(StoreResult(id=known, status=StoreStatus.DUPLICATE, reasons=(_DUPLICATE,)))
                continue
            results.append(_result(memory, verdict, settled[memory.id]))
        ids = [str(result.id) for result in results if result.id is not None]
        _LOG.info("stored", extra={"memory_ids": ids[:LOGGED_IDS], "texts": len(results)})
        counts().stored([result.status for result in results], time.perf_counter() - begun)
        counts().guarded(each.verdict.word for each in guarded)
        return results

    async def _examined(
        self, drafts: Sequence[Draft], channel: Channel, now: datetime, *, composed: bool
    ) -> tuple[list[Guarded], list[Memory], dict[tuple[str, str, str], Any]]:
        """What the guard makes of drafts, their records, and the ids of those that stand; awaits nothing but reads of the store."""
        guarded = await self.guard.examine_on_snapshot(drafts, channel, now, composed=composed)
        memories = [build_memory(each.draft, each.verdict, channel, now, debug=self._debug, trust=each.trust) for each in guarded]
        return guarded, memories, await self._standing(memories)

    async def _standing(self, memories: Sequence[Memory]) -> dict[tuple[str, str, str], Any]:
        """Records that hold the keys already: known before embedding, so that a repeated import costs no inference."""
        keys: dict[tuple[str, str], list[str]] = {}
        for memory in memories:
            keys.setdefault((memory.namespace, memory.agent), []).append(memory.idempotency_key)
        found = {}
        for (namespace, agent), wanted in keys.items():
            for key, id in (await self._store.find_keys(namespace, agent, wanted)).items():
                found[namespace, agent, key] = id
        return found


_DUPLICATE = "a memory with this idempotency key is there already"


def read_drafts(drafts: Sequence[Draft | Mapping[str, Any]], attribution: Attribution, *, said_at: datetime | None) -> list[Draft]:
    """All drafts checked; the message of a fault names the item. ``said_at``: from when the times that their texts tell count.

    Raises:
        InvalidInput: the first fault; nothing was written.
    """
    checked = []
    for number, given in enumerate(drafts):
        if not isinstance(given, (Draft, Mapping)):
            raise InvalidInput(f"item {number}: a Draft or a mapping is needed, not {type(given).__name__}.")
        where = f"item {number}: " if len(drafts) > 1 else ""
        checked.append(read_draft(given, attribution, where=where, said_at=said_at))
    return checked


def _result(memory: Memory, verdict: Verdict, settled: Settled) -> StoreResult:
    status = settled.status or _RESULT_OF[memory.status]
    return StoreResult(id=settled.id, status=status, reasons=(*verdict.told(), *settled.reasons))
