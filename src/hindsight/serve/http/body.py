"""Request bodies: bounded before they are read, and repaired where a strict parser would refuse them."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight.serve.http.refusal import refuse
from hindsight.serve.json_text import repaired

MAX_BODY_BYTES = 4 * 1024 * 1024
DRAINED_BYTES = 64 * 1024 * 1024
"""How much of a refused body is still read and thrown away, since a client that is cut off while sending never sees the answer."""


class BodyLimit:
    """Refuses bodies over ``MAX_BODY_BYTES`` with 413, whether their length is declared or not.

    Those for the paths ``streamed`` pass as they come: who takes them keeps to a limit of its own.
    """

    def __init__(self, app: ASGIApp, *, streamed: frozenset[str] = frozenset()) -> None:
        self.app = app
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then pass the request on, or refuse it."""
        if scope["type"] != "http" or scope["path"] in self._streamed:
            await self.app(scope, receive, send)
            return
        body = bytearray()
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has gone: there is nobody to answer
            part = message.get("body", b"")
            size += len(part)
            if size <= MAX_BODY_BYTES:
                body += part
            if not message.get("more_body", False) or size > DRAINED_BYTES:
                break
        if size > MAX_BODY_BYTES:
            declared = Headers(scope=scope).get("content-length", f"more than {MAX_BODY_BYTES}")
            sentence = f"The request has {declared} bytes; at most {MAX_BODY_BYTES} are taken. Send less at once."
            await refuse(413, sentence, scope, receive, send)
            return
        await self.app(scope, _after({"type": "http.request", "body": bytes(body), "more_body": False}, receive), send)


class RepairedBody:
    """Gives the MCP endpoint a body in which lone surrogate escapes are replaced, as on stdio."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on; its body is in one piece, since ``BodyLimit`` stands before."""
        first = await receive()
        if first["type"] == "http.request":
            first = {**first, "body": repaired(first.get("body", b""))}
        await self.app(scope, _after(first, receive), send)


def _after(first: Message, receive: Receive) -> Receive:
    """``receive``, with one message before everything else."""
    waiting = [first]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
