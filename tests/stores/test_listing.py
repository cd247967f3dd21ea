"""Listing, export, history, counts."""

from __future__ import annotations

import pytest

from hindsight.confinement import confined_to
from hindsight.errors import InvalidInput
from hindsight.records import Kind, Status, new_id


async def test_a_listing_goes_through_pages_newest_first(store, write, mine):
    await store.commit([write(f"{number}") for number in range(25)])
    await store.commit([write("hidden", agent="bob")])
    seen, cursor, sizes = [], None, []
    while True:
        page = await store.list(mine, limit=10, cursor=cursor)
        seen += [memory.content for memory in page.items]
        sizes.append(len(page.items))
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [f"{number}" for number in reversed(range(25))]
    assert sizes == [10, 10, 5]
    assert (await store.list(mine, limit=25)).cursor is None


async def test_a_page_is_stable_while_records_are_added(store, write, mine):
    await store.commit([write(f"{number}") for number in range(4)])
    page = await store.list(mine, limit=2)
    await store.commit([write("later")])
    following = await store.list(mine, limit=2, cursor=page.cursor)
    assert [memory.content for memory in following.items] == ["1", "0"]


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": -1}, {"cursor": "x"}, {"cursor": "-3"}, {"cursor": "1;DROP"}])
async def test_bad_limits_and_cursors_are_named(store, mine, arguments):
    with pytest.raises(InvalidInput, match=next(iter(arguments))):
        await store.list(mine, **arguments)


async def test_export_is_one_snapshot_without_the_quarantined(store, write):
    await store.commit([write(f"{number}", namespace=["work", "home"][number % 2]) for number in range(1200)])
    pending = write("pending", status=Status.PENDING)
    await store.commit([write("bad", status=Status.QUARANTINED), pending])
    seen = []
    async for memory in store.export():
        if not seen:
            await store.commit([write("too late"), write.replacement(pending, content="changed too late")])
        seen.append(memory.content)
    assert seen == [*(f"{number}" for number in range(1200)), "pending"]
    assert [memory.content async for memory in store.export("home")] == [f"{number}" for number in range(1, 1200, 2)]
    assert [memory.content async for memory in store.export()][-2:] == ["changed too late", "too late"]


async def test_a_record_behind_the_callers_wall_is_not_there(store, write):
    theirs = write("theirs", namespace="home")
    await store.commit([theirs])
    for walls, found in ((("work",), None), (("work", "home"), theirs.memory), (None, theirs.memory)):
        with confined_to(walls):
            assert await store.get(theirs.memory.id) == found


async def test_what_is_not_there_is_none_or_empty(store):
    assert await store.get(new_id()) is None
    assert await store.history(new_id()) == []
    assert await store.retrieval(new_id()) is None
    assert (await store.row_of([new_id()])).tolist() == [-1]
    assert await store.find_keys("work", "alice", []) == {}
    assert await store.turns("work", "alice", "s") == []
    assert await store.jobs() == []
    assert await store.namespaces() == []
    assert [each async for each in store.export()] == []


async def test_rows_that_are_gone_are_left_out(store, write):
    writes = [write(f"{number}") for number in range(3)]
    await store.commit(writes)
    rows = (await store.row_of([each.memory.id for each in writes]))[::-1]
    await store.erase([writes[1].memory.id], write.event("erased"))
    assert [memory.content for memory in await store.fetch(rows)] == ["2", "0"]
    assert (await store.row_of([each.memory.id for each in writes]))[1] == -1


async def test_stats_count(store, write):
    await store.commit([
        write("a", kind=Kind.EPISODE),
        write("b", kind=Kind.RULE, status=Status.PENDING),
        write("c", kind=Kind.RULE, vector=None),
        write("d", namespace="home"),
    ])  # fmt: skip
    stats = await store.stats()
    assert stats.namespaces == {"work": 3, "home": 1}
    assert stats.statuses == {"active": 3, "pending": 1}
    assert stats.kinds == {"episode": 1, "rule": 1, "fact": 1}
    assert stats.layers == {"episodic": 1, "semantic": 2}
    assert (stats.memories, stats.vectors, stats.events) == (4, 3, 4)
    assert (stats.embedder, stats.dimension) == ("test", 8)
    assert stats.bytes_on_disk > 0
    assert stats.schema_version >= 1
    home = await store.stats("home")
    assert (home.memories, home.vectors, home.events, home.namespaces) == (1, 1, 1, {"home": 1})
    assert (await store.stats("nowhere")).memories == 0
    assert await store.namespaces() == ["home", "work"]


async def test_the_change_number_grows_with_every_change_of_a_record(store, write):
    numbers = [await store.change_number()]
    first = write("x")
    await store.commit([first])
    numbers.append(await store.change_number())
    await store.commit([write.replacement(first, importance=0.1)])
    numbers.append(await store.change_number())
    await store.erase([first.memory.id], write.event("erased"))
    numbers.append(await store.change_number())
    assert numbers == sorted(set(numbers))
    await store.add_turns("work", "alice", [])
    await store.erase([first.memory.id], write.event("erased"))
    assert await store.change_number() == numbers[-1]


async def test_the_newest_events_come_first_without_what_they_changed(store, write):
    await store.commit([write(f"{number}") for number in range(5)])
    await store.commit([write("elsewhere", namespace="other")])
    every = await store.events("work")
    newest = await store.latest_events("work", limit=3)
    assert [event.seq for event in newest] == [event.seq for event in every[::-1][:3]]
    assert [event.after for event in newest] == [None] * 3
    older = await store.latest_events("work", limit=10, below=newest[-1].seq)
    assert [event.seq for event in older] == [event.seq for event in every[::-1][3:]]
    assert await store.latest_events("nowhere", limit=3) == []
