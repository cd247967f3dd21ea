"""Forgetting for real: rows, words, vectors, links, logs, jobs, sessions, digests and cold copies; and the evidence of it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from keeping import BEGIN, episode, kept, sound

from hindsight.clock import FixedClock
from hindsight.errors import AccessDenied, InvalidInput
from hindsight.records import Channel, Principal

NAMES = ("Zqxana Loveday", "zqxana@example.org", "郑曲仙")
NEEDLES = ("zqxana", "Zqxana", "郑曲仙")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGIN)


@pytest.fixture(params=["postgres", "sqlite"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "store") if request.param == "sqlite" else request.getfixturevalue("postgres_url")()


def left_in(where: str, cold: Path) -> dict[str, list[str]]:
    """Where one of the needles is still to be read: files of an embedded store and the cold store, tables of a database."""
    import zstandard

    found: dict[str, list[str]] = {}
    for path in [*(Path(where).rglob("*") if "://" not in where else ()), *cold.rglob("*.zst")]:
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".zst":
                data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
            if hits := [needle for needle in NEEDLES if needle.encode() in data]:
                found[path.name] = hits
    if "://" in where:
        import psycopg

        with psycopg.connect(where, autocommit=True) as db:
            names = db.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
            ).fetchall()
            for (table,) in names:
                rows = db.execute(f'SELECT t::text FROM "{table}" AS t').fetchall()
                if hits := [needle for needle in NEEDLES if any(needle in row[0] for row in rows)]:
                    found[table] = hits
    return found


async def fill(memory, clock):
    """Everything that can hold something of a person; returns what must stay."""
    await memory.store("Zqxana Loveday lives in Bonn.", kind="fact", entities=["Zqxana Loveday"])
    await memory.store("The parcel went to zqxana@example.org.", kind="fact", speaker="Bo")
    changed = await memory.store("The keys are with Zqxana Loveday.", kind="fact")
    await memory.update(changed.id, content="The keys are with the porter.")
    await memory.store(**episode(1, idempotency_key="a", tags=["郑曲仙"]))
    await memory.store(**{**episode(2), "query": "ask 郑曲仙 for the key"})
    clock.instant += timedelta(days=31)
    await memory.upkeep("archive")
    clock.instant += timedelta(days=61)
    await memory.upkeep("archive")
    await memory.observe(
        [{"session_id": "s", "position": 0, "content": "Did Zqxana Loveday call?"}, {"session_id": "s", "position": 1, "content": "No."}]
    )
    session = memory.session("open", goal="write to zqxana@example.org")
    await session.__aenter__()
    await memory.retrieve("where does Zqxana Loveday live?")
    await memory.store("The parcel for Zqxana Loveday waits.", wait=False)
    stay = await memory.store("Zqxanadu is a pleasure dome.", kind="fact")
    return stay.id, changed.id


async def test_everything_about_a_person_goes_and_the_evidence_says_so(where, clock, tmp_path):
    cold = tmp_path / "cold"
    async with kept(where, clock, cold_store=str(cold), backup_to=str(tmp_path / "backups")) as memory:
        stay, changed = await fill(memory, clock)
        backup = await memory.backup()
        planned = await memory.erase(subject=NAMES, dry_run=True)
        assert left_in(where, cold)
        done = await memory.erase(subject=NAMES, reason="asked to")
        assert {each.id for each in planned.memories} == {each.id for each in done.memories}
        assert {each.where for each in done.memories} == {"store", "cold"}
        assert done.left == {}
        assert {"memories", "cold_segments", "turns", "jobs", "sessions", "events"} <= set(done.removed)
        assert [(each.id, each.expires) for each in done.backups] == [(backup.id, backup.expires)]
        told = json.dumps(done.as_json(), ensure_ascii=False)
        assert not any(needle in told for needle in NEEDLES)
        assert (await memory.get(stay)).content == "Zqxanadu is a pleasure dome."
        assert (await memory.get(changed)).content == "The keys are with the porter."
        await memory.forget(stay)
        assert left_in(where, cold) == {}
        await sound(memory)


async def test_selections_by_agent_and_filter(where, clock, tmp_path):
    async with kept(where, clock, cold_store=str(tmp_path / "cold")) as memory:
        crawler = memory.acting_as(Principal(agent="crawler", channel=Channel.TOOL))
        await crawler.store("The page lists nine offers.", kind="fact", tags=["web"])
        mine = await memory.store("The web team meets on Mondays.", kind="fact", tags=["web"])
        await memory.store(**episode(1, tags=["web"]))
        assert [each.agent for each in (await memory.erase(agent="crawler")).memories] == ["crawler"]
        found = await memory.erase(tags="web", kind="episode")
        assert [each.kind for each in found.memories] == ["episode"]
        assert (await memory.get(mine.id)) is not None
        with pytest.raises(InvalidInput, match="say what to forget"):
            await memory.erase()
        with pytest.raises(InvalidInput, match="say what to forget"):
            await memory.erase(subject=[" "])
        with pytest.raises(AccessDenied, match="a person"):
            await memory.acting_as(Principal(channel=Channel.AGENT)).erase(agent="default")
        await sound(memory)


async def test_forgetting_one_episode_takes_its_digest_and_cold_copy_with_it(where, clock, tmp_path):
    async with kept(where, clock, cold_store=str(tmp_path / "cold")) as memory:
        one, two = [(await memory.store(**episode(number))).id for number in (1, 2)]
        clock.instant += timedelta(days=31)
        await memory.upkeep("archive")
        assert await memory.forget(one)
        assert [each.content.count("service 2") for each in (await memory.list(kind="fact")).items] == [1]
        held = [id for segment in await memory._upkeep.tools.cold.segments() for id, _ in segment.held]
        assert held == [two]
        await sound(memory)


async def test_a_legal_hold_forbids_it(tmp_path, clock):
    async with kept(tmp_path / "store", clock, legal_hold="case 7") as memory:
        await memory.store("Zqxana Loveday lives in Bonn.")
        with pytest.raises(AccessDenied, match="case 7"):
            await memory.erase(subject=NAMES)
        assert (await memory.erase(subject=NAMES, dry_run=True)).memories
