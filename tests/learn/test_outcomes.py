"""Outcomes of tasks, and what they weigh."""

from __future__ import annotations

import pytest

from hindsight.records import Outcome, Principal, Status


async def test_what_a_person_corrects_counts_as_corrected(memory) -> None:
    agent = memory.acting_as(Principal(agent="default", channel="agent"))
    kept = (await agent.task_finished("success", task="book a table", result="booked for two")).episode
    own = await memory.store("the table is by the window", kind="episode", outcome="success")
    lesson = await agent.store("call ahead", kind="procedure", outcome="success")
    changed = await memory.update(kept.id, content="book a table: the guests were four, not two")
    assert changed.outcome is Outcome.CORRECTED
    assert changed.trust < 1.0
    assert (await memory.update(own.id, content="the table is in the garden")).outcome is Outcome.SUCCESS
    assert (await memory.update(lesson.id, tags=["phone"])).outcome is Outcome.SUCCESS
    assert (await memory.update(lesson.id, content="call two days ahead", outcome="fixed")).outcome is Outcome.FIXED
    assert (await agent.update(kept.id, content="four guests, booked")).outcome is Outcome.CORRECTED
    assert changed.status is Status.ACTIVE


@pytest.mark.parametrize(("outcome", "weight"), [("success", 1.0), ("fixed", 1.5), ("corrected", 2.0), ("failure", 1.0)])
async def test_an_episode_weighs_by_its_outcome(memory, outcome, weight) -> None:
    await memory.task_finished(outcome, task="water the office plants")
    (hit,) = (await memory.retrieve("water the office plants", k=1)).hits
    assert hit.factors["outcome"] == weight
