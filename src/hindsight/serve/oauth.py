"""Access tokens of an authorization server (JWT, RFC 9068) in place of the store's own, and the metadata that lead clients to it (RFC 9728)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

import httpx
import jwt

from hindsight.access import SCOPES
from hindsight.errors import AccessDenied, ConfigurationError, StoreUnavailable
from hindsight.ports import Token
from hindsight.serve.binding import is_loopback
from hindsight.settings import Settings

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that need the issuer's private key. Never ``none``, and none that whoever knows a public key could make."""
METADATA_PATH = "/.well-known/oauth-protected-resource"
PREFIX = "hindsight:"
"""Scopes may be written with it, where an issuer's scopes share one space of names."""
NAMESPACES, AGENT, PER_MINUTE = "hindsight_namespaces", "hindsight_agent", "hindsight_per_minute"
KEPT_SECONDS = 600.0
_ASKED_AGAIN_SECONDS = 10.0
_LEEWAY_SECONDS = 30
_TIMEOUT_SECONDS = 5.0
_MAX_BYTES = 1 << 20
_KNOWN_AT = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


class Issuer:
    """Verifies tokens of the issuer that the settings name.

    Raises:
        ConfigurationError: a setting is missing, or is no address that may be trusted.
    """

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.oauth_issuer.strip()
        self.audience = _checked(settings.oauth_audience.strip(), "HINDSIGHT_OAUTH_AUDIENCE")
        _checked(self.issuer, "HINDSIGHT_OAUTH_ISSUER")
        self._keys = _Keys(self.issuer, settings.oauth_jwks_url.strip())

    @property
    def metadata_url(self) -> str:
        """Where clients find the metadata of this server."""
        parts = urlsplit(self.audience)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def metadata(self) -> dict[str, Any]:
        """The metadata of this server as a protected resource."""
        return {
            "resource": self.audience,
            "authorization_servers": [self.issuer],
            "scopes_supported": [f"{PREFIX}{scope}" for scope in SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "hindsight",
        }

    async def caller(self, presented: str) -> Token:
        """What a token says of who brings it.

        Raises:
            AccessDenied: it is malformed, foreign, expired, meant for another server, or carries no scope or namespace.
            StoreUnavailable: the issuer's keys cannot be fetched.
        """
        try:
            header = jwt.get_unverified_header(presented)
            if header.get("alg") not in ALGORITHMS:
                raise jwt.InvalidAlgorithmError(f"signatures by {str(header.get('alg'))[:20]!r} are not taken")
            key = await self._keys.key(header.get("kid"), str(header["alg"]))
            claims = jwt.decode(
                presented,
                key=key.key,
                algorithms=[header["alg"]],
                audience=self.audience,
                issuer=self.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise AccessDenied(
                f"the access token is not taken ({error}); get one from {self.issuer} for the resource {self.audience}."
            ) from None
        return _token(claims)


class _Keys:
    """The issuer's public keys, fetched when a token needs one, and again when an unknown one is named."""

    def __init__(self, issuer: str, url: str) -> None:
        self._issuer = issuer
        self._url = _checked(url, "HINDSIGHT_OAUTH_JWKS_URL") if url else ""
        self._keys: list[jwt.PyJWK] = []
        self._fetched_at = self._asked_at = float("-inf")
        self._fetching = asyncio.Lock()
        self._fault = "they were never fetched"

    async def key(self, name: object, algorithm: str) -> jwt.PyJWK:
        """The key that a token names; the only one that fits where it names none."""
        found = self._find(name, algorithm)
        if found is None or time.monotonic() - self._fetched_at > KEPT_SECONDS:
            async with self._fetching:
                found = self._find(name, algorithm)
                # Tokens with made-up key names must not become requests to the issuer.
                stale = found is None or time.monotonic() - self._fetched_at > KEPT_SECONDS
                if stale and time.monotonic() - self._asked_at > _ASKED_AGAIN_SECONDS:
                    self._asked_at = time.monotonic()
                    await self._fetch()
            found = self._find(name, algorithm)
        if found is not None:
            return found
        if not self._keys:
            raise StoreUnavailable(f"the keys of {self._issuer} cannot be fetched ({self._fault}); try again.")
        raise jwt.InvalidKeyError("it names a key that the issuer does not have")

    def _find(self, name: object, algorithm: str) -> jwt.PyJWK | None:
        fits = [key for key in self._keys if key.algorithm_name == algorithm or _of_family(key, algorithm)]
        named = [key for key in fits if key.key_id == name] if name is not None else fits
        return named[0] if len(named) == 1 else None

    async def _fetch(self) -> None:
        """Keys that were known stay where the issuer does not answer."""
        try:
            async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS) as http:
                url = self._url or await self._discovered(http)
                self._keys = [key for key in jwt.PyJWKSet.from_dict(await _json(http, url)).keys if key.public_key_use in (None, "sig")]
            self._fetched_at = time.monotonic()
        except (httpx.HTTPError, jwt.PyJWTError, ValueError, TypeError, KeyError, ConfigurationError) as error:
            self._fault = str(error) or type(error).__name__

    async def _discovered(self, http: httpx.AsyncClient) -> str:
        parts = urlsplit(self._issuer)
        origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        # RFC 8414 puts the well-known part before the issuer's path, OpenID Connect behind it.
        for url in (f"{origin}{_KNOWN_AT[0]}{path}", f"{origin}{path}{_KNOWN_AT[1]}", f"{origin}{_KNOWN_AT[1]}{path}"):
            try:
                found = await _json(http, url)
            except (httpx.HTTPError, ValueError):
                continue
            if found.get("issuer") == self._issuer and isinstance(found.get("jwks_uri"), str):
                return _checked(found["jwks_uri"], "the issuer's jwks_uri")
        raise ValueError("its metadata name no keys; set HINDSIGHT_OAUTH_JWKS_URL")


def _of_family(key: jwt.PyJWK, algorithm: str) -> bool:
    """An RSA key without an ``alg`` of its own may sign by each of its family."""
    return key.key_type == "RSA" and algorithm[:2] in {"RS", "PS"} and "alg" not in key._jwk_data  # noqa: SLF001


async def _json(http: httpx.AsyncClient, url: str) -> dict[str, Any]:
    response = await http.get(url)
    response.raise_for_status()
    found = response.json() if len(response.content) <= _MAX_BYTES else None
    if not isinstance(found, dict):
        raise ValueError(f"{url} gives no JSON object")  # noqa: TRY004 - what came is no value of ours
    return found


def _checked(url: str, name: str) -> str:
    """An address by ``https``, or of this machine.

    Raises:
        ConfigurationError: it is none.
    """
    try:
        parts = urlsplit(url)
        fits = bool(parts.hostname) and not parts.query and not parts.fragment and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))):
        raise ConfigurationError(f"{name}: {url!r} is no address by https://; it is needed where HINDSIGHT_OAUTH_ISSUER is set.")
    return url


def _token(claims: Mapping[str, Any]) -> Token:
    subject, given = str(claims["sub"]), claims.get("scope", claims.get("scp", ()))
    names = {str(each).removeprefix(PREFIX) for each in (given.split() if isinstance(given, str) else given)}
    scopes = frozenset(scope for scope in SCOPES if scope in names)
    if not scopes:
        raise AccessDenied(f"the access token has none of the scopes {', '.join(PREFIX + scope for scope in SCOPES)}; ask for one of them.")
    pools = claims.get(NAMESPACES, ())
    namespaces = tuple(str(each) for each in ([pools] if isinstance(pools, str) else pools) if str(each).strip())
    if not namespaces:
        raise AccessDenied(f"the access token names no namespaces: let the issuer add the claim {NAMESPACES!r}, a list of their names.")
    agent = str(claims.get(AGENT) or subject).strip()
    if not agent:
        raise AccessDenied("the access token has an empty subject.")
    rate = claims.get(PER_MINUTE, 0)
    if isinstance(rate, bool) or not isinstance(rate, int) or rate < 0:
        raise AccessDenied(
            f"the access token's claim {PER_MINUTE!r} is no number of requests; let the issuer write a whole one, 0 for no limit."
        )
    id = uuid5(NAMESPACE_URL, f"{claims['iss']}\x1f{subject}")
    started = datetime.fromtimestamp(float(claims.get("iat", claims["exp"])), UTC)
    return Token(id, agent, agent, namespaces, scopes, rate, started, datetime.fromtimestamp(float(claims["exp"]), UTC))
