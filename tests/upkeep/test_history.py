"""``history``: what is old and not needed goes; what stays verifies, and everything that was promised of it still holds."""

from __future__ import annotations

import functools
import json
import os
import random
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from keeping import BEGIN, KEY, episode, everything, kept, sound

from hindsight.cli.app import run
from hindsight.clock import FixedClock
from hindsight.errors import StoreCorrupt
from hindsight.ports import HistoryCut, HistoryStep
from hindsight.records import Channel, Principal
from hindsight.upkeep.archive import MOVED

sys.path.append(str(Path(__file__).parents[1] / "history"))
import honest
from tampers import tampering

YEAR = timedelta(days=365)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGIN)


@pytest.fixture(params=["postgres", "sqlite"])
async def memory(request, tmp_path, clock):
    place = tmp_path / "store" if request.param == "sqlite" else request.getfixturevalue("postgres_url")()
    async with kept(place, clock, cold_store=str(tmp_path / "cold")) as opened:
        yield opened


async def actions(memory, id) -> list[str]:
    return [event.action for event in await memory._store.history(id)]


async def test_old_steps_go_and_what_tells_where_a_memory_is_from_stays(memory, clock):
    saved = await memory.store("the port is 1", kind="fact")
    for port in range(2, 7):
        await memory.update(saved.id, content=f"the port is {port}")
    clock.instant += YEAR
    await memory.update(saved.id, content="the port is 7")
    planned = await memory.upkeep("history", dry_run=True)
    assert planned.counts == {"entries": 5}
    assert await actions(memory, saved.id) == ["created", *["updated"] * 6]
    assert (await memory.upkeep("history")).counts == {"entries": 5}
    assert await actions(memory, saved.id) == ["created", "updated"]
    await memory.update(saved.id, priority=5)
    clock.instant += YEAR
    await memory.update(saved.id, priority=6)
    assert (await memory.upkeep("history")).counts == {"entries": 2}
    assert await actions(memory, saved.id) == ["created", "updated"]
    assert (await memory.upkeep("history")).counts == {}
    await sound(memory)
    verified = await memory.verify()
    assert (verified.entries, verified.cuts["default"][0]) == (2, 7)
    assert verified.heads["default"][0] == (await memory.stats()).sealed == 9  # never falls
    at_first = await memory.get(saved.id, at=BEGIN + timedelta(days=1))
    assert (at_first.content, at_first.priority) == ("the port is 7", 5)  # as it was before the first step that is left
    report = await memory.undo(agent="default")
    assert [item.effect for item in report.items] == ["withdrawn"]  # its creation is still known
    await sound(memory)


async def test_what_a_person_erased_stays_known_and_what_upkeep_let_go_does_not(memory, clock):
    gone = await memory.store("to be erased", kind="fact")
    await memory.update(gone.id, content="still to be erased")
    await memory.forget(gone.id)
    short = await memory.store("not for long", kind="fact", expires_at=BEGIN + timedelta(days=1))
    parent = await memory.store(**episode(1))
    clock.instant += timedelta(days=40)
    await memory.upkeep("expire")
    await memory.upkeep("archive")
    clock.instant += timedelta(days=31)
    await memory.upkeep("archive")
    assert await memory.get(parent.id) is None
    assert await actions(memory, parent.id) == ["created", "archived", "erased"]
    await memory.store("so that the end of the chain is later", kind="fact", expires_at=clock.instant + timedelta(days=1))
    assert (await memory.upkeep("history")).counts["entries"] == 3  # it is in the cold store: no age is waited for
    assert await actions(memory, parent.id) == []
    clock.instant += YEAR
    await memory.store("later", kind="fact", expires_at=clock.instant + timedelta(days=1))
    assert (await memory.upkeep("history")).counts["entries"] == 3
    assert await actions(memory, gone.id) == ["updated", "erased"]
    assert [await actions(memory, id) for id in (short.id, parent.id)] == [[], []]
    await sound(memory)
    [digest] = (await memory.list(kind="fact", tags=["experience"])).items
    assert digest.parents == (parent.id,)
    assert [each.effect for each in await memory.thaw([digest.id])] == ["thawed"]
    assert (await memory.get(parent.id)).content == episode(1)["content"]
    clock.instant += YEAR
    await memory.upkeep("history")
    await sound(memory)
    assert await everything(memory) == {"active": 4}


async def test_texts_that_an_erasure_took_from_the_history_of_others(memory, clock):
    """The link that tells of it is needed as long as its event is, and no longer."""
    secret = await memory.store("the code of the blue safe is 4711", kind="fact", agent=None)
    other = await memory.store("another note", kind="fact")
    await memory.update(other.id, content="a third note", reason=f"see {secret.id}")
    await memory.update(other.id, priority=2)
    clock.instant += YEAR
    await memory.forget(secret.id)
    await memory.upkeep("history")
    await sound(memory)
    assert await actions(memory, other.id) == ["created", "updated", "updated"]  # a later entry speaks of the second
    clock.instant += YEAR
    await memory.store("so that the end of the chain is later", kind="fact")
    await memory.upkeep("history")  # the cut goes past that later entry
    await memory.upkeep("history")
    await sound(memory)
    assert await actions(memory, other.id) == ["created", "updated"]


async def test_restored_moved_and_sealed_anew_a_cut_history_is_sound(memory, clock, tmp_path):
    first = await memory.store("the port is 1", kind="fact")
    for port in range(2, 9):
        await memory.update(first.id, content=f"the port is {port}")
    clock.instant += YEAR
    await memory.store("later", kind="fact")
    await memory.upkeep("history")
    before = await memory.verify()
    assert before.cuts
    backup = await memory.backup(str(tmp_path / "backups"))
    assert backup is not None
    assert await memory.reseal() == 3
    again = await memory.verify()
    assert (again.state, again.cuts, again.entries) == ("ok", {}, 3)
    await memory.update(first.id, priority=1)
    await sound(memory)


async def test_a_new_key_vouches_for_what_the_old_one_left(tmp_path, clock):
    async def cut(keys: str, expected: int) -> None:
        async with kept(tmp_path / "store", clock, seal_key=keys) as memory:
            saved = await memory.store("the port is 1", kind="fact", idempotency_key="port")
            for _ in range(3):
                await memory.update(saved.id, priority=clock.instant.day, content=f"the port is {random.random()}")
            clock.instant += YEAR
            await memory.store(f"later {clock.instant}", kind="fact")
            assert (await memory.upkeep("history")).counts == {"entries": expected}
            await sound(memory)

    await cut(KEY, 2)
    await cut(f"another-key {KEY.replace(' ', '-')} {KEY}", 3)


async def test_a_history_that_does_not_verify_is_left_as_it_is(tmp_path, clock):
    store = tmp_path / "store"
    async with kept(store, clock) as memory:
        saved = await memory.store("the port is 1", kind="fact")
        for port in range(2, 9):
            await memory.update(saved.id, content=f"the port is {port}")
        clock.instant += YEAR
        await memory.store("later", kind="fact")
        with tampering(store) as db:
            db.execute("UPDATE events SET actor = 'somebody' WHERE seq = 3")
        with pytest.raises(StoreCorrupt, match="hindsight verify"):
            await memory.upkeep("history")
        assert len(await actions(memory, saved.id)) == 8
        assert "verify" in (await memory.upkeep_jobs())[-2].state.error


@pytest.mark.parametrize(
    ("settings", "told"), [({"history_days": 0}, "HINDSIGHT_HISTORY_DAYS"), ({"legal_hold": "case 7"}, "legal hold")], ids=["off", "hold"]
)
async def test_it_can_be_kept_for_ever(tmp_path, clock, settings, told):
    async with kept(tmp_path / "store", clock, **settings) as memory:
        saved = await memory.store("the port is 1", kind="fact")
        for port in range(2, 9):
            await memory.update(saved.id, content=f"the port is {port}")
        clock.instant += YEAR * 10
        await memory.store("later", kind="fact")
        report = await memory.upkeep("history")
        assert (report.counts, told in report.notes[0]) == ({}, True)
        assert len(await actions(memory, saved.id)) == 8


async def test_a_store_without_seals_is_cut_too(tmp_path, clock):
    async with kept(tmp_path / "store", clock, seal_key="off") as memory:
        saved = await memory.store("the port is 1", kind="fact")
        for port in range(2, 9):
            await memory.update(saved.id, content=f"the port is {port}")
        short = await memory.store("not for long", kind="fact", expires_at=BEGIN + timedelta(days=1))
        clock.instant += timedelta(days=2)
        await memory.upkeep("expire")
        clock.instant += YEAR
        assert (await memory.upkeep("history", dry_run=True)).counts == {"entries": 8}
        assert (await memory.upkeep("history")).counts == {"entries": 8}
        assert await actions(memory, saved.id) == ["created", "updated"]
        assert await actions(memory, short.id) == []
        assert await memory.check() == []


@pytest.mark.parametrize("limit", [1, 4, 1000])
async def test_wherever_it_is_cut_short_the_history_verifies(tmp_path, clock, limit):
    async with kept(tmp_path / "store", clock) as memory:
        order = functools.partial(HistoryCut, "default", keeper="upkeep", channel="reflection", moved=MOVED)
        for number in range(4):
            saved = await memory.store_many([episode(2 * number), episode(2 * number + 1)])
            short = await memory.store(f"for a day, {number}", kind="fact", expires_at=clock.instant + timedelta(days=1))
            gone = await memory.store(f"to be erased {number}", kind="fact")
            await memory.update(short.id, priority=1)
            await memory.update(gone.id, priority=1, reason=f"like {short.id}")
            await memory.forget(gone.id)
            clock.instant += timedelta(days=31)
            for name in ("expire", "archive"):
                await memory.upkeep(name)
            if number % 2:
                await memory.thaw([saved[0].id])
            step = HistoryStep()
            while not step.done:
                step = await memory._store.upkeep.cut_history(order(clock.instant - timedelta(days=40)), step, limit=limit)
                assert (await memory.verify()).faults == ()
        assert (await memory.verify()).cuts["default"][0] > 15


async def test_honest_work_between_cuts_is_never_called_tampering(tmp_path, monkeypatch):
    monkeypatch.setattr("honest.CALLERS", honest.CALLERS[:1])  # whose own most memories are
    chance = random.Random(int(os.environ.get("HONEST_SEED", "5")))

    class Passing(FixedClock):
        def now(self):
            self.instant += timedelta(minutes=20)
            return self.instant

    passing = Passing(BEGIN)
    async with kept(tmp_path / "store", passing, history_days=0.2, durability="normal") as memory:

        async def same():
            return memory

        work, removed = honest.HonestWork(chance, same), 0
        for _ in range(int(os.environ.get("HONEST_OPERATIONS", "240")) // 40):
            await work.run(memory, 40)
            own = (await memory.acting_as(honest.CALLERS[0]).list(limit=50)).items
            for saved in chance.choices(own, k=5):
                changes = chance.choice([{"priority": chance.randrange(99)}, {"expires_at": passing.instant + timedelta(hours=3)}])
                await memory.acting_as(honest.CALLERS[0]).update(saved.id, **changes)
            await memory.upkeep("expire")
            removed += (await memory.upkeep("history")).counts.get("entries", 0)
            assert (await memory.verify()).faults == ()
        assert removed > 40


def test_verify_says_from_when_on_the_history_is_whole(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")
    monkeypatch.setenv("HINDSIGHT_HISTORY_DAYS", "0.0000001")
    assert run(["store", "the port is 1", "--json"]) == 0
    id = json.loads(capsys.readouterr().out)["id"]
    for words in (["forget", id, "--mode", "archive", "--yes"], ["thaw", id], ["forget", id, "--mode", "archive", "--yes"]):
        assert run(words) == 0
    assert run(["upkeep", "history"]) == 0
    assert "history: entries 2" in capsys.readouterr().out
    assert run(["verify"]) == 0
    assert "2 entries of default that nothing needs any more are gone" in capsys.readouterr().out
    assert run(["verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cuts"]["default"]["entries_gone"] == 2


async def test_an_agent_cannot_make_its_erasures_unknown_by_taking_the_name_of_upkeep(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as memory:
        spoof = memory.acting_as(Principal(agent="upkeep", channel=Channel.AGENT))
        saved = await spoof.store("the port is 1", kind="fact")
        await spoof.forget(saved.id)
        clock.instant += YEAR
        await memory.store("later", kind="fact")
        await memory.upkeep("history")
        assert await actions(memory, saved.id) == ["created", "erased"]
