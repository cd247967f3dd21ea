"""``hindsight reindex``: new vectors beside the old ones, one switch, and nobody compares vectors of two models."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rebuilding import HashEmbedder, Zero, filled, new_model, old_model, on_disk, reindexer, store_for, texts, write_of

from hindsight.errors import InvalidInput, ModelMismatch, ModelUnavailable, StoreError
from hindsight.records import Filter
from hindsight.text.tokens import query_tokens
from hindsight.upkeep.reindex import PAGE, Reindexer

MINE = Filter(namespace="work", agent="alice")
COUNT = 3 * PAGE
PROGRAM = Path(__file__).with_name("rebuilding.py")


async def fresh(folder, embedder, count=COUNT):
    """What a store holds that was made with this model from the start."""
    await filled(folder, embedder, count)
    return on_disk(folder)


async def contents_near(store, vector):
    found = await store.search_vector(MINE, vector, limit=3)
    return [memory.content for memory in await store.fetch(found.rows)]


async def test_all_vectors_become_the_new_models_and_nothing_else_changes(tmp_path):
    await filled(tmp_path / "a", old_model(), COUNT)
    before = on_disk(tmp_path / "a")
    told = []
    report = await reindexer(tmp_path / "a", new_model()).run(lambda done, total, _: told.append((done, total)))
    after = on_disk(tmp_path / "a")
    wanted = await fresh(tmp_path / "b", new_model())
    assert {name: after[name] for name in ("vectors", "passages", "meta", "staged")} == {
        name: wanted[name] for name in ("vectors", "passages", "meta", "staged")
    }
    assert {name: after[name] for name in ("memories", "events", "tokens")} == {
        name: before[name] for name in ("memories", "events", "tokens")
    }
    assert (len(after["vectors"]), len(after["passages"]) > 0, after["staged"]) == (COUNT, True, [])
    assert (report.model, report.records, report.embedded, report.resumed) == ("new", COUNT, COUNT, 0)
    assert told[0] == (0, COUNT)
    assert told[-1] == (COUNT, COUNT)
    assert told == sorted(told)
    store = store_for(tmp_path / "a", new_model())
    await store.open()
    assert await store.check() == []
    await store.close()


async def test_searches_by_the_old_model_go_on_until_the_switch_and_are_refused_after_it(tmp_path):
    await filled(tmp_path, old_model(), COUNT)
    wanted = texts(COUNT)[1]
    old, seen = store_for(tmp_path, old_model()), []
    await old.open()

    async def search() -> None:
        seen.append((await contents_near(old, old_model().vector(wanted)))[0])

    await reindexer(tmp_path, new_model(meanwhile=search)).run()
    assert seen == [wanted] * (COUNT // PAGE)
    for refused in (
        old.search_vector(MINE, old_model().vector(wanted), limit=3),
        old.vector_scores(MINE, np.arange(3), old_model().vector(wanted)),
        old.centred(MINE, old_model().vector(wanted)),
        old.vectors(np.arange(1, 4)),
        old.commit([await write_of("too late", old_model())]),
    ):
        with pytest.raises(ModelMismatch, match=r"of new \(12 dimensions\), but the embedder is old \(8\).*hindsight reindex"):
            await refused
    assert len((await old.search_terms(MINE, query_tokens("deploying"), limit=3)).rows) == 3
    await old.close()
    with pytest.raises(ModelMismatch, match="hindsight reindex"):
        await store_for(tmp_path, old_model()).open()


async def test_models_of_one_dimension_are_not_mixed_either(tmp_path):
    await filled(tmp_path, old_model(), 10)
    old, other = store_for(tmp_path, old_model()), HashEmbedder("other", 8)
    await old.open()
    await old.search_vector(MINE, old_model().vector("x"), limit=1)
    await reindexer(tmp_path, other).run()
    with pytest.raises(ModelMismatch):
        await old.search_vector(MINE, old_model().vector("x"), limit=1)
    await old.close()


async def test_an_open_store_of_the_same_model_sees_the_new_vectors_at_once(tmp_path):
    await filled(tmp_path, new_model(), COUNT)
    wanted, repaired = texts(COUNT)[1], new_model(salt="repaired")
    store = store_for(tmp_path, new_model())
    await store.open()
    assert (await contents_near(store, new_model().vector(wanted)))[0] == wanted
    report = await reindexer(tmp_path, repaired).run()
    assert (await contents_near(store, repaired.vector(wanted)))[0] == wanted
    scores = await store.vector_scores(
        MINE, (await store.search_vector(MINE, repaired.vector(wanted), limit=1)).rows, repaired.vector(wanted)
    )
    assert scores[0] == pytest.approx(1.0, abs=0.01)
    assert report.embedded == COUNT
    await store.close()


async def test_what_is_written_changed_or_erased_meanwhile_is_right_after_the_switch(tmp_path):
    await filled(tmp_path / "a", old_model(), COUNT)
    old = store_for(tmp_path / "a", old_model())
    await old.open()
    rounds = []

    async def disturb() -> None:
        rounds.append(None)
        listed = (await old.list(MINE, limit=COUNT)).items
        first, second, third = sorted(listed, key=lambda memory: memory.content)[:3]
        changed = await write_of("changed text", old_model(), standing=first)
        touched = await write_of(second.content, old_model(), standing=second, importance=0.9)
        if len(rounds) == 2:  # after a page with them was staged
            await old.commit([changed, touched, await write_of("new meanwhile", old_model())])
            await old.erase([third.id], changed.event)
        if len(rounds) == 4:  # while the page that holds it is being embedded
            last = next(memory for memory in listed if memory.content == "new meanwhile")
            await old.commit([await write_of("new, then changed", old_model(), standing=last)])

    report = await reindexer(tmp_path / "a", new_model(meanwhile=disturb)).run()
    await old.close()
    assert len(rounds) > 4
    found = on_disk(tmp_path / "a")
    other = store_for(tmp_path / "b", new_model())
    await other.open()
    reader = store_for(tmp_path / "a", new_model())
    await reader.open()
    await other.commit([await write_of(memory.content, new_model(), namespace=memory.namespace) async for memory in reader.export()])
    assert await reader.check() == []
    await reader.close()
    await other.close()
    wanted = on_disk(tmp_path / "b")
    assert {"changed text", "new, then changed"} <= {content for content, *_ in found["vectors"]}
    assert (found["vectors"], found["passages"], found["staged"]) == (wanted["vectors"], wanted["passages"], [])
    assert report.records == COUNT


async def test_a_killed_run_goes_on_where_it_was_and_ends_like_a_fresh_one(tmp_path):
    await filled(tmp_path / "a", old_model(), COUNT)
    with subprocess.Popen([sys.executable, PROGRAM, tmp_path / "a"], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        while int(run.stdout.readline().split()[0]) < PAGE:
            pass
        run.send_signal(signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    old = store_for(tmp_path / "a", old_model())
    await old.open()  # nothing was switched
    assert (await contents_near(old, old_model().vector(texts(2)[1])))[0] == texts(2)[1]
    await old.close()
    report = await reindexer(tmp_path / "a", new_model()).run()
    assert report.resumed >= PAGE
    assert report.resumed + report.embedded == COUNT
    found, wanted = on_disk(tmp_path / "a"), await fresh(tmp_path / "b", new_model())
    assert all(found[name] == wanted[name] for name in ("vectors", "passages", "staged", "meta"))


async def test_a_failing_embedder_keeps_what_was_done_and_another_model_starts_over(tmp_path):
    await filled(tmp_path / "a", old_model(), COUNT)
    calls = []

    async def fail() -> None:
        calls.append(None)
        if len(calls) > 1:
            raise ModelUnavailable("gone")

    with pytest.raises(ModelUnavailable):
        await reindexer(tmp_path / "a", new_model(meanwhile=fail)).run()
    assert len({row for (row,) in on_disk(tmp_path / "a")["staged"]}) == PAGE
    third = HashEmbedder("third", 8)
    report = await reindexer(tmp_path / "a", third).run()
    assert (report.resumed, report.embedded) == (0, COUNT)
    found, wanted = on_disk(tmp_path / "a"), await fresh(tmp_path / "b", third)
    assert all(found[name] == wanted[name] for name in ("vectors", "passages", "staged", "meta"))


async def test_a_run_whose_place_was_taken_stops(tmp_path):
    await filled(tmp_path, old_model(), 5)

    async def other_run() -> None:
        await reindexer(tmp_path, HashEmbedder("third", 8)).run()

    async def begun() -> None:
        store = store_for(tmp_path, new_model(), reindexing=True)
        await store.open()
        await store.begin_reindex()
        await store.close()

    with pytest.raises(StoreError, match="finished meanwhile"):
        await reindexer(tmp_path, new_model(meanwhile=other_run)).run()
    with pytest.raises(StoreError, match="for new began meanwhile"):
        await reindexer(tmp_path, HashEmbedder("fourth", 8, meanwhile=begun)).run()
    store = store_for(tmp_path, HashEmbedder("third", 8))
    await store.open()
    await store.close()


async def test_texts_that_have_no_vector_do_not_hold_up_the_switch(tmp_path):
    await filled(tmp_path, old_model(), 20)
    report = await reindexer(tmp_path, Zero("zero", 6)).run()
    assert report.embedded == 20
    assert len(on_disk(tmp_path)["vectors"]) == 18


async def test_vectors_that_are_no_numbers_are_refused_and_nothing_is_switched(tmp_path):
    class Broken(HashEmbedder):
        def vector(self, text):
            return np.full(self.dimension, np.nan, dtype=np.float32)

    await filled(tmp_path, old_model(), 5)
    before = on_disk(tmp_path)
    with pytest.raises(InvalidInput, match="NaN"):
        await reindexer(tmp_path, Broken("broken", 8)).run()
    assert on_disk(tmp_path)["vectors"] == before["vectors"]


async def test_a_keyword_only_store_gets_vectors_and_an_empty_one_its_model(tmp_path):
    await filled(tmp_path / "a", None, 20)
    await reindexer(tmp_path / "a", new_model()).run()
    assert on_disk(tmp_path / "a")["vectors"] == (await fresh(tmp_path / "b", new_model(), 20))["vectors"]
    report = await reindexer(tmp_path / "c", new_model()).run()
    assert (report.records, report.embedded) == (0, 0)
    store = store_for(tmp_path / "c", new_model())
    await store.open()
    assert (await store.stats()).embedder == "new"
    await store.close()


async def test_without_an_embedder_there_is_nothing_to_embed(tmp_path):
    await filled(tmp_path, old_model(), 5)
    before = on_disk(tmp_path)
    report = await Reindexer(store_for(tmp_path, None, reindexing=True), None).run()
    assert (report.model, report.records, report.embedded) == (None, 5, 0)
    store = store_for(tmp_path, None, reindexing=True)
    await store.open()
    with pytest.raises(ModelMismatch, match="keyword-only store has no vectors"):
        await store.begin_reindex()
    await store.close()
    assert on_disk(tmp_path) == before


async def test_keywords_are_made_anew_from_the_texts(tmp_path):
    await filled(tmp_path / "a", old_model(), 10)
    before = on_disk(tmp_path / "a")
    with sqlite3.connect(tmp_path / "a" / "memory.db") as db:  # an index that lost words, tokens of another version, a record from outside
        db.execute("UPDATE tokens SET text = '1:gone' WHERE \"row\" = 2")
        for table in ("attributes", "tokens", "vectors", "passages"):
            db.execute(f'DELETE FROM {table} WHERE "row" = 4')
    db.close()
    store = store_for(tmp_path / "a", old_model())
    await store.open()
    assert {fault.rsplit("run ", 1)[1] for fault in await store.check()} >= {"`hindsight reindex --keywords`."}
    told = []
    report = await reindexer(tmp_path / "a", old_model()).run(lambda *each: told.append(each), keywords=True)
    assert (report.words, report.embedded) == (10, 10)
    assert [stage for _, _, stage in told] == sorted((stage for _, _, stage in told), reverse=True)
    after = on_disk(tmp_path / "a")
    assert {name: after[name] for name in before} == before
    assert len((await store.search_terms(MINE, query_tokens("number deploying"), limit=9)).rows) == 3
    await store.close()
