"""Reads of the store as it stood, histories with differences, and lineage."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from hindsight.errors import InvalidInput, NotFound
from hindsight.memory import Hindsight
from hindsight.ports import NewEvent, Write
from hindsight.records import Principal, new_id
from hindsight.remember.versions import differences, text_difference


async def texts(memory: Hindsight, at: datetime | str | None = None, **filters: Any) -> list[str]:
    page = await memory.list(limit=100, **({} if at is None else {"at": at}), **filters)
    return [each.content for each in page.items]


async def test_the_store_is_read_as_it_stood(memory: Hindsight, clock: Any) -> None:
    first = await memory.store("the port is 8080", kind="episode", tags=["net"])
    gone = await memory.store("to be erased", kind="episode")
    put_away = await memory.store("archived later", kind="episode")
    before = clock.at
    clock.at += timedelta(days=1)
    await memory.update(first.id, content="the port is 9090", tags=["web"])
    await memory.forget(put_away.id, mode="archive")
    await memory.forget(gone.id)
    await memory.store("came later", kind="episode")
    between = clock.at
    clock.at += timedelta(days=1)
    await memory.restore(put_away.id)

    assert await texts(memory) == ["came later", "archived later", "the port is 9090"]
    assert await texts(memory, before) == ["archived later", "the port is 8080"]
    assert await texts(memory, between) == ["came later", "the port is 9090"]
    assert await texts(memory, before, tags=["net"]) == ["the port is 8080"]
    assert await texts(memory, before, tags=["web"]) == []
    assert await texts(memory, "2020") == []
    assert (await memory.get(first.id, at=before)).content == "the port is 8080"
    assert (await memory.get(first.id, at=before)).version == 1
    assert (await memory.get(first.id)).content == "the port is 9090"
    assert await memory.get(first.id, at="2020-01-01") is None
    assert await memory.get(gone.id, at=before) is None
    with pytest.raises(InvalidInput, match="at"):
        await memory.get(first.id, at="when?")


async def test_recall_answers_in_the_words_of_then(memory: Hindsight, clock: Any) -> None:
    saved = await memory.store("the zebra server listens on port 8080", kind="episode")
    put_away = await memory.store("the zebra server is in rack two", kind="episode")
    before = clock.at
    await memory.update(saved.id, content="the zebra server listens on port 9090")
    await memory.forget(put_away.id, mode="archive")
    await memory.store("the zebra server was moved", kind="episode")
    found = await memory.retrieve("zebra server", k=5, at=before)
    assert {hit.memory.content for hit in found.hits} == {"the zebra server listens on port 8080", "the zebra server is in rack two"}
    assert all("archived" not in hit.labels for hit in found.hits)
    found = await memory.retrieve("zebra server", k=5)
    assert {hit.memory.content for hit in found.hits} == {"the zebra server listens on port 9090", "the zebra server was moved"}


async def test_what_is_told_later_of_an_earlier_time_belongs_to_it(memory: Hindsight) -> None:
    await memory.store("Alice lived in Paris", kind="episode", occurred_at="2020-03")
    await memory.store("someone lived in Rome", kind="episode")
    assert await texts(memory, "2021") == ["Alice lived in Paris"]


async def test_a_superseded_statement_stood_then(memory: Hindsight, clock: Any) -> None:
    await memory.store("Alice lives in Paris", kind="fact")
    before = clock.at
    await memory.store("Alice lives in Berlin", kind="fact")
    [then] = (await memory.list(at=before)).items
    assert (then.content, then.status, then.valid_to) == ("Alice lives in Paris", "active", None)
    assert await texts(memory) == ["Alice lives in Berlin"]


async def test_pages_of_the_past_hold_everything_once(memory: Hindsight, clock: Any) -> None:
    saved = [await memory.store(f"number {number}", kind="episode") for number in range(30)]
    before = clock.at
    for each in saved[::3]:
        await memory.forget(each.id, mode="archive")
    for each in saved[1::3]:
        await memory.update(each.id, content=f"changed {each.id}")
    found, cursor = [], None
    while True:
        page = await memory.list(at=before, limit=7, cursor=cursor)
        found += [each.content for each in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [f"number {number}" for number in reversed(range(30))]


async def test_what_is_quarantined_today_is_in_no_past(memory: Hindsight, clock: Any) -> None:
    saved = await memory.store("poison", kind="episode")
    before = clock.at
    await memory.undo(memory=saved.id)
    assert await texts(memory, before) == []
    assert await memory.get(saved.id, at=before) is None


async def test_private_memories_of_others_stay_theirs_at_any_time(memory: Hindsight, clock: Any) -> None:
    saved = await memory.store("mine", kind="episode", visibility="shared")
    then = clock.at
    await memory.update(saved.id, visibility="private")
    other = memory.acting_as(Principal(agent="other"))
    assert await texts(other, then) == []
    assert await other.get(saved.id, at=then) is None


async def test_history_names_its_session_and_what_changed(memory: Hindsight) -> None:
    saved = await memory.store("the port is 8080", kind="episode", session_id="s1")
    await memory.update(saved.id, content="the port is 9090 now", tags=["net"], reason="it moved")
    created, updated = await memory.history(saved.id)
    assert (created.action, created.session_id, created.actor, created.channel) == ("created", "s1", "default", "user")
    assert updated.reason == "it moved"
    assert differences(updated) == {
        "content": {"from": "the port is 8080", "to": "the port is 9090 now", "diff": "the port is [-8080-]{+9090 now+}"},
        "tags": {"from": [], "to": ["net"]},
    }


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("我住在北京", "我住在上海", "我住在[-北京-]{+上海+}"),
        ("a b", "a b", "a b"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("run make test", "run make check 😀", "run make [-test-]{+check 😀+}"),
    ],
)
def test_differences_of_texts_are_told_by_word(before: str, after: str, told: str) -> None:
    assert text_difference(before, after) == told


async def test_lineage_goes_both_ways(memory: Hindsight) -> None:
    root = await memory.store("root", kind="episode")
    other = await memory.store("other root", kind="episode")
    digest = await memory.store("digest", kind="procedure", parents=[root.id, other.id])
    rule = await memory.store("rule", kind="rule", parents=[digest.id])
    gone = await memory.store("gone", kind="episode", parents=[digest.id])
    await memory.forget(gone.id)
    found = await memory.lineage(digest.id)
    assert {node.memory.content for node in found.parents} == {"root", "other root"}
    assert {node.id: node.memory and node.memory.content for node in found.children} == {rule.id: "rule", gone.id: None}
    assert not found.cut
    [branch] = (await memory.lineage(root.id)).children
    assert {node.id for node in branch.branches} == {rule.id, gone.id}
    with pytest.raises(NotFound):
        await memory.lineage(new_id())
    with pytest.raises(NotFound):
        await memory.acting_as(Principal(agent="stranger")).lineage(root.id)


async def test_lineage_hides_what_the_caller_may_not_see(memory: Hindsight) -> None:
    secret = await memory.acting_as(Principal(agent="other")).store("another's secret", kind="episode")
    mine = await memory.store("mine", kind="episode", parents=[secret.id])
    [node] = (await memory.lineage(mine.id)).parents
    assert (node.id, node.memory, node.branches) == (secret.id, None, ())
    assert "secret" not in str((await memory.lineage(mine.id)).to_json())


async def test_a_circle_of_parents_ends(memory: Hindsight) -> None:
    store = memory._store
    one = await memory.store("one", kind="episode")
    two = await memory.store("two", kind="episode", parents=[one.id])
    record = await store.get(one.id)
    changed = record.model_copy(update={"parents": (two.id,), "version": 2})
    await store.commit([Write(changed, NewEvent("updated", "default", record.channel, record.created_at), expected_version=1)])
    found = await memory.lineage(one.id)
    assert [node.id for node in found.parents] == [two.id]
    assert found.parents[0].branches[0].again
    assert {item.id for item in (await memory.undo(memory=one.id)).items} == {one.id, two.id}
