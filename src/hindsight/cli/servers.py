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
    workers: Annotated[int, typer.Option(help="Processes that answer on the port; one that dies is started again.", min=1, max=64)] = 1,
) -> None:
    """Serve the console, REST, MCP, health and metrics over HTTP until it is stopped."""
    invocation: Invocation = context.obj
    settings = invocation.settings(host=host, port=port)
    if workers == 1:
        from hindsight.serve import app

        app.run(settings)
    else:
        from hindsight.serve import replicas

        replicas.run(settings, workers)


def worker(context: typer.Context) -> None:
    """Finish queued work until it is stopped, beside servers that run with HINDSIGHT_WORKER=off."""
    from hindsight.serve.worker import run

    invocation: Invocation = context.obj
    run(invocation.settings())


def mcp(
    context: typer.Context,
    *,
    url: Annotated[str, typer.Option(help="A running server to pass everything on to, instead of opening the store here.")] = "",
) -> int:
    """Serve MCP to the program that started this process, over stdin and stdout."""
    return run_mcp(context.obj, url)


COMMANDS = {"serve": serve, "worker": worker, "mcp": mcp}
