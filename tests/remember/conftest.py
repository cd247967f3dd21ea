from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.records import Channel, Principal, Role, Turn
from hindsight.remember.attribute import Attribution
from hindsight.remember.writer import Writer

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)  # a Wednesday
DATA = Path(__file__).parent / "data"


def labelled(name: str) -> list[dict[str, Any]]:
    """A labelled set of this folder."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def say(content: str, *, position: int = 0, **fields: Any) -> Turn:
    return Turn(
        **{"session_id": "s", "position": position, "content": content, "role": Role.USER, "at": NOW, "id": f"t{position}", **fields}
    )


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def store(tmp_path: Path, clock: FixedClock) -> AsyncIterator[SqliteStore]:
    """A keyword-only store: every test here is about words, none about vectors."""
    made = SqliteStore(tmp_path / "store", embedder=None, clock=clock, durability="normal")
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def writer(store: SqliteStore, clock: FixedClock) -> Writer:
    return Writer(store, None, clock, debug=True, max_queue=1_000)


@pytest.fixture
def caller() -> Callable[..., Attribution]:
    def made(agent: str = "alice", channel: Channel = Channel.USER, **fields: Any) -> Attribution:
        return Attribution(Principal(agent=agent, channel=channel, **fields), "home", ZONE)

    return made
