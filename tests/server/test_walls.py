"""Tenants on one store: by id, key, cache, console, and behind PostgreSQL's own wall."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import httpx
import psycopg
import pytest
from serving import HttpThread

from hindsight import Hindsight
from hindsight.confinement import confined_to
from hindsight.errors import NotFound, StoreError, StoreTooNew

_numbers = count(1)


@pytest.fixture
def plain_url(postgres_address):
    """A store of a user who is no superuser: row-level security does not bind those."""
    name = f"plain{next(_numbers)}"
    with psycopg.connect(postgres_address, autocommit=True) as db:
        db.execute(f"CREATE ROLE {name} LOGIN")
        db.execute(f"CREATE SCHEMA {name} AUTHORIZATION {name}")
    yield f"{postgres_address}&options=-csearch_path%3D{name}".replace("postgres:@", f"{name}:@")
    with psycopg.connect(postgres_address, autocommit=True) as db:
        db.execute(f"DROP OWNED BY {name} CASCADE")
        db.execute(f"DROP ROLE {name}")


async def two_tenants(memory: Hindsight) -> dict[str, str]:
    texts = {"team-a": "The vault of team A opens with 4711", "team-b": "The vault of team B opens with 0815"}
    return {pool: str((await memory.store(text, namespace=pool, idempotency_key="vault")).id) for pool, text in texts.items()}


async def test_the_database_itself_hides_other_namespaces(plain_url):
    async with Hindsight.open(plain_url, embedder="none") as memory:
        ids = await two_tenants(memory)
        await memory.session("s", namespace="team-b", goal="a secret goal").open()
        store = memory._store
        with confined_to(("team-a",)):
            assert (await memory.get(ids["team-a"])).content.endswith("4711")
            assert await memory.get(ids["team-b"]) is None  # the store looks by id alone: this is the wall's doing
            assert await memory.history(ids["team-a"])
            with pytest.raises(NotFound):
                await memory.history(ids["team-b"])
            assert await store.find_keys("team-b", "default", ["vault"]) == {}
            assert await store.sessions.load_session("team-b", "default", "s") is None
            assert await store.turns("team-b", "default", "s") == []
            with pytest.raises(StoreError, match="row-level security"):
                await memory.store("smuggled", namespace="team-b")
            kept = await memory.store("The cellar of team A is dry", namespace="team-a")
            found = await memory.retrieve("vault cellar", namespace="team-a", k=5)
            assert {str(hit.memory.id) for hit in found.hits} == {ids["team-a"], str(kept.id)}
            changed = await memory.update(kept.id, content="The cellar of team A is wet")
            assert changed.version == 2
            assert await memory.forget(kept.id)
        assert (await memory.get(ids["team-b"])).content.endswith("0815")
        assert (await memory.stats()).memories == 2
        assert await memory.check() == []
        assert (await memory.verify()).ok


async def test_confined_and_free_calls_at_the_same_moment_do_not_get_into_each_others_way(plain_url):
    async with Hindsight.open(plain_url, embedder="none") as memory:

        async def writes(pool: str, number: int, *, walls: bool) -> None:
            with confined_to((pool,) if walls else None):
                result = await memory.store(f"fact {number} of {pool}", namespace=pool)
                assert (await memory.get(result.id)).namespace == pool
                found = await memory.retrieve(f"fact {number}", namespace=pool, k=3)
                assert {hit.memory.namespace for hit in found.hits} == {pool}

        await asyncio.gather(*(writes(f"pool-{number % 3}", number, walls=number % 2 == 0) for number in range(30)))
        assert (await memory.stats()).memories == 30


async def test_two_tenants_do_not_see_each_other_by_any_door(plain_url, redis_server):
    async with Hindsight.open(plain_url, embedder="none") as memory:
        ids = await two_tenants(memory)
        secrets = {
            pool: (await memory.create_token(pool, agent="default", namespaces=(pool,), scopes=("read", "write", "review")))[1]
            for pool in ids
        }
    with HttpThread(plain_url, redis_url=redis_server.url) as server:
        web = {
            pool: httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {secret}"}, timeout=20)
            for pool, secret in secrets.items()
        }
        a, b = web["team-a"], web["team-b"]
        mine, theirs = ids["team-a"], ids["team-b"]
        nobody = "00000000-0000-7000-8000-000000000000"
        # By id: exactly what is said of an id that nobody has.
        for path in ("/v1/memories/{}", "/v1/memories/{}/history"):
            told, unknown = a.get(path.format(theirs)), a.get(path.format(nobody))
            assert (told.status_code, told.text.replace(theirs, nobody)) == (unknown.status_code, unknown.text)
        for call in (
            lambda which: a.patch(f"/v1/memories/{which}", json={"content": "mine now"}),
            lambda which: a.delete(f"/v1/memories/{which}"),
        ):
            told, unknown = call(theirs), call(nobody)
            assert (told.status_code, told.text.replace(theirs, nobody)) == (unknown.status_code, unknown.text)
        # By key: the same key is another memory's.
        assert a.post("/v1/memories", json={"content": "Another text", "idempotency_key": "vault"}).json()["id"] == mine
        # By the cache: the same question, one after the other.
        for _ in range(2):
            answers = {pool: web[pool].post("/v1/recall", json={"query": "vault opens", "k": 5}).text for pool in web}
            assert "4711" in answers["team-a"]
            assert "0815" not in answers["team-a"]
            assert "4711" not in answers["team-b"]
        # By naming the pool, and over the console.
        assert a.post("/v1/recall", json={"query": "vault", "namespace": "team-b"}).status_code == 403
        for path in (
            "/memories",
            f"/memories/{theirs}",
            "/recall?query=vault",
            "/review",
            "/sessions",
            "/activity",
            "/memories?namespace=team-b",
        ):
            page = a.get(path)
            assert "0815" not in page.text, path
        assert "4711" in a.get("/memories").text
        assert b.get(f"/v1/memories/{theirs}").status_code == 200
        for client in web.values():
            client.close()


async def test_a_store_of_a_newer_version_is_refused_by_name(plain_url):
    async with Hindsight.open(plain_url, embedder="none") as memory:
        await memory.store("kept")
    with psycopg.connect(plain_url, autocommit=True) as db:
        db.execute("INSERT INTO migrations (number, name, written_by, applied_at) VALUES (9999, 'x', '99.0', 'now')")
    with pytest.raises(StoreTooNew, match="99.0"):
        async with Hindsight.open(plain_url, embedder="none"):
            pytest.fail("it opened")


async def test_a_migration_that_was_interrupted_is_done_whole_the_next_time(plain_url, monkeypatch):
    from hindsight.adapters.postgres import migrate

    steps = migrate.migrations()
    broken = [*steps[:-1], (steps[-1][0], steps[-1][1], steps[-1][2] + "\nSELECT 1/0;")]
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: broken)
        with pytest.raises(StoreError):
            async with Hindsight.open(plain_url, embedder="none"):
                pytest.fail("it opened")
    with psycopg.connect(plain_url, autocommit=True) as db:
        assert db.execute("SELECT to_regclass('memories')").fetchone() == (None,)
    async with Hindsight.open(plain_url, embedder="none") as memory:
        assert (await memory.store("kept")).id


async def test_the_tables_that_the_documentation_splits_go_on_working(plain_url):
    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    script = page.split("## Partitions")[1].split("```sql\n")[1].split("```")[0]
    async with Hindsight.open(plain_url, embedder="none") as memory:
        ids = await two_tenants(memory)
    with psycopg.connect(plain_url, autocommit=True) as db:
        db.execute(script.encode())
    async with Hindsight.open(plain_url, embedder="none") as memory:
        kept = await memory.store("The cellar of team A is dry", namespace="team-a")
        found = await memory.retrieve("vault cellar", namespace="team-a", k=5)
        assert {str(hit.memory.id) for hit in found.hits} == {ids["team-a"], str(kept.id)}
        assert await memory.forget(kept.id)
        assert await memory.check() == []
    with psycopg.connect(plain_url) as db:
        assert db.execute("SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'").fetchone() >= (24,)
