"""Where tasks fail, how that changes, what would help."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hindsight.learn.plot import as_svg


async def failing(memory, finish) -> None:
    for number in range(4):
        await finish(memory, "failure", f"Pay {number}", "open", ("pay", "HTTP 409"), finished_at=f"2026-03-{1 + number:02}T10:00:00Z")
    for number in range(3):
        await finish(memory, "failure", f"Sing {number}", ("sing", "HTTP 503"), task_type="music", finished_at="2026-03-08T10:00:00Z")
    await finish(memory, "success", "Sing again", "sing", task_type="music", finished_at="2026-03-16T10:00:00Z")


async def test_failures_by_task_type_tool_and_error(memory, finish) -> None:
    await failing(memory, finish)
    found = await memory.patterns()
    assert (found.runs, found.failures) == (8, 7)
    first, second = found.cells
    assert (first.task_type, first.tool, first.failures, first.runs, first.rate) == ("payout", "pay", 4, 4, 1.0)
    assert (second.task_type, second.tool, second.failures, second.runs, second.rate) == ("music", "sing", 3, 4, 0.75)
    assert "409" in first.error
    assert sum(period.runs for period in found.trend) == 8
    assert found.trend[0].begins == "2026-03-01"
    assert found.trend[-1].failures == 0
    assert (await memory.patterns(limit=1)).cells == (first,)


async def test_each_pattern_proposes_a_remedy(memory, agent, finish) -> None:
    await failing(agent, finish)
    # The same error twice has made lessons, which nobody recalled yet.
    assert [cell.remedy for cell in (await agent.patterns()).cells] == ["loosen_filter", "loosen_filter"]
    for query in ("pay payout", "sing music"):
        await agent.retrieve(query, k=10)
    assert [cell.remedy for cell in (await agent.patterns()).cells] == ["ingest_document", "ingest_document"]
    rule = await agent.store("Before calling pay, open the till", kind="rule", tools=["open", "pay"])
    cells = (await agent.patterns()).cells
    assert [cell.remedy for cell in cells] == ["review_rule", "ingest_document"]
    assert str(rule.id) in cells[0].advice


async def test_lessons_shown_in_vain_and_never(memory, finish) -> None:
    await failing(memory, finish)
    assert len((await memory.patterns()).never_shown) == 2
    await memory.task_started("Pay 9", id="s9", task_type="payout")
    await memory.retrieve("pay", k=1, kind="procedure", task_type="payout", session="s9")
    await memory.patterns()  # writes the log that waits
    await finish(memory, "failure", "Pay 9", ("pay", "HTTP 409"), id="s9")
    found = await memory.patterns()
    (vain,) = found.shown_and_failed
    assert (vain.shown, vain.failed) == (1, 1)
    assert len(found.never_shown) == 1


async def test_of_nothing_there_is_nothing_to_tell(memory) -> None:
    found = await memory.patterns()
    assert found.as_json() == {"runs": 0, "failures": 0, "cells": (), "trend": (), "shown_and_failed": (), "never_shown": ()}
    ET.fromstring(as_svg(found))


async def test_the_picture_is_well_formed_whatever_the_names_hold(memory, finish) -> None:
    for number in range(2):
        await finish(memory, "failure", f"x {number}", ("<b>&'\"]]>😀\u202e", "E\x07RR <script>"), task_type="类型 & <i>")
    root = ET.fromstring(as_svg(await memory.patterns()))
    told = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any("<b>&'\"]]>" in each for each in told), told
