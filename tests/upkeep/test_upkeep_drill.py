"""Kill upkeep at any moment, fill its disk: nothing is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from keeping import BEGIN, episode, kept

from hindsight.clock import FixedClock
from hindsight.errors import StoreUnavailable

HERE = Path(__file__).parent
SETTINGS = {"forget_below": 0.5}


@pytest.mark.drill
def test_killed_upkeep_loses_nothing_and_doubles_nothing(tmp_path, drill_rounds):
    command = [sys.executable, str(HERE / "upkeep_drill.py"), str(tmp_path), str(drill_rounds or 2)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=HERE, env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path])}
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["faults"] == []


DUE = {"archive": 40, "compact": 40, "history": 140, "forget": 160, "stats": 140}
"""Days on which a job has something to do."""
BEFORE = {"archive": (), "compact": (), "history": ("archive",), "forget": ("archive",), "stats": ("archive", "history")}
LEFT = {"archive": "archived", "compact": "merged", "history": "entries", "forget": "put_away", "stats": "vacuumed"}
"""What each counts of what was left to do."""


@pytest.mark.parametrize("job", sorted(DUE))
def test_a_full_disk_is_told_and_leaves_the_store_as_it_was(tmp_path, job):
    """A limit on the size of files, which a disk that is full looks like to whoever writes."""
    clock = FixedClock(BEGIN)

    async def fill() -> None:
        async with kept(tmp_path / "store", clock, **SETTINGS) as memory:
            await memory.store_many([episode(n, idempotency_key=str(n)) for n in range(300)])
            first = await memory.store("The valve belongs to hall nine.", kind="fact")
            await memory.forget(first.id, mode="archive")
            await memory.store("The valve belongs to the hall nine", kind="fact")
            await memory.restore(first.id)
            for day in (40, DUE[job]):
                clock.instant = BEGIN + timedelta(days=day)
                for each in BEFORE[job]:
                    await memory.upkeep(each)

    asyncio.run(fill())
    before = asyncio.run(_texts(tmp_path / "store", clock))
    child = os.fork()
    if child == 0:
        code = 9
        try:
            code = asyncio.run(_full(tmp_path / "store", job))
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert before.items() <= asyncio.run(_texts(tmp_path / "store", clock)).items()

    async def after() -> None:
        clock.instant = BEGIN + timedelta(days=DUE[job] + 1)
        async with kept(tmp_path / "store", clock, **SETTINGS) as memory:
            assert await memory.check() == []
            assert (await memory.verify()).state == "ok"
            assert (await memory.upkeep(job)).counts[LEFT[job]]  # with room again, it does what was left
            assert (await memory.verify()).state == "ok"

    asyncio.run(after())


async def _texts(folder: Path, clock: FixedClock) -> dict[str, str]:
    async with kept(folder, clock, **SETTINGS) as memory:
        return {str(each.id): each.text() async for each in memory.export()}


async def _full(folder: Path, job: str) -> int:
    """0 where the job says that there is no room."""
    async with kept(folder, FixedClock(BEGIN + timedelta(days=DUE[job])), **SETTINGS) as memory:
        most = max(path.stat().st_size for path in folder.iterdir() if path.is_file())
        limit = most if job == "archive" else (folder / "memory.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            await memory.upkeep(job)
        except StoreUnavailable as error:
            told = "room" in str(error) or "space" in str(error)
            return 0 if told else 2
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return 1


async def test_a_cold_store_without_room_leaves_everything_in_the_store(tmp_path):
    clock = FixedClock(BEGIN)
    (tmp_path / "file").write_text("no folder")
    async with kept(tmp_path / "store", clock, cold_store=str(tmp_path / "file" / "cold")) as memory:
        saved = await memory.store(**episode(1))
        clock.instant += timedelta(days=31)
        with pytest.raises(StoreUnavailable):
            await memory.upkeep("archive")
        assert (await memory.get(saved.id)).status == "active"
        assert (await memory.stats()).memories == 1
