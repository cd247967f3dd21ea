"""A backup put back is the store that it was made of, on every engine."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindsight.clock import FixedClock
from hindsight.errors import AccessDenied, ConfigurationError, InvalidInput, NotFound, StoreBusy, StoreCorrupt, StoreMisplaced
from hindsight.records import Channel, Principal
from hindsight.upkeep.backups import holding

NOW = datetime(2026, 5, 20, 3, 0, tzinfo=UTC)


async def filled(memory) -> None:
    """Records of several kinds, an erased one, an archived one, a token, a session, a quarantined text."""
    await memory.store("用户对花生过敏", kind="constraint", idempotency_key="1")
    kept = await memory.store("Deploy with blue-green", kind="procedure", task_type="deployment", tools=["kubectl"], tags=["生产"])
    await memory.update(kept.id, content="Deploy with blue-green, then watch for 10 minutes")
    gone = await memory.store("to be erased")
    await memory.forget(gone.id)
    old = await memory.store("archived episode", kind="episode", outcome="success")
    await memory.forget(old.id, mode="archive")
    await memory.create_token("ci", agent="ci")
    async with memory.session("talk", goal="plan the trip"):
        await memory.retrieve("过敏", session="talk")
        await memory.observe([{"session_id": "talk", "position": 0, "role": "user", "content": "I live in Berlin"}])


async def test_restored_into_an_empty_place_everything_is_there(new_url, opened, restore, export) -> None:
    source, target = new_url(), new_url()
    async with opened(source) as memory:
        await filled(memory)
        before = await export(memory)
        history = {record: await memory.history(record) for record in [each["id"] for each in map(json.loads, before)]}
        made = await memory.backup()
        counts = (await memory.stats()).model_dump(include={"statuses", "events", "turns", "sealed", "queued"})
    done = await restore(made.address, target)
    assert (done.memories, done.seals, done.kept) == (made.counts["memories"], "ok", None)
    async with opened(target) as memory:
        assert await export(memory) == before
        assert {record: await memory.history(record) for record in history} == history
        assert (await memory.stats()).model_dump(include=set(counts)) == counts
        assert [each.name for each in await memory.tokens()] == ["ci"]
        assert (await memory.verify()).state == "ok"
        assert await memory.check() == []
        found = await memory.retrieve("花生", k=1)
        assert found.hits[0].memory.content == "用户对花生过敏"
        assert (await memory.store("written after", idempotency_key="after")).status == "stored"  # ids and sequences go on
        assert (await memory.verify()).state == "ok"


async def test_open_sessions_stay_out(new_url, opened, restore) -> None:
    source, target = new_url(), new_url()
    async with opened(source) as memory:
        await memory.store("x")
        session = await memory.task_started("secret plans", id="open-one")
        assert session.id == "open-one"
        assert len(await memory.open_sessions()) == 1
        made = await memory.backup()
    await restore(made.address, target)
    async with opened(target) as memory:
        assert await memory.open_sessions() == []


async def test_a_store_that_is_there_is_never_lost(new_url, opened, restore, export) -> None:
    url = new_url()
    async with opened(url) as memory:
        await memory.store("first")
        before = await export(memory)
        await memory.backup()
        await memory.store("second")
        with pytest.raises(StoreBusy, match="stop"):
            await restore(made_place(memory), url, replace=True)
    with pytest.raises(StoreMisplaced, match="--replace"):
        await restore(made_place(memory), url)
    done = await restore(made_place(memory), url, replace=True)
    assert done.kept
    assert done.seals == "ok"
    async with opened(url) as memory:
        assert await export(memory) == before
        assert (await memory.verify()).state == "ok"
        assert [each.id for each in await memory.backups()] == [done.backup.id]
    if "://" not in url:
        async with opened(done.kept) as memory:
            assert [each.content for each in (await memory.list()).items] == ["second", "first"]


def made_place(memory) -> str:
    return memory.settings.backup_to


async def test_the_newest_before_a_time(new_url, opened, restore) -> None:
    source, clock = new_url(), FixedClock(NOW)
    async with opened(source, clock=clock) as memory:
        for day in range(3):
            await memory.store(f"day {day}", idempotency_key=str(day))
            await memory.backup()
            clock.instant += timedelta(days=1)
        made = await memory.backups()
        written = [each.created_at for each in (await memory.list()).items]
    assert [each.counts["memories"] for each in made] == [3, 2, 1]
    assert [len(holding(made, at)) for at in sorted(written)] == [3, 2, 1]  # which of them may hold each memory
    assert made[0].expires == made[0].created + timedelta(days=7)
    target = new_url()
    done = await restore(made_place(memory), target, at=NOW + timedelta(days=1, hours=5))
    assert done.memories == 2
    with pytest.raises(NotFound, match="the oldest is of 2026-05-20 03:00"):
        await restore(made_place(memory), new_url(), at=NOW - timedelta(days=1))


async def test_the_newest_are_kept_and_others_stores_left_alone(new_url, opened, tmp_path) -> None:
    clock, others = FixedClock(NOW), new_url()
    async with opened(others, clock=clock) as memory:
        await memory.store("another's")
        foreign = await memory.backup()
    async with opened(new_url(), clock=clock, backup_keep=2) as memory:
        await memory.store("x")
        for _ in range(4):
            clock.instant += timedelta(days=1)
            last = await memory.backup()
        made = await memory.backups()
        assert (await memory.keeper.last()).id == last.id
    assert made[0].id == last.id
    assert {each.id for each in made} >= {foreign.id}
    assert len(made) == 3
    assert len(list((tmp_path / "backups").iterdir())) == 3


async def test_a_restored_store_knows_where_its_backups_lie(new_url, opened, restore, tmp_path) -> None:
    target = new_url()
    async with opened(new_url()) as memory:
        saved = await memory.store("Ada Lovelace keeps the key.")
        made = await memory.backup(str(tmp_path / "elsewhere"))
    await restore(tmp_path / "elsewhere", target)
    async with opened(target) as memory:
        assert (await memory.keeper.last()).id == made.id
        evidence = await memory.erase([saved.id])
    assert [each.id for each in evidence.backups] == [made.id]


async def test_what_a_killed_backup_left_goes_once_none_can_be_at_it(new_url, opened, tmp_path) -> None:
    clock = FixedClock(NOW)
    half, young = (
        tmp_path / "backups" / name for name in (f"{NOW - timedelta(days=2):%Y%m%dT%H%M%SZ}-00aa11", f"{NOW:%Y%m%dT%H%M%SZ}-00aa11")
    )
    notes = tmp_path / "backups" / "notes" / "mine.txt"
    for file in (half / "memory.db.zst", young / "memory.db.zst", notes):
        file.parent.mkdir(parents=True)
        file.write_text("x")
    async with opened(new_url(), clock=clock) as memory:
        await memory.store("x")
        await memory.backup()
    assert not (half / "memory.db.zst").exists()
    assert (young / "memory.db.zst").exists()
    assert notes.exists()


async def test_a_damaged_backup_is_refused_and_nothing_is_left_behind(new_url, opened, restore, tmp_path) -> None:
    target = new_url()
    async with opened(new_url()) as memory:
        await filled(memory)
        made = await memory.backup()
    file = Path(made.address) / max(made.files, key=lambda each: each.size).name
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(StoreCorrupt, match="not what its manifest says"):
        await restore(made.address, target)
    file.write_bytes(whole)
    manifest = Path(made.address) / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace(f'"memories": {made.counts["memories"]}', '"memories": 9'))
    with pytest.raises(StoreCorrupt, match="its manifest says 9"):
        await restore(made.address, target)
    manifest.write_text("[]")
    with pytest.raises(StoreCorrupt, match="no manifest"):
        await restore(made.address, target)
    manifest.write_text(text)
    assert not [path for path in tmp_path.iterdir() if "restoring" in path.name]
    assert (await restore(made.address, target)).seals == "ok"  # and none of that stands in the way now


async def test_encrypted(new_url, opened, restore, tmp_path, export) -> None:
    source = new_url()
    key = tmp_path / "passphrase"
    key.write_text("correct horse\n")
    async with opened(source, backup_key_file=str(key)) as memory:
        await memory.store("the launch code is blue-marmalade")
        before = await export(memory)
        made = await memory.backup()
    assert made.encrypted
    kept = b"".join(path.read_bytes() for path in Path(made.address).iterdir())
    assert b"marmalade" not in kept
    for wrong in ({}, {"backup_key": "battery staple"}):
        with pytest.raises(ConfigurationError, match="passphrase"):
            await restore(made.address, new_url(), **wrong)
    target = new_url()
    await restore(made.address, target, backup_key="correct horse")
    async with opened(target) as memory:
        assert await export(memory) == before


async def test_a_backup_is_one_state_while_others_write(new_url, opened, restore) -> None:
    """Each writer's records come in pairs within a transaction: a backup holds both or none."""
    source, target = new_url(), new_url()
    async with opened(source) as memory:
        await memory.store_many([{"content": f"before {number}"} for number in range(200)])
        stop = asyncio.Event()

        async def write() -> int:
            number = 0
            while not stop.is_set():
                number += 1
                await memory.store_many([{"content": f"pair {number} a"}, {"content": f"pair {number} b"}])
            return number

        writer = asyncio.create_task(write())
        made = [await memory.backup() for _ in range(3)]
        stop.set()
        assert await writer >= 3  # writers were not kept waiting
    done = await restore(made[-1].address, target)
    assert done.seals == "ok"
    async with opened(target) as memory:
        texts = [each["content"] for each in map(json.loads, [record.model_dump_json() async for record in memory.export()])]
    pairs = sorted(text for text in texts if text.startswith("pair"))
    assert len(pairs) % 2 == 0
    assert {text[:-1] for text in pairs if text.endswith("a")} == {text[:-1] for text in pairs if text.endswith("b")}


async def test_another_kind_of_store_is_told_apart(opened, restore, postgres_url, tmp_path) -> None:
    async with opened(str(tmp_path / "embedded")) as memory:
        await memory.store("x")
        made = await memory.backup()
    with pytest.raises(InvalidInput, match="hindsight export"):
        await restore(made.address, postgres_url())


async def test_agents_make_no_backups(opened, tmp_path) -> None:
    async with opened(str(tmp_path / "store")) as memory:
        agent = memory.acting_as(Principal(agent="a", channel=Channel.AGENT, scopes=frozenset({"read", "write"})))
        with pytest.raises(AccessDenied):
            await agent.backup()


async def test_a_place_must_be_named_for_a_database(opened, postgres_url) -> None:
    async with opened(postgres_url(), backup_to="") as memory:
        with pytest.raises(ConfigurationError, match="HINDSIGHT_BACKUP_TO"):
            await memory.backup()


async def test_what_was_archived_into_the_stores_own_folder_comes_along(opened, restore, tmp_path) -> None:
    async with opened(str(tmp_path / "a")) as memory:
        await memory.store("x")
        cold = tmp_path / "a" / "cold" / "default"
        cold.mkdir(parents=True)
        (cold / "segment.jsonl.zst").write_bytes(b"archived")
        made = await memory.backup()
    await restore(made.address, str(tmp_path / "b"))
    assert (tmp_path / "b" / "cold" / "default" / "segment.jsonl.zst").read_bytes() == b"archived"


@pytest.mark.parametrize("name", ["../escape", "/etc/escape"])
async def test_a_forged_archive_leads_nowhere(opened, restore, tmp_path, name) -> None:
    import io
    import tarfile

    from hindsight.upkeep.packing import digest, new_salt, pack

    async with opened(str(tmp_path / "a")) as memory:
        await memory.store("x")
        (tmp_path / "a" / "cold").mkdir()
        made = await memory.backup()
    with tarfile.open(tmp_path / "cold.tar", "w") as forged:
        member = tarfile.TarInfo(name)
        member.size = 1
        forged.addfile(member, io.BytesIO(b"!"))
    file = Path(made.address) / "cold.tar.zst"
    known = next(each for each in made.files if each.name == file.name)
    file.unlink()
    size, _ = pack(tmp_path / "cold.tar", file, None, new_salt())
    manifest = Path(made.address) / "manifest.json"
    manifest.write_text(manifest.read_text().replace(known.sha256, digest(file)).replace(f'"size": {known.size}', f'"size": {size}'))
    if name.startswith(".."):
        with pytest.raises(StoreCorrupt, match="cannot be read"):
            await restore(made.address, str(tmp_path / "b"))
        assert not (tmp_path / "b").exists()
    else:  # taken as a name inside
        await restore(made.address, str(tmp_path / "b"))
    assert not (tmp_path / "escape").exists()
    assert not Path("/etc/escape").exists()
