"""How a request is refused before any handler sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from hindsight.serve.http.problem import refused

MCP_PATH = "/mcp"
REST_PATH = "/v1"
_REFUSED = -32001
"""JSON-RPC code of a refusal, from the range left to servers."""


async def refuse(
    status: int, message: str, scope: Scope, receive: Receive, send: Send, *, headers: Mapping[str, str] | None = None
) -> None:
    """Answer ``status`` with a sentence. On the MCP path it is a JSON-RPC error too, so that MCP clients show the sentence."""
    if scope["path"].startswith(f"{REST_PATH}/"):
        await refused(status, message, headers)(scope, receive, send)
        return
    body: dict[str, Any] = {"error": {"code": _REFUSED, "message": message}}
    if scope["path"].rstrip("/") == MCP_PATH:
        body = {"jsonrpc": "2.0", "id": None, **body}
    await JSONResponse(body, status_code=status, headers=headers)(scope, receive, send)
