from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.records import Channel, Principal, Role, Turn
from hindsight.remember.attribute import Attribution
from hindsight.remember.writer import Writer

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)  # a Wednesday
DATA = Path(__file__).parent / "data"


def labelled(name: str) -> list[dict[str, Any]]:
    """A labelled set of this folder."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def say(content: str, *, position: int = 0, **fields: Any) -> Turn:
    return Turn(
        **{"session_id": "s", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def store(tmp_path: Path, clock: FixedClock) -> AsyncIterator[SqliteStore]:
    """A keyword-only store: every test here is about words, none about vectors."""
    made = SqliteStore(tmp_path / "store", embedder=None, clock=clock, durability="normal")
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def writer(store: SqliteStore, clock: FixedClock) -> Writer:
    return Writer(store, None, clock, debug=True, max_queue=1_000)


@pytest.fixture
def caller() -> Callable[..., Attribution]:
    def made(agent: str = "alice", channel: Channel = Channel.USER, **fields: Any) -> Attribution:
        return Attribution(Principal(agent=agent, channel=channel, **fields), "home", ZONE)

    return made


class ChatServer:
    """A real HTTP server that speaks OpenAI's protocol; ``answer(body)`` gives the status and the text or the whole JSON."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_port}/v1"
        self.requests: list[dict[str, Any]] = []
        self.answer: Callable[[dict[str, Any]], tuple[int, Any]] = lambda body: (200, "{}")


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
            status, content = made.answer(body)
            if isinstance(content, str) and status == 200:
                content = {
                    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20},
                }
            payload = json.dumps(content).encode() if not isinstance(content, str) else content.encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *parts: object) -> None:
            del parts

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = ChatServer(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()
