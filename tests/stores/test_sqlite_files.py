"""The SQLite store's folder and file: made where missing, refused where they cannot be used, never replaced."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import apsw
import pytest

from hindsight.adapters.sqlite import migrate
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.errors import ModelMismatch, StoreBusy, StoreCorrupt, StoreError, StoreTooNew, StoreUnavailable
from hindsight.records import new_id


@pytest.fixture(params=["sqlite"])
def backend(request):
    return request.param


def outside(file, *statements) -> list:
    """Run SQL with the standard library's older SQLite, as scripts do; returns the rows of the last statement.

    In a process of its own: two SQLite libraries in one process undo each other's file locks.
    """
    script = (
        "import json, sqlite3, sys\nfile, statements = json.loads(sys.argv[1])\n"
        "with sqlite3.connect(file) as db:\n    for each in statements: found = db.execute(*each).fetchall()\n"
        "db.close()\nprint(json.dumps(found))"
    )
    given = [each if isinstance(each, tuple) else (each,) for each in statements]
    done = subprocess.run([sys.executable, "-c", script, json.dumps([str(file), given])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def opened(folder, embedder=("test", 8)):
    store = SqliteStore(folder, embedder=embedder)
    try:
        await store.open()
    finally:
        await store.close()


async def test_a_missing_folder_is_made_for_its_owner_alone(tmp_path, open_store, write):
    store = await open_store("a/b/c")
    await store.commit([write("x")])
    folder = tmp_path / "a" / "b" / "c"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in folder.iterdir()} >= {"memory.db", "writer.lock"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


async def test_outside_scripts_can_read_the_table_memories(tmp_path, store, write):
    await store.commit([write("外面也能读", tags=("t",))])
    [[id, namespace, agent, status, kind, content, record]] = outside(
        tmp_path / "store" / "memory.db", "SELECT id, namespace, agent, status, kind, content, record FROM memories"
    )
    assert (namespace, agent, status, kind, content) == ("work", "alice", "active", "fact", "外面也能读")
    assert json.loads(record)["tags"] == ["t"]
    assert len(id) == 36


async def test_what_scripts_change_from_outside_is_found(tmp_path, store, write):
    writes = [write(f"text {number}", tags=("t",)) for number in range(4)]
    await store.commit(writes)
    assert await store.check() == []
    outside(
        tmp_path / "store" / "memory.db",
        ("UPDATE memories SET status = 'archived' WHERE id = ?", [str(writes[0].memory.id)]),
        ("DELETE FROM memories WHERE id = ?", [str(writes[1].memory.id)]),
        ("UPDATE memories SET record = '{}' WHERE id = ?", [str(writes[2].memory.id)]),
    )
    found = "\n".join(await store.check())
    assert f"Memory {writes[0].memory.id} was changed from outside" in found
    assert "Row 2 of attributes belongs to no memory" in found
    assert f"memory {writes[2].memory.id} cannot be read back" in found
    assert str(writes[3].memory.id) not in found
    with pytest.raises(StoreCorrupt, match="hindsight doctor"):
        await store.get(writes[2].memory.id)


async def test_records_damaged_or_written_from_outside_can_be_erased(tmp_path, store, write):
    first, second = write("text", links=[("a", "x"), ("b", "x")]), write("text", links=[("a", "x"), ("b", "x")])
    await store.commit([first, second])
    stranger, file = new_id(), tmp_path / "store" / "memory.db"
    columns = "id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record"
    outside(
        file,
        ("UPDATE memories SET record = 'no json', status = 'quarantined' WHERE id = ?", [str(first.memory.id)]),
        (
            f"INSERT INTO memories ({columns}) VALUES (?, 'elsewhere', 'x', 'fact', 'active', 'private', 1, 'k', '2026', '', 'injected', '{{}}')",
            [str(stranger)],
        ),
    )
    assert len(await store.check()) == 2
    ids = [first.memory.id, stranger]
    assert await store.erase(ids, write.event("erased")) == ids
    assert await store.check() == []
    await store.erase([second.memory.id], write.event("erased"))
    left = outside(file, " UNION ALL ".join(f"SELECT count(*) FROM {table}" for table in ("edges", "entities", "codes", "entity_links")))
    assert left == [[0]] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="needs locks of open file descriptions")
async def test_another_sqlite_in_the_same_process_does_no_harm(tmp_path, open_store, write):
    """As in a notebook: the standard library's sqlite3 looks into the file while the store is open, and closes it again."""
    file = tmp_path / "store" / "memory.db"
    store, second = await open_store(), await open_store()
    for number in range(4):
        await store.commit([write("text")])
        with closing(sqlite3.connect(file)) as inside:
            assert inside.execute("SELECT count(*) FROM memories").fetchone() == (number + 1,)
        assert file.read_bytes()[:6] == b"SQLite"
        assert (await store.stats()).memories == number + 1
        assert outside(file, "SELECT count(*) FROM memories") == [[number + 1]]
        if number == 2:
            await second.close()
    assert (tmp_path / "store" / "memory.db-wal").stat().st_size > 0
    assert await store.check() == []
    await store.close()
    assert {path.name for path in (tmp_path / "store").iterdir()} == {"memory.db", "writer.lock"}
    assert outside(file, "SELECT count(*) FROM memories") == [[4]]


async def test_a_path_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnavailable, match="is a file; a store is a folder"):
        await opened(tmp_path / "file")
    with pytest.raises(StoreUnavailable, match="part of the path"):
        await opened(tmp_path / "file" / "store")
    (tmp_path / "store" / "memory.db").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match="must be a file"):
        await opened(tmp_path / "store")


@pytest.mark.parametrize("damage", ["rubbish", "header", "empty", "missing"])
async def test_a_damaged_database_is_reported_and_left_as_it_is(tmp_path, write, damage):
    folder = tmp_path / "store"
    store = SqliteStore(folder, embedder=("test", 8))
    await store.open()
    await store.commit([write(f"text {number}") for number in range(50)])
    await store.close()
    file = folder / "memory.db"
    content = {
        "rubbish": random.Random(1).randbytes(50_000),
        "header": b"X" * 100 + file.read_bytes()[100:],
        "empty": b"",
        "missing": None,
    }[damage]
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="Restore a backup"):
        await opened(folder)
    assert (file.read_bytes() if file.exists() else None) == content


async def test_damage_inside_is_reported_when_it_is_met(tmp_path, write, mine):
    folder = tmp_path / "store"
    store = SqliteStore(folder, embedder=("test", 8))
    await store.open()
    await store.commit([write(f"text {number}") for number in range(500)])
    await store.close()
    file = folder / "memory.db"
    [[page]] = outside(file, "SELECT rootpage FROM sqlite_master WHERE name = 'memories'")
    data = bytearray(file.read_bytes())
    data[(page - 1) * 4096 : (page - 1) * 4096 + 64] = b"\xff" * 64
    file.write_bytes(data)
    await store.open()
    try:
        assert await store.check() != []
        with pytest.raises(StoreCorrupt):
            await store.fetch(await store.visible(mine))
    finally:
        await store.close()


async def test_a_store_of_a_newer_version_is_refused_by_name_and_left_alone(tmp_path):
    await opened(tmp_path / "store")
    file = tmp_path / "store" / "memory.db"
    with apsw.Connection(str(file)) as newer:
        newer.execute("INSERT INTO migrations VALUES (9001, '9001_future.sql', '99.0.0', '2099-01-01')")
        newer.pragma("user_version", 9001)
    newer.close()
    before = file.read_bytes()
    with pytest.raises(StoreTooNew, match=r"schema 9001, written by hindsight 99\.0\.0"):
        await opened(tmp_path / "store")
    assert file.read_bytes() == before


async def test_another_programs_database_is_refused(tmp_path):
    (tmp_path / "store").mkdir()
    file = tmp_path / "store" / "memory.db"
    outside(file, "CREATE TABLE mine (x)")
    with pytest.raises(StoreUnavailable, match="not one of hindsight's"):
        await opened(tmp_path / "store")
    assert outside(file, "SELECT name FROM sqlite_master") == [["mine"]]


async def test_the_store_is_bound_to_its_embedding_model(tmp_path, open_store, write):
    store = await open_store()
    await store.close()
    await opened(tmp_path / "store", ("other", 16))  # nothing embedded yet: free to choose
    store = await open_store()
    await store.commit([write("x")])
    await store.close()
    with pytest.raises(ModelMismatch, match=r"of test \(8 dimensions\), but the embedder is other \(16.*hindsight reindex"):
        await opened(tmp_path / "store", ("other", 16))
    await opened(tmp_path / "store", None)  # keyword-only needs no vectors
    await opened(tmp_path / "store")


async def test_calls_on_a_closed_store_say_so(tmp_path, write):
    store = SqliteStore(tmp_path / "store", embedder=("test", 8))
    with pytest.raises(StoreError, match=r"call open\(\) first"):
        await store.stats()
    await store.open()
    await store.open()
    await store.commit([write("x")])
    await store.close()
    await store.close()
    for call in (store.commit([write("y")]), store.stats(), store.namespaces()):
        with pytest.raises(StoreError, match="not open"):
            await call
    await store.open()
    assert (await store.stats()).memories == 1
    await store.close()


async def test_what_was_handed_over_before_closing_is_written(tmp_path, write):
    store = SqliteStore(tmp_path / "store", embedder=("test", 8))
    await store.open()
    pending = [asyncio.ensure_future(store.commit([write(f"{number}")])) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    done = await asyncio.gather(*pending, return_exceptions=True)
    await store.open()
    assert (await store.stats()).memories == sum(isinstance(each, list) for each in done)
    await store.close()


async def test_a_writer_that_hangs_in_another_process_is_reported(tmp_path, store, write, monkeypatch):
    monkeypatch.setattr(store._core.engine._lock, "_seconds", 0.2)
    script = "import fcntl, sys, time; handle = open(sys.argv[1]); fcntl.flock(handle, fcntl.LOCK_EX); print('locked', flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", script, tmp_path / "store" / "writer.lock"], stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(StoreBusy, match="another process"):
            await store.commit([write("x")])
    finally:
        other.kill()
        other.communicate()
    await store.commit([write("y")])


def run_limited(tmp_path, body: str) -> str:
    """Run ``body`` (an async function's) in a process of its own; it sees ``store`` (not opened) and ``write``."""
    script = textwrap.dedent(
        """
        import asyncio, os, resource, sys
        from datetime import UTC, datetime
        from pathlib import Path
        import numpy as np
        from hindsight.adapters.sqlite.store import SqliteStore
        from hindsight.errors import HindsightError
        from hindsight.ports import NewEvent, Write
        from hindsight.records import Channel, Memory, new_id

        now = datetime.now(UTC)
        store = SqliteStore(Path(sys.argv[1]), embedder=None)

        def write(content):
            memory = Memory(id=new_id(), namespace="work", agent="alice", kind="fact", content=content, channel="user", trust=1,
                            created_at=now, updated_at=now, idempotency_key=str(new_id()))
            return Write(memory, NewEvent("created", "alice", Channel.USER, now), tokens=content.split()[:50])

        async def main():
        """
    ) + textwrap.indent(textwrap.dedent(body), "    ")
    done = subprocess.run(
        [sys.executable, "-c", script + "\nasyncio.run(main())", tmp_path / "store"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_full_disk_is_reported_and_the_store_stays_sound(tmp_path, open_store, mine):
    told = run_limited(tmp_path, """
        await store.open()
        await store.commit([write("before")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
        stored = 0
        try:
            while True:
                await store.commit([write("text " * 2000)])
                stored += 1
        except HindsightError as error:
            print(type(error).__name__, error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await store.commit([write("after")])
        print(stored)
        await store.close()
    """)  # fmt: skip
    message, stored = told.splitlines()
    assert message.startswith("StoreUnavailable")
    assert "space" in message
    store = await open_store(embedder=None)
    assert (await store.stats()).memories == int(stored) + 2
    assert await store.check() == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs another user to be")
def test_a_folder_that_may_not_be_written_is_reported_to_its_user(tmp_path):
    for path in (tmp_path, *tmp_path.parents[:3]):
        path.chmod(path.stat().st_mode | 0o755)
    told = run_limited(tmp_path, """
        folder = Path(sys.argv[1])
        await store.open()
        await store.commit([write("x")])
        await store.close()
        folder.chmod(0o755)
        for path in folder.iterdir():
            path.chmod(0o644)
        os.seteuid(65534)
        for again in (SqliteStore(folder, embedder=None), SqliteStore(folder.parent / "new", embedder=None)):
            try:
                await again.open()
            except HindsightError as error:
                print(type(error).__name__, error)
    """)  # fmt: skip
    lines = told.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("StoreUnavailable") and "permission" in line for line in lines)


def test_every_migration_is_numbered_and_recorded(tmp_path):
    numbers = [number for number, _, _ in migrate.migrations()]
    assert numbers == list(range(1, len(numbers) + 1))
    asyncio.run(opened(tmp_path / "store"))
    with apsw.Connection(str(tmp_path / "store" / "memory.db")) as db:
        recorded = db.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
        assert recorded == [(number, name) for number, name, _ in migrate.migrations()]
        assert db.pragma("user_version") == numbers[-1]
    db.close()


def test_a_migration_that_fails_leaves_the_store_at_the_one_before(tmp_path, monkeypatch):
    asyncio.run(opened(tmp_path / "store"))
    real = migrate.migrations()
    last = real[-1][0] + 1
    half = "CREATE TABLE half (x); INSERT INTO half VALUES (1); INSERT INTO no_such_table VALUES (1);"
    monkeypatch.setattr(migrate, "migrations", lambda: [*real, (last, f"{last:04}_broken.sql", half)])
    with pytest.raises(StoreError):
        asyncio.run(opened(tmp_path / "store"))
    with apsw.Connection(str(tmp_path / "store" / "memory.db")) as db:
        assert db.pragma("user_version") == last - 1
        assert not db.table_exists("main", "half")
    db.close()
    monkeypatch.setattr(migrate, "migrations", lambda: [*real, (last, f"{last:04}_good.sql", half.replace("no_such_table", "half"))])
    asyncio.run(opened(tmp_path / "store"))
    with apsw.Connection(str(tmp_path / "store" / "memory.db")) as db:
        assert db.execute("SELECT count(*) FROM half").get == 2
    db.close()


def test_two_processes_may_open_a_new_store_at_once(tmp_path):
    script = (
        "import asyncio, sys; from pathlib import Path; from hindsight.adapters.sqlite.store import SqliteStore\n"
        "async def main():\n    store = SqliteStore(Path(sys.argv[1]), embedder=('test', 8)); await store.open(); await store.close()\n"
        "asyncio.run(main())"
    )
    both = [subprocess.Popen([sys.executable, "-c", script, tmp_path / "store"], stderr=subprocess.PIPE) for _ in range(4)]
    assert [(each.communicate()[1], each.returncode) for each in both] == [(b"", 0)] * 4
