"""``/v1/context``: experience and knowledge for a query in one block."""

from __future__ import annotations

from fastapi import APIRouter

from hindsight.client.answers import ContextAnswer
from hindsight.client.requests import ContextRequest
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
