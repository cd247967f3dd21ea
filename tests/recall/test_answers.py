"""Whole retrievals through the public interface: how many, which layer, as of when, warnings first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindsight import Hindsight
from hindsight.recall.understand import Understood

NOW = datetime.now(UTC)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    async with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("Falcon owner?", 2),
        ("who owns the Falcon deployment in the Lisbon office next week", 3),
        (
            "compare deploy plans of Falcon, Heron, Osprey: risk, region, owner, rollback, budget, supplier, questions, board, hiring, travel, audit, costs",
            5,
        ),
        ("项目", 2),
        ("比较猎鹰、苍鹭两个项目的部署计划，列出各地区的风险、负责人、回滚步骤和预算", 5),
    ],
)
def test_more_for_a_more_complex_task(asked: Callable[[str], Understood], query: str, count: int) -> None:
    assert asked(query).complexity == count


async def test_so_many_are_shown(memory: Hindsight) -> None:
    await memory.store_many([{"content": f"Falcon owner number {number} of the Lisbon office", "kind": "episode"} for number in range(9)])
    assert len((await memory.retrieve("Falcon owner?")).hits) == 2
    assert len((await memory.retrieve("Falcon owner?", k=7)).hits) == 7
    assert len((await memory.retrieve("Falcon owner?", profile="weighted")).hits) <= 5


async def test_a_warning_comes_first_through_its_own_route(memory: Hindsight) -> None:
    await memory.store_many([{"content": f"Restarted the billing gateway, attempt {number}", "kind": "episode"} for number in range(120)])
    lesson = {"condition": "restarting the billing gateway", "action": "do not skip draining", "reason": "orders were lost"}
    await memory.store("Draining was skipped and orders were lost", kind="procedure", query="restarting the billing gateway", lesson=lesson)
    answer = await memory.retrieve("restarting the billing gateway")
    assert answer.hits[0].memory.lesson is not None
    assert "lesson" in answer.hits[0].labels
    assert "lessons" in (await memory.retrieve("orders lost draining skipped", k=5)).hits[0].routes
    without = await memory.retrieve("restarting the billing gateway", routes=["keyword"])
    assert all("lessons" not in hit.routes for hit in without.hits)


async def test_as_of_a_time(memory: Hindsight) -> None:
    await memory.store(
        "The Falcon office is in Rome", valid_from=NOW - timedelta(days=90), valid_to=NOW - timedelta(days=30), kind="episode"
    )
    await memory.store("The Falcon office is in Oslo", valid_from=NOW - timedelta(days=30), kind="episode")
    now = await memory.retrieve("Falcon office", k=5)
    then = await memory.retrieve("Falcon office", k=5, at=NOW - timedelta(days=60))
    assert [hit.memory.content[-4:] for hit in now.hits] == ["Oslo"]
    assert [hit.memory.content[-4:] for hit in then.hits] == ["Rome"]


async def test_what_was_archived_comes_back_on_request_only(memory: Hindsight) -> None:
    kept = await memory.store("The Falcon manual is in the basement")
    assert kept.id is not None
    await memory.forget(kept.id, mode="archive")
    assert (await memory.retrieve("Falcon manual")).hits == ()
    answer = await memory.retrieve("Falcon manual", cold=True)
    assert answer.hits[0].labels == ("archived",)
    assert "cold" in answer.flags


async def test_a_year_old_answer_is_found_and_of_alike_ones_the_recent_comes_first(memory: Hindsight) -> None:
    old, recent = NOW - timedelta(days=400), NOW - timedelta(days=1)
    await memory.store("The Falcon password was rotated by Ann", kind="episode", occurred_at=old, idempotency_key="old")
    await memory.store("The Falcon password was rotated by Ann", kind="episode", occurred_at=recent, idempotency_key="new")
    await memory.store("The heron nests by the lake", kind="episode", occurred_at=old)
    hits = (await memory.retrieve("Falcon password rotated", k=2)).hits
    assert [hit.memory.idempotency_key for hit in hits] == ["new", "old"]
    assert "heron" in (await memory.retrieve("where does the heron nest")).hits[0].memory.content


@pytest.mark.parametrize(("least", "found"), [(0.4, ["The deploy key is kept in the vault"]), (0.9, [])])
async def test_a_cosine_cut_as_in_the_literature_is_a_setting(tmp_path: Path, least: float, found: list[str]) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="auto", similarity_threshold=least) as memory:
        await memory.store_many([{"content": text} for text in ("The deploy key is kept in the vault", "Soup is served on Mondays")])
        assert [hit.memory.content for hit in (await memory.retrieve("where is the deploy key", k=5)).hits] == found


@pytest.mark.parametrize(
    ("event", "query"),
    [("Alice left for the Rome trip", "what happened the week before the Rome trip"), ("爸爸今天出院了", "爸爸出院前一周发生了什么")],
)
async def test_a_time_counted_from_an_event(memory: Hindsight, event: str, query: str) -> None:
    for number in range(40):
        day = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=3 * number)
        await memory.store(f"diary page {number}", kind="episode", occurred_at=day, idempotency_key=str(number))
    await memory.store(event, kind="episode", occurred_at=datetime(2026, 3, 20, tzinfo=UTC))
    answer = await memory.retrieve(query, k=5, explain=True, now=datetime(2026, 6, 1, tzinfo=UTC))
    assert answer.explanation is not None
    assert answer.explanation.route_counts["time"] > 0
    found = [each for each in answer.explanation.candidates if "time" in each.routes]
    days = {(await memory.get(each.id)).occurred_at.date().isoformat() for each in found}  # type: ignore[union-attr]
    assert days
    assert all("2026-03-08" <= day <= "2026-03-20" for day in days)
