"""Jobs: leased, in order, retried, buried; turns and retrievals."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from hindsight.errors import InvalidInput
from hindsight.ports import NewJob, RetrievalRow
from hindsight.records import Role, Turn, new_id


def job(name: str, **fields) -> NewJob:
    return NewJob(**{"kind": "work", "payload": {"name": name}, "namespace": "work", **fields})


async def names(store, **arguments) -> list[str]:
    return [each.payload["name"] for each in await store.lease("w1", ["work"], **arguments)]


async def test_jobs_come_in_order_and_once(store):
    ids = await store.enqueue([job(f"{number}", payload={"name": f"{number}", "text": "网络"}) for number in range(5)])
    assert ids == sorted(ids)
    first = await store.lease("w1", ["work"], limit=3)
    assert [each.id for each in first] == ids[:3]
    assert first[0].payload == {"name": "0", "text": "网络"}
    assert (first[0].kind, first[0].namespace, first[0].attempts) == ("work", "work", 1)
    assert await names(store, limit=9) == ["3", "4"]
    assert await names(store) == []
    assert await store.queued() == 5
    assert await store.finish(ids[0], "w1", {"answer": 42})
    assert not await store.finish(ids[0], "w1")
    assert not await store.finish(ids[1], "somebody else")
    assert not await store.finish(10**9, "w1")
    assert await store.queued() == 4
    [done] = await store.jobs(states=["done"])
    assert (done.id, done.state, done.result, done.attempts) == (ids[0], "done", {"answer": 42}, 1)


async def test_only_the_asked_kinds_are_leased(store):
    await store.enqueue([job("a", kind="other"), job("b")])
    assert await names(store, limit=9) == ["b"]
    assert [each.payload["name"] for each in await store.lease("w", ["other", "more"])] == ["a"]
    assert await store.lease("w", []) == []


async def test_jobs_of_one_order_go_one_at_a_time(store, clock):
    await store.enqueue(
        [
            job("a1", order_key="a"),
            job("a2", order_key="a"),
            job("b1", order_key="b"),
            job("free"),
            job("other a", order_key="a", namespace="home"),
        ]
    )
    taken = await store.lease("w1", ["work"], limit=9)
    assert [each.payload["name"] for each in taken] == ["a1", "b1", "free", "other a"]
    assert await names(store, limit=9) == []
    await store.fail(taken[0].id, "w1", "not now", retry_at=clock.now() + timedelta(seconds=30))
    assert await names(store, limit=9) == []  # the later one waits for the retry of the earlier
    clock.instant += timedelta(seconds=14)  # the leases still run
    for each in taken[1:]:
        await store.finish(each.id, "w1")
    clock.instant += timedelta(seconds=20)
    [again] = await store.lease("w1", ["work"], limit=9)
    assert (again.payload["name"], again.attempts) == ("a1", 2)
    await store.fail(again.id, "w1", "never", retry_at=None)
    assert await names(store, limit=9) == ["a2"]  # a dead one does not block the rest
    [dead] = await store.jobs(states=["dead"])
    assert (dead.error, dead.attempts) == ("never", 2)
    assert (await store.stats()).dead_jobs == 1


async def test_a_lease_that_ran_out_is_taken_again_and_its_old_holder_told(store, clock):
    [id] = await store.enqueue([job("a")])
    assert await names(store, seconds=15) == ["a"]
    clock.instant += timedelta(seconds=14)
    assert await store.lease("w2", ["work"]) == []
    clock.instant += timedelta(seconds=1)
    [again] = await store.lease("w2", ["work"])
    assert (again.id, again.attempts) == (id, 2)
    assert not await store.finish(id, "w1")
    assert not await store.fail(id, "w1", "late", retry_at=None)
    assert await store.finish(id, "w2")


async def test_a_job_waits_for_its_time(store, clock):
    await store.enqueue([job("later", not_before=clock.now() + timedelta(minutes=1)), job("now")])
    assert await names(store, limit=9, seconds=600) == ["now"]
    clock.instant += timedelta(minutes=1)
    assert await names(store, limit=9) == ["later"]


async def test_many_workers_do_every_job_once(store):
    await store.enqueue([job(f"{number}", order_key=f"{number % 7}") for number in range(60)])
    done: Counter[str] = Counter()
    order: dict[str, list[int]] = {}

    async def worker(name: str) -> None:
        while await store.queued():
            for each in await store.lease(name, ["work"], limit=2):
                done[each.payload["name"]] += 1
                order.setdefault(each.order_key, []).append(each.id)
                assert await store.finish(each.id, name)

    await asyncio.gather(*(worker(f"w{number}") for number in range(4)))
    assert len(done) == 60
    assert set(done.values()) == {1}
    assert all(ids == sorted(ids) for ids in order.values())


async def test_a_payload_that_is_no_json_is_refused(store):
    with pytest.raises(InvalidInput, match="not JSON"):
        await store.enqueue([job("good"), job("x", payload={"x": object()})])
    assert await store.queued() == 0
    with pytest.raises(InvalidInput, match="waiting, leased, done, dead"):
        await store.jobs(states=["lost"])


async def test_turns_are_kept_once_and_read_in_order(store):
    long = "很长的文字。" * 500
    turns = [
        Turn(session_id="s", position=number, content=f"turn {number}", speaker="Bob", role=Role.ASSISTANT, id=f"t{number}")
        for number in (2, 0, 1)
    ]
    assert await store.add_turns("work", "alice", [*turns, Turn(session_id="s", position=7, content=long)]) == 4
    assert (
        await store.add_turns(
            "work", "alice", [Turn(session_id="s", position=1, content="other"), Turn(session_id="s", position=3, content="")]
        )
        == 1
    )
    read = await store.turns("work", "alice", "s")
    assert [turn.position for turn in read] == [0, 1, 2, 3, 7]
    assert read[1] == turns[2]
    assert (read[3].content, read[4].content) == ("", long)
    assert [turn.position for turn in await store.turns("work", "alice", "s", first=1, last=3)] == [1, 2, 3]
    assert [turn.position for turn in await store.turns("work", "alice", "s", first=3)] == [3, 7]
    assert await store.turns("home", "alice", "s") == []
    assert (await store.stats()).turns == 5


async def test_a_logged_retrieval_is_read_back(store, write):
    entry = RetrievalRow(
        id=new_id(),
        namespace="work",
        agent="alice",
        at=write.now,
        query="问题",
        shown=[new_id()],
        detail={"routes": {"vector": [0.5]}},
        session_id="s",
        took_ms=1.5,
    )
    await store.log_retrievals([entry])
    await store.log_retrievals([entry])
    await store.log_retrievals([])
    assert await store.retrieval(entry.id) == entry
    assert (await store.stats()).retrievals == 1


async def test_turns_are_the_agents_own(store) -> None:
    mine, theirs = Turn(session_id="s", position=0, content="mine"), Turn(session_id="s", position=0, content="theirs")
    assert await store.add_turns("work", "alice", [mine]) == 1
    assert await store.add_turns("work", "bob", [theirs]) == 1
    assert await store.turns("work", "alice", "s") == [mine]
    assert await store.turns("work", "bob", "s") == [theirs]
    assert await store.turns("work", "eve", "s") == []
