"""A store of every released schema opens in this version, whole; one of a later version is refused, untouched."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import psycopg
import pytest
import zstandard

from hindsight import Hindsight
from hindsight.adapters.postgres import migrate as postgres
from hindsight.adapters.sqlite.migrate import migrations
from hindsight.errors import StoreTooNew

STORES = Path(__file__).parent / "stores"
KEY = "upgrade-fixture-key"
CONTENTS = ["用户对花生过敏", "Deploy blue-green, then watch for 10 minutes", "archived episode"]
VERSIONS = [number for number, _, _ in migrations()]
SEALED_SINCE = 4
"""Before it, stores had no seals: they are sealed as they stand when they are opened."""


def unpacked(number: int, folder: Path) -> Path:
    folder.mkdir()
    data = zstandard.ZstdDecompressor().decompress((STORES / f"schema-{number}.db.zst").read_bytes())
    (folder / "memory.db").write_bytes(data)
    return folder


def test_there_is_a_store_of_every_schema() -> None:
    assert {path.name for path in STORES.iterdir()} == {f"schema-{number}.db.zst" for number in VERSIONS}, "run tests/upgrades/making.py"


@pytest.mark.parametrize("number", VERSIONS)
async def test_an_older_store_opens_whole(tmp_path, number) -> None:
    folder = unpacked(number, tmp_path / "store")
    for _ in range(2):  # and again, once it is of this version
        async with Hindsight.open(folder, embedder="none", seal_key=KEY) as memory:
            stats = await memory.stats()
            assert stats.schema_version == VERSIONS[-1]
            records = [record async for record in memory.export()]
            assert [record.content for record in records] == CONTENTS
            assert stats.statuses == {"active": 2, "archived": 1}
            assert (await memory.retrieve("花生过敏", k=1)).hits[0].memory.content == CONTENTS[0]
            assert [event.action for event in await memory.history(records[1].id)] == ["created", "updated"]
            assert await memory.check() == []
            assert (await memory.verify()).state == "ok"
    async with Hindsight.open(folder, embedder="none", seal_key=KEY) as memory:
        assert (await memory.store("written by this version")).status == "stored"
        assert (await memory.verify()).state == "ok"


async def test_a_backup_of_an_older_schema_is_restored_and_upgraded(tmp_path) -> None:
    """The file of a backup is the database as it was then."""
    from hindsight.adapters.places import open_place
    from hindsight.assemble import restorer
    from hindsight.settings import load_settings
    from hindsight.upkeep.backups import list_backups

    async with Hindsight.open(unpacked(1, tmp_path / "store"), embedder="none", seal_key=KEY, backup_to=str(tmp_path / "b")) as memory:
        made = await memory.backup()
    file = Path(made.address) / made.files[0].name
    old = (STORES / "schema-1.db.zst").read_bytes()
    file.write_bytes(old)
    manifest = Path(made.address) / "manifest.json"
    from hindsight.upkeep.packing import digest

    text = manifest.read_text().replace(made.files[0].sha256, digest(file)).replace(f'"size": {made.files[0].size}', f'"size": {len(old)}')
    manifest.write_text(text.replace(f'"schema_version": {VERSIONS[-1]}', '"schema_version": 1'))
    assert list_backups(open_place(str(tmp_path / "b")))[0].schema_version == 1
    done = await restorer(load_settings(store=str(tmp_path / "again"), embedder="none", seal_key=KEY)).restore(made.address)
    assert done.memories == 3
    async with Hindsight.open(tmp_path / "again", embedder="none", seal_key=KEY) as memory:
        assert [record.content async for record in memory.export()] == CONTENTS


async def test_a_later_store_is_refused_with_the_version_to_install(tmp_path) -> None:
    folder = unpacked(VERSIONS[-1], tmp_path / "store")
    db = apsw.Connection(str(folder / "memory.db"))
    db.execute("INSERT INTO migrations (number, name, written_by, applied_at) VALUES (9001, 'x', '7.8.9', '2030')").fetchall()
    db.pragma("user_version", 9001)
    db.close()
    before = (folder / "memory.db").read_bytes()
    with pytest.raises(StoreTooNew, match=re.escape("Install hindsight 7.8.9 or later; nothing was changed")):
        async with Hindsight.open(folder, embedder="none", seal_key=KEY):
            pass
    assert apsw.Connection(str(folder / "memory.db")).pragma("user_version") == 9001
    assert len(before) == (folder / "memory.db").stat().st_size


@pytest.mark.parametrize("number", [number for number, _, _ in postgres.migrations()])
async def test_older_tables_in_postgresql_open(postgres_url, number) -> None:
    url = postgres_url()
    with psycopg.connect(url, autocommit=True) as db:
        for known, name, text in postgres.migrations():
            if known <= number:
                db.execute(text.encode())
                db.execute("INSERT INTO migrations VALUES (%s, %s, '0.1.0', '2026')", (known, name))
    async with Hindsight.open(url, embedder="none", seal_key=KEY) as memory:
        assert (await memory.stats()).schema_version == postgres.migrations()[-1][0]
        assert (await memory.store("x")).status == "stored"
        assert await memory.check() == []
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("INSERT INTO migrations VALUES (9001, 'x', '7.8.9', '2030')")
    with pytest.raises(StoreTooNew, match=re.escape("Install hindsight 7.8.9 or later")):
        async with Hindsight.open(url, embedder="none", seal_key=KEY):
            pass
