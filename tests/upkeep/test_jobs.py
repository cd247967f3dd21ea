"""The other jobs: expire, compact, conflicts, consolidate, forget, patterns, stats; their leases and their schedule."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from keeping import BEGIN, episode, everything, kept, sound

from hindsight.adapters.sqlite import tuning
from hindsight.clock import FixedClock
from hindsight.errors import ConfigurationError, InvalidInput, StoreBusy
from hindsight.records import Channel, Principal
from hindsight.upkeep.forget import WEIGHTS
from hindsight.upkeep.runner import JOBS
from hindsight.upkeep.schedule import Schedule, next_run, read_schedule


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGIN)


@pytest.fixture
async def memory(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as opened:
        yield opened


async def test_expired_memories_are_gone_for_good(memory, clock, tmp_path):
    short = await memory.store("The zqxguest code is 4711.", kind="fact", expires_at=BEGIN + timedelta(days=1))
    await memory.store("The house number is 12.", kind="fact", expires_at=BEGIN + timedelta(days=9))
    clock.instant += timedelta(days=2)
    assert (await memory.upkeep("expire", dry_run=True)).counts == {"expired": 1}
    assert (await memory.upkeep("expire")).counts == {"expired": 1}
    assert await memory.get(short.id) is None
    assert await everything(memory) == {"active": 1}
    assert all(b"zqxguest" not in path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    await sound(memory)


async def twins(memory, one: str, other: str, **fields):
    """Two statements that the write path did not compare: they were quarantined for a moment."""
    first = await memory.store(one, **fields)
    await memory.forget(first.id, mode="archive")
    second = await memory.store(other, **fields)
    await memory.restore(first.id)
    return first.id, second.id


async def test_long_statements_that_say_the_same_become_one_among_many_like_them(memory, clock):
    text = "Before each release of the {} service the people on call compare the settings of both places, take a copy of them and write down what differs."
    names = ["billing", "ledger", "search", "mailer", "pricing", "gateway", "catalog", "reports"]
    await memory.store_many([{"content": text.format(name), "kind": "fact"} for name in names])
    await twins(memory, text.format("archive"), text.format("archive").replace(" settings", "  settings"), kind="fact")
    clock.instant += timedelta(days=7)
    assert (await memory.upkeep("compact")).counts == {"merged": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging server listens on port 8080.", "The staging server listens on the port 8080"),
        ("用户喜欢喝龙井茶。", "用户喜欢喝龙井茶"),
    ],
)
async def test_what_says_the_same_becomes_one_and_undo_brings_both_back(memory, clock, one, other):
    first, second = await twins(memory, one, other, kind="fact")
    clock.instant += timedelta(days=7)
    report = await memory.upkeep("compact")
    assert report.counts == {"merged": 1}
    states = {id: await memory.get(id) for id in (first, second)}
    assert sorted(str(each.status) for each in states.values()) == ["active", "archived"]
    kept_one = next(each for each in states.values() if each.status == "active")
    assert kept_one.parents == tuple(id for id in states if id != kept_one.id)
    assert (await memory.upkeep("compact")).counts == {}
    await memory.undo(session=report.run)
    assert [str((await memory.get(id)).status) for id in (first, second)] == ["active", "active"]
    await sound(memory)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging server listens on port 8080.", "The staging server listens on port 9090."),
        ("Anna pays Bob on Fridays.", "Bob pays Anna on Fridays."),
        ("The alarm is tested on Mondays.", "The alarm is not tested on Mondays."),
        ("用户喜欢喝龙井茶。", "用户不喜欢喝龙井茶。"),
        ("北京办公室在三楼。", "上海办公室在三楼。"),
    ],
)
async def test_what_merely_looks_alike_is_never_merged(memory, clock, one, other):
    await twins(memory, one, other, kind="fact")
    clock.instant += timedelta(days=7)
    assert (await memory.upkeep("compact")).counts == {}


async def test_a_merged_statement_has_least_trust_newest_time_and_best_outcome(memory, clock):
    tool = memory.acting_as(Principal(channel=Channel.TOOL))
    text = "The nightly job of ledger took the write lock."
    a = await memory.store(text, kind="fact", outcome="success", occurred_at="2025-12-01T00:00:00Z")
    await memory.forget(a.id, mode="archive")
    await tool.store(text, kind="fact", outcome="fixed", occurred_at="2025-12-20T00:00:00Z", idempotency_key="other")
    await memory.restore(a.id)
    await memory.upkeep("compact")
    [left] = (await memory.list(kind="fact")).items
    assert (left.id, left.trust, left.outcome, left.occurred_at.day) == (a.id, 0.7, "fixed", 20)


async def test_contradictions_between_agents_wait_for_review(memory, clock):
    ana, bo = (memory.acting_as(Principal(agent=name)) for name in ("ana", "bo"))
    await ana.store("The ledger service listens on port 8080.", kind="fact", visibility="shared")
    await bo.store("The ledger service listens on port 9090.", kind="fact", visibility="shared")
    assert (await memory.upkeep("conflicts", dry_run=True)).counts == {"compared": 2}
    assert (await memory.upkeep("conflicts")).counts["conflicts"] == 1
    assert [item.why for item in await memory.reviews()] == ["conflict", "conflict"]
    clock.instant += timedelta(days=1)
    assert "conflicts" not in (await memory.upkeep("conflicts")).counts


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_experiences_of_one_kind_become_a_candidate_that_waits(memory, clock, language):
    await memory.store_many([episode(number, language) for number in range(6)])
    clock.instant += timedelta(days=31)
    await memory.upkeep("archive")
    assert (await memory.upkeep("consolidate", dry_run=True)).counts == {"candidates": 1}
    assert (await memory.upkeep("consolidate")).counts == {"candidates": 1}
    [item] = await memory.reviews()
    assert (item.why, item.memory.status, item.memory.source) == ("pending", "pending", "inferred")
    assert ("类任务" in item.memory.content) == (language == "zh")
    assert len(item.memory.content) <= 200
    assert len(item.memory.parents) == 6
    assert item.memory.trust <= 0.6
    await memory.reject(item.memory.id, reason="says nothing")
    assert (await memory.upkeep("consolidate")).counts == {}


async def test_what_nobody_needs_is_put_away_then_deleted_and_the_lasting_never(memory, clock):
    agent = memory.acting_as(Principal(channel=Channel.AGENT))
    useless = await agent.store("The corridor lamp flickered at noon.", kind="fact", importance=0.1)
    missed = await agent.store("The lift hummed in the afternoon.", kind="fact", importance=0.1)
    useful = await agent.store("The pump in hall two needs oil of grade nine.", kind="fact", importance=0.1)
    lasting = [
        await agent.store("The blue valve stays shut while the press runs.", kind="constraint", importance=0.0),
        await memory.store("Our house style writes dates as year, month, day.", kind="fact", importance=0.0),
        await memory.store("Never push to main.", kind="rule", importance=0.0),
    ]
    found = await agent.retrieve("oil grade for the pump in hall two", k=1)
    await agent.feedback(found.id, "helpful")
    clock.instant += timedelta(days=300)
    planned = await memory.upkeep("forget", dry_run=True)
    assert {each["id"] for each in planned.items} == {str(useless.id), str(missed.id)}
    assert all(0 <= each["worth"] < 0.15 for each in planned.items)
    assert (await memory.upkeep("forget")).counts["put_away"] == 2
    assert (await memory.get(useless.id)).status == "archived"
    await memory.thaw([missed.id])
    clock.instant += timedelta(days=91)
    assert (await memory.upkeep("forget")).counts["deleted"] == 1
    assert await memory.get(useless.id) is None
    assert (await memory.get(missed.id)).status == "active"
    standing = [(await memory.list(status=["active", "pending"], limit=100)).items, [await memory.get(useful.id)]]
    assert {useful.id, *(each.id for each in lasting[1:])} <= {each.id for group in standing for each in group if each}
    assert (await memory._store.get(lasting[0].id)).status in ("active", "pending", "quarantined")
    await sound(memory)
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


async def test_what_others_tell_too_is_forgotten_before_what_one_alone_tells(memory, clock):
    text = "Worked on the backup of {} (ticket {}). Looked at the logs, and compared the settings. {}"
    places = [f"service {number}" for number in range(8)]
    for number in range(16):
        told = (
            "The pump of Brimwood Rail has the number PX88124. " if number == 3 else f"The result was there {number + 700} seconds later. "
        )
        name = places[number % 8]
        await memory.store(text.format(name, number, told), kind="episode", query=f"backup of {name}, ticket {number}", outcome="success")
    clock.instant += timedelta(days=20)
    shown = (await memory.retrieve("backup of service 5, ticket 13", k=1)).hits[0].memory.id
    await memory._retriever.flush()
    clock.instant += timedelta(days=11)
    assert (await memory.upkeep("archive")).counts["digests"] == 16
    clock.instant += timedelta(days=125)
    assert (await memory.upkeep("forget")).counts["put_away"] == 14
    left = (await memory.list(tags=["experience"], limit=20)).items
    assert sorted("PX88124" in each.content for each in left) == [False, True]
    assert [shown in each.parents for each in left if "PX88124" not in each.content] == [True]


async def test_patterns_are_proposed_once(memory, clock):
    for number in range(12):
        failed = number % 2 == 0
        tools = ["deploy"] if failed else ["lock", "deploy"]
        outcome = "failure" if failed else "success"
        await memory.store(
            f"Release {number}: deploy({number}) {'failed: E42 no lock, call lock first' if failed else 'went well'}.",
            kind="episode", outcome=outcome, task_type="deployment", tools=tools, error_code="E42" if failed else None,
        )  # fmt: skip
    clock.instant += timedelta(hours=1)
    assert (await memory.upkeep("patterns")).counts["proposed"] >= 1
    waiting = len(await memory.reviews())
    clock.instant += timedelta(days=7)
    assert (await memory.upkeep("patterns")).counts == {}
    assert len(await memory.reviews()) == waiting


async def test_stats_gives_back_what_was_freed(memory, monkeypatch):
    monkeypatch.setattr(tuning, "_LEAST", 8)
    monkeypatch.setattr(tuning, "WORTH", 0.05)
    await memory.store_many([episode(number, idempotency_key=str(number)) for number in range(100)])
    await memory.erase([each.id for each in (await memory.list(limit=100)).items])
    counts = (await memory.upkeep("stats")).counts
    assert counts["vacuumed"] == 1
    assert counts["bytes_after"] < counts["bytes_before"]
    await sound(memory)


async def test_stats_gives_back_what_was_erased_here_and_there(memory):
    stored = await memory.store_many([episode(number, idempotency_key=str(number)) for number in range(900)])
    assert "vacuumed" not in (await memory.upkeep("stats")).counts
    await memory.erase([each.id for number, each in enumerate(stored) if number % 3])
    counts = (await memory.upkeep("stats")).counts
    assert counts["vacuumed"] == 1
    assert counts["bytes_after"] < 0.7 * counts["bytes_before"]
    await sound(memory)


async def test_one_process_runs_a_job_and_a_dead_ones_lease_ends(memory, tmp_path, clock):
    assert await memory._upkeep.tools.upkeep.begin("archive", "another", seconds=60)
    with pytest.raises(StoreBusy, match="another process runs"):
        await memory.upkeep("archive")
    clock.instant += timedelta(seconds=61)
    assert (await memory.upkeep("archive")).counts == {}
    with pytest.raises(InvalidInput, match="no upkeep job; jobs are expire"):
        await memory.upkeep("tidy")


async def test_of_two_replicas_one_runs_what_the_clock_strikes(tmp_path, clock):
    async with kept(tmp_path / "store", clock) as one, kept(tmp_path / "store", clock) as other:
        done = await asyncio.gather(*(each._upkeep.run("expire", scheduled=True) for each in (one, other)))
        assert sum(report is not None for report in done) == 1
        clock.instant += timedelta(hours=1)
        assert await one._upkeep.run("expire", scheduled=True) is not None


async def test_the_server_runs_jobs_by_the_clock(memory):
    told = []
    memory._upkeep.told.append(told.append)
    schedule = memory.schedule()
    schedule.start()
    assert {job.id for job in schedule._scheduler.get_jobs()} == {*JOBS, "backup"}
    schedule._scheduler.modify_job("expire", next_run_time=datetime.now(UTC))
    for _ in range(100):
        await asyncio.sleep(0.02)
        if told:
            break
    await schedule.stop()
    assert [report.name for report in told] == ["expire"]
    states = {each.job.name: each.state for each in await memory.upkeep_jobs()}
    assert states["expire"].report["counts"] == {}
    Schedule(memory._upkeep, UTC)


def test_the_schedule_is_read_and_faults_are_named():
    assert read_schedule("off", UTC) is None
    read = read_schedule("archive=0 2 * * *; forget=off", UTC)
    assert (read["archive"], read["forget"], read["stats"], read["backup"]) == ("0 2 * * *", "", JOBS["stats"].cron, "0 3 * * *")
    assert next_run("0 2 * * *", UTC, datetime(2026, 1, 1, 3, tzinfo=UTC)) == datetime(2026, 1, 2, 2, tzinfo=UTC)
    assert next_run(JOBS["compact"].cron, UTC, datetime(2026, 1, 1, tzinfo=UTC)).weekday() == 6
    for text in ("tidy=0 2 * * *", "archive", "archive=whenever", "archive=61 2 * * *"):
        with pytest.raises(ConfigurationError, match="HINDSIGHT_UPKEEP"):
            read_schedule(text, UTC)
