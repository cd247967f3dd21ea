"""A memory whose clock the tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.memory import Hindsight
from hindsight.settings import load_settings

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "a key of the tests, long enough"
FILLER = {"en": "Then we looked at the surroundings for a while and had tea. ", "zh": "然后大家看了看周围的情况，喝了杯茶。"}


@asynccontextmanager
async def kept(store: Path | str, clock: FixedClock, **settings: Any) -> AsyncIterator[Hindsight]:
    """The memory at an address, keyword only and sealed, its clock in the test's hands."""
    loaded = load_settings({}, **{"store": str(store), "embedder": "none", "seal_key": KEY, "worker": "off", **settings})
    async with assemble(loaded, clock=clock) as memory:
        yield memory


def episode(number: int, language: str = "en", **fields: Any) -> dict[str, Any]:
    """A task's record, longer than a digest."""
    if language == "zh":
        text = (
            f"部署 {number} 号服务到预发环境。" + FILLER["zh"] * 12 + f"失败：端口 70{number:02d} 被占用。修复方式：重启 {number} 号代理。"
        )
        query = f"部署 {number} 号服务"
    else:
        text = (
            f"Deployed service {number} to staging. "
            + FILLER["en"] * 6
            + f"It failed with error: port 70{number:02d} was taken. Fixed by restarting proxy {number}."
        )
        query = f"deploy service {number}"
    return {
        "content": text,
        "kind": "episode",
        "query": query,
        "outcome": "fixed",
        "task_type": "deployment",
        "tools": ["kubectl"],
        **fields,
    }


async def everything(memory: Hindsight) -> dict[str, int]:
    """Records by status."""
    return (await memory.stats()).statuses


async def sound(memory: Hindsight) -> None:
    """The store has no fault, and nothing was done around it."""
    assert await memory.check() == []
    found = await memory.verify()
    assert found.state == "ok", found.faults
