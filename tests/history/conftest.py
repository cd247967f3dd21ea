"""A memory without a model, whose clock the tests set, and its database file to tamper with."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.memory import Hindsight
from hindsight.settings import load_settings

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package, and these share `tampers` and `honest`

START = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)


class TickingClock(FixedClock):
    """A second passes with every look."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.at = start

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock(START)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
async def open_memory(folder: Path, clock: TickingClock) -> AsyncIterator[Callable[..., Awaitable[Hindsight]]]:
    """A function that opens the store again and again, with further settings."""
    opened: list[Hindsight] = []

    async def open_one(**settings: Any) -> Hindsight:
        values = {"store": str(folder), "embedder": "none", "durability": "normal", **settings}
        memory = assemble(load_settings(**values), clock=clock)
        await memory.__aenter__()
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        await memory.close()


@pytest.fixture
async def memory(open_memory: Callable[..., Awaitable[Hindsight]]) -> Hindsight:
    return await open_memory()
