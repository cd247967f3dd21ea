"""``/v1/jobs``, ``/v1/tokens``, ``/v1/stats``, ``/v1/verify``, ``/v1/export``, ``/v1/import``: running a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import IO, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import StreamingResponse

from hindsight.client.operating_answers import ImportAnswer, JobList, NewTokenAnswer, TokenAnswer, TokenList, VerificationAnswer
from hindsight.client.requests import TokenRequest
from hindsight.errors import AccessDenied, ContentTooLarge, InvalidInput, NotFound
from hindsight.records import Memory, Stats
from hindsight.remember.importing import ImportFormat
from hindsight.scratch import scratch
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.rest.routes import refusals, routes

IMPORT_PATH = "/v1/import"
MAX_IMPORT_BYTES = 256 * 1024 * 1024
JSON_LINES = "application/x-ndjson"
_SUFFIX = {"text/markdown": ".md", "application/json": ".json", "text/plain": ".md"}
Pool = Annotated[str | None, Query(max_length=1_024)]


def operating(desk: Desk) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = routes("operation")

    @router.get("/stats", response_model=Stats, responses=refusals())
    async def stats(namespace: Pool = None) -> Any:
        """Counts of one namespace, or, for admins, of the whole store."""
        memory = await callers_memory(desk, "read")
        if "admin" in memory.principal.scopes:
            return await memory.stats(namespace=namespace)
        return await memory.stats(namespace=_own_pool(namespace, memory.namespace, memory.principal.namespaces))

    @router.post("/verify", response_model=VerificationAnswer, responses=refusals())
    async def verify() -> Any:
        """Whether anybody changed the store around hindsight; for admins alone."""
        return await (await callers_memory(desk, "admin")).verify()

    @router.get("/jobs", response_model=JobList, responses=refusals())
    async def jobs(
        state: Annotated[list[Literal["waiting", "leased", "done", "dead"]], Query(max_length=4)] = [],  # noqa: B006 - FastAPI copies it
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Any:
        """Queued work, newest first; for admins alone."""
        return {"items": await (await callers_memory(desk, "admin")).jobs(states=state, limit=limit)}

    @router.post("/jobs/{id}/retry", status_code=204, responses=refusals(404))
    async def retry_job(id: Annotated[int, PathParameter(ge=1, le=2**62)]) -> None:
        """Give a dead job all its tries again; for admins alone."""
        if not await (await callers_memory(desk, "admin")).retry_job(id):
            raise NotFound(f"there is no dead job {id}; `GET /v1/jobs?state=dead` lists them.")

    tokens(desk, router)
    transfer(desk, router)
    return router


def tokens(desk: Desk, router: APIRouter) -> None:
    """The routes about bearer tokens; for admins alone."""

    @router.get("/tokens", response_model=TokenList, responses=refusals())
    async def list_tokens() -> Any:
        """Every token, without its secret."""
        return {"items": await (await callers_memory(desk, "admin")).tokens()}

    @router.post("/tokens", response_model=NewTokenAnswer, status_code=201, responses=refusals())
    async def create_token(body: TokenRequest) -> NewTokenAnswer:
        """A new token; `secret` is shown this once. From the first one on, every caller needs a token."""
        memory = await callers_memory(desk, "admin")
        if body.expires_at is not None and body.expires_at.tzinfo is None:
            raise InvalidInput("expires_at: give an offset, such as 2026-01-01T00:00:00+08:00 or Z.")
        token, secret = await memory.create_token(**body.model_dump())
        return NewTokenAnswer(**dict(TokenAnswer.model_validate(token)), secret=secret)

    @router.delete("/tokens/{id}", status_code=204, responses=refusals(404))
    async def revoke_token(id: str) -> None:
        """Refuse a token from now on."""
        await (await callers_memory(desk, "admin")).revoke_token(id)


def transfer(desk: Desk, router: APIRouter) -> None:
    """The routes that move memories out and in."""

    @router.get(
        "/export",
        response_class=StreamingResponse,
        responses=refusals()
        | {200: {"description": "One memory a line, oldest first.", "content": {JSON_LINES: {"schema": {"type": "string"}}}}},
    )
    async def export(namespace: Pool = None) -> StreamingResponse:
        """Every memory that the caller may see but quarantined ones, as JSON Lines, from one consistent snapshot."""
        found = (await callers_memory(desk, "read")).export(namespace=namespace)
        first = await anext(found, None)  # what is refused is refused before the answer begins
        return StreamingResponse(_lines(first, found), media_type=JSON_LINES)

    @router.post(
        "/import",
        response_model=ImportAnswer,
        responses=refusals(),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    JSON_LINES: {"schema": {"type": "string"}},
                    "text/markdown": {"schema": {"type": "string"}},
                    "application/json": {"schema": {}},
                },
            }
        },
    )
    async def import_file(request: Request, format: ImportFormat = "auto", namespace: Pool = None) -> Any:
        """Import a file, sent as the body: an export, or the histories of other programs (see the page on importing)."""
        memory = await callers_memory(desk, "write")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        with scratch("import") as folder:
            path = folder / f"import{_SUFFIX.get(kind, '.jsonl')}"
            with path.open("wb") as file:
                await _receive(request, file)
            return await memory.import_file(path, format=format, namespace=namespace)


async def _receive(request: Request, file: IO[bytes]) -> None:
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_IMPORT_BYTES:
            raise ContentTooLarge(f"the file is over {MAX_IMPORT_BYTES:,} bytes; import it in parts, or with `hindsight import`.")
        await asyncio.to_thread(file.write, part)


async def _lines(first: Memory | None, rest: AsyncIterator[Memory]) -> AsyncIterator[bytes]:
    if first is not None:
        yield first.model_dump_json().encode("utf-8") + b"\n"
    async for memory in rest:
        yield memory.model_dump_json().encode("utf-8") + b"\n"


def _own_pool(asked: str | None, default: str, allowed: tuple[str, ...]) -> str:
    pool = asked or default
    if "*" not in allowed and pool not in allowed:
        raise AccessDenied(f"this caller may not use the namespace {pool!r}; it is given {', '.join(allowed)}.")
    return pool
