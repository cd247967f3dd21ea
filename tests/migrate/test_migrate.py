"""A store moves from a file to PostgreSQL and back: nothing is lost, nothing doubled, however often the move is cut off."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight import Hindsight
from hindsight.adapters.relational.moving import LEFT_OUT, TABLES
from hindsight.assemble import assemble, mover
from hindsight.errors import HindsightError, InvalidInput, StoreMisplaced, StoreTooNew, StoreUnavailable
from hindsight.records import Turn
from hindsight.settings import Settings, load_settings
from hindsight.upkeep.move import Moved
from hindsight.upkeep.verify import verify

TEXTS = (
    "Alice Chen prefers aisle seats",
    "the staging database restarts at 02:00",
    "部署失败时先检查磁盘空间",
    "nul \0 and \1 stay what they are",
    "🚀 rockets ship on Fridays שלום",
)


def settings(url: str, **more: Any) -> Settings:
    return load_settings(store=url, embedder="none", worker="off", **more)


async def add_turns(memory: Hindsight, *texts: str, session: str = "s1") -> None:
    turns = [Turn(session_id=session, position=number, role="user", content=text) for number, text in enumerate(texts)]
    assert await memory._store.add_turns("default", "default", turns) == len(texts)


async def fill(memory: Hindsight, count: int = 40) -> None:
    ids = []
    for number in range(count):
        done = await memory.store(
            f"{TEXTS[number % len(TEXTS)]} ({number})", tags=[f"tag{number % 3}"], kind="fact" if number % 2 else "episode"
        )
        ids.append(done.id)
    await memory.forget(ids[1], mode="archive")
    await memory.forget(ids[-1])
    await memory.store("poison", namespace="other")
    await add_turns(memory, "short words", "a long answer " * 100)
    await memory.retrieve("staging database")


async def contents(url: str) -> dict[str, Any]:
    """What a stranger sees of a store: the export, histories, the search, the seals."""
    async with assemble(settings(url)) as memory:
        exported = [record async for record in memory.export()]
        found = await verify(memory._store)
        return {
            "records": [record.model_dump_json() for record in exported],
            "histories": [str(await memory.history(record.id)) for record in exported],
            "hits": [hit.memory.id for hit in (await memory.retrieve("staging database restarts", k=5)).hits],
            "turns": await memory._store.turns("default", "default", "s1"),
            "heads": found.heads,
            "seals": (found.state, found.entries, found.faults),
        }


async def move(source: str, target: str) -> Moved:
    return await mover(settings(source), target).run(lambda *_: None)


@pytest.fixture
def places(tmp_path: Path, postgres_url: Callable[[], str]) -> dict[str, str]:
    return {"file": str(tmp_path / "memory"), "postgres": postgres_url(), "back": str(tmp_path / "back"), "again": postgres_url()}


async def test_a_store_moves_up_and_back_and_stays_what_it_is(places: dict[str, str]) -> None:
    async with assemble(settings(places["file"])) as memory:
        await fill(memory)
    before = await contents(places["file"])
    up = await move(places["file"], places["postgres"])
    assert up.seals == "ok"
    assert await contents(places["postgres"]) == before
    back = await move(places["postgres"], places["back"])
    assert back.seals == "ok"
    assert await contents(places["back"]) == before
    assert (up.memories, up.events) == (back.memories, back.events)


async def test_the_moved_store_is_written_to_as_ever(places: dict[str, str]) -> None:
    async with assemble(settings(places["file"])) as memory:
        await fill(memory, 10)
    await move(places["file"], places["postgres"])
    async with assemble(settings(places["postgres"])) as memory:
        last = await memory.store("written after the move")
        await add_turns(memory, "after the move", session="s2")
        assert (await memory.retrieve("written after the move", k=1)).hits[0].memory.id == last.id
        await memory.forget(last.id)
        assert (await verify(memory._store)).faults == ()


async def test_a_second_run_takes_over_what_was_written_since(places: dict[str, str]) -> None:
    async with assemble(settings(places["file"])) as memory:
        await fill(memory, 10)
        await move(places["file"], places["postgres"])  # while it is open
        records = [record async for record in memory.export()]
        await memory.forget(records[0].id)
        await memory.forget(records[2].id, mode="archive")
        await memory.store("the last word")
    moved = await move(places["file"], places["postgres"])
    assert moved.resumed
    assert moved.written < moved.rows / 2
    assert await contents(places["postgres"]) == await contents(places["file"])


async def test_a_store_that_was_used_since_is_not_overwritten(places: dict[str, str]) -> None:
    async with assemble(settings(places["file"])) as memory:
        await fill(memory, 5)
    await move(places["file"], places["postgres"])
    async with assemble(settings(places["postgres"])) as memory:
        await memory.store("new here")
    with pytest.raises(StoreMisplaced, match="written to since"):
        await move(places["file"], places["postgres"])


async def test_what_cannot_be_moved_is_refused(places: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no store"):
        await move(places["file"], places["postgres"])
    for name in ("file", "postgres", "back"):
        async with assemble(settings(places[name])) as memory:
            await fill(memory, 2)
    with pytest.raises(StoreMisplaced, match="holds a store already"):
        await move(places["file"], places["postgres"])
    with pytest.raises(InvalidInput, match="another place"):
        await move(places["file"], str(tmp_path / "x" / ".." / "memory"))
    with pytest.raises(HindsightError, match="mysql"):
        await move(places["file"], "mysql://host/db")
    await move(places["file"], places["again"])
    with pytest.raises(StoreMisplaced, match="copy of another store"):
        await move(places["back"], places["again"])
    import apsw

    db = apsw.Connection(str(tmp_path / "back" / "memory.db"))
    db.pragma("user_version", 9999)
    db.close()
    with pytest.raises(StoreTooNew):
        await move(places["back"], str(tmp_path / "fresh"))


async def test_the_same_store_by_another_name_is_refused(places: dict[str, str]) -> None:
    async with assemble(settings(places["postgres"])):
        pass
    with pytest.raises(StoreMisplaced, match="the store itself"):
        await move(places["postgres"], places["postgres"] + "&connect_timeout=7")
    async with assemble(settings(places["postgres"])) as memory:
        assert (await memory.store("still a store")).id


KILLED = """
import asyncio, os, signal, sys, threading
from hindsight.assemble import mover
from hindsight.settings import load_settings
source, target, milliseconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
timer = threading.Timer(milliseconds / 1000, os.kill, (os.getpid(), signal.SIGKILL))
def progress(*_):
    if timer.ident is None:
        timer.start()
asyncio.run(mover(load_settings(store=source, embedder="none", worker="off"), target).run(progress))
os.kill(os.getpid(), signal.SIGTERM)
"""
"""Kills itself so many milliseconds after the first rows were copied, wherever it is then."""


@pytest.mark.drill
@pytest.mark.parametrize("direction", ["up", "back"])
async def test_a_move_that_is_killed_goes_on(direction: str, places: dict[str, str], drill_rounds: int) -> None:
    source, target = (places["file"], places["postgres"]) if direction == "up" else (places["postgres"], places["back"])
    async with assemble(settings(source)) as memory:
        await memory.store_many([{"content": f"{TEXTS[n % 5]} number {n}"} for n in range(max(300, 100 * drill_rounds))])
    rounds = drill_rounds or 2
    for number in range(rounds):
        line = [sys.executable, "-c", KILLED, source, target, str(5 + 240 * number / rounds)]
        assert subprocess.run(line, timeout=120, check=False).returncode == -signal.SIGKILL
    moved = await move(source, target)
    assert moved.resumed
    assert moved.seals == "ok"
    assert await contents(target) == await contents(source)


async def test_an_unfinished_copy_is_not_taken_for_a_store(places: dict[str, str]) -> None:
    async with assemble(settings(places["file"])) as memory:
        await fill(memory, 5)

    def stop(done: int, total: int, stage: str) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await mover(settings(places["file"]), places["postgres"]).run(stop)
    with pytest.raises(StoreUnavailable, match="hindsight migrate"):
        async with assemble(settings(places["postgres"])):
            pass
    assert (await move(places["file"], places["postgres"])).resumed


async def test_every_table_is_carried_or_left_out_on_purpose(tmp_path: Path) -> None:
    import apsw

    async with assemble(settings(str(tmp_path / "memory"))):
        db = apsw.Connection(str(tmp_path / "memory" / "memory.db"))
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")}
        db.close()
    assert {name for name in tables if not name.startswith(("terms", "term_"))} == set(TABLES) | LEFT_OUT
