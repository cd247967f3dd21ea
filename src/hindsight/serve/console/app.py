"""The console as an application of its own, behind all other paths; and the door before it."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from hindsight.errors import AccessDenied, HindsightError, InvalidInput
from hindsight.serve.console.activity import activity
from hindsight.serve.console.backing import backing
from hindsight.serve.console.entrance import LOGIN, TOKEN_COOKIE, local_path, packed
from hindsight.serve.console.graph import graph
from hindsight.serve.console.guard import HEADERS, checked_form, keep
from hindsight.serve.console.insight import insight
from hindsight.serve.console.keeping import keeping
from hindsight.serve.console.laboratory import laboratory
from hindsight.serve.console.live import live
from hindsight.serve.console.mapping import mapping
from hindsight.serve.console.rendering import FOLDER, onward, page
from hindsight.serve.console.reviewing import reviewing
from hindsight.serve.console.working import working
from hindsight.serve.desk import Desk
from hindsight.serve.http.problem import status_of

_STATIC = {
    "console.css": "text/css",
    "console.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "htmx.LICENSE.txt": "text/plain",
    "icon.svg": "image/svg+xml",
}
"""The files that everybody gets, with their kinds."""
_MAX_TOKEN = 4_096
_log = logging.getLogger(__name__)


def build_console(desk: Desk) -> Starlette:
    """The pages, answered from ``desk``."""

    async def start(_request: Request) -> Response:
        return onward("/memories")

    routes = [Route("/", start), *keeping(desk), *laboratory(desk), *reviewing(desk), *working(desk)]
    routes += [*graph(desk), *mapping(desk), *insight(desk), *activity(desk), *backing(desk), *live(desk)]
    return Starlette(routes=routes, exception_handlers=_HANDLERS)


def build_door() -> Starlette:
    """What is answered before it is known who asks: the login page, style sheet and scripts."""
    routes = [
        Route(LOGIN, _login_page),
        Route(LOGIN, _log_in, methods=["POST"]),
        Route("/logout", _log_out, methods=["POST"]),
        *(Route(f"/static/{name}", _file) for name in _STATIC),
    ]
    return Starlette(routes=routes, exception_handlers=_HANDLERS)


async def _file(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    headers = HEADERS | {"Cache-Control": "max-age=300"}
    return FileResponse(FOLDER / "static" / name, media_type=_STATIC[name], headers=headers)


async def _login_page(request: Request) -> Response:
    target = local_path(request.query_params.get("next", ""))
    return page(request, "login", next=target, failed="failed" in request.query_params)


async def _log_in(request: Request) -> Response:
    form = await checked_form(request)
    token = form.get("token")
    if not isinstance(token, str) or not token.strip() or len(token) > _MAX_TOKEN:
        raise InvalidInput("token: enter the token that the server's owner gave you.")
    # Whether it is a good one the guard finds out on the next page, and leads back here where it is not.
    target = form.get("next")
    response = onward(local_path(target if isinstance(target, str) else ""))
    keep(request, response, TOKEN_COOKIE, packed(token.strip()))
    return response


async def _log_out(request: Request) -> Response:
    await checked_form(request)
    response = onward(LOGIN)
    response.delete_cookie(TOKEN_COOKIE, path="/", httponly=True, samesite="strict")
    return response


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HindsightError)
    status, _ = status_of(error)
    return page(request, "message", status=status, message=str(error), again=isinstance(error, AccessDenied))


async def _on_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return page(request, "message", status=404, message=None, again=False)
    return page(request, "message", status=error.status_code, message=str(error.detail), again=False)


async def _on_fault(request: Request, error: Exception) -> Response:
    reference = uuid.uuid4().hex[:8]
    _log.error("page failed unexpectedly, reference %s", reference, exc_info=error)
    told = f"The server failed unexpectedly. This is a fault of hindsight; its log tells more under the reference {reference}."
    return page(request, "message", status=500, message=told, again=False)


_HANDLERS: Any = {HindsightError: _on_error, HTTPException: _on_refusal, Exception: _on_fault}
