"""``hindsight serve``: MCP, REST, the console, health and metrics on one port."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from hindsight import __version__
from hindsight.access import Access
from hindsight.errors import ConfigurationError, HindsightError, StoreError
from hindsight.prometheus import PrometheusCounts
from hindsight.serve.auth import HostGuard, TokenGuard, check_binding
from hindsight.serve.console.app import build_console, build_door
from hindsight.serve.console.entrance import Entrance
from hindsight.serve.desk import Desk, assembled
from hindsight.serve.http.body import MAX_BODY_BYTES, BodyLimit, RepairedBody
from hindsight.serve.http.operations import operations, protected_resource
from hindsight.serve.http.problem import on_refusal
from hindsight.serve.http.refusal import MCP_PATH, REST_PATH
from hindsight.serve.http.rest.app import build_rest
from hindsight.serve.http.rest.operating import IMPORT_PATH
from hindsight.serve.mcp.server import build_server
from hindsight.serve.oauth import Issuer
from hindsight.serve.request_ids import RequestIds
from hindsight.settings import Settings
from hindsight.telemetry import log_structured
from hindsight.tracing import Traced, trace_to_collector

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

GRACE_SECONDS = 10
"""How long running requests may take to end once the server is told to stop."""
_log = logging.getLogger(__name__)


def build_app(settings: Settings, memory: Hindsight | None = None) -> FastAPI:
    """The ASGI application. It opens the memory that the settings describe when it starts, unless an open one is given.

    It refuses to start where it would be reachable from other machines without a token.
    """
    trace_to_collector(settings)
    counts = PrometheusCounts()
    issuer = Issuer(settings) if settings.oauth_issuer else None

    def open_memory() -> AbstractAsyncContextManager[Hindsight]:
        return assembled(settings) if memory is None else nullcontext(memory)

    desk = Desk(settings, open_memory, counts)
    # Stateless, with plain JSON answers: no session to lose when the server restarts or another replica answers, and our tools
    # never call back.
    sessions = StreamableHTTPSessionManager(
        app=build_server(desk), json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )

    async def access() -> Access:
        return (await desk.memory()).access

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        try:
            check_binding(settings, tokens=await (await access()).required())
            async with sessions.run():
                yield
        finally:
            await desk.close()

    app = FastAPI(
        title="hindsight",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        middleware=[
            Middleware(RequestIds),
            Middleware(Traced),
            Middleware(HostGuard, host=settings.host),
            Middleware(Entrance, door=build_door()),
            Middleware(TokenGuard, settings=settings, access=access, issuer=issuer),
            Middleware(BodyLimit, streamed=frozenset({IMPORT_PATH})),
        ],
        exception_handlers={HindsightError: _unavailable, HTTPException: on_refusal},
    )
    app.include_router(operations(desk, counts))
    if issuer is not None:
        app.include_router(protected_resource(issuer))
    app.mount(REST_PATH, RepairedBody(build_rest(desk)))
    endpoint = RepairedBody(StreamableHTTPASGIApp(sessions))
    app.router.routes.extend(Route(path, endpoint=endpoint) for path in (MCP_PATH, f"{MCP_PATH}/"))
    app.mount("/", build_console(desk))  # last: it takes what no other path does
    return app


async def _unavailable(_request: Request, error: Exception) -> JSONResponse:
    status = 503 if isinstance(error, StoreError) else 400
    return JSONResponse({"error": {"message": str(error)}}, status_code=status)


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished, the store is closed.

    Raises:
        HindsightError: the settings do not fit, the port is taken, or the store cannot be opened; nothing was served.
    """
    log_structured(settings)
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    async def open_socket(memory: Hindsight) -> socket.socket:
        check_binding(settings, tokens=await memory.access.required())
        return bound_socket(settings.host, settings.port)

    def announce(listening: socket.socket, *, tokens: bool) -> None:
        address = address_of(listening)
        _log.info("listening on %s", address)
        sys.stderr.write(announcement(address, settings, tokens=tokens))

    await _serve_on(settings, open_socket, announce)


async def serve_on(settings: Settings, listening: socket.socket, ready: Callable[[socket.socket], object]) -> None:
    """Serve on a socket that is bound already, until SIGINT or SIGTERM; ``ready`` is told once requests are answered."""

    async def given(_memory: Hindsight) -> socket.socket:
        return listening

    def told(bound: socket.socket, *, tokens: bool) -> None:  # noqa: ARG001 - the parent has announced it
        ready(bound)

    await _serve_on(settings, given, told)


async def _serve_on(settings: Settings, open_socket: Callable[[Hindsight], Awaitable[socket.socket]], ready: Callable[..., object]) -> None:
    server: _Server | None = None

    def stop(number: int, _frame: object) -> None:
        # uvicorn has handlers of its own while it serves, and raises the signal again once it has shut down: then there is
        # nothing left to do but to let the store close.
        if server is None:
            raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        async with assembled(settings) as memory:
            tokens = await memory.access.required()
            listening = await open_socket(memory)
            config = uvicorn.Config(
                build_app(settings, memory),
                log_config=None,
                access_log=False,
                server_header=False,
                ws="none",
                lifespan="on",
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
            server = _Server(config, lambda: ready(listening, tokens=tokens))
            schedule = memory.schedule()
            if settings.worker == "on":  # else `hindsight worker` does what comes by time, too
                schedule.start()
            try:
                await server.serve(sockets=[listening])
            finally:
                await schedule.stop()
                listening.close()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Server(uvicorn.Server):
    """Tells once it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def announcement(address: str, settings: Settings, *, tokens: bool = False) -> str:
    """What a person who started the server needs to know."""
    lines = [f"hindsight {__version__} listens on {address}  (console; MCP: {address}{MCP_PATH}, REST: {address}{REST_PATH})"]
    if settings.token.get_secret_value() or tokens or settings.oauth_issuer:
        issued = f", or of {settings.oauth_issuer}" if settings.oauth_issuer else ""
        lines.append(f"A token is needed: Authorization: Bearer … (HINDSIGHT_TOKEN, or one of `hindsight token create`{issued}).")
    else:
        lines.append(
            "There is no token: only this machine can reach it. Make one (`hindsight token create`) before you change HINDSIGHT_HOST."
        )
    return "\n".join((*lines, ""))


def address_of(listening: socket.socket) -> str:
    """The URL of a bound socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to the address; port 0 takes any free one.

    Raises:
        ConfigurationError: the address cannot be bound; the message names the setting to change.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise ConfigurationError(f"HINDSIGHT_HOST: {host} is no address of this machine: {error.strerror}.") from error
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere the option would let two servers share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise ConfigurationError(_why_not_bound(host, port, error)) from error
    return listening


def _why_not_bound(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"HINDSIGHT_PORT: port {port} on {host} is taken, perhaps by another hindsight. Choose another one, or 0 for any free port."
    if error.errno == errno.EACCES:
        return f"HINDSIGHT_PORT: port {port} needs more rights than this user has. Choose one above 1023."
    return f"HINDSIGHT_HOST: {host} port {port} cannot be bound: {error.strerror}."
