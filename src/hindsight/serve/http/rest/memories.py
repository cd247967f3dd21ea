"""``/v1/memories``: keep, list, read, change, forget, look into the past, undo."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Response
from starlette.responses import JSONResponse

from hindsight.client.answers import (
    Events,
    Forgotten,
    LineageAnswer,
    MemoryAnswer,
    MemoryPage,
    StoreResults,
    UndoAnswer,
    UndoneItem,
)
from hindsight.client.requests import ListRequest, StoreManyRequest, StoreRequest, UndoRequest, UpdateRequest
from hindsight.errors import InvalidInput, NotFound
from hindsight.records import Memory, Status, StoreResult, StoreStatus
from hindsight.remember.undo import UndoneMemory, UndoReport
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.problem import problem
from hindsight.serve.http.rest.routes import refusals, routes

_TAG = re.compile(r'\s*"(\d{1,10})"\s*')
_STATUS = {StoreStatus.STORED: 201, StoreStatus.QUEUED: 202}
IfMatch = Annotated[str | None, Header(max_length=100, description='The version as `ETag` gave it, such as `"3"`; `*`: whatever stands.')]
Key = Annotated[str | None, Header(max_length=1_024, description="The same key again stores nothing and answers with the same id.")]


def memories(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("memories")
    keeping(desk, router)
    reading(desk, router)
    changing(desk, router)
    past(desk, router)
    return router


def keeping(desk: Desk, router: APIRouter) -> None:
    """The routes that keep texts."""

    @router.post(
        "/memories",
        response_model=StoreResult,
        status_code=201,
        responses=refusals()
        | {
            200: {"model": StoreResult, "description": "Nothing new was stored, or it waits for a person; `status` and `reasons` tell."},
            202: {"model": StoreResult, "description": "Queued."},
        },
    )
    async def store(
        body: StoreRequest,
        response: Response,
        wait: Annotated[bool, Query(description="False: answer as soon as the job is durable.")] = True,
        idempotency_key: Key = None,
    ) -> StoreResult:
        """Keep one text as it stands. A refusal by the guard is an answer with reasons, not an error."""
        memory = await callers_memory(desk, "write")
        fields = body.model_dump(exclude_unset=True)
        if idempotency_key is not None:
            fields["idempotency_key"] = idempotency_key
        result = await memory.store(fields.pop("content"), wait=wait, **fields)
        response.status_code = _STATUS.get(result.status, 200)
        if result.id is not None:
            response.headers["Location"] = f"/v1/memories/{result.id}"
        return result

    @router.post("/memories/batch", response_model=StoreResults, responses=refusals())
    async def store_many(body: StoreManyRequest, wait: bool = True) -> StoreResults:
        """Keep many texts; all are checked before the first is written."""
        memory = await callers_memory(desk, "write")
        results = await memory.store_many([each.model_dump(exclude_unset=True) for each in body.items], wait=wait)
        return StoreResults(items=results)


def reading(desk: Desk, router: APIRouter) -> None:
    """The routes that read memories as they stand."""

    @router.get("/memories", response_model=MemoryPage, responses=refusals())
    async def list_memories(asked: Annotated[ListRequest, Query()]) -> Any:
        """Memories that pass the filters, newest first, a page at a time."""
        memory = await callers_memory(desk, "read")
        page = await memory.list(namespace=asked.namespace, limit=asked.limit, cursor=asked.cursor, **asked.arguments())
        return {"items": [told(each) for each in page.items], "cursor": page.cursor}

    @router.get(
        "/memories/{id}", response_model=MemoryAnswer, responses=refusals(404) | {304: {"description": "It is as `If-None-Match` says."}}
    )
    async def get(
        id: str,
        response: Response,
        at: Annotated[str | None, Query(max_length=100, description="As it was then.", examples=["2025-03-08T14:30"])] = None,
        if_none_match: Annotated[str | None, Header(max_length=100)] = None,
    ) -> Any:
        """One memory; `ETag` is its version."""
        memory = await callers_memory(desk, "read")
        found = await memory.get(id, at=at)
        if found is None:
            raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
        if if_none_match is not None and if_none_match.strip() == tag_of(found):
            return Response(status_code=304, headers={"ETag": tag_of(found)})
        response.headers["ETag"] = tag_of(found)
        return told(found)


def changing(desk: Desk, router: APIRouter) -> None:
    """The routes that change or forget a memory."""

    @router.patch("/memories/{id}", response_model=MemoryAnswer, responses=refusals(404, 412, 428))
    async def update(id: str, body: UpdateRequest, response: Response, if_match: IfMatch = None) -> Any:
        """Change fields; the old values stay in its history. `If-Match` is needed, so that nobody overwrites what they have not seen."""
        memory = await callers_memory(desk, "write")
        if if_match is None:
            return _version_is_needed()
        changes = body.model_dump(exclude_unset=True)
        reason = changes.pop("reason", None)
        new = await memory.update(id, expected_version=version_in(if_match), reason=reason, **changes)
        response.headers["ETag"] = tag_of(new)
        return told(new)

    @router.delete("/memories/{id}", response_model=Forgotten, responses=refusals(404))
    async def forget(
        id: str,
        mode: Annotated[
            Literal["erase", "archive"], Query(description="`archive` keeps it out of recall; `restore` brings it back.")
        ] = "erase",
        reason: Annotated[str | None, Query(max_length=1_024)] = None,
    ) -> Any:
        """Erase a memory for good (text, index, vector, history), or archive it."""
        memory = await callers_memory(desk, "write")
        found = await memory.forget(id, mode=mode, reason=reason)
        if not found:
            raise NotFound(f"there is no memory {id} for this caller; nothing was forgotten.")
        return Forgotten(id=id, mode=mode, found=found)  # type: ignore[arg-type]


def past(desk: Desk, router: APIRouter) -> None:
    """The routes about what happened to memories."""

    @router.post("/memories/{id}/restore", response_model=MemoryAnswer, responses=refusals(404))
    async def restore(id: str) -> Any:
        """Make an archived memory active again."""
        return told(await (await callers_memory(desk, "write")).restore(id))

    @router.get("/memories/{id}/history", response_model=Events, responses=refusals(404))
    async def history(id: str) -> Any:
        """What happened to a memory, oldest first. An erased one keeps a tombstone without content."""
        return {"items": await (await callers_memory(desk, "read")).history(id)}

    @router.get("/memories/{id}/lineage", response_model=LineageAnswer, responses=refusals(404))
    async def lineage(id: str) -> Any:
        """What a memory was made of, and what was made of it."""
        return (await (await callers_memory(desk, "read")).lineage(id)).to_json()

    @router.post("/undo", response_model=UndoAnswer, responses=refusals(404, 409))
    async def undo(body: UndoRequest) -> UndoAnswer:
        """Take back what an agent, session, source or memory did, and all that grew from it; for admins alone."""
        memory = await callers_memory(desk, "admin")
        return undone(await memory.undo(**body.model_dump()))


def told(memory: Memory) -> MemoryAnswer:
    """A memory in the form of an answer."""
    return MemoryAnswer.model_construct(**dict(memory))


def undone(report: UndoReport) -> UndoAnswer:
    """The report in the form of an answer; texts of what is quarantined stay inside."""
    return UndoAnswer(
        undo=None if report.dry_run else report.id,
        dry_run=report.dry_run,
        namespace=report.namespace,
        items=[_undone_item(each) for each in report.items],
        lost=[{"id": id, "why": why} for id, why in report.lost],  # type: ignore[misc]
    )


def _undone_item(item: UndoneMemory) -> UndoneItem:
    held = item.before.status is Status.QUARANTINED
    texts = (None, None) if held else (item.before.content, item.after.content)
    return UndoneItem(id=item.id, effect=item.effect, events=list(item.events), content=texts[0], after=texts[1])


def tag_of(memory: Memory) -> str:
    """The entity tag of a version."""
    return f'"{memory.version}"'


def version_in(if_match: str) -> int | None:
    """The version that ``If-Match`` names; None for ``*``.

    Raises:
        InvalidInput: it names no version.
    """
    if if_match.strip() == "*":
        return None
    found = _TAG.fullmatch(if_match)
    if found is None:
        raise InvalidInput('If-Match: give the version as ETag gave it, such as "3" with its quotes, or *.')
    return int(found[1])


def _version_is_needed() -> JSONResponse:
    detail = 'Send the header If-Match with the version that you read (its ETag, such as "3"), or * to change whatever stands.'
    return problem(428, "Which version?", detail, name="VersionNeeded")
