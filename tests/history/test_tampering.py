"""What is done to the database file around hindsight is found, and named; honest work is never called tampering."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from honest import HonestWork
from tampers import CUT_TAMPERS, TAMPERS, Change, tampering

from hindsight.assemble import assemble
from hindsight.clock import FixedClock, SystemClock
from hindsight.memory import Hindsight
from hindsight.settings import load_settings
from hindsight.upkeep.verify import Verification

OPERATIONS = int(os.environ.get("HONEST_OPERATIONS", "400"))
TRIES = int(os.environ.get("TAMPER_TRIES", "4"))


async def examined(folder: Path, keys: Path) -> Verification:
    settings = load_settings(store=str(folder), seal_key_file=str(keys / "seal.key"), embedder="none")
    async with assemble(settings) as memory:
        return await memory.verify()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a little of everything, and its keys beside it."""
    import asyncio

    home = tmp_path_factory.mktemp("template")
    asyncio.run(fill(home))
    return home


async def fill(home: Path, clock: FixedClock | None = None) -> None:
    settings = load_settings({}, store=str(home / "memory"), seal_key_file=str(home / "keys" / "seal.key"), embedder="none")
    async with assemble(settings, clock=clock or SystemClock()) as memory:
        stored = [await memory.store(f"memory {number} 记忆", kind="episode", session_id="s", tags=["x"]) for number in range(12)]
        for each in stored[:5]:
            await memory.update(each.id, content=f"changed {each.id}", reason="better words")
        await memory.forget(stored[5].id)
        await memory.forget(stored[6].id, mode="archive")
        await memory.forget(stored[11].id)
        await memory.acting_as(memory.principal, namespace="other").store("elsewhere", kind="episode")
        await memory.store("the last one", kind="episode", parents=[stored[0].id])
        assert (await memory.verify()).ok


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store years later, its old history cut, with a few later entries."""
    import asyncio

    home = tmp_path_factory.mktemp("cut")
    clock = FixedClock(datetime(2024, 5, 20, tzinfo=UTC))

    async def work() -> None:
        await fill(home, clock)
        settings = load_settings({}, store=str(home / "memory"), seal_key_file=str(home / "keys" / "seal.key"), embedder="none")
        async with assemble(settings, clock=clock) as memory:
            for each in (await memory.list(kind="episode", limit=3)).items:
                for priority in (1, 2, 3):
                    await memory.update(each.id, priority=priority)
            await memory.store("not for long", kind="episode", expires_at=clock.instant + timedelta(days=1))
            clock.instant = datetime(2024, 8, 1, tzinfo=UTC)
            await memory.upkeep("expire")
            clock.instant = datetime(2026, 5, 20, tzinfo=UTC)
            for number in range(3):
                await memory.store(f"years later {number}", kind="episode")
            assert (await memory.upkeep("history")).counts == {"entries": 8}
            assert (await memory.verify()).ok

    asyncio.run(work())
    return home


async def all_found(change: Change, names: frozenset[str], template: Path, tmp_path: Path, tries: int) -> None:
    for seed in range(tries):
        home = tmp_path / f"try {seed}"
        shutil.copytree(template, home)
        with tampering(home / "memory") as db:
            named = change(db, random.Random(seed))
        found = await examined(home / "memory", home / "keys")
        assert not found.ok
        whats = {fault.what for fault in found.faults}
        assert whats & names, (seed, found.faults)
        assert found.state == ("damaged" if names == {"index"} else "tampered"), (seed, found.faults)
        if named is not None and "index" not in names:
            assert named in {fault.memory_id for fault in found.faults}, (seed, named, found.faults)


@pytest.mark.parametrize(("change", "names"), TAMPERS, ids=[change.__name__ for change, _ in TAMPERS])
async def test_every_change_around_hindsight_is_found_and_named(
    change: Change, names: frozenset[str], template: Path, tmp_path: Path
) -> None:
    await all_found(change, names, template, tmp_path, TRIES)


@pytest.mark.parametrize(("change", "names"), TAMPERS + CUT_TAMPERS, ids=[change.__name__ for change, _ in TAMPERS + CUT_TAMPERS])
async def test_so_is_every_change_after_the_history_was_cut(change: Change, names: frozenset[str], cut: Path, tmp_path: Path) -> None:
    await all_found(change, names, cut, tmp_path, max(2, TRIES // 2))


async def test_a_replayed_version_is_told_from_an_edit(template: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(template, home)
    settings = load_settings(store=str(home / "memory"), seal_key_file=str(home / "keys" / "seal.key"), embedder="none")
    with tampering(home / "memory") as db:
        row = db.execute('SELECT version, content, record, "row", id FROM memories WHERE version = 2 LIMIT 1').fetchall()[0]
    async with assemble(settings) as memory:
        await memory.update(row[-1], content="third version")
        assert (await memory.verify()).ok
    with tampering(home / "memory") as db:
        db.execute('UPDATE memories SET version = ?, content = ?, record = ? WHERE "row" = ?', row[:4])
    found = await examined(home / "memory", home / "keys")
    assert [(fault.what, fault.memory_id) for fault in found.faults if fault.what != "index"] == [("replayed", row[-1])]


async def test_a_store_put_back_as_a_whole_is_found_by_the_head_outside(template: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(template, home)
    settings = load_settings(store=str(home / "memory"), seal_key_file=str(home / "keys" / "seal.key"), embedder="none")
    async with assemble(settings) as memory:
        await memory.store("later", kind="episode")
        assert (await memory.verify()).ok
    shutil.rmtree(home / "memory")
    shutil.copytree(template / "memory", home / "memory")
    found = await examined(home / "memory", home / "keys")
    assert [fault.what for fault in found.faults] == ["truncated"]
    assert "put back" in found.faults[0].message
    async with assemble(settings) as memory:
        await memory.reseal()  # a backup that was put back on purpose
        assert (await memory.verify()).ok


async def test_writing_on_after_a_truncation_does_not_hide_it(template: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(template, home)
    change = {each.__name__: each for each, _ in TAMPERS}["truncate"]
    with tampering(home / "memory") as db:
        change(db, random.Random(3))
    shutil.rmtree(home / "keys" / "seal-heads")  # not even the heads outside are left
    settings = load_settings(store=str(home / "memory"), seal_key_file=str(home / "keys" / "seal.key"), embedder="none")
    async with assemble(settings) as memory:
        await memory.store("honest work goes on", kind="episode")
        found = await memory.verify()
    assert "truncated" in {fault.what for fault in found.faults}


async def test_honest_work_is_never_called_tampering(open_memory: Callable[..., Awaitable[Hindsight]]) -> None:
    memory = await open_memory()
    work = HonestWork(random.Random(11), open_memory)
    for _ in range(4):
        memory = await work.run(memory, OPERATIONS // 4)
        found = await memory.verify()
        assert found.faults == ()
    assert found.entries > OPERATIONS // 2
