"""Commands that serve: over HTTP, or to the one client that started the process."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight.cli.invocation import Invocation
from hindsight.cli.standard import run_mcp


def serve(
    context: typer.Context,
    *,
    host: Annotated[str | None, typer.Option(help="Address to bind to (default: HINDSIGHT_HOST, else 127.0.0.1).")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port; 0 takes any free one (default: HINDSIGHT_PORT, else 8080).", min=0, max=65535)
    ] = None,
) -> None:
    """Serve the console, REST, MCP, health and metrics over HTTP until it is stopped."""
    from hindsight.serve.app import run

    invocation: Invocation = context.obj
    run(invocation.settings(host=host, port=port))


def mcp(
    context: typer.Context,
    *,
    url: Annotated[str, typer.Option(help="A running server to pass everything on to, instead of opening the store here.")] = "",
) -> int:
    """Serve MCP to the program that started this process, over stdin and stdout."""
    return run_mcp(context.obj, url)


COMMANDS = {"serve": serve, "mcp": mcp}
