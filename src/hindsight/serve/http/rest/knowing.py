"""``/v1/context``: experience and knowledge for a query in one block; ``/v1/ingest``: a document's text becomes knowledge."""

from __future__ import annotations

from fastapi import APIRouter

from hindsight.client.answers import ContextAnswer, IngestAnswer
from hindsight.client.requests import ContextRequest, IngestRequest
from hindsight.recall.context import Context
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.recalling import recalled
from hindsight.serve.http.rest.routes import refusals, routes
from hindsight.text.lengths import estimate_tokens


def knowing(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("recall")

    @router.post("/context", response_model=ContextAnswer, responses=refusals())
    async def context(body: ContextRequest) -> ContextAnswer:
        """Experience and knowledge for a query, in marked sections of one block under one token budget."""
        memory = await callers_memory(desk, "read")
        asked = body.model_dump(include={"k", "knowledge_k", "budget", "session", "namespace"})
        return told(await memory.context(body.query, **asked, **body.arguments()))

    @router.post("/ingest", response_model=IngestAnswer, responses=refusals())
    async def ingest(body: IngestRequest) -> IngestAnswer:
        """Keep a text as a document. The same name again brings the memory up to date: what the text says no more is retired."""
        memory = await callers_memory(desk, "write")
        report = await memory.ingest_text(body.text, name=body.name, namespace=body.namespace, shared=body.shared)
        return IngestAnswer.model_validate(report)

    return router


def told(found: Context) -> ContextAnswer:
    """A context in the form of an answer."""
    rendered = found.render()
    return ContextAnswer(
        query=found.query,
        experience=recalled(found.experience),
        knowledge=recalled(found.knowledge),
        standing=[each.content for each in found.standing],
        external=[],
        flags=list(found.flags),
        tokens=estimate_tokens(rendered),
        rendered=rendered,
    )
