"""The MCP server on the process's standard streams."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from hindsight.serve.desk import Desk
from hindsight.serve.mcp.messages import MalformedMessage, read_message
from hindsight.serve.mcp.server import build_server
from hindsight.serve.standard_streams import StandardStreams

DRAIN_SECONDS = 5.0
"""How long calls that are under way when the client closes its end may take to be answered."""


async def serve(desk: Desk, streams: StandardStreams) -> None:
    """Answer the client until it closes its end; what it asked before that is still answered."""
    server = build_server(desk)
    inward, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, outward = anyio.create_memory_object_stream[SessionMessage]()
    open_calls = _OpenCalls()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_in, streams, inward, open_calls)
        tasks.start_soon(_pass_out, outward, streams, open_calls)
        await server.run(requests, answers, server.create_initialization_options())


class _OpenCalls:
    """Requests that wait for their answer."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._none = asyncio.Event()
        self._none.set()

    def asked(self, id: Any) -> None:
        self._ids.add(id)
        self._none.clear()

    def settled(self, id: Any) -> None:
        self._ids.discard(id)
        if not self._ids:
            self._none.set()

    async def all_settled(self) -> None:
        with anyio.move_on_after(DRAIN_SECONDS):
            await self._none.wait()


async def _pass_in(streams: StandardStreams, inward: MemoryObjectSendStream[SessionMessage | Exception], open_calls: _OpenCalls) -> None:
    async with inward:
        async for line in streams.lines():
            try:
                message = read_message(line)
            except MalformedMessage as error:
                streams.write(_encoded(error.reply))
                continue
            if isinstance(message, types.JSONRPCRequest):
                open_calls.asked(message.id)
            elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
                open_calls.settled((message.params or {}).get("requestId"))
            await inward.send(SessionMessage(message))
        await open_calls.all_settled()


async def _pass_out(outward: MemoryObjectReceiveStream[SessionMessage], streams: StandardStreams, open_calls: _OpenCalls) -> None:
    async with outward:
        async for item in outward:
            streams.write(_encoded(item.message))
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                open_calls.settled(item.message.id)


def _encoded(message: types.JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8")
