"""Committing: all or nothing, idempotent, versioned, read back as written."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hindsight.errors import InvalidInput, ModelMismatch, NotFound, VersionConflict
from hindsight.ports import NewJob
from hindsight.records import DebugInfo, Kind, Lesson, Outcome, Precision, Ref, Role, Source, Status, Visibility, new_id


async def test_a_record_with_every_field_set_is_read_back_equal(store, write):
    when = datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)
    full = write(
        '别忘了 "引号" \\ 换行\n和 emoji 🙂 و',
        key="agent-a:task-1",
        visibility=Visibility.SHARED,
        kind=Kind.PROCEDURE,
        query="什么时候有用",
        speaker="李雷",
        role=Role.ASSISTANT,
        refs=(Ref(session_id="s", first=3, last=5), Ref(document="d.pdf", start=1, end=9)),
        lesson=Lesson(condition="c", action="a", reason="r", avoid=False),
        outcome=Outcome.FIXED,
        task_type="deployment",
        tools=("docker", "git", "docker"),
        error_code="E1101",
        tags=("b", "a"),
        entities=("Docker", "李雷"),
        source=Source.INFERRED,
        trust=0.25,
        confidence=0.123456789,
        importance=0.75,
        priority=-3,
        supersedes=new_id(),
        conflicts_with=(new_id(),),
        parents=(new_id(), new_id()),
        occurred_at=when,
        occurred_precision=Precision.DAY,
        valid_from=when,
        valid_to=when + timedelta(days=1),
        expires_at=datetime(2099, 1, 1, tzinfo=UTC),
        last_used_at=when,
        use_count=4,
        helpful=2,
        harmful=1,
        session_id="s",
        turn_ids=("t1", "t2"),
        debug=DebugInfo(session_id="s", turn_ids=("t1",), model="m", prompt_version="1", distiller="rules", guard="ok"),
        seal="abc",
    )
    [done] = await store.commit([full])
    assert (done.id, done.created, done.version) == (full.memory.id, True, 1)
    assert await store.get(full.memory.id) == full.memory
    assert await store.fetch(await store.row_of([full.memory.id])) == [full.memory]
    assert [each async for each in store.export()] == [full.memory]


async def test_the_same_key_is_stored_once_for_each_agent_and_namespace(store, write):
    first = write("one", idempotency_key="k")
    again = write("one", idempotency_key="k")
    other_agent = write("one", idempotency_key="k", agent="bob")
    other_namespace = write("one", idempotency_key="k", namespace="home")
    done = await store.commit([first, again, other_agent, other_namespace])
    assert [each.created for each in done] == [True, False, True, True]
    assert done[1].id == first.memory.id
    assert await store.get(again.memory.id) is None
    assert await store.find_keys("work", "alice", ["k", "unknown"]) == {"k": first.memory.id}
    assert len(await store.history(first.memory.id)) == 1


async def test_a_key_stored_again_brings_an_archived_record_back(store, write, mine):
    first = write("one", idempotency_key="k")
    await store.commit([first])
    archived = write.replacement(first, status=Status.ARCHIVED, action="archived")
    await store.commit([archived])
    assert await store.find_keys("work", "alice", ["k"]) == {}
    assert len(await store.visible(mine)) == 0
    [done] = await store.commit([write("one", idempotency_key="k")])
    assert (done.id, done.created, done.version) == (first.memory.id, False, 3)
    standing = await store.get(first.memory.id)
    assert standing is not None
    assert standing.status is Status.ACTIVE
    assert [event.action for event in await store.history(first.memory.id)] == ["created", "archived", "restored"]
    assert len(await store.visible(mine)) == 1


async def test_a_replacement_needs_the_version_that_stands(store, write):
    first = write("old words")
    await store.commit([first])
    second = write.replacement(first, content="new words", tokens=["new", "words"])
    [done] = await store.commit([second])
    assert (done.created, done.version) == (False, 2)
    with pytest.raises(VersionConflict) as caught:
        await store.commit([write.replacement(first, content="lost words")])
    assert caught.value.current == 2
    assert (await store.get(first.memory.id)).content == "new words"
    with pytest.raises(NotFound):
        await store.commit([write.replacement(write("never stored"), content="x")])
    with pytest.raises(InvalidInput, match="must be 3"):
        await store.commit([replace(second, expected_version=2)])
    with pytest.raises(InvalidInput, match="cannot move"):
        await store.commit([write.replacement(second, namespace="home")])


async def test_of_two_changes_at_once_one_wins_and_one_is_told(store, write):
    first = write("old")
    await store.commit([first])
    outcomes = await asyncio.gather(
        *(store.commit([write.replacement(first, content=f"by {name}")]) for name in ("a", "b", "c")), return_exceptions=True
    )
    assert sum(isinstance(each, list) for each in outcomes) == 1
    assert sum(isinstance(each, VersionConflict) for each in outcomes) == 2


async def test_a_batch_is_written_wholly_or_not_at_all(store, write, mine):
    good = [write(f"good {number}") for number in range(5)]
    bad = write("bad", id=good[0].memory.id, idempotency_key="another")
    before = await store.change_number()
    with pytest.raises(InvalidInput, match="another id"):
        await store.commit([*good, bad])
    assert await store.change_number() == before
    assert len(await store.visible(mine)) == 0
    assert (await store.stats()).memories == 0
    assert (await store.stats()).events == 0
    assert await store.namespaces() == []
    await store.commit(good)
    assert len(await store.visible(mine)) == 5
    assert await store.check() == []


async def test_one_failing_task_does_not_undo_those_that_write_at_the_same_moment(store, write, mine):
    taken = write("taken")
    await store.commit([taken])
    tasks = []
    for number in range(30):
        fields = {"id": taken.memory.id} if number % 3 == 0 else {}
        tasks.append(store.commit([write(f"text {number}", **fields)]))
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(each, InvalidInput) for each in outcomes] == [number % 3 == 0 for number in range(30)]
    assert len(await store.visible(mine)) == 21
    assert len((await store.search_terms(mine, ["text"], limit=50)).rows) == 20
    assert await store.check() == []


async def test_a_replacement_moves_every_index_with_it(store, write, mine):
    first = write("the old words", tags=("old",), session_id="s1", speaker="Old Speaker", entities=("Old Entity",), key="old/1")
    await store.commit([first])
    vector = write.vector()
    second = write.replacement(
        first,
        content="the new text",
        tokens=["the", "new", "text"],
        vector=vector,
        tags=("new",),
        session_id="s2",
        speaker="New",
        key="new/1",
    )
    second = replace(second, entities=[("new entity", "named")])
    await store.commit([second])

    async def found(**fields):
        return len(await store.visible(mine.model_copy(update=fields)))

    assert len((await store.search_terms(mine, ["old"], limit=5)).rows) == 0
    assert len((await store.search_terms(mine, ["new"], limit=5)).rows) == 1
    assert (await store.search_vector(mine, vector, limit=1)).scores[0] == pytest.approx(1, abs=0.01)
    assert [
        await found(tags=("old",)),
        await found(session_id="s1"),
        await found(speaker="old speaker"),
        await found(key_prefix="old"),
    ] == [0] * 4
    assert [await found(tags=("new",)), await found(session_id="s2"), await found(speaker="NEW"), await found(key_prefix="new")] == [1] * 4
    assert [await found(entities=("Old Entity",)), await found(entities=("New Entity",))] == [0, 1]
    assert await store.codes([("session", "s1"), ("speaker", "old speaker")]) == [-1, -1]
    assert await store.check() == []


async def test_a_replacement_without_tokens_and_vector_leaves_them(store, write, mine):
    first = write("words to find", entities=("Docker",))
    await store.commit([first])
    await store.commit([write.replacement(first, importance=0.9)])
    rows = (await store.search_terms(mine, ["find"], limit=5)).rows
    assert len(rows) == 1
    assert (await store.search_vector(mine, first.vector, limit=1)).scores[0] == pytest.approx(1, abs=0.01)
    assert (await store.search_entities(mine, ["docker"], hops=0, limit=5)).rows.tolist() == rows.tolist()
    assert (await store.columns(mine, rows)).importance[0] == pytest.approx(0.9)


async def test_history_tells_what_changed(store, write):
    first = write("old words")
    await store.commit([first])
    await store.commit([replace(write.replacement(first, content="new words"), event=write.event("updated", actor="bob", reason="typo"))])
    created, updated = await store.history(first.memory.id)
    assert (created.action, created.before, created.after) == ("created", None, None)
    assert (updated.actor, updated.reason) == ("bob", "typo")
    assert updated.before == {"content": "old words", "version": 1}
    assert updated.after == {"content": "new words", "version": 2}
    assert updated.seq > created.seq


async def test_jobs_are_queued_with_their_record_or_not_at_all(store, write):
    job = NewJob(kind="announce", payload={"x": 1}, namespace="work")
    with pytest.raises(InvalidInput):
        await store.commit([replace(write("bad", vector=np.full(8, np.nan, dtype=np.float32)), jobs=[job])])
    assert await store.queued() == 0
    await store.commit([replace(write("good"), jobs=[job, job])])
    assert await store.queued() == 2


@pytest.mark.parametrize("vector", [np.ones(7, dtype=np.float32), np.ones((1, 8), dtype=np.float32), np.ones(384, dtype=np.float32)])
async def test_a_vector_of_another_dimension_is_refused_with_the_command(store, write, vector):
    with pytest.raises(ModelMismatch, match="hindsight reindex"):
        await store.commit([write("x", vector=vector)])
    assert (await store.stats()).memories == 0


async def test_a_query_vector_of_another_dimension_is_refused(store, write, mine):
    with pytest.raises(ModelMismatch, match="dimension 8"):
        await store.search_vector(mine, np.ones(9, dtype=np.float32), limit=5)
    with pytest.raises(InvalidInput, match="NaN"):
        await store.search_vector(mine, np.full(8, np.inf, dtype=np.float32), limit=5)


async def test_a_zero_vector_counts_as_none(store, write, mine):
    await store.commit([write("x", vector=np.zeros(8, dtype=np.float32)), write("y", vector=None)])
    assert len((await store.search_vector(mine, write.vector(), limit=5)).rows) == 0
    assert (await store.stats()).vectors == 0
    with_one = write("z")
    await store.commit([with_one])
    await store.commit([write.replacement(with_one, vector=np.zeros(8, dtype=np.float32))])
    assert len((await store.search_vector(mine, write.vector(), limit=5)).rows) == 0


async def test_a_keyword_only_store_searches_without_vectors(open_store, write, mine):
    store = await open_store(embedder=None)
    await store.commit([write("keyword only", vector=None)])
    assert len((await store.search_terms(mine, ["keyword"], limit=5)).rows) == 1
    rows = await store.visible(mine)
    assert len((await store.search_vector(mine, write.vector(), limit=5)).rows) == 0
    assert np.isnan(await store.vector_scores(mine, rows, write.vector())).all()
    assert (await store.vectors(rows)).shape == (1, 0)
    with pytest.raises(ModelMismatch):
        await store.commit([write("with a vector")])


async def test_odd_text_never_breaks_the_store(store, write, mine):
    odd = [
        "",
        " ",
        "\0",
        "a\0b",
        "\x1f\x1f",
        "🙂" * 50,
        "\u202eabc",
        "'; DROP TABLE memories; --",
        'NEAR("a" b)',
        "*",
        "a" * 100_000,
        "İıß",
    ]
    writes = [
        write(text, tokens=[text, text.upper(), *text.split()], tags=(text[:100],), speaker=text[:100], key=text[:100]) for text in odd
    ]
    await store.commit(writes)
    assert [(await store.get(each.memory.id)).content for each in writes] == odd
    for text in odd:
        await store.search_terms(mine, [text], limit=5)
        await store.visible(mine.model_copy(update={"tags": (text[:100],), "key_prefix": text[:100], "speaker": text[:100]}))
        assert len(await store.visible(mine.model_copy(update={"tags": (text[:100],)}))) >= 1
    assert await store.check() == []


async def test_a_lone_surrogate_is_refused_and_nothing_is_written(store, write):
    for bad in (write("broken \ud800"), write("x", tokens=["broken\udfff"]), write("x", tags=("\ud800",))):
        with pytest.raises(InvalidInput, match="Unicode"):
            await store.commit([bad])
    assert (await store.stats()).memories == 0
    await store.commit([write("fine")])
    assert await store.check() == []


async def test_numbers_past_64_bits_are_refused(store, write):
    with pytest.raises(InvalidInput, match="too large"):
        await store.commit([write("x", refs=(Ref(session_id="s", first=2**63),))])
    assert (await store.stats()).memories == 0


async def test_an_empty_batch_is_nothing(store):
    assert await store.commit([]) == []
    assert await store.change_number() == 0
