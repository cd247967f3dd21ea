"""What learning keeps beside the records: decisions, grounds, votes."""

from __future__ import annotations

from datetime import timedelta

from hindsight.ports import Decision, RetrievalRow, Vote
from hindsight.records import Status, new_id


def decided(memory, what, at, *, signature="sig", until=None, reason="because of zebras") -> Decision:
    return Decision(memory.id, memory.namespace, what, signature, "boss", at, reason, until)


async def test_what_awaits_is_pending_or_quarantined_and_undecided(store, write, clock) -> None:
    now = clock.now()
    writes = [write(f"text {status}", status=status) for status in Status]
    elsewhere = write("elsewhere", status=Status.PENDING, namespace="other")
    bobs = write("of bob", status=Status.PENDING, agent="bob")
    await store.commit([*writes, elsewhere, bobs])
    waiting = await store.learning.awaiting("work", now)
    assert [each.content for each in waiting] == ["text pending", "text quarantined", "of bob"]
    assert len(await store.learning.awaiting("work", now, limit=2)) == 2
    assert [each.content for each in await store.learning.awaiting("other", now)] == ["elsewhere"]
    await store.learning.decide(decided(waiting[0], "rejected", now))
    await store.learning.decide(decided(waiting[1], "postponed", now, until=now + timedelta(days=1)))
    assert [each.content for each in await store.learning.awaiting("work", now)] == ["of bob"]
    later = now + timedelta(days=1)
    assert [each.content for each in await store.learning.awaiting("work", later)] == ["text quarantined", "of bob"]


async def test_decisions_come_back_in_order_and_the_last_one_counts(store, write, clock) -> None:
    one = write("a rule", status=Status.PENDING)
    await store.commit([one])
    memory, now = one.memory, clock.now()
    for what in ("postponed", "rejected"):
        await store.learning.decide(decided(memory, what, now))
    told = await store.learning.decisions(memory.id)
    assert [each.decision for each in told] == ["postponed", "rejected"]
    assert told[1] == decided(memory, "rejected", now)
    assert await store.learning.rejected("work", ["sig", "other"]) == {"sig"}
    assert await store.learning.rejected("other", ["sig"]) == set()
    assert await store.learning.rejected("work", []) == set()
    await store.learning.decide(decided(memory, "approved", now))
    assert await store.learning.rejected("work", ["sig"]) == set()


async def test_grounds_are_replaced_and_need_their_record(store, write) -> None:
    one = write("a rule", status=Status.PENDING)
    await store.commit([one])
    for support in (1, 2):
        await store.learning.put_grounds(one.memory.id, "sig", {"support": support, "why": "因为"})
    await store.learning.put_grounds(new_id(), "sig", {})
    assert await store.learning.grounds([one.memory.id, new_id()]) == {one.memory.id: {"support": 2, "why": "因为"}}


async def test_a_vote_replaces_the_one_before_and_doubts_end_with_an_approval(store, write, clock) -> None:
    one = write("bad advice", harmful=2)
    await store.commit([one])
    retrieval, memory, now = new_id(), one.memory, clock.now()
    for verdict in ("helpful", "harmful"):
        await store.learning.vote(Vote(retrieval, memory.id, "alice", verdict), now)
    await store.learning.vote(Vote(retrieval, new_id(), "alice", "harmful"), now)
    assert await store.learning.votes(retrieval) == [Vote(retrieval, memory.id, "alice", "harmful")]
    assert [each.id for each in await store.learning.doubted("work", now, harmful=2)] == [memory.id]
    assert await store.learning.doubted("work", now, harmful=3) == []
    assert await store.learning.doubted("other", now, harmful=2) == []
    await store.learning.decide(decided(memory, "approved", now + timedelta(seconds=1)))
    assert await store.learning.doubted("work", now, harmful=2) == []
    await store.learning.vote(Vote(new_id(), memory.id, "alice", "harmful"), now + timedelta(seconds=2))
    assert [each.id for each in await store.learning.doubted("work", now, harmful=2)] == [memory.id]


async def test_records_in_conflict(store, write) -> None:
    one = write("a", conflicts_with=(new_id(),))
    await store.commit([one, write("b"), write("c", conflicts_with=(new_id(),), status=Status.ARCHIVED)])
    assert [each.id for each in await store.learning.in_conflict("work")] == [one.memory.id]


async def test_retrievals_of_a_session_and_how_often_something_was_shown(store, write, clock) -> None:
    one, other = write("a"), write("b")
    await store.commit([one, other])
    rows = [
        RetrievalRow(new_id(), "work", agent, clock.now(), "q", [one.memory.id], {}, session_id=session)
        for agent, session in (("alice", "s"), ("alice", "s"), ("alice", None), ("bob", "s"))
    ]
    await store.log_retrievals(rows)
    assert [row.id for row in await store.learning.retrievals_of("work", "alice", "s")] == [rows[0].id, rows[1].id]
    assert [row.id for row in await store.learning.latest_retrievals("work", "alice", limit=2)] == [rows[2].id, rows[1].id]
    assert await store.learning.times_shown([one.memory.id, other.memory.id]) == {one.memory.id: 4, other.memory.id: 0}


async def test_erasing_a_record_takes_what_is_said_of_it_along(store, write, clock) -> None:
    one = write("a rule about zebras", status=Status.PENDING)
    await store.commit([one])
    memory, now = one.memory, clock.now()
    await store.learning.decide(decided(memory, "rejected", now))
    await store.learning.put_grounds(memory.id, "sig", {"support": 2})
    retrieval = new_id()
    await store.learning.vote(Vote(retrieval, memory.id, "alice", "harmful"), now)
    await store.erase([memory.id], write.event("erased"))
    assert [each.reason for each in await store.learning.decisions(memory.id)] == [None]
    assert await store.learning.grounds([memory.id]) == {}
    assert await store.learning.votes(retrieval) == []
    assert await store.learning.rejected("work", ["sig"]) == {"sig"}


async def test_it_is_all_there_after_reopening(open_store, write, clock) -> None:
    store = await open_store()
    one = write("a rule", status=Status.PENDING)
    await store.commit([one])
    await store.learning.decide(decided(one.memory, "rejected", clock.now()))
    await store.close()
    again = await open_store()
    assert await again.learning.rejected("work", ["sig"]) == {"sig"}
