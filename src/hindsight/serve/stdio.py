"""``hindsight mcp``: the memory for one client, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hindsight.serve.desk import Desk, assembled
from hindsight.serve.mcp.sdk import load_for_stdio
from hindsight.serve.standard_streams import StandardStreams, run_until_client_ends
from hindsight.telemetry import Counts, log_structured, log_to_stderr

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.settings import Settings

TERMINAL_HINT = (
    "hindsight mcp speaks MCP with the program that started it; nothing is to be typed here.\n"
    "Name this command in your editor's or agent's MCP configuration, or run `hindsight serve` for HTTP. Ctrl-C ends it.\n"
)


def run(settings: Settings) -> None:
    """Serve until the client closes its end, dies, or a signal comes. Call it before anything can print to stdout."""
    if sys.stdin.isatty():
        sys.stderr.write(TERMINAL_HINT)
    streams = StandardStreams.claim()
    log_to_stderr(settings)
    load_for_stdio()
    from hindsight.serve.mcp import connection

    @asynccontextmanager
    async def opened() -> AsyncIterator[Hindsight]:
        await asyncio.to_thread(log_structured, settings)
        if settings.tracing_url:
            from hindsight.tracing import trace_to_collector

            await asyncio.to_thread(trace_to_collector, settings)
        async with assembled(settings) as memory:
            yield memory

    async def serve(streams: StandardStreams) -> None:
        desk = Desk(settings, opened, Counts())
        try:
            await connection.serve(desk, streams)
        finally:
            await desk.close()

    run_until_client_ends(serve, streams)
