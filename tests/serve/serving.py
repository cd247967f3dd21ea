"""What the tests here share: a stdio process, an HTTP process, and the same server inside this process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import uvicorn
from mcp import Client, StdioServerParameters

from hindsight.serve.app import address_of, bound_socket, build_app
from hindsight.serve.desk import Desk
from hindsight.serve.mcp.server import build_server
from hindsight.settings import load_settings

START = "from hindsight.settings import load_settings; from hindsight.serve.{module} import run; run(load_settings())"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def command(module: str) -> list[str]:
    """Runs an entry function of ``hindsight.serve`` in a process of its own."""
    return [sys.executable, "-c", START.format(module=module)]


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with settings; keyword-only, since most tests here are not about relevance."""
    given = {f"HINDSIGHT_{name.upper()}": value for name, value in settings.items()}
    return {**os.environ, "HINDSIGHT_EMBEDDER": "none", **given}


def stdio(module: str = "stdio", **settings: str) -> StdioServerParameters:
    """For the official client to start."""
    program, *arguments = command(module)
    return StdioServerParameters(command=program, args=arguments, env=environment(**settings))


class LineProcess:
    """A stdio server spoken to line by line, as no well-behaved client would."""

    def __init__(self, module: str = "stdio", **settings: str) -> None:
        self.process = subprocess.Popen(
            command(module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**settings)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: dict[str, Any] | bytes) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        return json.loads(self.process.stdout.readline())

    def ask(self, message: dict[str, Any] | bytes) -> dict[str, Any]:
        self.send(message)
        return self.read()

    def shake_hands(self) -> dict[str, Any]:
        answer = self.ask(INITIALIZE)
        self.send(INITIALIZED)
        return answer

    def call(self, name: str, arguments: Any, id: int = 2) -> dict[str, Any]:
        return self.ask({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})


class HttpProcess:
    """An HTTP server in a process of its own; ``url`` is read from what it prints."""

    def __init__(self, **settings: str) -> None:
        given = {"port": "0", **settings}
        self.process = subprocess.Popen(command("app"), stderr=subprocess.PIPE, text=True, env=environment(**given))
        self.said: list[str] = []
        self.url = ""
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"listens on (http://\S+)", line):
                self.url = found[1]
                break

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=20)
        self.said.append(rest)
        return self.process.returncode


class HttpThread:
    """The same server under a real uvicorn in a thread of this process: quicker to start."""

    def __init__(self, store: str, **settings: Any) -> None:
        self.settings = load_settings(store=store, **{"embedder": "none", "port": 0, **settings})
        self._socket = bound_socket(self.settings.host, self.settings.port)
        self.url = address_of(self._socket).replace("0.0.0.0", "127.0.0.1")
        config = uvicorn.Config(build_app(self.settings), log_config=None, access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=lambda: self._server.run(sockets=[self._socket]))

    def __enter__(self) -> Self:
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._socket.close()
        assert not self._thread.is_alive()


@asynccontextmanager
async def connected(desk: Desk, mode: str = "auto") -> AsyncIterator[Client]:
    """The official client on the server object, without a process between."""
    async with Client(build_server(desk), mode=mode) as client:
        yield client


def data_of(result: Any) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content)
