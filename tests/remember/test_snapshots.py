"""How a store goes through the threads: nothing of it holds up the event loop, and what it asks the store is asked on few snapshots."""

from __future__ import annotations

import threading

import pytest

from hindsight import Hindsight
from hindsight.guard.examine import Guard
from hindsight.records import Channel, Principal

SETTINGS = {"embedder": "none", "durability": "normal", "worker": "off"}


@pytest.fixture
async def memory(tmp_path):
    async with Hindsight.open(tmp_path / "store", **SETTINGS) as opened:
        yield opened


@pytest.fixture
def snapshots(memory, monkeypatch):
    """Told of every snapshot that is read on."""
    engine = memory._store._core.engine
    taken, read = [], engine.read

    async def counted(work):
        taken.append(work)
        return await read(work)

    monkeypatch.setattr(engine, "read", counted)
    return taken


@pytest.mark.parametrize("channel", [Channel.USER, Channel.AGENT])
async def test_an_episode_is_examined_and_looked_for_on_one_snapshot(memory, snapshots, channel):
    caller = memory.acting_as(Principal(channel=channel))
    await caller.store("The nightly run died with ERR_QUEUE_4012.", kind="episode")
    assert len(snapshots) == 1
    assert (await caller.store("The nightly run died with ERR_QUEUE_4012.", kind="episode")).status == "duplicate"
    assert len(snapshots) == 2


@pytest.mark.parametrize("channel", [Channel.USER, Channel.AGENT])
async def test_a_batch_of_statements_is_settled_on_one_more(memory, snapshots, channel):
    caller = memory.acting_as(Principal(channel=channel))
    stored = await caller.store_many(
        [{"content": f"Server {number} runs Debian {number % 3 + 10}.", "kind": "fact"} for number in range(40)]
    )
    assert {each.status for each in stored} == {"stored"}
    assert len(snapshots) == 2


async def test_texts_are_examined_off_the_event_loop(memory, monkeypatch):
    threads, examine = set(), Guard.examine

    def told(self, *arguments, **named):
        threads.add(threading.current_thread())
        return examine(self, *arguments, **named)

    monkeypatch.setattr(Guard, "examine", told)
    saved = await memory.store("prefers tea", kind="preference")
    await memory.update(saved.id, content="prefers green tea")
    assert threads
    assert threading.main_thread() not in threads


async def test_records_that_several_statements_meet_are_read_once(memory, monkeypatch):
    await memory.store_many([{"content": f"Server {number} runs Debian.", "kind": "fact"} for number in range(10)])
    asked, fetch = [], memory._store.fetch

    async def told(rows):
        asked.extend(rows.tolist())
        return await fetch(rows)

    monkeypatch.setattr(memory._store, "fetch", told)
    stored = await memory.store_many([{"content": f"Server {number} runs Debian 12.", "kind": "fact"} for number in range(20, 25)])
    assert {each.status for each in stored} == {"stored"}
    assert asked
    assert len(asked) == len(set(asked))
