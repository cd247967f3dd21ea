"""The read path in order: understand → routes → fuse → rerank → score → judge; the answer renders itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

import numpy as np

from hindsight.errors import HindsightError, ModelError
from hindsight.ports import Clock, Embedder, RecordStore, Reranker, RetrievalRow, Rows, Vector
from hindsight.recall.answer import Flag, Hit, Recall
from hindsight.recall.cache import AnswerCache, Kept
from hindsight.recall.evidence import QueryVectors
from hindsight.recall.explain import Explanation
from hindsight.recall.explaining import explain_trace, known_memory, verdict_on
from hindsight.recall.journal import Journal
from hindsight.recall.judge import Rules, by_rules, judge
from hindsight.recall.model import adapt, adapter_for, model_card
from hindsight.recall.options import Profile, RecallOptions
from hindsight.recall.rank import Ranking, rank
from hindsight.recall.request import Request, limits_of, make_request
from hindsight.recall.rerank import rerank
from hindsight.recall.routes import Routing, run_routes
from hindsight.recall.score import score
from hindsight.recall.state import SessionState
from hindsight.recall.surroundings import Surroundings
from hindsight.recall.trace import Trace
from hindsight.recall.understand import Understood, readable, understand
from hindsight.recall.warmup import WarmUp
from hindsight.records import Filter, Status, new_id
from hindsight.telemetry import counts, traced

_LOG = logging.getLogger(__name__)
LOOKED_AT = 24
"""The judge sees at least so many of the best."""
RERANK_DEPTH = 30
"""A cross-encoder reads so many of the best."""
KEPT_ANSWERS = 256
EMBEDDING_SHARE = 0.5
"""Embedding the query may take this share of the time budget."""
SALVAGE_SECONDS = 0.1
"""What a retrieval past its budget may still take to fetch what its routes had found."""
_IMPLICIT_SHARE, _IMPLICIT_SHARE_LEANING = 0.15, 0.7


@dataclass(frozen=True, slots=True)
class Found:
    """What the store gave for one answer, best first: hits, their rows, their vectors where the judge compares them, and their places."""

    hits: list[Hit] = field(default_factory=list)
    rows: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    vectors: Vector | None = None
    place_of: Mapping[UUID, int] = field(default_factory=dict)


class Retriever:
    """Answers queries from a store. It keeps nothing but recent answers, which a change of the store outdates, and a log.

    Args:
        store: where the memories are; :meth:`retrieve` opens and closes nothing.
        embedder: None for keyword-only recall.
        reranker: a cross-encoder; None leaves the fused order.
        clock: the present, where a filter names none.
        options: see :class:`RecallOptions`.
    """

    def __init__(
        self,
        store: RecordStore,
        embedder: Embedder | None,
        reranker: Reranker | None,
        clock: Clock,
        options: RecallOptions,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker
        self._clock = clock
        self.options = options
        self._journal = Journal(store)
        self._answers = AnswerCache(KEPT_ANSWERS)
        self._surroundings = Surroundings(store)
        self._adapter = adapter_for(embedder.model_id) if embedder is not None else None
        self._warm_up = WarmUp(store, embedder)

    async def close(self) -> None:
        """Write the log that waits and free the reranker."""
        await self._warm_up.close()
        await self._journal.close()
        if self._reranker is not None:
            await self._reranker.close()

    def varied(self, options: RecallOptions, *, rerank: bool) -> Retriever:
        """One that ranks by other options, with the same store, models and log; it is not closed of its own."""
        other = copy(self)
        vars(other).update(options=options, _reranker=self._reranker if rerank else None, _answers=AnswerCache(KEPT_ANSWERS))
        return other

    async def flush(self) -> None:
        """Write the log of retrievals now."""
        await self._journal.flush()

    @traced("hindsight.retrieve")
    async def retrieve(
        self,
        query: str,
        *,
        filter: Filter,
        k: int | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        profile: Profile | None = None,
        routes: Sequence[str] | None = None,
        cold: bool = False,
        state: SessionState | None = None,
    ) -> Recall:
        """The memories that help with ``query``, best first; see ``Hindsight.retrieve``. ``state`` is the session it is asked in.

        Raises:
            InvalidInput: an argument does not fit. No query's text ever raises.
        """
        request = self._request(query, filter, k, min_relevance, profile, routes, state, cold=cold)
        trace = Trace()
        kept: Kept | None = None
        if cold:
            trace.flag("cold")
        await self._loaded(request, trace)
        try:
            async with asyncio.timeout(self.options.budget_ms / 1000):
                change = await self._store.change_number()
                kept = None if explain else self._answers.get(request, change)
                if kept is not None:
                    trace.hits = list(kept.hits)
                    trace.flag("cached")
                else:
                    await self._run(request, trace, change)
        except TimeoutError:
            trace.flag("timeout")
            await self._salvage(request, trace)
        return await self._answer(request, trace, explain=explain, language=kept.language if kept else None)

    async def why(self, memory_id: UUID, query: str, *, filter: Filter, state: SessionState | None = None) -> Explanation:
        """Why this memory is, or is not, in the answer to ``query``; the verdict names the stage that decided.

        Raises:
            NotFound: there is no such memory that the caller may know of.
        """
        request = self._request(query, filter, None, None, None, None, state, cold=False)
        memory = await known_memory(self._store, memory_id, request.filter)
        trace = Trace()
        await self._loaded(request, trace)
        await self._run(request, trace, await self._store.change_number())
        explanation = await explain_trace(self._store, request, trace)
        return replace(explanation, verdict=await verdict_on(self._store, memory, request, explanation))

    def _request(
        self,
        query: str,
        filter: Filter,
        k: int | None,
        min_relevance: float | None,
        profile: Profile | None,
        routes: Sequence[str] | None,
        state: SessionState | None,
        *,
        cold: bool,
    ) -> Request:
        return make_request(
            query,
            filter,
            self.options,
            float(model_card()["threshold"]),
            now=self._clock.now(),
            k=k,
            min_relevance=min_relevance,
            profile=profile,
            routes=routes,
            state=state,
            cold=cold,
        )

    async def _loaded(self, request: Request, trace: Trace) -> None:
        """Let model and namespace load before the time budget begins; where the model takes too long, keywords alone decide this once."""
        with trace.stage("load"):
            trace.model_ready = await self._warm_up.ready(request.filter, vectors="vector" in request.routes)

    async def _run(self, request: Request, trace: Trace, change: int) -> None:
        with trace.stage("understand"):
            around = await self._surroundings.of(request.filter, change)
            query = understand(
                request.query,
                now=request.now,
                zone=self.options.zone,
                speakers=around.speakers,
                dialogues=around.dialogues,
                context=request.state.text() if request.state else "",
            )
            trace.understood = query
        if not query.text and not (request.state and request.state.text()):
            trace.flag("empty_query")
            return
        with trace.stage("embed"):
            embedded = await self._embedded(query, request, trace)
        found = await self._store.reading(partial(self._found, request, trace, query, embedded))
        with trace.stage("select"):
            await self._select(request, trace, query, found)
        if trace.ranking is not None and not trace.hits:
            trace.flag("abstained")
        if trace.model_ready and "degraded" not in trace.flags and "rerank_timeout" not in trace.flags:
            self._answers.put(request, Kept(change, request.now, tuple(trace.hits), query.language))

    async def _embedded(self, query: Understood, request: Request, trace: Trace) -> Vector | None:
        """The raw vectors of the query and, where there is one, of its session; None for keyword-only recall."""
        if self._embedder is None or "vector" not in request.routes or not trace.model_ready:
            trace.flag("keyword_only")
            return None
        implicit = request.state.text() if request.state is not None else ""
        texts = [text for text in (query.text, implicit) if text]
        try:
            async with asyncio.timeout(self.options.budget_ms / 1000 * EMBEDDING_SHARE):
                return await self._embedder.embed(texts, kind="query")
        except (ModelError, TimeoutError):  # an endpoint that hangs leaves time for keywords
            trace.flag("keyword_only")
            trace.flag("degraded")
            return None

    async def _found(self, request: Request, trace: Trace, query: Understood, embedded: Vector | None) -> Found:
        """Everything that the store is asked for one answer; awaits nothing else (see ``RecordStore.reading``)."""
        wanted = request.k or query.complexity
        with trace.stage("routes"):
            vectors = await self._directions(request, query, embedded)
            limits = limits_of(request, wanted)
            routing = Routing(self._store, request.filter, query, vectors, request.routes, limits)
            await run_routes(routing, trace.candidates)
            if routing.failed:
                trace.flag("degraded")
        if not len(trace.candidates.rows()):
            return Found()
        with trace.stage("fuse"):
            trace.ranking = ranking = await rank(self._store, request, query, vectors, trace.candidates, self.options)
        with trace.stage("select"):
            depth = max(wanted + 8, LOOKED_AT if request.free else 0, RERANK_DEPTH if self._reranker else 0)
            order = np.argsort(-ranking.scores.total, kind="stable")
            taught = np.isin(ranking.rows[order], trace.candidates.rows_of("lessons"))
            order = order[(np.arange(len(order)) < depth) | taught]  # a warning is looked at however low it scores
            return await self._fetched(request, trace, ranking, order[self._similar_enough(ranking)[order]])

    async def _directions(self, request: Request, query: Understood, embedded: Vector | None) -> QueryVectors | None:
        if embedded is None:
            return None
        centred = [await self._store.centred(request.filter, vector, language=query.language) for vector in embedded]
        plain = centred[0] if len(centred) == 1 else _blended(centred[0], centred[1], leaning=query.leaning)
        return QueryVectors(plain, plain if self._adapter is None else adapt(plain, self._adapter))

    async def _select(self, request: Request, trace: Trace, query: Understood, found: Found) -> None:
        hits = found.hits
        if self._reranker is not None and hits:
            hits = await self._reranked(request, trace, query, found)
        else:
            hits = by_rules(hits, request.state.tools if request.state else ())
        rules = Rules(
            k=request.k or query.complexity,
            threshold=request.threshold,
            free=request.free,
            past=request.filter.at is not None or Status.SUPERSEDED in request.filter.statuses,
        )
        vectors = None if found.vectors is None else found.vectors[[found.place_of[hit.memory.id] for hit in hits]]
        judged = judge(hits, rules, query, vectors=vectors, state=request.state)
        trace.hits, trace.dropped = judged.hits, judged.dropped

    def _similar_enough(self, ranking: Ranking) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if self.options.similarity_threshold is None:
            return np.ones(len(ranking.rows), dtype=np.bool_)
        return np.nan_to_num(ranking.cosine, nan=-1.0) >= self.options.similarity_threshold

    async def _fetched(self, request: Request, trace: Trace, ranking: Ranking, order: Rows) -> Found:
        """The memories at places ``order`` of the ranking; what was erased meanwhile is left out."""
        rows = ranking.rows[order]
        memories = await self._store.fetch(rows)
        if len(memories) < len(rows):
            there = await self._store.row_of([memory.id for memory in memories])
            order = order[np.isin(rows, there)]
        found = {name: set(scored.rows.tolist()) for name, scored in trace.candidates.found.items()}
        hits = [
            Hit(
                memory=memory,
                score=float(ranking.scores.total[place]),
                relevance=float(ranking.relevance[place]),
                routes=tuple(name for name, rows_found in found.items() if int(ranking.rows[place]) in rows_found),
                factors={name: float(values[place]) for name, values in ranking.scores.factors.items()},
            )
            for memory, place in zip(memories, order.tolist(), strict=True)
        ]
        rows = ranking.rows[order]
        vectors = await self._store.vectors(rows) if request.free else None
        return Found(hits, rows, vectors, {memory.id: place for place, memory in enumerate(memories)})

    async def _reranked(self, request: Request, trace: Trace, query: Understood, found: Found) -> list[Hit]:
        """The best hits in the order of the cross-encoder's reading, the rest behind them as they were."""
        assert self._reranker is not None
        head, tail = found.hits[:RERANK_DEPTH], found.hits[RERANK_DEPTH:]
        tools = request.state.tools if request.state else ()
        with trace.stage("rerank"):
            read = await rerank(self._reranker, query.text, [hit.memory.text() for hit in head], self.options.rerank_budget_ms)
        if read is None:
            trace.flag("rerank_timeout")
            return by_rules(found.hits, tools)
        scores = score(
            request.profile,
            await self._store.columns(request.filter, found.rows[: len(head)]),
            read,
            now=request.now.timestamp(),
            half_life_days=self.options.half_life_days,
            episode_floor=self.options.episode_floor,
        )
        reread = [
            replace(hit, score=float(total), factors={name: float(values[number]) for name, values in scores.factors.items()})
            for number, (hit, total) in enumerate(zip(head, scores.total, strict=True))
        ]
        return by_rules(reread, tools) + tail

    async def _salvage(self, request: Request, trace: Trace) -> None:
        """After the time ran out: the best of what the routes had found, by reciprocal ranks."""
        if trace.hits or not trace.candidates.found:
            return
        strength: dict[int, float] = {}
        for scored in list(trace.candidates.found.values()):  # its thread may still be adding one
            for place, row in enumerate(scored.rows.tolist()):
                strength[row] = strength.get(row, 0.0) + 1.0 / (60 + place)
        wanted = request.k or (trace.understood.complexity if trace.understood else 3)
        best = sorted(strength, key=lambda row: -strength[row])[:wanted]
        try:
            async with asyncio.timeout(SALVAGE_SECONDS):
                memories = await self._store.fetch(np.array(best, dtype=np.int64))
        except (TimeoutError, HindsightError):
            return
        trace.hits = [Hit(memory, score=strength[row], relevance=0.0) for memory, row in zip(memories, best, strict=False)]

    async def _answer(self, request: Request, trace: Trace, *, explain: bool, language: str | None) -> Recall:
        answer = Recall(
            id=new_id(),
            query=readable(request.query) if trace.understood is None else trace.understood.text,
            hits=tuple(trace.hits),
            language=language or (trace.understood.language if trace.understood else "en"),
            flags=tuple(trace.flags),
            took_ms=trace.took_ms(),
            timings=dict(trace.timings),
            explanation=await explain_trace(self._store, request, trace) if explain else None,
            token_budget=self.options.token_budget,
            zone=self.options.zone,
        )
        counts().retrieved(
            len(answer.hits),
            {stage: each / 1000 for stage, each in {**trace.timings, "total": answer.took_ms}.items()},
            {name: len(scored.rows) for name, scored in trace.candidates.found.items()},
            answer.flags,
        )
        counts().looked_up("answers", *((1, 0) if "cached" in answer.flags else (0, 1)))
        shown = [str(hit.memory.id) for hit in answer.hits[:LOOKED_AT]]
        _LOG.info("retrieved", extra={"retrieval_id": str(answer.id), "memory_ids": shown, "took_ms": round(answer.took_ms, 1)})
        self._journal.add(_log_row(request, trace, answer, self._clock))
        return answer


def _blended(explicit: Vector, implicit: Vector, *, leaning: bool) -> Vector:
    """The query and its session as one direction; where the query says little itself, the session counts more."""
    share = _IMPLICIT_SHARE_LEANING if leaning else _IMPLICIT_SHARE
    mixed = (1.0 - share) * explicit + share * implicit
    norm = float(np.linalg.norm(mixed))
    return (mixed / norm if norm > 0 else explicit).astype(np.float32)


def _log_row(request: Request, trace: Trace, answer: Recall, clock: Clock) -> RetrievalRow:
    flags: tuple[Flag, ...] = answer.flags
    return RetrievalRow(
        id=answer.id,
        namespace=request.filter.namespace,
        agent=request.filter.agent,
        at=clock.now(),
        query=answer.query,
        shown=[hit.memory.id for hit in answer.hits],
        detail={
            "routes": {name: len(scored.rows) for name, scored in trace.candidates.found.items()},
            "hits": [{"id": str(hit.memory.id), "score": round(hit.score, 4), "relevance": round(hit.relevance, 4)} for hit in answer.hits],
            "flags": list(flags),
            "timings_ms": {name: round(value, 2) for name, value in trace.timings.items()},
        },
        session_id=(request.state.session_id if request.state else None) or request.filter.session_id,
        took_ms=answer.took_ms,
    )
