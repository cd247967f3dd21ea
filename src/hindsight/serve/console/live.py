"""The live page: the page stays open and grows while things happen, without a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from hindsight.serve.console.guard import HEADERS
from hindsight.serve.console.rendering import page, templates
from hindsight.serve.console.words import language_of, value
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.serve.http.happenings import Watchers

SECONDS = 600
_END = b"<!-- here it grows -->"


def live(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""
    watchers = Watchers()

    async def watch(request: Request) -> Response:
        memory = await callers_memory(desk, "read")
        happening = watchers.watch(memory, SECONDS)
        await anext(happening)  # what is refused is refused before the page begins
        whole = page(request, "live", zone=memory.zone, minutes=SECONDS // 60)
        head, _, foot = bytes(whole.body).partition(_END)
        language = language_of(request)
        told = templates().get_template("happening.html")

        async def grown() -> AsyncIterator[bytes]:
            yield head
            async for each in happening:
                if each is None:
                    yield b"\n"  # so that a browser that has gone is noticed
                else:
                    at = each.at.astimezone(memory.zone)
                    yield told.render(each=each, at=at, v=lambda name: value(name, language)).encode()
            yield foot

        kept: Any = whole.raw_headers
        answer = StreamingResponse(grown(), media_type="text/html", headers=HEADERS)
        answer.raw_headers += [(name, text) for name, text in kept if name == b"set-cookie"]
        return answer

    return [Route("/activity/live", watch)]
