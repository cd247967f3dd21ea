"""What a process loaded of a large namespace is kept as a file that others map: it is never wrong, and never holds what was erased."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from hindsight.adapters.relational import cache, writing
from hindsight.adapters.relational.cache import NamespaceCache
from hindsight.adapters.sqlite import images
from hindsight.adapters.sqlite.images import FileImages
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.ports import Centring
from hindsight.records import Status
from hindsight.vectors import quantise

SIZE = 64
EMBEDDER = ("test", SIZE)


@pytest.fixture(params=["mapped"])
def backend(request):
    return request.param


@pytest.fixture
def vectors():
    return np.random.default_rng(1).normal(size=(60, SIZE)).astype(np.float32)


@pytest.fixture
def loads(monkeypatch):
    """How often a namespace was read from the database."""
    counted: list[int] = []
    load = NamespaceCache._load

    def counting(self, db):
        counted.append(self.code)
        load(self, db)

    monkeypatch.setattr(NamespaceCache, "_load", counting)
    return counted


@pytest.fixture
async def written(open_store, write, vectors):
    """Sixty records in two languages, one of them long."""
    store = await open_store("first", embedder=EMBEDDER)
    writes = [write(f"word{n}", vector=vector, language="en" if n % 2 else "zh") for n, vector in enumerate(vectors)]
    writes[7] = write.long(writes[7], vectors[:3] + 1)
    await store.commit(writes)
    return store, writes


def files(folder: Path) -> list[Path]:
    return sorted((folder / images.FOLDER).glob("*"))


def bytes_of(vector: np.ndarray) -> bytes:
    return quantise(vector[None, :])[0].tobytes()


async def laid_down(open_store, mine, name="first", **options) -> None:
    """A process loads the namespace and ends."""
    store = await open_store(name, embedder=EMBEDDER, **options)
    await store.search_vector(mine, np.ones(SIZE, dtype=np.float32), limit=1)
    await store.close()


async def answers(store, mine, vectors) -> list[dict[int, float]]:
    found = [await store.search_vector(mine, query, limit=100) for query in vectors[:5]]
    return [dict(zip(each.rows.tolist(), np.round(each.scores, 4).tolist(), strict=True)) for each in found]


async def as_read_from_the_database(open_store, mine, vectors, monkeypatch, **options) -> list[dict[int, float]]:
    with monkeypatch.context() as patch:
        patch.setattr(FileImages, "find", lambda self, db, code: None)
        return await answers(await open_store("first", embedder=EMBEDDER, **options), mine, vectors)


async def test_the_next_process_begins_with_the_image(open_store, written, mine, vectors, loads, monkeypatch, tmp_path):
    await laid_down(open_store, mine)
    assert len(files(tmp_path / "first")) == 1
    assert files(tmp_path / "first")[0].stat().st_mode & 0o077 == 0
    loads.clear()
    found = await answers(await open_store("first", embedder=EMBEDDER), mine, vectors)
    assert loads == []
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)
    assert len(found[0]) == 60


async def test_what_changed_since_is_made_up_for(open_store, written, write, mine, vectors, loads, monkeypatch):
    store, writes = written
    await laid_down(open_store, mine)
    loads.clear()
    await store.commit([write.replacement(writes[3], content="late", tokens=["late"], vector=vectors[9] - 1)])
    await store.commit([write.replacement(writes[4], status=Status.ARCHIVED), write("new", vector=vectors[8] + 1)])
    await store.commit([write.long(write("long", vector=vectors[6]), vectors[:2])])
    await store.erase([writes[5].memory.id, writes[7].memory.id], write.event("erased"))
    fresh = await open_store("first", embedder=EMBEDDER)
    found = await answers(fresh, mine, vectors)
    assert loads == []
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)
    assert len(found[0]) == 59
    await store.commit(
        [write(f"more {n}", vector=vector) for n, vector in enumerate(np.repeat(vectors, 3, axis=0))]
    )  # more than there is room for
    assert await answers(fresh, mine, vectors) == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)


async def test_who_uses_no_vectors_takes_the_columns_from_it(open_store, written, mine, loads):
    await laid_down(open_store, mine)
    loads.clear()
    plain = await open_store("first", embedder=None)
    assert len(await plain.visible(mine)) == 60
    assert loads == []


@pytest.mark.parametrize("reason", ["many changes", "forgotten changes", "other means"])
async def test_an_image_that_is_out_of_date_is_laid_down_anew(
    open_store, written, write, mine, vectors, loads, monkeypatch, tmp_path, reason
):
    store, _ = written
    await laid_down(open_store, mine)
    options = {}
    if reason == "other means":
        options = {"centring": Centring("2", {"en": vectors[0], "zh": vectors[1]})}
    else:
        monkeypatch.setattr(cache, "_FEW", 3 if reason == "many changes" else 1_000)
        monkeypatch.setattr(writing, "KEPT_CHANGES", 5 if reason == "forgotten changes" else 1_000)
        monkeypatch.setattr(writing, "_PRUNE_EVERY", 1)
        for vector in vectors[:10]:
            await store.commit([write("more", vector=vector)])
    before = files(tmp_path / "first")
    loads.clear()
    await laid_down(open_store, mine, **options)
    assert len(loads) == 1
    after = files(tmp_path / "first")
    assert len(after) == 1
    assert after != before
    found = await answers(await open_store("first", embedder=EMBEDDER, **options), mine, vectors)
    assert len(loads) == 1
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch, **options)


@pytest.mark.parametrize("way", ["erase", "evict"])
async def test_what_is_erased_leaves_the_file_and_those_who_map_it(open_store, written, write, mine, vectors, monkeypatch, tmp_path, way):
    store, writes = written
    await laid_down(open_store, mine)
    reader = await open_store("first", embedder=EMBEDDER)
    assert len((await answers(reader, mine, vectors))[0]) == 60
    gone = [writes[5], writes[7]]
    secrets = [bytes_of(vectors[5]), bytes_of(vectors[7]), *map(bytes_of, vectors[:3] + 1)]
    [before] = files(tmp_path / "first")
    assert all(secret in before.read_bytes() for secret in secrets)
    ids = [each.memory.id for each in gone]
    await (store.erase(ids, write.event("erased")) if way == "erase" else store.upkeep.evict(ids, write.event("erased")))
    [after] = files(tmp_path / "first")
    assert after != before
    assert not any(secret in after.read_bytes() for secret in secrets)
    assert bytes_of(vectors[6]) in after.read_bytes()
    found = await answers(reader, mine, vectors)
    assert len(found[0]) == 58
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)


async def test_an_erasure_that_fails_leaves_the_image_as_it_is(open_store, written, write, mine, vectors, monkeypatch, tmp_path):
    store, writes = written
    await laid_down(open_store, mine)
    before = [(file.name, file.read_bytes()) for file in files(tmp_path / "first")]
    drop = FileImages.drop

    def failing(self, db, erased):
        drop(self, db, erased)
        raise ValueError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(FileImages, "drop", failing)
        with pytest.raises(ValueError, match="no room"):
            await store.erase([writes[5].memory.id], write.event("erased"))
    await store.erase([writes[6].memory.id], write.event("erased"))
    [after] = files(tmp_path / "first")
    assert after.name != before[0][0]
    assert bytes_of(vectors[5]) in after.read_bytes(), "it was not erased"
    assert bytes_of(vectors[6]) not in after.read_bytes()
    found = await answers(await open_store("first", embedder=EMBEDDER), mine, vectors)
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)


async def test_killed_before_it_overwrote_leaves_nothing(open_store, written, write, mine, vectors, monkeypatch, tmp_path):
    store, writes = written
    await laid_down(open_store, mine)
    monkeypatch.setattr(FileImages, "committed", lambda self, db: None)
    await store.erase([writes[5].memory.id], write.event("erased"))
    assert any(bytes_of(vectors[5]) in file.read_bytes() for file in files(tmp_path / "first"))
    found = await answers(await open_store("first", embedder=EMBEDDER), mine, vectors)
    assert not any(bytes_of(vectors[5]) in file.read_bytes() for file in files(tmp_path / "first"))
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)


async def test_what_is_erased_while_an_image_is_laid_down_is_not_in_it(open_store, written, write, mine, vectors, monkeypatch, tmp_path):
    store, writes = written
    waiting, go_on = threading.Event(), threading.Event()

    def fsync(handle):
        waiting.set()
        go_on.wait(30)

    slow = await open_store("first", embedder=EMBEDDER)
    with monkeypatch.context() as patch:
        patch.setattr(images.os, "fsync", fsync)
        await slow.search_vector(mine, vectors[0], limit=1)
        assert waiting.wait(30)
    await store.erase([writes[5].memory.id], write.event("erased"))
    go_on.set()
    await slow.close()
    [file] = files(tmp_path / "first")
    assert bytes_of(vectors[5]) not in file.read_bytes()
    assert bytes_of(vectors[6]) in file.read_bytes()


@pytest.mark.parametrize("damage", ["cut", "head", "empty", "gone", "other version"])
async def test_a_damaged_image_is_not_missed(open_store, written, mine, vectors, monkeypatch, tmp_path, damage):
    await laid_down(open_store, mine)
    [file] = files(tmp_path / "first")
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        other = data.replace(b'"form": 1', b'"form": 9')
        file.write_bytes({"cut": data[:5000], "head": b"x" * 5000, "empty": b"", "other version": other}[damage])
    found = await answers(await open_store("first", embedder=EMBEDDER), mine, vectors)
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)
    assert len(found[0]) == 60


async def test_a_database_that_was_put_back_does_not_take_an_image_of_later(
    open_store, written, write, mine, vectors, monkeypatch, tmp_path
):
    store, writes = written
    await laid_down(open_store, mine)
    await store.close()
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    later = await open_store("first", embedder=EMBEDDER)
    await later.erase([writes[5].memory.id], write.event("erased"))
    await later.close()
    shutil.copy(tmp_path / "copy" / "memory.db", tmp_path / "first" / "memory.db")
    found = await answers(await open_store("first", embedder=EMBEDDER), mine, vectors)
    assert len(found[0]) == 60
    assert found == await as_read_from_the_database(open_store, mine, vectors, monkeypatch)


@pytest.mark.parametrize("reason", ["full disk", "switched off", "no folder"])
async def test_where_none_can_be_kept_all_goes_on(written, mine, vectors, monkeypatch, tmp_path, reason):
    if reason == "full disk":
        monkeypatch.setattr(images.shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(1, 1, 0))
    if reason == "no folder":
        (tmp_path / "first" / images.FOLDER).write_text("in the way", encoding="utf-8")
    store = SqliteStore(tmp_path / "first", embedder=EMBEDDER, mapped=reason != "switched off")
    await store.open()
    assert len((await answers(store, mine, vectors))[0]) == 60
    await store.close()
    assert reason == "no folder" or files(tmp_path / "first") == []


async def test_what_a_killed_process_left_is_removed_and_what_a_living_one_makes_is_not(open_store, tmp_path):
    folder = tmp_path / "first" / images.FOLDER
    folder.mkdir(parents=True)
    (folder / f"{'a' * 32}.image").write_bytes(b"left over")
    (folder / "notes.txt").write_bytes(b"somebody's")
    script = (
        "import fcntl, sys, time; file = open(sys.argv[1], 'wb'); file.write(b'half'); file.flush();"
        "fcntl.flock(file, fcntl.LOCK_EX); print('locked', flush=True); time.sleep(60)"
    )
    living = folder / f"{'b' * 32}.image"
    with subprocess.Popen([sys.executable, "-c", script, living], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"locked\n"
        await (await open_store("first", embedder=EMBEDDER)).close()
        assert sorted(path.name for path in folder.iterdir()) == [living.name, "notes.txt"]
        process.kill()
    await (await open_store("first", embedder=EMBEDDER)).close()
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


async def test_it_counts_as_the_stores_size(open_store, written, mine, tmp_path):
    store, _ = written
    before = (await store.stats()).bytes_on_disk
    await laid_down(open_store, mine)
    [file] = files(tmp_path / "first")
    assert (await store.stats()).bytes_on_disk >= before + file.stat().st_size


async def test_a_store_that_was_moved_knows_no_image_of_the_one_it_came_from(open_store, written, mine, vectors, tmp_path):
    store, _ = written
    await laid_down(open_store, mine)
    target = SqliteStore(tmp_path / "second", embedder=EMBEDDER)
    copier = store.copier_to(target)
    await target.open()
    await copier.run(lambda *_: None)
    noted = await target._file.read(lambda db: db.execute("SELECT name FROM meta WHERE name LIKE 'image:%'").fetchall())
    assert noted == []
    assert await answers(target, mine, vectors) == await answers(store, mine, vectors)
    await target.close()
