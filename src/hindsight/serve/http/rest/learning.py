"""``/v1/reviews``, ``/v1/conflicts``, ``/v1/patterns``, ``/v1/reflect``: what waits for a person, and what the agent's past teaches."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from hindsight.client.answers import ConflictList, MemoryAnswer, PatternsAnswer, Postponed, ReflectionAnswer, ReviewList
from hindsight.client.requests import ApproveRequest, NamespaceRequest, PostponeRequest, ReflectRequest, RejectRequest, ReopenRequest
from hindsight.remember.attribute import read_id
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.memories import told
from hindsight.serve.http.rest.recalling import finite
from hindsight.serve.http.rest.routes import refusals, routes

Pool = Annotated[str | None, Query(max_length=1_024)]


def learning(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("review")

    @router.get("/reviews", response_model=ReviewList, responses=refusals())
    async def reviews(namespace: Pool = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Any:
        """What waits for a person: pending rules, quarantined memories, conflicts, memories that harmed; for reviewers alone."""
        found = await (await callers_memory(desk, "review")).reviews(namespace=namespace, limit=limit)
        return {"items": [finite(each.as_json()) for each in found]}

    @router.post("/reviews/{id}/approve", response_model=MemoryAnswer, responses=refusals(404, 409))
    async def approve(id: str, body: ApproveRequest) -> Any:
        """Make a memory that waits active, with full trust; of a conflict, the one that holds."""
        return told(await (await callers_memory(desk, "review")).approve(id, **body.model_dump()))

    @router.post("/reviews/{id}/reject", response_model=MemoryAnswer, responses=refusals(404, 409))
    async def reject(id: str, body: RejectRequest) -> Any:
        """Put a memory away; the same is not proposed again."""
        return told(await (await callers_memory(desk, "review")).reject(id, **body.model_dump()))

    @router.post("/reviews/{id}/reopen", response_model=MemoryAnswer, responses=refusals(404, 409))
    async def reopen(id: str, body: ReopenRequest) -> Any:
        """Take the last approval or rejection back: the memory is as it was before, and waits again."""
        return told(await (await callers_memory(desk, "review")).reopen(id, **body.model_dump()))

    @router.post("/reviews/{id}/postpone", response_model=Postponed, responses=refusals(404))
    async def postpone(id: str, body: PostponeRequest) -> Any:
        """Decide later."""
        until = await (await callers_memory(desk, "review")).postpone(id, **body.model_dump())
        return {"id": read_id(id), "until": until}

    @router.post("/conflicts/scan", response_model=ConflictList, responses=refusals())
    async def scan_conflicts(body: NamespaceRequest) -> Any:
        """Look for active statements of the whole pool that contradict each other, and file them for review."""
        return {"items": await (await callers_memory(desk, "review")).scan_conflicts(namespace=body.namespace)}

    @router.get("/conflicts", response_model=ReviewList, responses=refusals())
    async def conflicts(namespace: Pool = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Any:
        """The contradictions among what waits; for reviewers alone."""
        found = await (await callers_memory(desk, "review")).reviews(namespace=namespace, limit=limit)
        return {"items": [finite(each.as_json()) for each in found if each.why == "conflict"]}

    @router.get("/patterns", response_model=PatternsAnswer, responses=refusals())
    async def patterns(namespace: Pool = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 20) -> Any:
        """Where the caller's tasks fail most, how that changes, and which lessons were shown in vain or never."""
        return finite((await (await callers_memory(desk, "read")).patterns(namespace=namespace, limit=limit)).as_json())

    @router.post("/reflect", response_model=ReflectionAnswer, responses=refusals(404))
    async def reflect(body: ReflectRequest) -> Any:
        """Look for causes of failure and propose rules; what is proposed waits for review."""
        memory = await callers_memory(desk, "write")
        return finite((await memory.reflect(**body.model_dump())).as_json())

    return router
