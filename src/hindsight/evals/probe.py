"""What a fresh process costs: opening a filled store, and starting the MCP server on it.

``python -m hindsight.evals.probe STORE NAMESPACE QUERY [STARTED]`` opens the store as a new process would and prints one JSON object; STARTED is
when it was started (Unix time), from which the time to its first answer counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

from hindsight.memory import Hindsight

_LAUNCH = "from hindsight.cli.app import main; main()"
_PROTOCOL = "2025-06-18"


def cold_open(store: Path | str, namespace: str, query: str, environment: dict[str, str]) -> dict[str, Any]:
    """A new process: seconds from its start to its first answer, what it took inside, and its resident memory then."""
    done = subprocess.run(
        [sys.executable, "-m", "hindsight.evals.probe", str(store), namespace, query, repr(time.time())],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def stdio_start(folder: Path, namespace: str, query: str, environment: dict[str, str]) -> dict[str, float]:
    """``hindsight mcp`` from its start to the answers of ``initialize`` and ``tools/list``, and of the first retrieve; seconds."""
    variables = {**os.environ, **environment, "HINDSIGHT_STORE": str(folder), "HINDSIGHT_NAMESPACE": namespace}
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, "mcp"], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        stdin, stdout = _pipe(server.stdin), _pipe(server.stdout)
        client = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "hindsight-bench", "version": "1"}}
        _call(stdin, stdout, 1, "initialize", client)
        initialized = time.perf_counter() - started
        stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        _call(stdin, stdout, 2, "tools/list", {})
        listed = time.perf_counter() - started
        _call(stdin, stdout, 3, "tools/call", {"name": "memory_retrieve", "arguments": {"query": query}})
        retrieved = time.perf_counter() - started
        stdin.close()
        server.wait(timeout=30)
    return {"initialize_s": round(initialized, 3), "tools_list_s": round(listed, 3), "first_retrieve_s": round(retrieved, 3)}


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "the process was started with a pipe here"
    return stream


def _call(stdin: IO[str], stdout: IO[str], id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n")
    stdin.flush()
    for line in stdout:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == id:
            if "error" in answer:
                raise RuntimeError(f"{method} was answered with an error: {answer['error']}")
            return answer
    raise RuntimeError(f"the server ended before it answered {method}")


async def _open_and_ask(folder: str, namespace: str, query: str, born: str = "") -> dict[str, Any]:
    began = float(born) if born else time.time()
    started = time.perf_counter()
    async with Hindsight.open(folder) as memory:
        opened = time.perf_counter()
        await memory.retrieve(query, k=10, namespace=namespace, min_relevance=0)
        answered, since_start = time.perf_counter(), time.time() - began
        from hindsight.evals.machine import resident_mb  # after the answer: a user's process does not load it

        rss = resident_mb()
    return {
        "process_s": round(since_start, 3),
        "open_s": round(opened - started, 3),
        "first_retrieve_s": round(answered - opened, 3),
        "rss_mb": rss and round(rss),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_open_and_ask(*sys.argv[1:5]))) + "\n")
