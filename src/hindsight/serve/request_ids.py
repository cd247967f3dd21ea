"""An id for each request: in every log line that is written while it is answered, and in the answer."""

from __future__ import annotations

import re
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

HEADER = "X-Request-ID"
_FIT = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class RequestIds:
    """ASGI middleware. A caller's own id is taken where it is a short plain word."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        id = given if _FIT.fullmatch(given) else uuid.uuid4().hex[:16]

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = id
            await send(message)

        with bound_contextvars(request_id=id):
            await self.app(scope, receive, answer)
