"""What the tests of a team's server share: a Redis, a balancer, processes of the command line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from itertools import cycle
from typing import Any, Self

COMMAND = [sys.executable, "-c", "from hindsight.cli.app import main; main()"]


class Process:
    """A command of hindsight's; ``said`` is what it wrote to stderr up to the line that ``until`` finds."""

    def __init__(self, *arguments: str, until: str, **settings: str) -> None:
        given = {f"HINDSIGHT_{name.upper()}": value for name, value in {"embedder": "none", **settings}.items()}
        self.process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, env={**os.environ, **given})
        self.said: list[str] = []
        self.url = ""
        for line in self.process.stderr:
            self.said.append(line)
            if re.search(until, line):
                break
        if found := re.search(r"listens on (http://\S+)", "".join(self.said)):
            self.url = found[1]

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=40)
        self.said.append(rest)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.stop()
        self.process.stderr.close()


def serving(*arguments: str, **settings: str) -> Process:
    return Process("serve", *arguments, until="listens on", **{"port": "0", **settings})


def working(**settings: str) -> Process:
    return Process("worker", until="works on", **settings)


class Balancer:
    """Gives each request (each connection) to the next of several servers, as a load balancer does. One that refuses is passed over."""

    def __init__(self, *urls: str) -> None:
        self._targets = cycle([(url.rpartition("//")[2].split(":")[0], int(url.rpartition(":")[2])) for url in urls])
        self._count = len(urls)
        self.given: list[int] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Whoever is cut off on the way sees a connection that ends.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # One request a connection: the answer's end closes it, so that the next request goes to the next server.
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1])) if length else b""
        head = re.sub(rb"\r\nconnection: [^\r]*", b"", head, flags=re.IGNORECASE).replace(b"\r\n", b"\r\nconnection: close\r\n", 1)
        for _ in range(self._count):
            host, port = next(self._targets)
            try:
                upstream, out = await asyncio.open_connection(host, port)
            except OSError:
                continue
            self.given.append(port)
            try:
                out.write(head + body)
                writer.write(await upstream.read())
            finally:
                out.close()
            break
        else:
            writer.write(b"HTTP/1.1 503 No server\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()


async def until(what: Any, seconds: float = 10.0) -> None:
    """Wait until ``what()`` (a call or coroutine function) holds."""
    end = time.monotonic() + seconds
    while True:
        found = what()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        assert time.monotonic() < end, "it did not come about in time"
        await asyncio.sleep(0.02)
