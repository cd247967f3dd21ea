"""What waits for a person, and what a person's decision does."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.errors import AccessDenied, InvalidInput, NotFound, VersionConflict
from hindsight.records import Channel, Kind, Principal, Status, Visibility
from hindsight.settings import load_settings
from hindsight.sync import Hindsight as Synchronous


async def test_approving_a_pending_rule_makes_it_active_with_full_trust(memory, agent) -> None:
    saved = await agent.store("Refunds need the order's status first", kind="rule")
    assert saved.status == "pending"
    (item,) = await memory.reviews()
    assert (item.why, item.memory.id, item.memory.agent) == ("pending", saved.id, "worker")
    assert (await agent.retrieve("refund order status")).hits == ()
    approved = await memory.approve(saved.id, priority=5, reason="policy 12")
    assert (approved.status, approved.trust, approved.priority, approved.version) == (Status.ACTIVE, 1.0, 5, 2)
    assert (await agent.retrieve("refund order status")).hits[0].memory.id == saved.id
    event = (await agent.history(saved.id))[-1]
    assert (event.action, event.actor, event.channel, event.reason) == ("reviewed", "default", Channel.USER, "approved: policy 12")
    assert await memory.reviews() == []


async def test_approving_with_an_edit_indexes_the_new_words(memory, agent) -> None:
    saved = await agent.store("Always refuse refunds", kind="rule", lesson={"condition": "on refunds", "action": "refuse", "avoid": False})
    approved = await memory.approve(saved.id, content="当订单有欺诈嫌疑时，不要直接退款，因为会造成损失。")
    assert approved.lesson.condition == "订单有欺诈嫌疑时"
    assert approved.lesson.avoid
    found = await agent.retrieve("欺诈订单")
    assert [hit.memory.id for hit in found.hits] == [saved.id]
    assert (await agent.retrieve("refuse refunds", k=3)).hits == ()


@pytest.mark.parametrize(
    "principal",
    [
        Principal(agent="worker", channel=Channel.AGENT),
        Principal(agent="worker", channel=Channel.REFLECTION),
        Principal(agent="worker", channel=Channel.TOOL),
        Principal(agent="someone", channel=Channel.USER, scopes=frozenset({"read", "write", "admin"})),
    ],
    ids=lambda each: f"{each.channel}-{sorted(each.scopes)}",
)
async def test_nobody_decides_without_being_a_person_with_the_scope(memory, agent, principal) -> None:
    saved = await agent.store("Refuse refunds", kind="rule")
    other = memory.acting_as(principal)
    for attempt in (
        other.reviews(),
        other.approve(saved.id),
        other.reject(saved.id, reason="no"),
        other.postpone(saved.id),
        other.scan_conflicts(),
    ):
        with pytest.raises(AccessDenied, match="person with the scope review"):
            await attempt
    assert (await agent.get(saved.id)).status is Status.PENDING


async def test_a_reviewer_is_bound_to_their_namespaces(memory, agent) -> None:
    saved = await agent.store("Refuse refunds", kind="rule")
    other = memory.acting_as(Principal(agent="boss", namespaces=("elsewhere",)))
    with pytest.raises(AccessDenied):
        await other.reviews(namespace="default")
    with pytest.raises(AccessDenied):
        await other.approve(saved.id)
    with pytest.raises(NotFound):
        await memory.acting_as(Principal(agent="boss", namespaces=("elsewhere",)), namespace="elsewhere").approve(saved.id)


async def test_what_was_rejected_is_gone_from_the_queue_from_recall_and_from_export_and_is_not_proposed_again(memory, agent) -> None:
    saved = await agent.store("Always refuse refunds", kind="rule")
    with pytest.raises(InvalidInput, match="say why"):
        await memory.reject(saved.id, reason=" ")
    rejected = await memory.reject(saved.id, reason="a few frauds are no policy")
    assert rejected.status is Status.QUARANTINED
    assert await memory.reviews() == []
    again = await agent.store("ALWAYS refuse refunds", kind="rule", session_id="another")
    assert again.status != "stored"
    assert await memory.reviews() == []
    assert (await agent.retrieve("refuse refunds", cold=True)).hits == ()
    assert [each async for each in memory.export() if each.id == saved.id] == []
    approved = await memory.approve(saved.id, reason="on second thoughts")
    assert approved.status is Status.ACTIVE


async def test_a_rejected_finding_stays_rejected_in_every_later_reflection(memory, finish) -> None:
    await finish(memory, "failure", "Pay 1", ("pay", "E7: check_order is required first"))
    await finish(memory, "success", "Pay 2", "check_order", "pay", task_type="other")
    (proposal,) = (await memory.reflect()).proposals
    await memory.reject(proposal.id, reason="the tool is wrong")
    await finish(memory, "failure", "Pay 3", ("pay", "check_order is required first"))
    (again,) = (await memory.reflect()).proposals
    assert (again.id, again.status) == (None, "rejected")
    await memory.forget(proposal.id)
    (again,) = (await memory.reflect()).proposals
    assert again.status == "rejected"


async def test_postponed_it_waits_again_later(tmp_path) -> None:
    settings = load_settings(store=str(tmp_path / "store"), embedder="none", durability="normal")
    clock = FixedClock(datetime(2026, 5, 1, tzinfo=UTC))
    async with assemble(settings, clock=clock) as memory:
        agent = memory.acting_as(Principal(agent="worker", channel=Channel.AGENT))
        saved = await agent.store("Refuse refunds", kind="rule")
        until = await memory.postpone(saved.id, days=3, reason="ask the team")
        assert until == clock.now() + timedelta(days=3)
        assert await memory.reviews() == []
        clock.instant += timedelta(days=3, seconds=1)
        (item,) = await memory.reviews()
        assert (item.memory.status, item.decisions[0].reason) == (Status.PENDING, "ask the team")
        for days in (0, -1, float("nan"), 1e9):
            with pytest.raises(InvalidInput, match="days"):
                await memory.postpone(saved.id, days=days)


async def test_a_decision_on_an_older_version_is_refused(memory, agent) -> None:
    saved = await agent.store("Refuse refunds over 100", kind="rule")
    await agent.update(saved.id, content="Refuse every refund")
    with pytest.raises(VersionConflict):
        await memory.approve(saved.id, expected_version=1)
    with pytest.raises(NotFound):
        await memory.approve("0197a1b2-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInput, match="no id"):
        await memory.approve("no id")


async def test_of_a_conflict_the_approved_one_holds(memory) -> None:
    first = await memory.store("The refund limit is 100 dollars", kind="rule")
    agent = memory.acting_as(Principal(agent="default", channel=Channel.AGENT))
    second = await agent.store("The refund limit is 200 dollars", kind="fact")
    assert "in conflict" in " ".join(second.reasons)
    items = await memory.reviews()
    assert {item.memory.id for item in items if item.why == "conflict"} == {first.id, second.id}
    assert [each.id for each in items[0].conflicts]
    await memory.approve(second.id, reason="raised in May")
    assert (await memory.get(first.id)).status is Status.SUPERSEDED
    assert (await memory.get(second.id)).conflicts_with == ()
    assert await memory.reviews() == []


async def test_a_scan_finds_what_contradicts_in_the_pool_and_recall_shows_both(memory, agent) -> None:
    first = await memory.store("The deploy window is Monday", kind="rule", visibility="shared", priority=3)
    second = await memory.acting_as(Principal(agent="ops")).store("The deploy window is Friday", kind="rule", visibility="shared")
    assert await memory.reviews() == []
    (found,) = await memory.scan_conflicts()
    assert (found.first, found.second) == (first.id, second.id)
    assert await memory.scan_conflicts() == []
    hits = (await memory.retrieve("when is the deploy window", k=5)).hits
    assert [hit.memory.id for hit in hits] == [first.id, second.id]
    assert all("conflict" in hit.labels for hit in hits)


async def test_different_slots_never_conflict(memory) -> None:
    for text in ("The deploy window is Monday", "The review window is Friday", "部署窗口是周一", "评审窗口是周五"):
        await memory.store(text, kind="rule")
    assert await memory.scan_conflicts() == []
    assert (await memory.stats()).statuses == {"active": 4}


async def test_opposite_lessons_conflict(memory) -> None:
    for avoid in (True, False):
        lesson = {"condition": "when deploying", "action": "drain the node", "avoid": avoid}
        await memory.store(f"Drain the node: {'no' if avoid else 'yes'}", kind="rule", lesson=lesson)
    assert len(await memory.scan_conflicts()) == 1


async def test_a_shared_rule_names_the_agents_it_rests_on(memory, finish) -> None:
    a, b = (memory.acting_as(Principal(agent=name, channel=Channel.AGENT)) for name in ("a", "b"))
    await finish(a, "failure", "Pay 1", ("pay", "E7: check_order is required first"))
    await finish(b, "success", "Pay 2", "check_order", "pay", task_type="other")
    with pytest.raises(AccessDenied, match="scope review"):
        await a.reflect(agents=["b"])
    (proposal,) = (await memory.reflect(agents=["a", "b"])).proposals
    (item,) = await memory.reviews()
    assert item.memory.visibility is Visibility.SHARED
    assert item.grounds["agents"] == ["a", "b"]
    assert (await a.retrieve("pay an order with pay")).hits == () or proposal.id not in {
        hit.memory.id for hit in (await a.retrieve("pay an order with pay")).hits
    }
    await memory.approve(proposal.id)
    assert proposal.id in {hit.memory.id for hit in (await b.retrieve("use pay", kind="rule")).hits}


async def test_erasing_takes_the_reasons_and_grounds_along(memory, finish, tmp_path) -> None:
    await finish(memory, "failure", "Pay 1", ("pay", "E7: check_order is required first"))
    await finish(memory, "success", "Pay 2", "check_order", "pay", task_type="other")
    (proposal,) = (await memory.reflect()).proposals
    await memory.reject(proposal.id, reason="zebra-crossing-reason")
    await memory.forget(proposal.id)
    person = memory.acting_as(Principal(agent="default"))
    assert (await person.get(proposal.id)) is None


async def test_kinds_of_reflection_wait_even_as_procedures(memory, finish) -> None:
    for number in range(3):
        await finish(memory, "success", f"Pay {number}", "open", "pay", "close")
    (proposal,) = (await memory.reflect()).proposals
    assert proposal.status == "pending"
    kept = await memory.get(proposal.id)
    assert (kept.kind, kept.tools, kept.status) == (Kind.PROCEDURE, ("open", "pay", "close"), Status.PENDING)
    await memory.approve(proposal.id)
    page = await memory.list(kind="procedure", task_type="payout", tools=["open", "pay", "close"], tools_match="chain")
    assert [each.id for each in page.items] == [proposal.id]


async def test_reflecting_on_one_episode(memory, finish) -> None:
    first = await finish(memory, "failure", "Pay 1", ("pay", "E7: check_order is required first"))
    await finish(memory, "success", "Pay 2", "check_order", "pay", task_type="other")
    odd = await finish(memory, "failure", "Sing", ("sing", "E2: tune_voice is required first"), task_type="music")
    assert len((await memory.reflect(first.episode.id)).proposals) == 1
    assert (await memory.reflect(odd.episode.id)).proposals == ()
    with pytest.raises(NotFound):
        await memory.reflect("0197a1b2-0000-7000-8000-000000000000")
    unknown = await memory.store("something happened", kind="episode")
    with pytest.raises(InvalidInput, match="how it ended"):
        await memory.reflect(unknown.id)


async def test_memories_open_and_review_in_the_synchronous_face(tmp_path) -> None:
    def work() -> str:
        with Synchronous.open(tmp_path / "sync", embedder="none") as opened:
            saved = opened.acting_as(Principal(agent="x", channel=Channel.AGENT)).store("Refuse refunds", kind="rule")
            assert [item.memory.id for item in opened.reviews()] == [saved.id]
            return str(opened.approve(saved.id).status)

    assert await asyncio.to_thread(work) == "active"
