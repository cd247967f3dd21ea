"""Turns outside a session: what they state is kept at once, the rest is distilled when enough has gathered."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hindsight.errors import InvalidInput, ModelError
from hindsight.records import Channel, Filter, Kind, Role, Turn
from hindsight.remember.distil.batch import Distiller, Harvest
from hindsight.remember.triggers import DISTIL_JOB, TurnTrigger

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def say(content, position, **fields):
    return Turn(
        **{"session_id": "chat", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


@pytest.fixture
def trigger(store, writer):
    return TurnTrigger(store, writer, Distiller(ZONE), gathered=5)


async def kept(store, agent="alice"):
    return sorted(memory.content for memory in (await store.list(Filter(namespace="home", agent=agent))).items)


async def work(store, trigger, caller):
    done = []
    while jobs := await store.lease("w", [DISTIL_JOB], limit=10):  # one at a time within a session
        for job in jobs:
            result = await trigger.run(job.payload, caller())
            await store.finish(job.id, "w", result)
            done.append(result)
    return done


async def test_what_a_person_states_is_kept_at_once(store, trigger, caller):
    seen = await trigger.observe([say("I'm allergic to peanuts.", 0), say("What a day!", 1), say("我更喜欢靠窗的座位。", 2)], caller())
    assert len(seen.kept) == 2
    assert seen.jobs == ()
    assert await kept(store) == ["The user is allergic to peanuts.", "用户更喜欢靠窗的座位。"]
    assert [turn.content for turn in await store.turns("home", "alice", "chat")] == [
        "I'm allergic to peanuts.",
        "What a day!",
        "我更喜欢靠窗的座位。",
    ]


async def test_gathered_turns_are_distilled_by_a_job_and_only_once(store, trigger, caller):
    turns = [
        say("I'm allergic to peanuts.", 0),
        *(say(f"hello {n}", n) for n in range(1, 4)),
        say("Upgrading to Node 20 resolved the segfault.", 4),
    ]
    seen = await trigger.observe(turns, caller())
    assert len(seen.jobs) == 1
    (result,) = await work(store, trigger, caller)
    assert result["turns"] == 5
    assert await kept(store) == ["The user is allergic to peanuts.", "Upgrading to Node 20 resolved the segfault."]
    (job,) = seen.jobs
    await trigger.run(
        {"namespace": "home", "session_id": "chat", "first": 0, "last": 4, "principal": caller().principal.model_dump(mode="json")},
        caller(),
    )
    assert len(await kept(store)) == 2
    assert job


async def test_a_closed_session_has_its_rest_distilled(store, trigger, caller):
    await trigger.observe([say(f"hello {n}", n) for n in range(5)], caller())
    await trigger.observe([say("The build is broken on Windows since the path separator change.", 5)], caller())
    assert len(await trigger.session_closed("chat", caller())) == 1
    results = await work(store, trigger, caller)
    assert [result["turns"] for result in results] == [5, 1]
    assert await kept(store) == ["The build is broken on Windows since the path separator change."]
    assert await trigger.session_closed("unknown", caller()) == []


async def test_trust_follows_the_caller_unless_it_may_relay(store, trigger, caller):
    await trigger.observe([say("I'm allergic to peanuts.", 0)], caller("bot", Channel.AGENT, scopes=frozenset({"read", "write"})))
    await trigger.observe(
        [say("I'm allergic to latex.", 0, session_id="b")], caller("relay", Channel.AGENT, scopes=frozenset({"read", "write", "relay"}))
    )
    (agents,) = (await store.list(Filter(namespace="home", agent="bot"))).items
    (persons,) = (await store.list(Filter(namespace="home", agent="relay"))).items
    assert (agents.channel, agents.trust) == (Channel.AGENT, 0.6)
    assert (persons.channel, persons.trust) == (Channel.USER, 1.0)
    assert agents.kind is persons.kind is Kind.CONSTRAINT


async def test_a_model_that_fails_keeps_nothing(store, writer, caller):
    class Failing(Distiller):
        async def distil(self, turns, *, recalled=()) -> Harvest:
            raise ModelError("no valid extraction")

    trigger = TurnTrigger(store, writer, Failing(ZONE), gathered=1)
    await store.add_turns("home", "alice", [say("I tried it and it failed with error E404.", 0)])
    with pytest.raises(ModelError):
        await trigger.run(
            {"namespace": "home", "session_id": "chat", "first": 0, "last": 0, "principal": caller().principal.model_dump(mode="json")},
            caller(),
        )
    assert await kept(store) == []


def test_the_number_to_gather_is_checked(store, writer):
    with pytest.raises(InvalidInput, match="gathered"):
        TurnTrigger(store, writer, Distiller(ZONE), gathered=0)
