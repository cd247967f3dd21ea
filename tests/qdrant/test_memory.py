"""A memory with Qdrant beside it, from the outside: recall, an outage, erasing, the commands, a worker that is killed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
import structlog
from served import QdrantServer

from hindsight.adapters.qdrant import link
from hindsight.adapters.relational import feeding, indexed
from hindsight.assemble import assemble
from hindsight.cli.app import run
from hindsight.settings import load_settings
from hindsight.sync import Hindsight
from hindsight.upkeep import follow

SENTENCES = [
    "the container has no route to the database", "用户对花生过敏", "deploys go out on Fridays only", "回滚前先备份数据库",
    "the invoice service times out behind the proxy", "客户偏好邮件而不是电话", "rotate the signing keys each quarter", "会议改到周三下午",
]  # fmt: skip


@pytest.fixture
def server():
    with QdrantServer() as running:
        yield running


@pytest.fixture(autouse=True)
def _all_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qdrant is asked however small the namespace, and searches rest but a moment."""
    monkeypatch.setattr(feeding.EngineIndex, "serve_from", 1)
    monkeypatch.setattr(indexed, "SCANNED", 0)
    monkeypatch.setattr(feeding, "_STATE_SECONDS", 0.0)
    monkeypatch.setattr(link, "REST_SECONDS", 0.2)


def settings(tmp_path, server, **more: Any):
    return load_settings(store=str(tmp_path / "memory"), qdrant_url=server.url, worker="off", embedder="use", **more)


def follower_of(memory: Any) -> Any:
    return memory._upkeep.tools.follower


async def test_recall_is_the_same_and_degrades_while_qdrant_is_away(tmp_path, server):
    async with assemble(settings(tmp_path, server)) as memory:
        await memory.store_many([{"content": each, "kind": "fact"} for each in SENTENCES])
        query = "wer ist allergisch gegen Erdnüsse?"  # no word in common: the vectors decide
        alone = await memory.retrieve(query, k=4)
        assert alone.hits
        await follower_of(memory).level()
        before = len(server.bodies("/query/batch"))
        found = await memory.retrieve(query, k=4, explain=True)  # explaining passes by the answers that are kept
        assert len(server.bodies("/query/batch")) > before
        assert [hit.memory.id for hit in found.hits] == [hit.memory.id for hit in alone.hits]
        assert "degraded" not in found.flags

        saved = await memory.store("die Katze schläft auf dem Sofa", kind="fact", tags=["pets"])
        assert await follower_of(memory).behind()  # Qdrant does not have it yet, and it is found
        assert saved.id in [hit.memory.id for hit in (await memory.retrieve("where is the cat sleeping", k=3)).hits]
        await memory.update(saved.id, tags=["animals"])
        await follower_of(memory).level()
        for tag, expected in (("pets", []), ("animals", [saved.id])):  # a filter sees the record as it is now
            tagged = await memory.retrieve("where is the cat sleeping", k=3, tags=[tag])
            assert [hit.memory.id for hit in tagged.hits] == expected

        server.fault = lambda method, path: 503
        away = await memory.retrieve("the container has no route", k=2)
        assert away.hits[0].memory.content == SENTENCES[0]
        assert "degraded" in away.flags
        await memory.store("written while it was away: the proxy was replaced", kind="fact")
        told = await memory.vector_engine()
        assert "503" in told.fault or "as the test wants it" in told.fault
        assert (told.behind, told.equal) == (1, False)

        server.fault = lambda method, path: None
        await asyncio.sleep(0.25)
        await follower_of(memory).level()
        back = await memory.retrieve("the container has no route!", k=2)
        assert "degraded" not in back.flags
        assert (await memory.vector_engine()).equal


async def test_an_erased_memory_is_gone_from_qdrant_when_forget_returns(tmp_path, server):
    async with assemble(settings(tmp_path, server)) as memory:
        saved = await memory.store_many([{"content": each, "kind": "fact"} for each in SENTENCES])
        await follower_of(memory).level()
        assert await follower_of(memory).left([each.id for each in saved]) == len(SENTENCES)
        assert await memory.forget(saved[0].id)
        assert await follower_of(memory).left([saved[0].id]) == 0
        server.fault = lambda method, path: 503
        evidence = await memory.erase([saved[1].id])
        assert evidence.left == {"qdrant": 1}  # nobody can say that it is gone
        server.fault = lambda method, path: None
        await asyncio.sleep(0.25)
        await follower_of(memory).level()
        assert await follower_of(memory).left([each.id for each in saved]) == len(SENTENCES) - 2


async def test_a_server_that_works_follows_by_itself(tmp_path, server, monkeypatch):
    monkeypatch.setattr(follow, "IDLE_SECONDS", 0.02)
    async with assemble(settings(tmp_path, server).model_copy(update={"worker": "on"})) as memory:
        await memory.store_many([{"content": each, "kind": "fact"} for each in SENTENCES])
        for _ in range(500):
            if (await memory.vector_engine()).equal:
                break
            await asyncio.sleep(0.02)
        assert (await memory.vector_engine()).points == len(SENTENCES)
        server.fault = lambda method, path: 500
        await memory.store("while it fails", kind="fact")
        await asyncio.sleep(0.1)
        server.fault = lambda method, path: None
        for _ in range(500):
            if (await memory.vector_engine()).equal:
                break
            await asyncio.sleep(0.02)
        assert (await memory.vector_engine()).points == len(SENTENCES) + 1


@pytest.fixture
def cli(capsys, monkeypatch):
    """``cli("doctor")`` gives the exit code and what was written, the last line of stdout read as JSON where it is some."""
    monkeypatch.setenv("HINDSIGHT_WORKER", "off")
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def call(*line: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = run([*line, "--json"])
        seen = capsys.readouterr()
        return code, json.loads(seen.out.splitlines()[-1]) if seen.out else seen.err

    yield call
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_the_commands_fill_compare_and_move(tmp_path, server, cli, monkeypatch):
    there = str(tmp_path / "moved")
    with Hindsight.open(worker="off", embedder="use") as memory:
        memory.store_many([{"content": each, "kind": "fact"} for each in SENTENCES])
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")
    code, told = cli("reindex", "--vectors")
    assert (code, "HINDSIGHT_QDRANT_URL is not set" in str(told)) == (2, True)
    assert cli("migrate", "--to", there, "--vectors", "qdrant")[0] == 2
    assert not (tmp_path / "moved").exists()
    monkeypatch.setenv("HINDSIGHT_QDRANT_URL", server.url)
    code, filled = cli("reindex", "--vectors")
    assert (code, filled["points"], filled["compared"] > 0) == (0, len(SENTENCES), True)
    finding = next(each for each in cli("doctor")[1]["items"] if each["name"] == "qdrant")
    assert (finding["state"], "8 points for 8 memories" in finding["found"]) == ("ok", True)
    assert cli("migrate", "--to", there, "--vectors", "qdrant")[1]["vectors"]["points"] == len(SENTENCES)
    assert len(server.local.get_collections().collections) == 2  # each store has its own
    server.fault = lambda method, path: 503
    finding = next(each for each in cli("doctor")[1]["items"] if each["name"] == "qdrant")
    assert (finding["state"], "go on by keywords" in finding["found"]) == ("warn", True)


WORKER = [sys.executable, "-c", "from hindsight.cli.app import main; main()", "worker"]


@pytest.mark.drill
async def test_a_worker_that_is_killed_again_and_again_leaves_the_index_equal(tmp_path, drill_rounds):
    """Real processes and SIGKILL: one writes, one follows and dies, Qdrant goes away for a while in between."""
    chance = np.random.default_rng(drill_rounds)
    with QdrantServer() as server:
        chosen = settings(tmp_path, server)
        environment = {**os.environ, "HINDSIGHT_STORE": chosen.store, "HINDSIGHT_QDRANT_URL": server.url, "HINDSIGHT_EMBEDDER": "use"}
        kept: list[Any] = []
        async with assemble(chosen) as memory:
            for number in range(drill_rounds or 1):
                worker = subprocess.Popen(WORKER, env=environment, stderr=subprocess.DEVNULL)
                slow = float(chance.uniform(0, 0.05))
                server.fault = lambda method, path, slow=slow: slow if path.endswith("/points") else None
                end = time.monotonic() + float(chance.uniform(1.0, 3.5))
                while time.monotonic() < end:
                    kept += await memory.store_many([{"content": f"{each} {len(kept)}", "kind": "fact"} for each in SENTENCES])
                    await memory.forget(kept.pop(int(chance.integers(len(kept)))).id)
                    if number % 3 == 2:
                        server.fault = lambda method, path: 503
                    await asyncio.sleep(0.05)
                worker.send_signal(signal.SIGKILL)
                await asyncio.to_thread(worker.wait)
            server.fault = lambda method, path: None
            await asyncio.sleep(0.25)
            follower = follower_of(memory)
            while not await follower.catch_up():  # the lease of the one that died
                await asyncio.sleep(1)
            await follower.level()
            assert (await follower.compare(500)).equal
            state = await memory._store.feed.following()
            points = await memory._store.feed.points(await memory._store.feed.rows_after(0, 100_000))
            assert follower.engine.differing(state.collection, points) == []
            assert follower.engine.count(state.collection) == len(points) == len(kept)
