"""Large namespaces of PostgreSQL by pgvector: the index, its making and its leaving."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import psycopg
import pytest

from hindsight.adapters.postgres import hnsw
from hindsight.adapters.postgres.migrate import migrations
from hindsight.adapters.postgres.snapshot import PostgresTarget
from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational import indexed
from hindsight.confinement import confined_to
from hindsight.records import Kind
from hindsight.values import StagedVector


@pytest.fixture(params=["postgres"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every namespace is large, and no filter leaves few."""
    monkeypatch.setattr(hnsw, "LARGE", 1)
    monkeypatch.setattr(indexed, "SCANNED", 0.0)


async def built(store) -> dict[str, int]:
    return await asyncio.to_thread(store._database.hnsw.build)


async def ranking(store, filter, *, limit: int = 20) -> list[list[int]]:
    chance = np.random.default_rng(4)
    queries = [(language, chance.normal(size=8).astype(np.float32)) for language in ("en", "zh", None, "en", "zh")]
    return [(await store.search_vector(filter, query, limit=limit, language=name)).rows.tolist() for name, query in queries]


def matrix(store):
    return store._core._namespaces["work"].cache._matrix


@pytest.mark.parametrize("narrowed", [{}, {"kinds": (list(Kind)[1],)}])
async def test_the_index_finds_what_the_scan_finds(filled, mine, narrowed, at_once):
    filter = mine.model_copy(update=narrowed)
    exact = await ranking(filled, filter)
    assert await built(filled) == {"vector_indexes_made": 1, "vector_indexes_dropped": 0}
    assert await ranking(filled, filter) == exact
    assert not matrix(filled).loaded


async def test_new_changed_and_erased_vectors_are_in_it_at_once(filled, mine, write, at_once):
    await built(filled)
    query = 3 * np.eye(8, dtype=np.float32)[0]
    fresh = write("fresh", vector=query)
    await filled.commit([fresh])
    best = (await filled.search_vector(mine, query, limit=3, language="en")).rows[0]
    assert [best] == (await filled.row_of([fresh.memory.id])).tolist()
    await filled.commit([write.replacement(fresh, content="other", tokens=["other"], vector=-query)])
    assert best not in (await filled.search_vector(mine, query, limit=30, language="en")).rows
    await filled.erase([fresh.memory.id], write.event("erased"))
    assert best not in (await filled.search_vector(mine, -query, limit=400, language="en")).rows
    assert await filled.check() == []


async def test_a_small_namespace_is_scanned(filled, mine):
    assert await built(filled) == {"vector_indexes_made": 0, "vector_indexes_dropped": 0}
    await ranking(filled, mine)
    assert matrix(filled).loaded


async def test_a_namespace_that_shrank_loses_its_index(filled, mine, monkeypatch, at_once):
    exact = await ranking(filled, mine)
    await built(filled)
    monkeypatch.setattr(hnsw, "LARGE", 2000)
    assert await built(filled) == {"vector_indexes_made": 0, "vector_indexes_dropped": 1}
    assert await ranking(filled, mine) == exact


async def test_vectors_of_another_dimension_get_an_index_of_their_own(filled, mine, monkeypatch, at_once):
    await built(filled)
    store = PostgresStore(filled._database.address, embedder=("wider", 12), reindexing=True)
    await store.open()
    await store.begin_reindex()
    chance = np.random.default_rng(3)
    records = await store.unstaged(after=0, limit=1000)
    await store.stage([StagedVector(row, memory.id, memory.version, chance.normal(size=12).astype(np.float32)) for row, memory in records])
    assert await store.switch()
    query = np.ones(12, dtype=np.float32)
    found = await store.search_vector(mine, query, limit=10)
    assert not matrix(store).loaded
    monkeypatch.setattr(hnsw, "LARGE", 10_000)
    scanned = await store.search_vector(mine, query, limit=10)
    await store.close()
    assert found.rows.tolist() == scanned.rows.tolist()


async def test_an_index_that_somebody_drops_is_not_missed(filled, mine, at_once):
    exact = await ranking(filled, mine)
    await built(filled)
    with psycopg.connect(filled._database.address, autocommit=True) as db:
        db.execute("DROP INDEX vectors_near_1_order")
    assert await ranking(filled, mine) == exact
    assert (await built(filled))["vector_indexes_made"] == 1
    assert await ranking(filled, mine) == exact


async def test_a_half_made_index_is_made_again(filled, mine, at_once):
    exact = await ranking(filled, mine)
    await built(filled)
    with psycopg.connect(filled._database.address, autocommit=True) as db:
        db.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'vectors_near_1_order'::regclass")
    assert await ranking(filled, mine) == exact
    assert (await built(filled))["vector_indexes_made"] == 1


async def test_a_backup_leaves_the_index_out_and_a_restored_store_makes_its_own(filled, mine, tmp_path, at_once):
    exact = await ranking(filled, mine)
    await built(filled)
    await filled.write_snapshot(tmp_path)
    assert not list(tmp_path.glob("vectors_near*"))
    await filled.close()
    target = PostgresTarget(filled._database.address)
    target.check(replace=True)
    target.load(tmp_path, migrations()[-1][0])
    assert target.take()
    await filled.open()
    assert await ranking(filled, mine) == exact
    assert (await built(filled))["vector_indexes_made"] == 1
    assert await ranking(filled, mine) == exact
    assert not matrix(filled).loaded


async def test_writes_go_on_while_an_index_is_made(filled, mine, write, monkeypatch, at_once):
    monkeypatch.setattr(hnsw, "_BATCH", 20)
    making = asyncio.create_task(built(filled))
    query, ids = 3 * np.eye(8, dtype=np.float32)[0], []
    while not making.done():
        fresh = [write(f"meanwhile {len(ids)}", vector=query) for _ in range(2)]
        await filled.commit(fresh)
        await filled.erase([fresh[0].memory.id], write.event("erased"))
        ids.append(fresh[1].memory.id)
    assert (await making)["vector_indexes_made"] == 1
    with psycopg.connect(filled._database.address, autocommit=True) as db:
        lacking = 'SELECT count(*) FROM vectors AS v FULL JOIN (SELECT * FROM vectors_near_1 WHERE part = -1) AS n ON n."row" = v."row" WHERE n."row" IS NULL OR v."row" IS NULL'
        assert db.execute(lacking).fetchone() == (0,)
    found = await filled.search_vector(mine, query, limit=len(ids), language="en")
    assert set(found.rows.tolist()) == set((await filled.row_of(ids)).tolist())
    assert not matrix(filled).loaded


async def test_the_index_is_what_the_plan_uses(filled, mine, at_once):
    await built(filled)
    await ranking(filled, mine)
    with psycopg.connect(filled._database.address, autocommit=True) as db:
        db.execute("SELECT pg_stat_force_next_flush()")
        for _ in range(100):
            used = db.execute("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'vectors_near_1_order'").fetchone()
            if used and used[0]:
                return
            time.sleep(0.05)
    raise AssertionError("the index was never scanned")


async def told(store) -> dict[str, tuple[str, str]]:
    return {remark.name: (remark.state, remark.found + remark.remedy) for remark in await store.remarks()}


async def test_what_the_operator_is_told(filled, mine, at_once):
    remarks = await told(filled)
    assert remarks["role"][0] == "warn"
    assert "superuser" in remarks["role"][1]
    assert remarks["vector index"][0] == "warn"
    assert "work (400)" in remarks["vector index"][1]
    assert "hindsight upkeep stats" in remarks["vector index"][1]
    assert (await filled.upkeep.tune())["vector_indexes_made"] == 1
    assert (await told(filled))["vector index"][0] == "ok"


async def test_without_the_extension_the_process_scans_and_says_what_to_install(filled, mine, monkeypatch, at_once):
    exact = await ranking(filled, mine)
    missing = {"extension": hnsw._SQL["extension"].replace("'vector'", "'no such'"), "extension_to_be_had": "SELECT false"}
    monkeypatch.setattr(hnsw, "_SQL", {**hnsw._SQL, **missing})
    assert await built(filled) == {"vector_indexes_made": 0, "vector_indexes_dropped": 0}
    assert await ranking(filled, mine) == exact
    state, text = (await told(filled))["vector index"]
    assert state == "warn"
    assert "Install pgvector 0.8" in text


async def test_a_role_of_its_own_indexes_behind_the_wall(postgres_address, write, mine, at_once):
    with psycopg.connect(postgres_address, autocommit=True) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        db.execute("CREATE ROLE plain_indexer LOGIN")
        db.execute("CREATE SCHEMA plain_indexer AUTHORIZATION plain_indexer")
    try:
        url = f"{postgres_address}&options=-csearch_path%3Dplain_indexer".replace("postgres:@", "plain_indexer:@")
        store = PostgresStore(url, embedder=("test", 8))
        await store.open()
        await store.commit([write(f"{number}") for number in range(50)])
        await store.commit([write(f"{number}", namespace="other") for number in range(50)])
        exact = await ranking(store, mine)
        assert (await built(store))["vector_indexes_made"] == 2
        with confined_to(("work",)):
            assert await ranking(store, mine) == exact
            await store.commit([write("behind the wall")])
        assert (await told(store))["role"] == ("ok", "plain_indexer, held by row-level security")
        await store.close()
    finally:
        with psycopg.connect(postgres_address, autocommit=True) as db:
            db.execute("DROP OWNED BY plain_indexer CASCADE")
            db.execute("DROP ROLE plain_indexer")
