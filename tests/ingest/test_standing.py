"""A context begins with the caller's own constraints, whatever is asked."""

from __future__ import annotations

import pytest

from hindsight import Hindsight
from hindsight.recall.context import STANDING


@pytest.fixture
async def memory(tmp_path):
    async with Hindsight.open(tmp_path / "store", embedder="none", seal_key_file=str(tmp_path / "key")) as opened:
        yield opened


async def test_a_constraint_is_there_for_a_question_that_shares_no_word_with_it(memory) -> None:
    await memory.store("用户对花生过敏", kind="constraint")
    await memory.store("The harbour is closed in winter", kind="fact")
    assert not (await memory.retrieve("Order a dish for me")).hits
    found = await memory.context("Order a dish for me")
    assert [each.content for each in found.standing] == ["用户对花生过敏"]
    assert "## Standing constraints\n- 用户对花生过敏" in found.render()
    assert "## 一贯的约束" in (await memory.context("帮我点个菜")).render()


async def test_what_was_found_anyway_stands_once(memory) -> None:
    await memory.store("Never deploy on Fridays", kind="constraint")
    found = await memory.context("May I deploy on Fridays?")
    assert found.standing == ()
    assert found.render().count("Never deploy on Fridays") == 1


async def test_only_the_newest_own_active_ones_stand(memory) -> None:
    for number in range(STANDING + 2):
        await memory.store(f"Rule of the house number {number}", kind="constraint")
    await memory.forget((await memory.list(kind="constraint", limit=1)).items[0].id, mode="archive")
    found = await memory.context("What is the weather?")
    assert [each.content[-1] for each in found.standing] == ["5", "4", "3", "2", "1"]
    assert (await memory.context("What is the weather?", namespace="other")).standing == ()


async def test_without_constraints_nothing_relevant_is_nothing(memory) -> None:
    await memory.store("The harbour is closed in winter", kind="fact")
    assert (await memory.context("What is the capital of Peru?")).render() == ""
