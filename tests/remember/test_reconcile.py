"""What the store holds after new statements met standing ones."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from hindsight.records import Channel, Filter, Kind, Outcome, Status, StoreStatus
from hindsight.remember.commit import event_of
from hindsight.remember.reconcile.stage import Reconciler


async def keep(writer, caller, content, *, attribution=None, verbatim=True, **fields):
    draft = {"content": content, "kind": Kind.FACT, **fields}
    return (await writer.store([draft], attribution or caller(), verbatim=verbatim))[0]


async def active(store, agent="alice"):
    page = await store.list(Filter(namespace="home", agent=agent, statuses=(Status.ACTIVE,)))
    return sorted(memory.content for memory in page.items)


async def test_a_contradiction_supersedes(store, writer, caller, clock):
    old = await keep(writer, caller, "The deadline is 30 April.")
    clock.instant += timedelta(days=1)
    new = await keep(writer, caller, "The deadline is 14 May.")
    assert new.status is StoreStatus.STORED
    assert f"supersedes {old.id} (contradiction)" in new.reasons
    before, after = await store.get(old.id), await store.get(new.id)
    assert (before.status, before.valid_to, before.version) == (Status.SUPERSEDED, clock.now(), 2)
    assert (after.supersedes, after.status) == (old.id, Status.ACTIVE)
    assert await active(store) == ["The deadline is 14 May."]
    assert [event.action for event in await store.history(old.id)] == ["created", "superseded"]


async def test_the_old_version_stays_readable_as_of_its_time(store, writer, caller, clock):
    await keep(writer, caller, "用户住在成都。")
    then = clock.now()
    clock.instant += timedelta(days=2)
    await keep(writer, caller, "用户现在住在厦门。")
    past = Filter(namespace="home", agent="alice", statuses=(Status.ACTIVE, Status.SUPERSEDED), at=then + timedelta(hours=1))
    assert [memory.content for memory in (await store.list(past)).items] == ["用户住在成都。"]
    assert await active(store) == ["用户现在住在厦门。"]


async def test_a_less_trusted_writer_opens_a_conflict(store, writer, caller):
    person = await keep(writer, caller, "The user is allergic to peanuts.", kind=Kind.CONSTRAINT)
    agent = await keep(
        writer, caller, "The user is not allergic to peanuts.", kind=Kind.CONSTRAINT, attribution=caller(channel=Channel.AGENT)
    )
    first, second = await store.get(person.id), await store.get(agent.id)
    assert first.status is second.status is Status.ACTIVE
    assert first.conflicts_with == (second.id,)
    assert second.conflicts_with == (first.id,)
    assert second.supersedes is None
    assert "in conflict with" in agent.reasons[0]


async def test_an_agent_may_correct_itself(store, writer, caller):
    agent = caller(channel=Channel.AGENT)
    await keep(writer, caller, "The staging database listens on port 5432.", attribution=agent)
    await keep(writer, caller, "The staging database listens on port 5433.", attribution=agent)
    assert await active(store) == ["The staging database listens on port 5433."]


async def test_the_same_statement_is_one_record_surer_from_another_origin(store, writer, caller, clock):
    first = await keep(
        writer,
        caller,
        "The user does not eat meat.",
        confidence=0.8,
        session_id="a",
        turn_ids=("1",),
        refs=[{"session_id": "a", "first": 1, "last": 1}],
    )
    clock.instant += timedelta(days=1)
    second = await keep(
        writer,
        caller,
        "The user doesn't eat meat.",
        confidence=0.8,
        session_id="b",
        turn_ids=("7",),
        refs=[{"session_id": "b", "first": 7, "last": 7}],
        verbatim=False,
    )
    assert (second.status, second.id) == (StoreStatus.MERGED, first.id)
    merged = await store.get(first.id)
    assert merged.content == "The user does not eat meat."
    assert merged.confidence > 0.8
    assert [ref.session_id for ref in merged.refs] == ["a", "b"]
    assert merged.updated_at == clock.now()
    assert [event.action for event in await store.history(first.id)] == ["created", "merged"]


async def test_repeating_oneself_makes_nothing_surer(store, writer, caller):
    first = await keep(writer, caller, "The user does not eat meat.", confidence=0.8)
    for number in range(3):
        await keep(writer, caller, "The user does not eat meat.", confidence=0.8, idempotency_key=f"again-{number}")
    assert (await store.get(first.id)).confidence == 0.8
    assert len(await active(store)) == 1


async def test_an_explicit_store_keeps_its_wording_through_a_merge(store, writer, caller):
    first = await keep(writer, caller, "The user does not eat meat.", verbatim=False)
    second = await keep(writer, caller, "The user doesn't eat meat.")
    assert second.id == first.id
    assert await active(store) == ["The user doesn't eat meat."]
    assert (await store.search_terms(Filter(namespace="home", agent="alice"), ["meat"], limit=5)).rows.size == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [("The user likes coffee.", "The user likes tea."), ("用户喜欢喝咖啡。", "用户喜欢喝咖啡，尤其是深烘。")],
)
async def test_what_is_merely_related_stays_beside(store, writer, caller, old, new):
    await keep(writer, caller, old)
    await keep(writer, caller, new)
    assert await active(store) == sorted([old, new])


async def test_episodes_never_merge_nor_retire_each_other(store, writer, caller):
    for number in range(2):
        await keep(writer, caller, "The deploy failed.", kind=Kind.EPISODE, outcome=Outcome.FAILURE, idempotency_key=f"run-{number}")
    await keep(writer, caller, "The deploy did not fail.", kind=Kind.EPISODE, outcome=Outcome.SUCCESS)
    assert len(await active(store)) == 3


async def test_agents_and_namespaces_do_not_touch_each_other(store, writer, caller):
    await keep(writer, caller, "The deadline is 30 April.")
    await keep(writer, caller, "The deadline is 14 May.", attribution=caller("bob"))
    await keep(writer, caller, "The deadline is 21 May.", namespace="work")
    assert await active(store) == ["The deadline is 30 April."]
    assert await active(store, "bob") == ["The deadline is 14 May."]


async def test_contradictions_inside_one_batch_are_settled_too(store, writer, caller):
    contents = ["The budget is 2,400 euros.", "The budget is 3,000 euros.", "The budget is 3,000 euros"]
    results = await writer.store([{"content": content, "kind": Kind.CONSTRAINT} for content in contents], caller(), verbatim=False)
    assert [result.status for result in results] == [StoreStatus.STORED, StoreStatus.STORED, StoreStatus.MERGED]
    assert results[2].id == results[1].id
    assert await active(store) == ["The budget is 3,000 euros."]


async def test_a_history_that_comes_in_later_does_not_retire_the_present(store, writer, caller):
    present = await keep(writer, caller, "Alice lives in Porto.", occurred_at="2026-02-01")
    past = await keep(writer, caller, "Alice lives in Leeds.", occurred_at="2019-05-01")
    assert await active(store) == ["Alice lives in Porto."]
    old, new = await store.get(past.id), await store.get(present.id)
    assert old.status is Status.SUPERSEDED
    assert old.valid_to == new.occurred_at
    assert new.supersedes == old.id


async def test_pending_records_change_nothing(store, writer, caller):
    await keep(writer, caller, "Deploys to production are allowed on Fridays.", kind=Kind.RULE)
    later = await keep(
        writer, caller, "Deploys to production are not allowed on Fridays.", kind=Kind.RULE, attribution=caller(channel=Channel.AGENT)
    )
    assert later.status is StoreStatus.PENDING
    assert await active(store) == ["Deploys to production are allowed on Fridays."]


async def test_two_writers_at_once_leave_one_answer(store, writer, caller):
    await keep(writer, caller, "The rent is 900 euros.")
    await asyncio.gather(*(keep(writer, caller, f"The rent is {price} euros.") for price in (910, 920, 930, 940)))
    records = [memory async for memory in store.export("home")]
    assert len(records) == 5
    assert [memory.status for memory in records].count(Status.ACTIVE) == 1
    assert records[0].status is Status.SUPERSEDED


async def test_erasing_what_superseded_is_possible(store, writer, caller):
    old = await keep(writer, caller, "The deadline is 30 April.")
    new = await keep(writer, caller, "The deadline is 14 May.")
    gone = await store.erase([new.id], event_of("erased", caller().principal, (await store.get(new.id)).created_at))
    assert gone == [new.id]
    assert (await store.get(old.id)).status is Status.SUPERSEDED


async def test_nothing_is_written_for_nothing(store, clock, caller):
    assert await Reconciler(store).commit([], {}, caller().principal, clock.now(), verbatim=True) == {}
