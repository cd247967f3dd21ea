"""Where a client connects to, and how an answer becomes a result or one of hindsight's errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from hindsight import errors
from hindsight.client.calls import Call
from hindsight.errors import (
    AccessDenied,
    HindsightError,
    ImportFailed,
    InvalidInput,
    NotFound,
    Overloaded,
    StoreUnavailable,
    VersionConflict,
)
from hindsight.settings import Settings, load_settings

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
TIMEOUT_SECONDS = 60.0
_OF_STATUS: dict[int, type[HindsightError]] = {
    401: AccessDenied,
    403: AccessDenied,
    404: NotFound,
    413: InvalidInput,
    422: InvalidInput,
    429: Overloaded,
}


def address_of(url: str | None, settings: Settings) -> str:
    """The server's address without the path of an interface; where none is given, the one that the settings name.

    Raises:
        InvalidInput: it is none.
    """
    given = (url if url is not None else settings.url) or f"http://{settings.host}:{settings.port}"
    if not isinstance(given, str) or not given.startswith(("http://", "https://")) or not urlsplit(given).hostname:
        raise InvalidInput(f"url: {given!r} is no address; give one such as http://127.0.0.1:8080.")
    return given.rstrip("/").removesuffix("/mcp").removesuffix("/v1")


def options(url: str | None, token: str | None, timeout: float) -> dict[str, Any]:
    """What an httpx client is made with; what is not given is taken from ``HINDSIGHT_URL`` and ``HINDSIGHT_TOKEN``.

    Raises:
        ConfigurationError: the environment does not fit.
        InvalidInput: the address is none.
    """
    settings = load_settings() if url is None or token is None else load_settings({})
    address = address_of(url, settings)
    secret = token if token is not None else settings.token.get_secret_value()
    headers = {"Authorization": b"Bearer " + secret.encode("utf-8")} if secret else {}
    return {"base_url": f"{address}/v1", "headers": headers, "timeout": timeout}


def arguments(call: Call[Any]) -> dict[str, Any]:
    """The call as arguments of httpx's ``request``."""
    given: dict[str, Any] = {"method": call.method, "url": call.path, "params": dict(call.query), "headers": dict(call.headers)}
    if call.body is not None:
        given["json"] = call.body
    if call.content is not None:
        given["content"] = call.content
    return given


def result(call: Call[T], response: httpx.Response) -> T:
    """What the answer says.

    Raises:
        HindsightError: the server refused; the class and the sentence are its own.
    """
    if response.status_code == 404 and call.missing is not None:
        return call.missing()
    if not response.is_success:
        raise fault(response)
    return call.read(response.json() if response.content else None)


def fault(response: httpx.Response) -> HindsightError:
    """The error that a refusal stands for."""
    try:
        told = response.json()
    except ValueError:
        told = {}
    if not isinstance(told, dict):
        told = {}
    sentence = str(told.get("detail") or f"the server answered {response.status_code} without a word; is this the address of hindsight?")
    kind = getattr(errors, str(told.get("type", "")).rpartition(":")[2], None)
    if kind is VersionConflict:
        return VersionConflict(sentence, current=int(told.get("current") or 0))
    if kind is ImportFailed:
        return ImportFailed(sentence, line=told.get("line"))
    if isinstance(kind, type) and issubclass(kind, HindsightError):
        return kind(sentence)
    return _OF_STATUS.get(response.status_code, StoreUnavailable)(sentence)


def unreachable(error: Exception, address: object) -> StoreUnavailable:
    """The error for a server that does not answer."""
    told = str(error) or type(error).__name__
    return StoreUnavailable(f"no answer from {address}: {told}. Start the server with `hindsight serve`, or correct HINDSIGHT_URL.")
