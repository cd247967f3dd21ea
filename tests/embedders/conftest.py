import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hindsight.adapters.embedders.conversion import convert_bundled_model
from hindsight.adapters.embedders.e5 import E5Embedder


@pytest.fixture(scope="session")
def converted(tmp_path_factory) -> Path:
    """The bundled model, converted once for all workers of a test run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    return convert_bundled_model(shared / "models")


@pytest.fixture(scope="session")
def e5(converted) -> Iterator[E5Embedder]:
    embedder = E5Embedder(lambda: converted)
    yield embedder
    asyncio.run(embedder.close())


class Endpoint:
    """A real HTTP server on loopback that answers with what ``answer(body)`` returns: (status, JSON or text, headers)."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.server = server
        self.requests: list[dict[str, Any]] = []
        self.answer: Callable[[dict[str, Any]], tuple[int, Any, dict[str, str]]] = lambda body: (200, body, {})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.requests.append({"path": self.path, "body": body, "headers": dict(self.headers)})
            status, content, headers = made.answer(body)
            payload = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *parts: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Endpoint(server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()
