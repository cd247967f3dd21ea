"""How judgements move usefulness, and what they cannot move."""

from __future__ import annotations

import asyncio

import pytest

from hindsight.errors import InvalidInput, NotFound
from hindsight.recall.score import usefulness
from hindsight.records import Channel, Principal, Status


def test_usefulness_is_the_mean_of_a_beta_distribution_over_its_priors() -> None:
    assert usefulness(0, 0) == 1.0
    assert usefulness(0, 1) == pytest.approx((4 / 6) / (4 / 5))
    assert usefulness(3, 1) == pytest.approx((7 / 9) / (4 / 5))
    assert usefulness(1_000_000, 0) == pytest.approx(1.25, abs=1e-4)


async def recalled(memory, query="how are backups made"):
    return await memory.retrieve(query, k=5)


async def test_what_harms_sinks_below_its_equal_and_comes_before_a_person(memory) -> None:
    first = await memory.store("Backups are made with tool alpha at night", kind="procedure")
    second = await memory.store("Backups are made with tool omega at night", kind="procedure")
    before = await recalled(memory)
    top = before.hits[0].memory.id
    for _ in range(3):
        found = await recalled(memory)
        assert await memory.feedback(found.id, "harmful", ids=[top]) == [top]
    after = await recalled(memory)
    assert [hit.memory.id for hit in after.hits] == [({first.id, second.id} - {top}).pop(), top]
    assert after.hits[1].factors["usefulness"] == pytest.approx(usefulness(0, 3))
    (item,) = await memory.reviews()
    assert (item.why, item.memory.id, item.memory.harmful) == ("harmful", top, 3)
    await memory.approve(top, reason="it is right")
    assert await memory.reviews() == []
    found = await recalled(memory)
    await memory.feedback(found.id, "harmful", ids=[top])
    assert [item.memory.id for item in await memory.reviews()] == [top]
    assert (await memory.reject(top, reason="it is not")).status is Status.QUARANTINED
    assert top not in {hit.memory.id for hit in (await recalled(memory)).hits}


async def test_a_second_judgement_replaces_the_first(memory) -> None:
    saved = await memory.store("Backups are made at night", kind="procedure")
    found = await recalled(memory)
    for verdict, counts in (("helpful", (1, 0)), ("helpful", (1, 0)), ("harmful", (0, 1)), ("unused", (0, 0)), ("helpful", (1, 0))):
        await memory.feedback(found.id, verdict)
        kept = await memory.get(saved.id)
        assert (kept.helpful, kept.harmful) == counts
    assert kept.use_count >= 1
    assert kept.last_used_at is not None
    assert (await memory.history(saved.id))[-1].action == "used"


async def test_an_agent_can_undo_harm_to_its_own_memory_but_not_lift_it(memory, agent) -> None:
    saved = await agent.store("Backups are made at night", kind="procedure")
    for verdict, counts in (
        ("helpful", (0, 0)),
        ("harmful", (0, 1)),
        ("helpful", (1, 1)),
        ("helpful", (2, 1)),
        ("helpful", (3, 1)),
        ("helpful", (4, 1)),
        ("helpful", (4, 1)),
    ):
        found = await recalled(agent)
        await agent.feedback(found.id, verdict)
        kept = await agent.get(saved.id)
        assert (kept.helpful, kept.harmful, kept.trust) == (*counts, 0.6)
    assert usefulness(kept.helpful, kept.harmful) <= 1.0  # fmt: skip


async def test_another_agents_shared_memory_can_be_praised(memory, agent) -> None:
    shared = await memory.store("Backups are made at night", kind="procedure", visibility="shared")
    found = await recalled(agent)
    assert await agent.feedback(found.id, "helpful") == [shared.id]
    assert (await memory.get(shared.id)).helpful == 1


async def test_only_the_one_who_asked_may_judge_and_only_what_was_shown(memory, agent) -> None:
    await memory.store("Backups are made at night", kind="procedure", visibility="shared")
    other = await memory.store("unrelated", kind="fact")
    found = await recalled(memory)
    with pytest.raises(NotFound, match="of this caller"):
        await agent.feedback(found.id, "harmful")
    with pytest.raises(NotFound):
        await memory.feedback("0197a1b2-0000-7000-8000-000000000000", "helpful")
    with pytest.raises(InvalidInput, match="did not show"):
        await memory.feedback(found.id, "helpful", ids=[other.id])
    with pytest.raises(InvalidInput, match="not one of helpful, harmful, unused"):
        await memory.feedback(found.id, "great")
    with pytest.raises(InvalidInput):
        await memory.feedback("nonsense", "helpful")


async def test_what_was_recalled_into_a_task_that_went_well_is_credited_once(memory) -> None:
    saved = await memory.store("Backups are made with the tool alpha", kind="procedure")
    session = await memory.task_started("make a backup with alpha", id="s1")
    for _ in range(3):
        await memory.retrieve("backups alpha tool", k=3, session=session.id)
    await memory._retriever.flush()
    await memory.task_finished("success", id="s1")
    assert (await memory.get(saved.id)).helpful == 1


async def test_a_failed_task_blames_nothing_by_itself(memory) -> None:
    saved = await memory.store("Backups are made with the tool alpha", kind="procedure")
    await memory.task_started("make a backup with alpha", id="s1")
    await memory.retrieve("backups alpha tool", k=3, session="s1")
    await memory._retriever.flush()
    await memory.task_finished("failure", id="s1")
    kept = await memory.get(saved.id)
    assert (kept.helpful, kept.harmful) == (0, 0)


async def test_feedback_on_what_was_erased_meanwhile_counts_for_the_rest(memory) -> None:
    gone = await memory.store("Backups are made at night", kind="procedure")
    stays = await memory.store("Backups are kept for a year", kind="procedure")
    found = await recalled(memory)
    await memory._retriever.flush()
    await memory.forget(gone.id)
    assert await memory.feedback(found.id, "helpful") == [stays.id]


async def test_two_callers_at_once_are_both_counted(memory) -> None:
    shared = await memory.store("Backups are made at night", kind="procedure", visibility="shared")
    agents = [memory.acting_as(Principal(agent=f"a{n}", channel=Channel.AGENT)) for n in range(6)]
    found = [await recalled(each) for each in agents]
    await asyncio.gather(*(each.feedback(answer.id, "harmful") for each, answer in zip(agents, found, strict=True)))
    assert (await memory.get(shared.id)).harmful == 6
