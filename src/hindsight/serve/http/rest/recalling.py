"""``/v1/recall``, ``/v1/why``, ``/v1/retrievals``, ``/v1/feedback``: what a query finds, why, and how it proved itself."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from hindsight.client.answers import ExplanationAnswer, FeedbackAnswer, HitAnswer, RecallAnswer, RetrievalAnswer, RetrievalList
from hindsight.client.requests import FeedbackRequest, RecallRequest, WhyRequest
from hindsight.recall.answer import Recall
from hindsight.recall.explain import Explanation
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.memories import told
from hindsight.serve.http.rest.routes import refusals, routes


def recalling(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("recall")

    @router.post("/recall", response_model=RecallAnswer, responses=refusals())
    async def retrieve(body: RecallRequest) -> RecallAnswer:
        """The memories that help with a query, best first, and the block for a prompt. `explain` adds what each route found and why."""
        memory = await callers_memory(desk, "read")
        asked = body.model_dump(include={"namespace", "k", "min_relevance", "explain", "profile", "routes", "now", "cold", "session"})
        found = await memory.retrieve(body.query, **asked, **body.arguments())
        return recalled(found)

    @router.post("/memories/{id}/why", response_model=ExplanationAnswer, responses=refusals(404))
    async def why(id: str, body: WhyRequest) -> ExplanationAnswer:
        """Why a memory is, or is not, among the answers to a query: `verdict` says it in one sentence."""
        memory = await callers_memory(desk, "read")
        return explained(await memory.why(id, body.query, namespace=body.namespace, **body.arguments()))

    @router.get("/retrievals", response_model=RetrievalList, responses=refusals())
    async def retrievals(
        namespace: Annotated[str | None, Query(max_length=1_024)] = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
    ) -> Any:
        """The caller's logged retrievals, newest first."""
        return {"items": await (await callers_memory(desk, "read")).retrievals(namespace=namespace, limit=limit)}

    @router.get("/retrievals/{id}", response_model=RetrievalAnswer, responses=refusals(404))
    async def retrieval(id: str) -> Any:
        """One logged retrieval."""
        return await (await callers_memory(desk, "read")).retrieval(id)

    @router.post("/feedback", response_model=FeedbackAnswer, responses=refusals(404, 409))
    async def feedback(body: FeedbackRequest) -> Any:
        """Say how what a retrieval showed proved itself."""
        memory = await callers_memory(desk, "write")
        return {"changed": await memory.feedback(body.retrieval, body.verdict, ids=body.ids)}

    return router


def recalled(found: Recall) -> RecallAnswer:
    """A retrieval in the form of an answer."""
    hits = [
        HitAnswer(
            memory=told(hit.memory),
            score=float(hit.score),
            relevance=float(hit.relevance),
            routes=list(hit.routes),
            labels=list(hit.labels),
            factors={name: float(value) for name, value in hit.factors.items()},
        )
        for hit in found.hits
    ]
    return RecallAnswer(
        id=found.id,
        query=found.query,
        hits=hits,
        flags=list(found.flags),
        language=found.language,
        took_ms=found.took_ms,
        timings=dict(found.timings),
        rendered=found.render(),
        explanation=None if found.explanation is None else explained(found.explanation),
    )


def explained(found: Explanation) -> ExplanationAnswer:
    """An explanation in the form of an answer."""
    return ExplanationAnswer.model_validate(finite(found.to_json()))


def finite(value: Any) -> Any:
    """JSON knows no NaN: a feature that is unknown is null."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, (list, tuple)) else value
