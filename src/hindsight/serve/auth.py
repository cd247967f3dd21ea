"""Who may reach the HTTP server: where it listens, which hosts and origins it answers, which token it wants."""

from __future__ import annotations

import hmac
import math
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight.access import PREFIX, Access, digest_of
from hindsight.confinement import confined_to
from hindsight.errors import AccessDenied, ConfigurationError, HindsightError
from hindsight.ports import Token
from hindsight.serve.binding import is_loopback
from hindsight.serve.caller import Caller, calling
from hindsight.serve.http.refusal import refuse
from hindsight.serve.oauth import METADATA_PATH, Issuer
from hindsight.settings import Settings

OPEN_PATHS = frozenset({"/health/live", "/health/ready"})
"""Answered without a token: who restarts the process, or sends requests to the replicas that are ready, holds none."""


def check_binding(settings: Settings, *, tokens: bool = False) -> None:
    """Refuse to be reachable from other machines without a token; ``tokens``: the store has some. Tokens of an issuer count, too.

    Raises:
        ConfigurationError: the host is not loopback and there is no token.
    """
    if not is_loopback(settings.host) and not settings.token.get_secret_value() and not tokens and not settings.oauth_issuer:
        raise ConfigurationError(
            f"HINDSIGHT_HOST: {settings.host} can be reached from other machines, and there is no token. "
            "Make one with `hindsight token create`, set HINDSIGHT_TOKEN, or leave the host at 127.0.0.1."
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
    """Finds out who calls, by ``Authorization: Bearer …``, and keeps to each token's rate.

    The owner's own token (``HINDSIGHT_TOKEN``), those of the store and those of the ``issuer`` are known. Where none of them was ever
    set, everybody who reaches the server is the owner: it listens on loopback only then. ``OPEN_PATHS`` are answered to all.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings, access: Callable[[], Awaitable[Access]], issuer: Issuer | None = None) -> None:
        self.app = app
        self._issuer = issuer
        self._settings = settings
        token = settings.token.get_secret_value().strip()
        self._own = digest_of(token) if token else None
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        if scope["type"] != "http" or _is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        try:
            token = await self._token_of(_presented(Headers(scope=scope)))
        except AccessDenied as error:
            challenge = self._challenge(presented="authorization" in Headers(scope=scope))
            await refuse(401, str(error), scope, receive, send, headers={"WWW-Authenticate": challenge})
            return
        except HindsightError as error:
            await refuse(503, str(error), scope, receive, send)
            return
        if token is not None and (wait := await (await self._access()).wait(token)):
            message = f"The token {token.name!r} may make {token.per_minute} requests a minute; try again in {math.ceil(wait)} s."
            await refuse(429, message, scope, receive, send, headers={"Retry-After": str(math.ceil(wait))})
            return
        with calling(self._caller(token)), confined_to(_walls(token)):
            await self.app(scope, receive, send)

    def _challenge(self, *, presented: bool) -> str:
        parts = ['realm="hindsight"']
        if self._issuer is not None:
            parts.append(f'resource_metadata="{self._issuer.metadata_url}"')
        if presented:
            parts.append('error="invalid_token"')
        return "Bearer " + ", ".join(parts)

    def _caller(self, token: Token | None) -> Caller:
        if token is None:
            return Caller(agent=self._settings.agent, scopes=frozenset({"read", "write", "review", "admin", "relay"}))
        return Caller(agent=token.agent, namespaces=token.namespaces, scopes=token.scopes)

    async def _token_of(self, presented: str | None) -> Token | None:
        """The store's token; None for the owner.

        Raises:
            AccessDenied: a token is needed, and none that is known was presented.
        """
        if presented is None:
            if self._own is None and self._issuer is None and not await (await self._access()).required():
                return None
            raise AccessDenied(
                "A token is needed: send the header `Authorization: Bearer …` with one that `hindsight token create` made, or with the "
                "server's HINDSIGHT_TOKEN."
            )
        # Digests are compared, so that neither length nor content of the token shows in the time taken.
        if self._own is not None and hmac.compare_digest(digest_of(presented), self._own):
            return None
        if self._issuer is not None and not presented.startswith(PREFIX):
            return await self._issuer.caller(presented)
        return await (await self._access()).caller(presented)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path == METADATA_PATH or path.startswith(f"{METADATA_PATH}/")


def _walls(token: Token | None) -> tuple[str, ...] | None:
    """What the database may show; who administers looks after the whole store."""
    return None if token is None or "*" in token.namespaces or "admin" in token.scopes else token.namespaces


def _presented(headers: Headers) -> str | None:
    """The token that a request brings; None where it brings none, the empty text where the header is malformed."""
    given = headers.get("authorization")
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    # Header values are bytes that the framework shows as Latin-1.
    return secret.strip().encode("latin-1").decode("utf-8", "surrogateescape") if scheme.lower() == "bearer" else ""


def _host_of(authority: str) -> str:
    """The host of ``host:port``, lower case, without brackets; empty where it is malformed."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""
