"""Trust is the least of a record's roots, and stays so through everything that makes records of records."""

from __future__ import annotations

import pytest

from hindsight.records import CHANNEL_TRUST, Channel, Status
from hindsight.remember.task import ToolCall

LOW = CHANNEL_TRUST[Channel.DOCUMENT]


async def trusts(memory) -> dict:
    """(trust, status) by id of everything in the store, whatever its status."""
    pages = [await memory.list(status=str(status), limit=500) for status in Status]
    return {each.id: each for page in pages for each in page.items}


async def no_better_than_their_parents(memory, ceiling: float = 1.0) -> int:
    """Check every derived record; how many there are."""
    found = await trusts(memory)
    derived = [each for each in found.values() if any(parent in found for parent in each.parents)]
    for each in derived:
        least = min(found[parent].trust for parent in each.parents if parent in found)
        assert each.trust <= min(least, CHANNEL_TRUST[each.channel], ceiling), each.content
    return len(derived)


@pytest.mark.parametrize("text", ["The valve is made of brass.", "阀门是黄铜做的。"])
async def test_a_merge_keeps_the_trust_of_the_record_and_raises_none(memory, view, text):
    root = await view(Channel.DOCUMENT).store("The parts list of the pump.", kind="knowledge")
    made = await view(Channel.AGENT).store(text, parents=[root.id])
    assert (await memory.get(made.id)).trust == LOW
    for number, channel in enumerate((Channel.AGENT, Channel.TOOL, Channel.REFLECTION)):
        again = await view(channel).store(text, session_id=f"s{number}", parents=[root.id])
        assert (await memory.get(again.id)).trust <= LOW
    assert await no_better_than_their_parents(memory) >= 1


@pytest.mark.parametrize("text", ["The valve is made of brass.", "阀门是黄铜做的。"])
async def test_a_less_trusted_twin_borrows_no_trust(memory, view, text):
    mine = await memory.store(text)
    root = await view(Channel.DOCUMENT).store("The parts list of the pump.", kind="knowledge")
    twin = await view(Channel.AGENT).store(text, parents=[root.id], session_id="twin")
    kept = await memory.get(mine.id)
    assert (kept.trust, kept.channel, kept.content) == (1.0, Channel.USER, text)
    assert twin.id == mine.id or (await memory.get(twin.id)).trust <= LOW


async def test_export_and_import_give_derived_records_no_more(memory, view, tmp_path):
    root = await view(Channel.DOCUMENT).store("The gate code changed in May.", kind="knowledge")
    child = await view(Channel.AGENT).store("The code of the gate is new.", parents=[root.id])
    await memory.store("Who made this up?", parents=[child.id], kind="episode")
    file = tmp_path / "out.jsonl"
    file.write_text("\n".join([record.model_dump_json() async for record in memory.export()]), encoding="utf-8")
    for importer in (memory, view(Channel.AGENT)):
        await importer.import_file(file, format="hindsight", namespace="copy")
    copies = (await memory.list(namespace="copy", limit=100)).items
    assert len(copies) == 3
    assert all(copy.trust <= LOW for copy in copies)


@pytest.mark.parametrize(
    ("task", "error", "text"),
    [("Pay {}", "E7: check_order is required first", "refund"), ("付款 {}", "E7: 必须先 check_order", "退款")],
)
async def test_lessons_and_reflection_are_trusted_no_more_than_their_episodes(memory, view, task, error, text):
    for channel in (Channel.TOOL, Channel.DOCUMENT):
        worker = view(channel)
        for number in range(3):
            failed = [ToolCall(tool="pay", error=error)]
            await worker.task_finished("failure", task=task.format(number), task_type=text, calls=failed)
            done = [ToolCall(tool="check_order"), ToolCall(tool="pay")]
            await worker.task_finished("success", task=task.format(number), task_type=text, calls=done)
    await view(Channel.AGENT).reflect()
    await memory.reflect()
    ceiling = max(CHANNEL_TRUST[Channel.TOOL], CHANNEL_TRUST[Channel.DOCUMENT])
    assert await no_better_than_their_parents(memory, ceiling) >= 1


async def test_undoing_and_redoing_raises_no_trust(memory, view):
    root = await view(Channel.DOCUMENT).store("The pump was repaired in May.", kind="knowledge")
    child = await view(Channel.AGENT).store("The pump works again.", parents=[root.id], kind="episode")
    grandchild = await memory.store("The pump is fine.", parents=[child.id], kind="episode")
    before = {id: each.trust for id, each in (await trusts(memory)).items()}
    undone = await memory.undo(memory=root.id)
    after = await trusts(memory)
    assert all(each.trust <= before[id] for id, each in after.items())
    assert all(after[id].status is not Status.ACTIVE for id in (child.id, grandchild.id) if id in after)
    await memory.undo(undo=undone.id)
    again = await trusts(memory)
    assert {id: each.trust for id, each in again.items()} == before
    await no_better_than_their_parents(memory)
