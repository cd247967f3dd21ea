"""``hindsight mcp`` without the parser of the other commands: a client waits for its handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindsight.cli.invocation import Invocation


def run_mcp(invocation: Invocation, url: str = "") -> int:
    """Serve one client on standard streams: from the store itself, or over the server at ``url`` (default: the setting)."""
    settings = invocation.settings(url=url or None)
    if settings.url:
        from hindsight.serve.bridge import run as bridge

        bridge(settings)
    else:
        from hindsight.serve.stdio import run as serve

        serve(settings)
    return 0
