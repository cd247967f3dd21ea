"""A finished retrieval laid open: what each candidate was worth, and why one memory is not among the answers."""

from __future__ import annotations

from uuid import UUID

from hindsight.errors import NotFound
from hindsight.ports import RecordStore
from hindsight.recall.explain import Candidate, Explanation
from hindsight.recall.request import Request
from hindsight.recall.routes import Candidates
from hindsight.recall.trace import Trace
from hindsight.recall.understand import Understood
from hindsight.records import Filter, Memory


async def explain_trace(store: RecordStore, request: Request, trace: Trace) -> Explanation:
    """Everything that was known of the retrieval, candidates best first."""
    query, ranking = trace.understood, trace.ranking
    return Explanation(
        query=request.query if query is None else query.text,
        language=query.language if query else "en",
        understood=_understood(query, request, trace) if query else {},
        weights=ranking.weights if ranking else {},
        route_counts={name: len(scored.rows) for name, scored in trace.candidates.found.items()},
        candidates=await _candidates(store, trace),
        timings=dict(trace.timings),
    )


async def known_memory(store: RecordStore, memory_id: UUID, filter: Filter) -> Memory:
    """The memory that a verdict is asked on.

    Raises:
        NotFound: there is none in the namespace that the caller may know of.
    """
    memory = await store.get(memory_id)
    hidden = memory is None or memory.namespace != filter.namespace or (memory.agent != filter.agent and memory.visibility == "private")
    if memory is None or hidden:
        raise NotFound(f"there is no memory {memory_id} in the namespace {filter.namespace} that agent {filter.agent} may see.")
    return memory


async def verdict_on(store: RecordStore, memory: Memory, request: Request, explanation: Explanation) -> str:
    """One sentence on what decided about a memory."""
    place = next((number for number, each in enumerate(explanation.candidates, 1) if each.id == memory.id), None)
    if place is not None:
        candidate = explanation.candidates[place - 1]
        where = f"place {place} of {len(explanation.candidates)} candidates, found by {', '.join(candidate.routes) or 'no route'}"
        return f"shown: {where}" if candidate.shown else f"not shown: {candidate.dropped} ({where})"
    row = await store.row_of([memory.id])
    if int(row[0]) in (await store.visible(request.filter)).tolist():
        return "not shown: no route found it among its best; the query shares too little with it"
    return f"not shown: {_kept_out(memory, request)}"


def _kept_out(memory: Memory, request: Request) -> str:
    """What in the filter keeps a memory out."""
    filter, now = request.filter, request.now
    at = filter.at or now
    if memory.status not in filter.statuses:
        return f"its status is {memory.status}; recalled are {', '.join(filter.statuses)}"
    if memory.expires_at is not None and memory.expires_at <= now:
        return f"it expired at {memory.expires_at.isoformat()}"
    if memory.valid_to is not None and memory.valid_to <= at:
        return f"it was valid until {memory.valid_to.isoformat()}"
    if memory.valid_from is not None and memory.valid_from > at:
        return f"it is valid from {memory.valid_from.isoformat()} on"
    return "a filter of the call keeps it out"


def _understood(query: Understood, request: Request, trace: Trace) -> dict[str, object]:
    return {
        "terms": list(query.terms),
        "entities": [entity.name for entity in query.entities],
        "times": [f"{each.text}: {each.start.isoformat()} – {each.end.isoformat()}" for each in query.times],
        "anchored": [each.text for each in query.anchored],
        "task_type": query.task_type,
        "speakers": len(query.speakers),
        "k": request.k or query.complexity,
        "threshold": request.threshold,
        "profile": request.profile,
        "doubt": round(trace.ranking.doubt, 3) if trace.ranking else 0.0,
    }


async def _candidates(store: RecordStore, trace: Trace) -> tuple[Candidate, ...]:
    ranking = trace.ranking
    if ranking is None:
        return ()
    memories = await store.fetch(ranking.rows)
    there = await store.row_of([memory.id for memory in memories])
    place = {int(row): number for number, row in enumerate(ranking.rows)}
    shown = {hit.memory.id for hit in trace.hits}
    found = []
    for memory, row in zip(memories, there.tolist(), strict=True):
        number = place[row]
        found.append(
            Candidate(
                id=memory.id,
                routes=_ranks(trace.candidates, row),
                features=dict(zip(ranking.names, ranking.table[number].tolist(), strict=True)),
                fused=float(ranking.fused[number]),
                relevance=float(ranking.relevance[number]),
                score=float(ranking.scores.total[number]),
                shown=memory.id in shown,
                dropped=None if memory.id in shown else trace.dropped.get(memory.id, "scored below those that were looked at"),
            )
        )
    return tuple(sorted(found, key=lambda each: -each.score))


def _ranks(candidates: Candidates, row: int) -> dict[str, tuple[int, float]]:
    """Rank and score on each route that found the row."""
    ranks = {}
    for name, scored in candidates.found.items():
        at = (scored.rows == row).nonzero()[0]
        if len(at):
            ranks[name] = (int(at[0]) + 1, float(scored.scores[at[0]]))
    return ranks
