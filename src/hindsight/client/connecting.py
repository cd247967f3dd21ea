"""One call that gives an agent its memory."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hindsight.client.agent import AgentMemory
from hindsight.client.resilient import ResilientMemory
from hindsight.client.spool import Spool, spool_for
from hindsight.errors import InvalidInput


def connect(
    url: str | None = None,
    *,
    command: str | Sequence[str] | None = None,
    mcp: bool = False,
    token: str | None = None,
    spool: Spool | str | Path | None = "",
    **options: Any,
) -> ResilientMemory:
    """A memory on a server that never makes the agent wait or fail. Nothing is connected before the first call.

    ::

        async with connect("http://127.0.0.1:8080") as memory: ...            # REST
        async with connect("http://127.0.0.1:8080", mcp=True) as memory: ...  # MCP over HTTP
        async with connect(command="hindsight mcp") as memory: ...            # MCP with a server of its own

    Args:
        url: of the server; default: ``HINDSIGHT_URL``.
        command: starts a server on standard streams instead.
        mcp: speak MCP where ``url`` is given.
        token: default: ``HINDSIGHT_TOKEN``.
        spool: file for writes that wait for the server; empty: one in ``~/.hindsight-spool`` for this server and token; None: none.
        options: for :class:`ResilientMemory`, such as ``retrieval_seconds=1``.
    """
    memory: AgentMemory
    if command is not None:
        if url is not None:
            raise InvalidInput("give an address or a command, not both.")
        from hindsight.client.over_mcp import McpClient

        words = shlex.split(command) if isinstance(command, str) else [*command]
        memory = McpClient(command=words)
        address = shlex.join(words)
    elif mcp:
        from hindsight.client.over_mcp import McpClient

        memory = over = McpClient(url, token=token)
        address, token = over.address, over.token
    else:
        from hindsight.client.asynchronous import AsyncRestClient

        memory = rest = AsyncRestClient(url, token=token)
        address, token = rest.address, rest.token
    kept = spool_for(address, token or "") if spool == "" else spool
    return ResilientMemory(memory, spool=kept, **options)
