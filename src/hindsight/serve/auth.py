"""Who may reach the HTTP server: where it listens, which hosts and origins it answers, which token it wants."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight.errors import ConfigurationError
from hindsight.serve.http.refusal import refuse
from hindsight.settings import Settings

OPEN_PATHS = frozenset({"/health/live"})
"""Answered without a token: whoever restarts the process holds none."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def check_binding(settings: Settings) -> None:
    """Refuse to be reachable from other machines without a token.

    Raises:
        ConfigurationError: the host is not loopback and no token is set.
    """
    if not is_loopback(settings.host) and not settings.token.get_secret_value():
        raise ConfigurationError(
            f"HINDSIGHT_HOST: {settings.host} can be reached from other machines, and no token is set. "
            "Set HINDSIGHT_TOKEN, or leave the host at 127.0.0.1."
        )


class HostGuard:
    """Answers only requests that mean this server, so that a web page cannot reach it through a name of its own (DNS rebinding).

    On loopback the ``Host`` header must name this machine. On other addresses, where a token is needed anyway and names are
    many, it may be any. An ``Origin`` header must name this machine, or the host that the request itself names.
    """

    def __init__(self, app: ASGIApp, *, host: str) -> None:
        self.app = app
        self._loopback_only = is_loopback(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = _host_of(headers.get("host", ""))
            if not host or (self._loopback_only and not is_loopback(host)):
                message = (
                    f"This server listens on this machine only and does not answer to the host name {host!r}; use 127.0.0.1 or localhost."
                )
                await refuse(421, message, scope, receive, send)
                return
            origin = headers.get("origin")
            if origin is not None and not self._is_allowed(origin, host):
                await refuse(403, f"Requests from pages of {origin!r} are not answered.", scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_allowed(self, origin: str, host: str) -> bool:
        name = _host_of(origin.partition("://")[2])
        return bool(name) and (is_loopback(name) or (not self._loopback_only and name == host))


class TokenGuard:
    """Wants ``Authorization: Bearer …`` on everything but ``OPEN_PATHS``; without a configured token it lets all pass."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self.app = app
        self._digest = _digest(token.strip().encode("utf-8")) if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        if scope["type"] == "http" and self._digest is not None and scope["path"] not in OPEN_PATHS:
            scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
            # Digests are compared, so that neither length nor content of the token shows in the time taken.
            if scheme.lower() != "bearer" or not hmac.compare_digest(_digest(given.strip().encode("latin-1")), self._digest):
                challenge = 'Bearer realm="hindsight"' + (', error="invalid_token"' if given else "")
                message = "A valid token is needed: send the header `Authorization: Bearer …` with the server's HINDSIGHT_TOKEN."
                await refuse(401, message, scope, receive, send, headers={"WWW-Authenticate": challenge})
                return
        await self.app(scope, receive, send)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _host_of(authority: str) -> str:
    """The host of ``host:port``, lower case, without brackets; empty where it is malformed."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""
