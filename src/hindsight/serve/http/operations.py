"""What operators look at: health and metrics."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from hindsight import __version__
from hindsight.errors import HindsightError
from hindsight.records import new_id
from hindsight.serve.desk import Desk
from hindsight.telemetry import PrometheusCounts

_log = logging.getLogger(__name__)


def operations(desk: Desk, counts: PrometheusCounts) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = APIRouter()

    @router.api_route("/health/live", methods=["GET", "HEAD"])
    async def live() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @router.api_route("/health/ready", methods=["GET", "HEAD"])
    async def ready() -> JSONResponse:
        parts = {"store": await _fault_of_store(desk)}
        missing = {part: fault for part, fault in parts.items() if fault is not None}
        body = {"status": "unavailable" if missing else "ok", "parts": {part: fault or "ok" for part, fault in parts.items()}}
        return JSONResponse(body, status_code=503 if missing else 200)

    @router.get("/metrics")
    async def metrics() -> Response:
        from prometheus_client import CONTENT_TYPE_LATEST

        stats = await (await desk.memory()).stats()
        return Response(counts.exposition(stats), media_type=CONTENT_TYPE_LATEST)

    return router


async def _fault_of_store(desk: Desk) -> str | None:
    """One look-up by id goes through the whole engine and costs next to nothing, whatever the store holds.

    The whole fault goes into the log alone: whoever asks here needs no token.
    """
    try:
        await (await desk.memory()).get(new_id())
    except HindsightError as error:
        _log.warning("not ready: %s", error)
        return f"{type(error).__name__}; the server's log tells more"
    return None
