"""``hindsight mcp --url``: one client on standard streams, the memory in a server that runs already.

Many editors then share one process that holds the store and the model. The bridge passes messages on as they are and keeps
nothing but the negotiated version, so it survives a restart of the server and serves whatever client and server agree on.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hindsight.client.lines import alines_of
from hindsight.errors import ConfigurationError
from hindsight.serve.json_text import repaired
from hindsight.serve.standard_streams import StandardStreams, run_until_client_ends
from hindsight.telemetry import log_to_stderr

if TYPE_CHECKING:
    import httpx

    from hindsight.settings import Settings

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 120.0
DRAIN_SECONDS = 5.0
"""How long calls under way may take once the client has closed its end."""
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN_HEADER = re.compile(r"(?!\s)[\x20-\x7e]*(?<!\s)")
_PARSE_ERROR, _INVALID_REQUEST, _UNREACHABLE = -32700, -32600, -32001
_log = logging.getLogger(__name__)


def run(settings: Settings) -> None:
    """Pass messages on until the client closes its end, dies, or a signal comes. Call it before anything can print to stdout.

    Raises:
        ConfigurationError: the address is no http or https URL.
    """
    url = endpoint_of(settings.url)
    streams = StandardStreams.claim()
    log_to_stderr(settings)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    run_until_client_ends(Bridge(url, settings.token.get_secret_value()).serve, streams)


def endpoint_of(url: str) -> str:
    """The MCP address of a server: ``/mcp`` is added where only the server is named.

    Raises:
        ConfigurationError: it is no http or https URL.
    """
    try:
        parts = urlsplit(url.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigurationError(f"HINDSIGHT_URL: {url!r} is no address of a server; give one such as http://127.0.0.1:8080.")
    return parts.geturl() if parts.path.strip("/") else parts._replace(path="/mcp").geturl()


class Bridge:
    """Client messages go out as POST requests, answers come back as lines."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._under_way: dict[Any, asyncio.Task[None]] = {}

    async def serve(self, streams: StandardStreams) -> None:
        """Pass on until the client closes its end; what it asked before that is still answered."""
        import httpx

        local = urlsplit(self._url).hostname in ("127.0.0.1", "localhost", "::1")
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        async with httpx.AsyncClient(timeout=timeout, trust_env=not local) as client:
            try:
                async for line in streams.lines():
                    self._take(line, client, streams)
                if self._under_way:
                    await asyncio.wait(self._under_way.values(), timeout=DRAIN_SECONDS)
            finally:
                for task in list(self._under_way.values()):
                    task.cancel()
                await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    def _take(self, line: bytes, client: httpx.AsyncClient, streams: StandardStreams) -> None:
        try:
            message = json.loads(repaired(line))
        except (ValueError, RecursionError):
            streams.write(_error(None, _PARSE_ERROR, "Parse error: this line is not JSON; send one JSON-RPC message a line, in UTF-8."))
            return
        if not isinstance(message, dict):
            streams.write(_error(None, _INVALID_REQUEST, "Invalid request: a single JSON-RPC 2.0 object is needed."))
            return
        if message.get("method") == "notifications/cancelled":
            self._cancel(message.get("params"))
            return
        key = _key(message.get("id")) if "id" in message else object()
        task = asyncio.get_running_loop().create_task(self._pass_on(message, client, streams))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._under_way.pop(key) if self._under_way.get(key) is done else None)

    def _cancel(self, params: Any) -> None:
        """Over HTTP a call is cancelled by hanging up."""
        asked = self._under_way.get(_key(params.get("requestId"))) if isinstance(params, dict) else None
        if asked is not None:
            asked.cancel()

    async def _pass_on(self, message: dict[str, Any], client: httpx.AsyncClient, streams: StandardStreams) -> None:
        import httpx

        answered = False
        failure = None
        headers = {name.encode(): value.encode("utf-8") for name, value in {**self._headers, **_routing_headers(message)}.items()}
        try:
            async with client.stream("POST", self._url, content=_encoded(message), headers=headers) as response:
                async for answer in _answers(response):
                    if "error" in answer and answer.get("id") is None:
                        failure = str(answer["error"].get("message"))
                        continue
                    self._remember(message, answer)
                    streams.write(_encoded(answer))
                    answered = True
            if not answered and failure is None and "id" in message:
                failure = (
                    f"{self._url} answered {response.status_code} {response.reason_phrase} and no MCP message; is it a hindsight server?"
                )
        except httpx.HTTPError as error:
            failure = _why_unreachable(self._url, error)
        if failure is not None:
            _log.warning("%s", failure)
            if "id" in message and not answered:
                streams.write(_error(message["id"], _UNREACHABLE, failure))

    def _remember(self, message: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """The version that an ``initialize`` settled goes with every later request."""
        result = answer.get("result")
        if message.get("method") == "initialize" and isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            self._headers["mcp-protocol-version"] = result["protocolVersion"]


async def _answers(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """The JSON-RPC messages of a response, in one piece or as an event stream; nothing where it holds none."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        data: list[str] = []
        async for line in alines_of(response):
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line:
                for message in _message("\n".join(data)):
                    yield message
                data = []
    else:
        for message in _message(await response.aread()):
            yield message


def _message(text: str | bytes) -> list[dict[str, Any]]:
    """The JSON-RPC message in a text, or none."""
    try:
        value = json.loads(text)
    except ValueError:
        return []
    return [value] if isinstance(value, dict) and value.get("jsonrpc") == "2.0" else []


def _routing_headers(message: Mapping[str, Any]) -> dict[str, str]:
    """The headers that the 2026 revision wants beside a request that carries its own version."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    method = message.get("method")
    if not isinstance(params, dict) or not isinstance(version, str) or not isinstance(method, str):
        return {}
    headers = {"mcp-protocol-version": version, "mcp-method": method}
    name = params.get(_NAMED_BY.get(method, ""))
    if isinstance(name, str):
        plain = _PLAIN_HEADER.fullmatch(name) and not name.startswith("=?base64?")
        headers["mcp-name"] = name if plain else f"=?base64?{base64.b64encode(name.encode()).decode('ascii')}?="
    return headers


def _why_unreachable(url: str, error: httpx.HTTPError) -> str:
    import httpx

    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return f"No server answers at {url}. Start one with `hindsight serve`, or correct HINDSIGHT_URL."
    if isinstance(error, httpx.TimeoutException):
        return f"The server at {url} did not answer within {ANSWER_SECONDS:.0f} seconds; try again."
    return f"The connection to {url} failed: {error or type(error).__name__}. Try again."


def _key(id: Any) -> Any:
    return (type(id), id) if isinstance(id, (str, int)) else None


def _error(id: Any, code: int, message: str) -> bytes:
    return _encoded({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def _encoded(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode("utf-8")
