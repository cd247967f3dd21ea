"""What goes wrong around upkeep: a damaged file in the cold store, a clock that was wrong."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from keeping import BEGIN, episode, everything, kept

from hindsight.clock import FixedClock
from hindsight.errors import NotFound, StoreBusy, StoreCorrupt


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGIN)


@pytest.fixture
def store(request, tmp_path) -> str:
    return str(tmp_path / "store") if request.param == "sqlite" else request.getfixturevalue("postgres_url")()


async def damaged_store(memory, clock, cold: Path):
    """Three episodes that lie in the cold store alone, each in a file of its own; the file of the first is damaged."""
    saved = []
    for number in range(3):
        saved.append(await memory.store(**episode(number)))
        clock.instant += timedelta(days=31)
        await memory.upkeep("archive")
        if number == 0:
            [first] = cold.glob("*/*.zst")
    clock.instant += timedelta(days=31)
    await memory.upkeep("archive")
    assert await everything(memory) == {"active": 3}
    first.write_bytes(b"junk")
    return first, saved


async def test_a_damaged_file_of_the_cold_store_holds_up_nothing_else(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as memory:
        first, saved = await damaged_store(memory, clock, tmp_path / "store" / "cold")
    async with kept(tmp_path / "store", clock) as memory:
        await memory.store(**episode(4))
        short = await memory.store("not for long", expires_at=clock.instant + timedelta(days=1))
        clock.instant += timedelta(days=31)
        report = await memory.upkeep("archive")
        assert report.counts == {"archived": 1, "digests": 1}
        expired = await memory.upkeep("expire")
        assert expired.counts == {"expired": 1}
        assert await memory.get(short.id) is None
        assert all(first.name in report.notes[0] for report in (expired,))
        assert [each.effect for each in await memory.thaw([saved[1].id])] == ["thawed"]
        with pytest.raises(StoreCorrupt, match="take it from a backup"):
            await memory.thaw([saved[0].id])
        assert "service 2" in (await memory.search_cold("service 2"))[0].content
        with pytest.raises(StoreCorrupt):
            await memory.search_cold("zeppelin")
        evidence = await memory.erase(agent="default")
        assert evidence.left == {"unreadable_cold_files": 1}
        assert {each.id for each in evidence.memories} >= {saved[1].id, saved[2].id}


@pytest.mark.parametrize("store", ["postgres", "sqlite"], indirect=True)
async def test_a_clock_that_was_years_ahead_stops_no_job(store, clock):
    async with kept(store, clock) as memory:
        clock.instant += timedelta(days=3_000)
        assert await memory._upkeep.run("compact", scheduled=True) is not None
        assert await memory._store.upkeep.begin("compact", "a process that died then", seconds=60)
        clock.instant = BEGIN
        assert await memory._store.upkeep.begin("archive", "another, whose clock is a little ahead", seconds=120)
        with pytest.raises(StoreBusy):
            await memory.upkeep("archive")
        first = await memory.store("The valve belongs to hall nine.", kind="fact")
        await memory.forget(first.id, mode="archive")
        await memory.store("The valve belongs to the hall nine", kind="fact")
        await memory.restore(first.id)
        report = await memory._upkeep.run("compact", scheduled=True)
        assert report.counts == {"merged": 1}
        assert await memory._upkeep.run("compact", scheduled=True) is None


@pytest.mark.parametrize("store", ["postgres", "sqlite"], indirect=True)
async def test_after_a_leap_of_the_clock_what_removes_by_age_waits_for_a_day(store, clock):
    async with kept(store, clock) as memory:

        async def strike(**later: int) -> bool:
            clock.instant += timedelta(**later)
            return await memory._upkeep.run("expire", scheduled=True) is not None

        async def there() -> bool:
            return (await memory.stats()).memories == 1

        await memory.store("The guest code is 1.", kind="fact", expires_at=BEGIN + timedelta(days=300))
        assert await strike()
        clock.instant = BEGIN + timedelta(days=400)  # the clock is wrong for some hours
        assert not await strike()
        assert not await strike(hours=1)
        assert await there()
        state = next(each.state for each in await memory.upkeep_jobs() if each.job.name == "expire")
        assert "did not run for 400 days" in state.error
        clock.instant = BEGIN + timedelta(hours=3)
        assert await strike()
        assert await there()
        clock.instant = BEGIN + timedelta(days=400)  # the time is right: nobody was here
        assert not await strike()
        assert not await strike(hours=19)
        assert await there()
        assert await strike(hours=2)
        assert not await there()


async def test_by_hand_a_job_runs_whatever_the_gap(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as memory:
        await memory.store("The guest code is 1.", kind="fact", expires_at=BEGIN + timedelta(days=300))
        await memory.upkeep("expire")
        clock.instant += timedelta(days=400)
        assert await memory._upkeep.run("expire", scheduled=True) is None
        assert (await memory.upkeep("expire")).counts == {"expired": 1}
        clock.instant += timedelta(hours=1)
        assert await memory._upkeep.run("expire", scheduled=True) is not None
        assert await memory._upkeep.run("stats", scheduled=True) is not None
        clock.instant += timedelta(days=400)
        assert await memory._upkeep.run("stats", scheduled=True) is not None  # it removes nothing


async def test_a_lost_folder_of_the_cold_store_is_named_as_such(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as memory:
        saved = await memory.store(**episode(1))
        clock.instant += timedelta(days=31)
        await memory.upkeep("archive")
        clock.instant += timedelta(days=31)
        segments = await memory._upkeep.tools.cold.segments()
        for file in (tmp_path / "store" / "cold").glob("*/*.zst"):
            file.unlink()
        await memory.upkeep("archive")
        assert (await memory.get(saved.id)).status == "archived"  # without a copy nothing leaves the store
        with pytest.raises(NotFound, match="take it from a backup of that place"):
            await memory._upkeep.tools.cold.read(segments[0])
