"""``/v1/events``: what happens now, as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from hindsight.client.operating_answers import HappeningAnswer
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.happenings import Watchers
from hindsight.serve.http.rest.operating import Pool
from hindsight.serve.http.rest.routes import refusals, routes

EVENT_STREAM = "text/event-stream"
HAPPENING_SCHEMA = HappeningAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
EVENT_SCHEMA = {
    "type": "string",
    "description": "Each event is `event: memory` or `event: retrieval`, `id:` and one line of `data:`; the data is JSON of this schema.",
    "contentMediaType": "application/json",
    "contentSchema": {"$ref": "#/components/schemas/HappeningAnswer"},
}
_EXAMPLE = (
    'event: retrieval\nid: 0197a1b2-0000-7000-8000-000000000000\ndata: {"what": "retrieval", "id": "0197a1b2-0000-7000-8000-000000000000", '
    '"at": "2025-03-08T03:00:00Z", "agent": "default", "text": "when do backups run?", "kind": null, "shown": 1}\n\n'
)


def watching(desk: Desk) -> APIRouter:
    """The route, answered from ``desk``."""
    router = routes("operation")
    watchers = Watchers()

    @router.get(
        "/events",
        response_class=StreamingResponse,
        responses=refusals()
        | {
            200: {
                "description": "Server-sent events `memory` and `retrieval`, each with its data as JSON; a comment each second.",
                "content": {EVENT_STREAM: {"schema": EVENT_SCHEMA, "example": _EXAMPLE}},
            }
        },
    )
    async def events(namespace: Pool = None, seconds: Annotated[int, Query(ge=1, le=600)] = 60) -> StreamingResponse:
        """New memories and the caller's retrievals as they happen, for so many seconds; then ask again."""
        happening = watchers.watch(await callers_memory(desk, "read"), seconds, namespace=namespace)
        await anext(happening)  # what is refused is refused before the answer begins
        return StreamingResponse(_sent(happening), media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})

    return router


async def _sent(happening: AsyncIterator[HappeningAnswer | None]) -> AsyncIterator[bytes]:
    yield b": watching\n\n"
    async for each in happening:
        yield b":\n\n" if each is None else f"event: {each.what}\nid: {each.id}\ndata: {each.model_dump_json()}\n\n".encode()
