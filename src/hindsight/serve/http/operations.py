"""What operators look at: health and metrics."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from hindsight import __version__
from hindsight.errors import HindsightError
from hindsight.prometheus import PrometheusCounts
from hindsight.serve.desk import Desk
from hindsight.serve.oauth import METADATA_PATH, Issuer
from hindsight.upkeep.standing import Standing, free_bytes

_log = logging.getLogger(__name__)
# The whole fault goes into the log alone: whoever asks here needs no token.
_UNTOLD = "does not answer; the server's log tells more"
_TOLD = {
    "redis": "does not answer; calls go on without it",
    "qdrant": "does not answer; searches in large namespaces go on by keywords",
}


def operations(desk: Desk, counts: PrometheusCounts) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = APIRouter()

    @router.api_route("/health/live", methods=["GET", "HEAD"])
    async def live() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @router.api_route("/health/ready", methods=["GET", "HEAD"])
    async def ready() -> JSONResponse:
        parts = await _engines(desk)
        told = {part: "ok" if fault is None else _TOLD.get(part, _UNTOLD) for part, fault in parts.items()}
        for part, fault in parts.items():
            if fault is not None:
                _log.warning("not ready: %s: %s", part, fault)
        ready = parts["store"] is None  # without the others, calls go on
        status = "ok" if not any(parts.values()) else "degraded" if ready else "unavailable"
        return JSONResponse({"status": status, "parts": told}, status_code=200 if ready else 503)

    @router.get("/metrics")
    async def metrics() -> Response:
        from prometheus_client import CONTENT_TYPE_LATEST

        memory = await desk.memory()
        stats, keeper = await memory.stats(), memory.keeper
        engine = await memory.vector_engine(sample=0)
        standing = Standing(stats, await keeper.condition(), await keeper.age(), free_bytes(desk.settings.store), engine)
        return Response(counts.exposition(standing), media_type=CONTENT_TYPE_LATEST)

    return router


def protected_resource(issuer: Issuer) -> APIRouter:
    """The metadata that lead a client from a refusal to the authorization server."""
    router = APIRouter()

    @router.api_route(METADATA_PATH, methods=["GET", "HEAD"])
    @router.api_route(METADATA_PATH + "/{path:path}", methods=["GET", "HEAD"])
    async def metadata() -> JSONResponse:
        return JSONResponse(issuer.metadata(), headers={"Cache-Control": "max-age=300", "Access-Control-Allow-Origin": "*"})

    return router


async def _engines(desk: Desk) -> dict[str, str | None]:
    """Each engine and what is wrong with it; the store's own fault where it cannot even be opened."""
    try:
        return dict(await (await desk.memory()).access.engines())
    except HindsightError as error:
        return {"store": str(error)}
