"""The cold store in a bucket, against a server that speaks S3's protocol."""

from __future__ import annotations

from datetime import timedelta

from keeping import BEGIN, episode, everything, kept, sound

from hindsight.clock import FixedClock


async def test_archive_let_go_search_thaw_and_forget(tmp_path, bucket):
    clock = FixedClock(BEGIN)
    async with kept(tmp_path / "store", clock, cold_store=bucket) as memory:
        one, two = [(await memory.store(**episode(number))).id for number in (1, 2)]
        clock.instant += timedelta(days=31)
        await memory.upkeep("archive")
        clock.instant += timedelta(days=61)
        assert (await memory.upkeep("archive")).counts == {"moved_out": 2}
        assert (await memory.search_cold("proxy 1"))[0].id == one
        assert [each.effect for each in await memory.thaw([one])] == ["thawed"]
        assert (await memory.erase([two])).left == {}
        assert await memory._upkeep.tools.cold.segments() == []
        assert await everything(memory) == {"active": 2}  # the thawed one, and its digest
        await sound(memory)
