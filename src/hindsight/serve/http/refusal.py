"""How a request is refused before any handler sees it."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import Receive, Scope, Send

from hindsight.serve.http.problem import refused

MCP_PATH = "/mcp"
REST_PATH = "/v1"
_REFUSED = -32001
"""JSON-RPC code of a refusal, from the range left to servers."""
_STRICT = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{status} · hindsight</title>
<link rel="stylesheet" href="/static/console.css"></head>
<body><main><h1>{status}</h1><p class="notice bad" role="alert">{message}</p><p><a href="/memories">hindsight</a></p></main></body></html>
"""


async def refuse(
    status: int, message: str, scope: Scope, receive: Receive, send: Send, *, headers: Mapping[str, str] | None = None
) -> None:
    """Answer ``status`` with a sentence. On the MCP path it is a JSON-RPC error too, so that MCP clients show the sentence;
    a browser gets a page.
    """
    if scope["path"].startswith(f"{REST_PATH}/"):
        await refused(status, message, headers)(scope, receive, send)
        return
    asked = Headers(scope=scope)
    if ("text/html" in asked.get("accept", "") or "hx-request" in asked) and not scope["path"].startswith(MCP_PATH):
        page = _PAGE.format(status=status, message=html.escape(message))
        await HTMLResponse(page, status_code=status, headers={**(headers or {}), **_STRICT})(scope, receive, send)
        return
    body: dict[str, Any] = {"error": {"code": _REFUSED, "message": message}}
    if scope["path"].rstrip("/") == MCP_PATH:
        body = {"jsonrpc": "2.0", "id": None, **body}
    await JSONResponse(body, status_code=status, headers=headers)(scope, receive, send)
