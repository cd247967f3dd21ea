"""A server that is not there."""

from __future__ import annotations

import socket

from hindsight.client import AsyncRestClient


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def nobody() -> AsyncRestClient:
    return AsyncRestClient(f"http://127.0.0.1:{free_port()}", token="")
