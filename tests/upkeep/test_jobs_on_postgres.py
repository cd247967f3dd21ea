"""Every job once more on PostgreSQL, in one store: what each does, that it does it once, and that a look changes nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from keeping import BEGIN, episode, everything, kept, sound

from hindsight.clock import FixedClock
from hindsight.records import Channel, Principal
from hindsight.upkeep.runner import JOBS


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGIN)


@pytest.fixture
async def memory(postgres_url, clock, tmp_path):
    async with kept(postgres_url(), clock, cold_store=str(tmp_path / "cold")) as opened:
        yield opened


async def once(memory, name: str) -> dict[str, int]:
    """What a job does; a look before tells nothing less, and done again it does nothing."""
    before = await everything(memory)
    planned = (await memory.upkeep(name, dry_run=True)).counts
    assert await everything(memory) == before
    done = (await memory.upkeep(name)).counts
    assert set(done) - {"conflicts"} <= set(planned)  # to see a conflict is to note it
    return dict(done)


async def test_each_job_does_on_postgresql_what_it_does_on_a_file(memory, clock):
    agent = memory.acting_as(Principal(channel=Channel.AGENT))
    ana, bo = (memory.acting_as(Principal(agent=name)) for name in ("ana", "bo"))
    await memory.store("The guest code is 4711.", kind="fact", expires_at=BEGIN + timedelta(days=1))
    first = await memory.store("用户喜欢喝龙井茶。", kind="fact")
    await memory.forget(first.id, mode="archive")
    second = await memory.store("用户喜欢喝龙井茶", kind="fact")
    await memory.restore(first.id)
    await ana.store("The ledger service listens on port 8080.", kind="fact", visibility="shared")
    await bo.store("The ledger service listens on port 9090.", kind="fact", visibility="shared")
    lamp = await agent.store("The corridor lamp flickered at noon.", kind="fact", importance=0.1)
    rule = await memory.store("Never push to main.", kind="rule", importance=0.0)
    await memory.store_many([episode(number, "zh" if number % 2 else "en") for number in range(12)])  # six of each language

    clock.instant += timedelta(days=2)
    assert await once(memory, "expire") == {"expired": 1}
    clock.instant += timedelta(days=31)
    assert await once(memory, "archive") == {"archived": 12, "digests": 12}
    assert await once(memory, "compact") == {"merged": 1}
    assert {str(each.status) for each in [await memory.get(first.id), await memory.get(second.id)]} == {"active", "archived"}
    assert (await once(memory, "conflicts"))["conflicts"] == 1
    assert "proposed" not in await once(memory, "patterns")
    assert await once(memory, "consolidate") == {"candidates": 1}
    await sound(memory)
    clock.instant += timedelta(days=300)
    assert (await once(memory, "archive")) == {"moved_out": 12}
    assert (await once(memory, "forget"))["put_away"] >= 1
    assert (await memory.get(lamp.id)).status == "archived"
    clock.instant += timedelta(days=91)
    assert (await once(memory, "forget"))["deleted"] >= 1
    assert (await memory.get(lamp.id), (await memory.get(rule.id)).status) == (None, "active")
    assert (await once(memory, "history"))["entries"] >= 36
    tuned = (await memory.upkeep("stats")).counts
    assert tuned["tables"] > 20
    for name in JOBS:
        if name != "stats":
            assert not set((await memory.upkeep(name)).counts) - {"judged", "compared", "agents"}, name
    await sound(memory)
