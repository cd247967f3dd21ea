"""What operators look at: health, metrics, and the start page."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, JSONResponse

from hindsight import __version__
from hindsight.errors import HindsightError
from hindsight.records import new_id
from hindsight.serve.desk import Desk
from hindsight.serve.http.refusal import MCP_PATH
from hindsight.telemetry import PrometheusCounts

PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>hindsight</title>
<style>body{{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}}code{{background:#8882;padding:.1em .3em}}</style>
<h1>hindsight {__version__}</h1>
<p>Long-term memory for LLM agents. <span lang="zh">为大模型智能体提供长期记忆。</span></p>
<ul>
<li><code>{MCP_PATH}</code> the Model Context Protocol, streamable HTTP</li>
<li><a href="/health/live"><code>/health/live</code></a> the process runs</li>
<li><a href="/health/ready"><code>/health/ready</code></a> the store answers</li>
<li><a href="/metrics"><code>/metrics</code></a> for Prometheus</li>
</ul>
</html>
"""


def operations(desk: Desk, counts: PrometheusCounts) -> APIRouter:
    """The routes, answered from ``desk``."""
    router = APIRouter()

    @router.get("/", response_class=HTMLResponse)
    async def start_page() -> str:
        return PAGE

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
    """One look-up by id goes through the whole engine and costs next to nothing, whatever the store holds."""
    try:
        await (await desk.memory()).get(new_id())
    except HindsightError as error:
        return str(error)
    return None
