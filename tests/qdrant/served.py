"""A small HTTP server that answers as Qdrant's REST API does, in front of the client's local mode.

It takes the requests that hindsight makes and no others, reads each body strictly (a field that Qdrant does not know is refused), keeps all
of them, and can be told to fail, to be late, or to do what was asked and then not say so. It is no Qdrant: it has no graph, no shards, no disk.

``python served.py PORT`` runs it as a process of its own.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import TypeAdapter, ValidationError
from qdrant_client import QdrantClient, models

_FILTER = TypeAdapter(models.Filter)


class QdrantServer:
    """The server; ``fault(method, path)`` gives ``None``, a status to refuse with, seconds to wait, or ``"lost"``: done, and the line cut."""

    def __init__(self, port: int = 0, *, key: str = "") -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.local = QdrantClient(":memory:")
        self.key = key
        self.version = "1.20.0"
        self.shards: dict[str, set[str]] = {}
        self.requests: list[dict[str, Any]] = []
        self.fault: Callable[[str, str], Any] = lambda method, path: None
        self.guard = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.shutdown()
        self._thread.join()
        self.http.server_close()

    def bodies(self, path: str) -> list[Any]:
        """The bodies of requests whose path ends so, and their queries."""
        return [each["body"] for each in self.requests if each["path"].endswith(path)]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        """The result of a request, or a ``_Refusal``."""
        for wanted, pattern, work in _ROUTES:
            found = re.fullmatch(pattern, path)
            if wanted == method and found:
                with self.guard, warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return work(self, *found.groups(), body, query)
        raise _Refusal(404, "")


class _Refusal(Exception):
    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


def _handler(server: QdrantServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # an answer in two pieces waits for the client's acknowledgement between them

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            text = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.loads(text) if text else None
            server.requests.append(
                {"method": self.command, "path": parts.path, "query": parts.query, "body": body, "headers": dict(self.headers)}
            )
            fault = server.fault(self.command, parts.path)
            if isinstance(fault, float):
                time.sleep(fault)
            status, answer = self._answer(parts.path, parse_qs(parts.query), body, fault if isinstance(fault, int) else 0)
            if fault == "lost":
                self.close_connection = True
                return
            payload = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def _answer(self, path: str, query: dict[str, list[str]], body: Any, refusal: int) -> tuple[int, Any]:
            try:
                if refusal:
                    raise _Refusal(refusal, "as the test wants it")
                if server.key and self.headers.get("api-key") != server.key:
                    raise _Refusal(401, "Must provide an API key or an Authorization bearer token")
                result = server.answer(self.command, path, query, body)
            except _Refusal as error:
                return error.status, {"status": {"error": str(error)}, "time": 0.0}
            except ValidationError as error:
                return 400, {"status": {"error": f"Format error in JSON body: {error.errors()[0]['msg']}"}, "time": 0.0}
            except ValueError as error:
                missing = re.fullmatch("Collection (.*) not found", str(error))
                said = f"Not found: Collection `{missing[1]}` doesn't exist!" if missing else f"Wrong input: {error}"
                return 404 if missing else 400, {"status": {"error": said}, "time": 0.0}
            return 200, result if path == "/" else {"result": result, "status": "ok", "time": 0.001}

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - as the class wants them

        def log_message(self, *parts: object) -> None:
            del parts

    return Handler


def _done(query: dict[str, list[str]]) -> dict[str, Any]:
    return {"operation_id": 1, "status": "completed" if query.get("wait") == ["true"] else "acknowledged"}


def _info(server: QdrantServer, body: Any, query: Any) -> Any:
    return {"title": "qdrant - vector search engine", "version": server.version, "commit": "0" * 40}


def _listed(server: QdrantServer, body: Any, query: Any) -> Any:
    return {"collections": [{"name": each.name} for each in server.local.get_collections().collections]}


def _exists(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    return {"exists": server.local.collection_exists(name)}


def _create(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.CreateCollection.model_validate(body)
    server.shards[name] = set() if asked.sharding_method == models.ShardingMethod.CUSTOM else {"auto"}
    return server.local.create_collection(name, vectors_config=asked.vectors)


def _drop(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    return server.local.delete_collection(name)


def _index(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.CreateFieldIndex.model_validate(body)
    server.local.create_payload_index(name, asked.field_name, field_schema=asked.field_schema)
    return _done(query)


def _upsert(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.PointsList.model_validate(body)
    _shard(server, name, asked.shard_key)
    server.local.upsert(name, asked.points)
    return _done(query)


def _retrieve(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.PointRequest.model_validate(body)
    found = server.local.retrieve(name, asked.ids, with_payload=asked.with_payload, with_vectors=bool(asked.with_vector))
    return [each.model_dump(mode="json", exclude_none=True) for each in found]


def _delete(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.FilterSelector.model_validate(body)
    server.local.delete(name, asked)
    return _done(query)


def _count(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.CountRequest.model_validate(body)
    return {"count": server.local.count(name, count_filter=asked.filter, exact=asked.exact).count}


def _query(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    asked = models.QueryRequestBatch.model_validate(body)
    for each in asked.searches:
        _shard(server, name, each.shard_key)
    found = server.local.query_batch_points(name, asked.searches)
    return [each.model_dump(mode="json", exclude_none=True) for each in found]


def _snapshot(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    server.local.get_collection(name)
    return {"name": f"{name}-1-2026-05-20-12-00-00.snapshot", "creation_time": "2026-05-20T12:00:00", "size": 1, "checksum": "0" * 64}


def _shard_keys(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    return {"shard_keys": [{"key": key} for key in sorted(server.shards[name])]}


def _add_shard(server: QdrantServer, name: str, body: Any, query: Any) -> Any:
    server.shards[name].add(str(models.CreateShardingKey.model_validate(body).shard_key))
    return True


def _shard(server: QdrantServer, name: str, key: Any) -> None:
    """A collection with shard keys wants one; another has none."""
    known = server.shards.get(name, {"auto"})
    if (str(key) not in known) if known != {"auto"} else key is not None:
        raise _Refusal(400, f"Wrong input: shard key {key} is not known")


_C = "/collections/([^/]+)"
_ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/", _info),
    ("GET", "/collections", _listed),
    ("GET", f"{_C}/exists", _exists),
    ("PUT", _C, _create),
    ("DELETE", _C, _drop),
    ("PUT", f"{_C}/index", _index),
    ("PUT", f"{_C}/points", _upsert),
    ("POST", f"{_C}/points", _retrieve),
    ("POST", f"{_C}/points/delete", _delete),
    ("POST", f"{_C}/points/count", _count),
    ("POST", f"{_C}/points/query/batch", _query),
    ("POST", f"{_C}/snapshots", _snapshot),
    ("GET", f"{_C}/shards", _shard_keys),
    ("PUT", f"{_C}/shards", _add_shard),
]

if __name__ == "__main__":
    with QdrantServer(int(sys.argv[1])) as running:
        sys.stdout.write(running.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()
