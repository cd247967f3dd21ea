"""Erasing: nothing of a record stays but a tombstone; what others need stays."""

from __future__ import annotations

import numpy as np
import pytest

from hindsight.ports import NewJob, RetrievalRow
from hindsight.records import Ref, Status, Turn, new_id


@pytest.fixture(params=["mapped", "postgres", "sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


async def test_an_erased_record_is_gone_from_every_path(store, write, mine):
    kept, gone = (
        write("kept words", links=[("docker", "x")]),
        write("gone words", links=[("docker", "x")], session_id="s", speaker="Zoe", tags=("t",)),
    )
    await store.commit([kept, gone])
    [row] = await store.row_of([gone.memory.id])
    session = np.array(await store.codes([("session", "s")]))
    assert await store.erase([gone.memory.id, new_id()], write.event("erased", reason="asked to")) == [gone.memory.id]
    assert await store.get(gone.memory.id) is None
    assert await store.fetch(np.array([row])) == []
    assert await store.find_keys("work", "alice", [gone.memory.idempotency_key]) == {}
    for rows in (
        await store.visible(mine),
        (await store.search_vector(mine, gone.vector, limit=9)).rows,
        (await store.search_terms(mine, ["words", "gone"], limit=9)).rows,
        (await store.search_time(mine, write.now, write.now, limit=9)).rows,
        (await store.search_entities(mine, ["docker"], hops=2, limit=9)).rows,
    ):
        assert [memory.content for memory in await store.fetch(rows)] == ["kept words"]
    assert len(await store.session_rows(mine, session, limit=9)) == 0
    assert np.isnan(await store.vector_scores(mine, np.array([row]), gone.vector)).all()
    assert not (await store.vectors(np.array([row]))).any()
    assert (await store.term_scores(mine, np.array([row]), ["gone"])).tolist() == [0.0]
    assert [memory.content async for memory in store.export()] == ["kept words"]
    assert await store.speakers("work") == {}
    assert await store.codes([("speaker", "zoe"), ("session", "s")]) == [-1, -1]
    assert await store.erase([gone.memory.id], write.event("erased")) == []
    assert await store.check() == []


async def test_the_history_keeps_what_happened_but_no_text(store, write):
    first = write("a secret")
    await store.commit([first])
    await store.commit([write.replacement(first, content="another secret")])
    await store.erase([first.memory.id], write.event("erased", actor="bob", reason="asked to"))
    events = await store.history(first.memory.id)
    assert [event.action for event in events] == ["created", "updated", "erased"]
    assert [(event.before, event.after) for event in events] == [(None, None)] * 3
    assert (events[-1].actor, events[-1].reason) == ("bob", "asked to")


async def test_logged_queries_that_showed_or_saw_it_lose_their_text(store, write):
    gone, kept = write("a secret of some length"), write("kept")
    await store.commit([gone, kept])

    def logged(query, shown, detail):
        return RetrievalRow(id=new_id(), namespace="work", agent="alice", at=write.now, query=query, shown=shown, detail=detail)

    showed = logged("what is the secret", [gone.memory.id, kept.memory.id], {"why": "because"})
    candidate = logged("almost the secret", [kept.memory.id], {"candidates": [str(gone.memory.id)]})
    quoted = logged("is it: a secret of some length?", [], {})
    unrelated = logged("the weather", [kept.memory.id], {"candidates": [str(kept.memory.id)]})
    await store.log_retrievals([showed, candidate, quoted, unrelated])
    await store.erase([gone.memory.id], write.event("erased"))
    for entry in (showed, candidate, quoted):
        found = await store.retrieval(entry.id)
        assert (found.query, found.detail) == ("", {})
        assert gone.memory.id not in found.shown
    assert kept.memory.id in (await store.retrieval(showed.id)).shown
    assert await store.retrieval(unrelated.id) == unrelated


async def test_a_retrieval_logged_after_the_erasure_loses_its_text_too(store, write):
    gone, kept = write("gone"), write("kept")
    await store.commit([gone, kept])
    await store.erase([gone.memory.id], write.event("erased"))
    late = [
        RetrievalRow(id=new_id(), namespace="work", agent="alice", at=write.now, query="secret", shown=[gone.memory.id, kept.memory.id], detail={"a": 1}),
        RetrievalRow(id=new_id(), namespace="work", agent="alice", at=write.now, query="secret", shown=[], detail={"seen": [str(gone.memory.id)]}),
    ]  # fmt: skip
    await store.log_retrievals(late)
    first, second = [await store.retrieval(each.id) for each in late]
    assert (first.query, first.detail, first.shown) == ("", {}, [kept.memory.id])
    assert (second.query, second.detail) == ("", {})


async def test_erasing_a_short_text_leaves_what_merely_contains_its_letters(store, write):
    short, other = write("ok"), write("look at the books")
    await store.commit([short, other])
    await store.commit([write.replacement(other, content="look at the book")])
    entry = RetrievalRow(
        id=new_id(), namespace="work", agent="alice", at=write.now, query="books?", shown=[other.memory.id], detail={"a": "book"}
    )
    await store.log_retrievals([entry])
    job = NewJob(kind="store", payload={"content": "look"}, namespace="work")
    await store.enqueue([job])
    await store.erase([short.memory.id], write.event("erased"))
    assert await store.retrieval(entry.id) == entry
    assert (await store.history(other.memory.id))[-1].after["content"] == "look at the book"
    assert [each.payload for each in await store.lease("w", ["store"])] == [{"content": "look"}]


async def test_jobs_about_it_are_called_off_and_lose_their_text(store, write):
    gone = write("a secret of some length")
    await store.commit([gone])
    waiting, dead, other = await store.enqueue([
        NewJob(kind="index", payload={"id": str(gone.memory.id)}, namespace="work"),
        NewJob(kind="store", payload={"content": gone.memory.content}, namespace="work"),
        NewJob(kind="other", payload={"content": "something else"}, namespace="work"),
    ])  # fmt: skip
    await store.lease("w", ["store"])
    await store.fail(dead, "w", f"cannot read: {gone.memory.content}", retry_at=None)
    await store.erase([gone.memory.id], write.event("erased"))
    states = {job.id: job for job in await store.jobs()}
    assert (states[waiting].state, states[dead].state, states[other].state) == ("done", "dead", "waiting")
    assert all("secret" not in str(job) for job in states.values())
    assert [job.id for job in await store.lease("w", ["index", "store", "other"], limit=9)] == [other]


async def test_turns_that_only_it_pointed_to_go_with_it(store, write):
    turns = [Turn(session_id="s", position=number, content=f"turn {number}", id=f"t{number}") for number in range(10)]
    await store.add_turns("work", "alice", turns)
    await store.add_turns("home", "alice", turns)
    gone = write("gone", session_id="s", turn_ids=("t8",), refs=(Ref(session_id="s", first=2, last=5), Ref(session_id="other", first=0)))
    kept = write("kept", session_id="s", turn_ids=("t3",), refs=(Ref(session_id="s", first=5, last=6),))
    await store.commit([gone, kept])
    await store.erase([gone.memory.id], write.event("erased"))
    assert [turn.position for turn in await store.turns("work", "alice", "s")] == [0, 1, 3, 5, 6, 7, 9]
    assert len(await store.turns("home", "alice", "s")) == 10
    await store.erase([kept.memory.id], write.event("erased"))
    assert [turn.position for turn in await store.turns("work", "alice", "s")] == [0, 1, 7, 9]


async def test_edges_lose_the_share_of_the_record(store, write, mine):
    both = [("a", "x"), ("b", "x")]
    first, second, alone = write("first", links=both), write("second", links=both), write("b alone", links=[("b", "x")])
    await store.commit([first, second, alone])

    async def reached():
        return {memory.content for memory in await store.fetch((await store.search_entities(mine, ["a"], hops=1, limit=9)).rows)}

    assert await reached() == {"first", "second", "b alone"}
    await store.erase([first.memory.id], write.event("erased"))
    assert await reached() == {"second", "b alone"}
    await store.erase([second.memory.id], write.event("erased"))
    assert await reached() == set()


async def test_an_erased_id_may_come_back_on_purpose(store, write, mine):
    first = write("x", idempotency_key="k")
    await store.commit([first])
    [row] = await store.row_of([first.memory.id])
    await store.erase([first.memory.id], write.event("erased"))
    [done] = await store.commit([first])
    assert done.created
    [again] = await store.row_of([first.memory.id])
    assert again > row  # a row's number is never used twice
    assert (await store.visible(mine)).tolist() == [again]
    await store.erase([first.memory.id], write.event("erased"))
    assert await store.check() == []


async def test_erasing_half_of_many_leaves_the_other_half(store, write, mine):
    writes = [write(f"common word{number}", status=Status.ACTIVE) for number in range(3000)]
    await store.commit(writes)
    await store.search_vector(mine, writes[0].vector, limit=1)
    await store.search_terms(mine, ["common"], limit=1)
    await store.erase([each.memory.id for each in writes[::2]], write.event("erased"))
    assert len((await store.search_terms(mine, ["common"], limit=9999)).rows) == 1500
    found = await store.search_vector(mine, writes[1].vector, limit=1500)
    assert len(found.rows) == 1500
    assert (await store.fetch(found.rows[:1]))[0].id == writes[1].memory.id
    assert len(await store.visible(mine)) == 1500
    assert (await store.stats()).memories == 1500
