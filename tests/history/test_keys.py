"""Where keys come from, what a lost or wrong one does, rotation, several processes at once, erasing, legal holds."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tampers import tampering

from hindsight.adapters.seal_files import HeadFiles, KeyFile, default_key_file
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.assemble import assemble, reindexer
from hindsight.errors import AccessDenied, ConfigurationError
from hindsight.guard.seal import Sealer, canonical, derive_key, key_id
from hindsight.memory import Hindsight
from hindsight.ports import NewEvent
from hindsight.records import Filter, Principal
from hindsight.settings import load_settings

Open = Callable[..., Awaitable[Hindsight]]


async def state(open_memory: Open, **settings: Any) -> str:
    memory = await open_memory(**settings)
    found = (await memory.verify()).state
    await memory.close()
    return found


def test_no_two_sequences_make_the_same_bytes() -> None:
    assert (
        len({canonical(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], [b"abc"], [None, "abc"], ["1"], [1], [None], [""], [])})
        == 10
    )


def test_a_seal_is_the_hmac_of_the_standard() -> None:
    import hashlib
    import hmac

    key = derive_key("secret")
    expected = hmac.new(key, canonical((b"record", "x", 1, None)), hashlib.sha256).digest()[:16]
    assert Sealer([key]).record(["x", 1, None]) == expected
    assert Sealer([derive_key("new"), key]).record(["x", 1, None], key=key_id(key)) == expected
    with pytest.raises(ConfigurationError):
        Sealer([])


async def test_a_key_file_is_made_outside_the_store(open_memory: Open, tmp_path: Path, folder: Path) -> None:
    memory = await open_memory()
    await memory.store("sealed", kind="episode")
    file = tmp_path / "keys" / "seal.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}", file.read_text().splitlines()[-1])
    [head] = (file.parent / "seal-heads").glob("*/*.json")
    values = json.loads(head.read_text())
    assert (values["namespace"], values["number"]) == ("default", 1)
    assert (await memory.verify()).heads == {"default": (1, values["seal"])}
    key = file.read_text().splitlines()[-1].encode()
    assert not any(key in path.read_bytes() for path in folder.iterdir())
    assert (await memory.list()).items[0].seal == values["seal"]


def test_the_key_may_not_lie_in_the_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="outside"):
        KeyFile("", tmp_path / "memory" / "keys" / "seal.key", tmp_path / "memory")
    with pytest.raises(ConfigurationError, match="lies in the store"):
        assemble(load_settings(store=str(tmp_path / "m"), seal_key_file=str(tmp_path / "m" / "k"), embedder="none"))


async def test_a_wrong_key_is_told_from_tampering(open_memory: Open) -> None:
    memory = await open_memory(seal_key="right")
    saved = await memory.store("sealed", kind="episode")
    await memory.close()
    assert await state(open_memory, seal_key="right") == "ok"
    assert await state(open_memory, seal_key="wrong") == "wrong key"
    assert await state(open_memory, seal_key="off") == "wrong key"
    memory = await open_memory(seal_key="wrong")
    assert (await memory.get(saved.id)).content == "sealed"
    for change in (memory.store("x", kind="episode"), memory.update(saved.id, content="y"), memory.forget(saved.id)):
        with pytest.raises(ConfigurationError, match="HINDSIGHT_SEAL_KEY"):
            await change
    await memory.close()
    assert await state(open_memory, seal_key="right") == "ok"


async def test_a_lost_key_file_is_not_replaced_in_silence(open_memory: Open, tmp_path: Path) -> None:
    memory = await open_memory()
    await memory.store("sealed", kind="episode")
    await memory.close()
    file = tmp_path / "keys" / "seal.key"
    file.unlink()
    memory = await open_memory()
    assert not file.exists()
    assert (await memory.verify()).state == "wrong key"
    with pytest.raises(ConfigurationError, match="--reseal"):
        await memory.store("x", kind="episode")
    await memory.close()
    memory = await open_memory(seal_key="a new one")
    with pytest.raises(AccessDenied, match="admin"):
        await memory.acting_as(Principal(scopes=frozenset({"read", "write"}))).reseal()
    assert await memory.reseal() == 1
    await memory.store("x", kind="episode")
    assert (await memory.verify()).state == "ok"


async def test_keys_rotate_and_old_entries_stay_provable(open_memory: Open, tmp_path: Path) -> None:
    memory = await open_memory(seal_key="one")
    await memory.store("under the first key", kind="episode")
    await memory.close()
    memory = await open_memory(seal_key="two, one")
    await memory.store("under the second key", kind="episode")
    await memory.close()
    memory = await open_memory(seal_key="three two\none")
    saved = await memory.store("under the third key", kind="episode")
    await memory.update(saved.id, content="changed")
    assert (await memory.verify()).state == "ok"
    await memory.close()
    assert await state(open_memory, seal_key="three two") == "wrong key"
    with tampering(tmp_path / "memory") as db:
        db.execute("UPDATE memories SET content = 'forged' WHERE content = 'under the first key'")
    assert await state(open_memory, seal_key="three two one") == "tampered"


def test_a_rotated_key_file_holds_the_old_key_behind_the_new(tmp_path: Path) -> None:
    file = KeyFile("", tmp_path / "keys" / "seal.key", tmp_path / "memory")
    [old] = file.read(create=True)
    file.rotate()
    new, kept = file.read(create=False)
    assert kept == old != new
    assert stat.S_IMODE(file.file.stat().st_mode) == 0o600
    with pytest.raises(ConfigurationError, match="NEW OLD"):
        KeyFile("given", file.file, tmp_path / "memory").rotate()


def test_a_bad_key_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "seal.key").write_text("# nothing\n")
    with pytest.raises(ConfigurationError, match="holds no key"):
        KeyFile("", tmp_path / "seal.key", tmp_path / "m").read(create=True)
    (tmp_path / "seal.key").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        KeyFile("", tmp_path / "seal.key", tmp_path / "m").read(create=True)


def test_where_no_key_file_can_be_made_a_warning_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "keys").write_text("a file")
    assert KeyFile("", tmp_path / "keys" / "seal.key", tmp_path / "m").read(create=True) == []
    assert "seals are off" in caplog.text


def test_without_a_home_folder_a_key_must_be_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    assert default_key_file() is None
    assert KeyFile("", None, tmp_path).read(create=True) == []
    assert "set HINDSIGHT_SEAL_KEY" in caplog.text
    assert KeyFile("given", None, tmp_path).read(create=True) == ["given"]


def test_heads_that_cannot_be_kept_or_read_are_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    heads = HeadFiles(tmp_path / "heads")
    heads.put("s", "团队", 3, b"\1\2")
    assert heads.read("s") == {"团队": (3, b"\1\2")}
    next((tmp_path / "heads" / "s").iterdir()).write_text("{")
    assert heads.read("s") == {}
    assert "cannot be read" in caplog.text
    (tmp_path / "blocked").write_text("")
    HeadFiles(tmp_path / "blocked").put("s", "n", 1, b"")
    assert "cannot be kept" in caplog.text


async def test_a_store_from_before_is_sealed_when_it_is_opened(open_memory: Open, folder: Path) -> None:
    memory = await open_memory(seal_key="off")
    saved = [await memory.store(f"old {number}", kind="episode") for number in range(5)]
    await memory.update(saved[0].id, content="changed", reason="why")
    await memory.forget(saved[1].id)
    found = await memory.verify()
    assert (found.state, [fault.what for fault in found.faults]) == ("not sealed", ["not sealed"])
    assert (await memory.get(saved[0].id)).seal is None
    await memory.close()
    memory = await open_memory()
    found = await memory.verify()
    assert (found.state, found.records, found.entries) == ("ok", 4, 7)
    await memory.store("new", kind="episode")
    assert (await memory.verify()).faults == ()
    with tampering(folder) as db:
        db.execute("UPDATE memories SET content = 'forged' WHERE content = 'old 3'")
    assert (await memory.verify()).state == "tampered"


async def test_a_new_store_is_sound_before_anything_is_written(open_memory: Open) -> None:
    assert await state(open_memory) == "ok"


async def test_no_seal_covers_what_reindexing_changes(open_memory: Open, folder: Path, tmp_path: Path) -> None:
    memory = await open_memory()
    await memory.store("some words of it", kind="episode")
    await memory.close()
    with tampering(folder) as db:  # a record without its words: what `reindex --keywords` mends
        for table in ("attributes", "tokens"):
            db.execute(f"DELETE FROM {table}")
    key_file = str(tmp_path / "keys" / "seal.key")
    await reindexer(load_settings(store=str(folder), embedder="none", seal_key_file=key_file)).run(keywords=True)
    memory = await open_memory()
    assert (await memory.verify()).faults == ()


WRITER = """
import asyncio, sys
from hindsight import Hindsight
async def main():
    async with Hindsight.open(sys.argv[1], embedder="none", durability="normal", agent=sys.argv[2]) as memory:
        for number in range(60):
            saved = await memory.store(f"{sys.argv[2]} {number}", kind="episode", namespace=["default", "work"][number % 2])
            if number % 5 == 0:
                await memory.forget(saved.id)
asyncio.run(main())
"""


async def test_processes_that_seal_at_once_continue_one_chain(open_memory: Open, folder: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(folder), name], env=os.environ) for name in ("a", "b", "c")]
    memory = await open_memory()
    await asyncio.gather(*(memory.store(f"own {number}", kind="episode") for number in range(50)))
    assert [await asyncio.to_thread(writer.wait) for writer in writers] == [0, 0, 0]
    found = await memory.verify()
    assert found.faults == ()
    assert found.entries == 50 + 3 * (60 + 12)
    assert sum(number for number, _ in found.heads.values()) == found.entries


async def test_verifying_while_others_write_finds_nothing(open_memory: Open) -> None:
    memory = await open_memory()
    await memory.store("first", kind="episode")

    async def write() -> None:
        for number in range(150):
            await memory.store(f"number {number}", kind="episode")

    async def verify() -> None:
        for _ in range(25):
            assert (await memory.verify()).faults == ()

    await asyncio.gather(write(), verify())


async def test_erasing_leaves_no_byte_and_a_chain_that_holds(open_memory: Open, folder: Path, tmp_path: Path) -> None:
    memory = await open_memory()
    secret = "zqxsecret 绝密内容 zqxpassword"
    gone = await memory.store(secret, kind="episode", session_id="zqxsession", tags=["zqxtag"], query="zqxquery")
    child = await memory.store("made of it", kind="episode", parents=[gone.id])
    await memory.update(gone.id, content=secret + " zqxmore", reason="zqxreason")
    await memory.update(child.id, content=secret, reason=f"see {gone.id}")
    await memory.update(child.id, content="nothing of it", reason="clean")
    await memory.forget(child.id, mode="archive")
    await memory.retrieve("zqxpassword", k=3)
    assert await memory.undo(memory=child.id)
    await memory.forget(gone.id, reason="asked for")
    needles = [b"zqx", "绝密".encode()]
    places = [*folder.iterdir(), *(path for path in (tmp_path / "keys").rglob("*") if path.is_file())]
    left = {path.name: [needle for needle in needles if needle in path.read_bytes()] for path in places}
    assert {name: found for name, found in left.items() if found} == {}
    found = await memory.verify()
    assert found.faults == ()
    assert [event.action for event in await memory.history(gone.id)] == ["created", "updated", "erased"]
    with tampering(folder) as db:
        [(stone,)] = db.execute("SELECT seal FROM tombstones").fetchall()
    assert re.fullmatch("[0-9a-f]{32}", stone)


async def test_an_erased_record_may_come_back_by_an_import(open_memory: Open, tmp_path: Path) -> None:
    memory = await open_memory()
    saved = await memory.store("kept in an export", kind="episode")
    export = tmp_path / "export.jsonl"
    records = [record.model_dump_json() async for record in memory.export()]
    export.write_text("\n".join(records) + "\n", encoding="utf-8")
    for _ in range(2):
        await memory.forget(saved.id)
        assert (await memory.verify()).faults == ()
        report = await memory.import_file(export, format="hindsight")
        assert report.stored == 1
        await memory.update(saved.id, tags=["again"])
        assert (await memory.verify()).faults == ()


async def test_a_legal_hold_refuses_erasing_and_says_why(open_memory: Open) -> None:
    memory = await open_memory(legal_hold="case 4711")
    saved = await memory.store("evidence", kind="episode")
    with pytest.raises(AccessDenied, match="legal hold \\(case 4711\\)"):
        await memory.forget(saved.id)
    assert await memory.forget(saved.id, mode="archive")
    assert (await memory.restore(saved.id)).content == "evidence"


async def test_a_store_without_keys_refuses_to_write_into_a_sealed_one(open_memory: Open, folder: Path) -> None:
    memory = await open_memory()
    await memory.store("sealed", kind="episode")
    await memory.close()
    store = SqliteStore(folder, embedder=None)
    await store.open()
    with pytest.raises(ConfigurationError, match="no key"):
        await store.reseal()
    record = (await store.list(Filter(namespace="default", agent="default"))).items[0]
    with pytest.raises(ConfigurationError, match="the store is sealed"):
        await store.erase([record.id], NewEvent("erased", "default", record.channel, record.created_at))
    assert (await store.get(record.id)) == record
    await store.close()
