"""Who comes to the console: the token of a login in place of a header, and the way to the login page."""

from __future__ import annotations

import base64
import binascii
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight.serve.http.body import BodyLimit

LOGIN = "/login"
TOKEN_COOKIE = "hindsight_token"  # noqa: S105 - the cookie's name
ROOMS = frozenset({"", "memories", "recall", "review", "sessions", "graph", "map", "insight", "activity"})
"""First parts of the console's paths. A login counts on them alone: never for the REST interface or MCP."""
_DOOR = frozenset({"login", "logout", "static"})
_MAX_NEXT = 500


class Entrance:
    """Stands before the guard: ``door`` answers the login page and its style sheet to everybody, all else goes on to ``app``.

    A request of a browser that the guard refuses for want of a token is led to the login page.
    """

    def __init__(self, app: ASGIApp, *, door: ASGIApp) -> None:
        self.app = app
        self._door = BodyLimit(door)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        first = scope["path"].removeprefix("/").partition("/")[0]
        if first in _DOOR:
            await self._door(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if first not in ROOMS or "authorization" in headers:
            await self.app(scope, receive, send)
            return
        token = token_in(headers)
        if token is not None:
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + token)]}
        if "text/html" in headers.get("accept", "") or "hx-request" in headers:
            send = _leading_to_login(scope, send, failed=token is not None)
        await self.app(scope, receive, send)


def token_in(headers: Headers) -> bytes | None:
    """The token of the login; None without one."""
    value = cookie_in(headers, TOKEN_COOKIE)
    if value is None:
        return None
    try:
        token = base64.urlsafe_b64decode(value.encode("ascii"))
    except (ValueError, binascii.Error):
        return b"-"  # no token: the guard says so
    return token if token and not any(byte < 0x20 for byte in token) else b"-"


def packed(token: str) -> str:
    """A token as a cookie's value."""
    return base64.urlsafe_b64encode(token.encode("utf-8", "replace")).decode("ascii")


def cookie_in(headers: Headers, name: str) -> str | None:
    """A cookie's value."""
    for line in headers.getlist("cookie"):
        try:
            found = SimpleCookie(line)
        except CookieError:
            continue
        if name in found:
            return found[name].value
    return None


def local_path(text: str) -> str:
    """``text`` where it is a path of this server that is safe in a header, else the first page."""
    plain = text.startswith("/") and not text.startswith(("//", "/\\")) and len(text) <= _MAX_NEXT
    if not plain or "\\" in text or any(ord(each) < 0x21 or ord(each) > 0x7E for each in text):
        return "/memories"
    return text


def _leading_to_login(scope: Scope, send: Send, *, failed: bool) -> Send:
    query = scope.get("query_string", b"").decode("latin-1")
    here = quote(scope["path"]) + (f"?{quote(query, safe='=&%+')}" if query else "")
    asked = {"next": local_path(here)} | ({"failed": "1"} if failed else {})
    target = f"{LOGIN}?{urlencode(asked)}".encode("ascii")
    by_script = "hx-request" in Headers(scope=scope)  # a script follows redirections unseen: it is told where to lead its page
    led = False

    async def sent(message: Message) -> None:
        nonlocal led
        if message["type"] == "http.response.start" and message["status"] == 401:
            led = True
            where = b"hx-redirect" if by_script else b"location"
            headers = [(where, target), (b"content-length", b"0"), (b"cache-control", b"no-store")]
            await send({"type": "http.response.start", "status": 200 if by_script else 303, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
        elif not led:
            await send(message)

    return sent
