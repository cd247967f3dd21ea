"""POST JSON to a model's endpoint: timeouts, bounded retries, and errors that say what to do."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from hindsight.errors import ConfigurationError, ModelError, ModelUnavailable

if TYPE_CHECKING:
    import httpx

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_REFUSED_FORM = frozenset({400, 415, 422})
_LONGEST_WAIT = 30.0


class JsonEndpoint:
    """One endpoint. A connection that fails, a timeout, 429 and 5xx are tried again, waiting longer each time.

    Args:
        url: where to POST; ``path`` is appended unless the address ends with it already.
        key: sent as a bearer token; never part of a message.
        settings: prefix of the settings that hold address and key, for messages, such as ``HINDSIGHT_EMBEDDER``.
        timeout: seconds for one attempt.
        attempts: tries in all.
        first_wait: seconds before the second try, doubled for each further one; what the endpoint asks for goes before.
    """

    def __init__(
        self,
        url: str,
        path: str,
        *,
        key: str = "",
        settings: str,
        timeout: float = 30.0,
        attempts: int = 4,
        first_wait: float = 0.5,
    ) -> None:
        self._url = _complete(url, path, settings)
        self._key = key
        self._settings = settings
        self._timeout = timeout
        self._attempts = attempts
        self._first_wait = first_wait
        self._client: httpx.AsyncClient | None = None

    async def post(self, *forms: dict[str, Any]) -> tuple[int, Any]:
        """Send the first form of a request that the endpoint accepts; its number, and the answer's JSON.

        Raises:
            ConfigurationError: the address is not such an endpoint (404, 405), or the key is refused (401, 403).
            ModelError: no form is accepted, or what comes back is not JSON.
            ModelUnavailable: no answer, or overloaded, after the last attempt.
        """
        for number, form in enumerate(forms):
            response = await self._answer(form)
            if response.status_code not in _REFUSED_FORM or number == len(forms) - 1:
                return number, self._content(response)
        raise ModelError("There is nothing to send.")

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _answer(self, form: dict[str, Any]) -> httpx.Response:
        for attempt in range(1, self._attempts + 1):
            try:
                response = await self._send(form)
            except ModelUnavailable as problem:
                if attempt == self._attempts:
                    raise
                wait = problem.wait if isinstance(problem, _Busy) else None
            else:
                return response
            usual = self._first_wait * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)
            await asyncio.sleep(min(_LONGEST_WAIT, usual if wait is None else wait))
        raise ModelUnavailable(f"{self._shown()} was not tried: attempts must be at least 1.")

    async def _send(self, form: dict[str, Any]) -> httpx.Response:
        import httpx

        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.AsyncClient(timeout=self._timeout, headers=headers)
        advice = f"Is it running, and is {self._settings}_URL right?"
        try:
            async with asyncio.timeout(self._timeout):  # httpx's own counts anew with each byte
                response = await self._client.post(self._url, json=form)
        except (httpx.TimeoutException, TimeoutError) as error:
            raise ModelUnavailable(
                f"{self._shown()} did not answer within {self._timeout:g} s ({self._attempts} attempts). {advice}"
            ) from error
        except httpx.TransportError as error:
            raise ModelUnavailable(
                f"{self._shown()} cannot be reached: {error or type(error).__name__} ({self._attempts} attempts). {advice}"
            ) from error
        if response.status_code in _PASSING:
            raise _Busy(
                f"{self._shown()} answered {response.status_code}: {response.text[:200]} ({self._attempts} attempts); try again later.",
                response,
            )
        return response

    def _content(self, response: httpx.Response) -> Any:
        status, text = response.status_code, response.text[:300]
        if status in (401, 403):
            raise ConfigurationError(f"{self._shown()} refuses the key ({status}): set {self._settings}_KEY. It says: {text}")
        if status in (404, 405):
            raise ConfigurationError(
                f"{self._shown()} is no such endpoint or does not know the model ({status}): check {self._settings}_URL and {self._settings}_MODEL. It says: {text}"
            )
        if not 200 <= status < 300:
            raise ModelError(f"{self._shown()} does not accept the request ({status}): {text}")
        try:
            return response.json()
        except ValueError as error:
            raise ModelError(f"{self._shown()} answered with something that is not JSON: {text}") from error

    def _shown(self) -> str:
        """The address without user, password and query, which may be secret."""
        parts = urlsplit(self._url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class _Busy(ModelUnavailable):
    """The endpoint asks to come back later; ``wait`` is the time it names, in seconds."""

    def __init__(self, message: str, response: httpx.Response) -> None:
        super().__init__(message)
        asked = response.headers.get("retry-after", "")
        self.wait = float(asked) if asked.isdigit() else None


def _complete(url: str, path: str, settings: str) -> str:
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigurationError(f"{settings}_URL must be an http:// or https:// address, not {url!r}.")
    whole = parts.path.rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, whole if whole.endswith(path) else whole + path, parts.query, ""))
