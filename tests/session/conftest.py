from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational.store import RelationalStore
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.recall.render import estimate_tokens
from hindsight.records import Channel, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.distil.batch import Distiller
from hindsight.remember.writer import Writer
from hindsight.session.session import SessionTools
from hindsight.session.sessions import Sessions

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture(params=["postgres", "sqlite"])
def store_at(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Callable[[], RelationalStore]:
    """Makes the store, always the same one, in new instances."""
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "store", embedder=None, clock=clock, durability="normal")
    url = request.getfixturevalue("postgres_url")()
    return lambda: PostgresStore(url, embedder=None, clock=clock)


@pytest.fixture
async def opened(store_at: Callable[[], RelationalStore], clock: FixedClock) -> AsyncIterator[Callable[..., Awaitable[Any]]]:
    """A function that opens the store anew, as another process would: ``(sessions, store)`` of a caller."""
    stores: list[RelationalStore] = []

    async def open_one(
        agent: str = "alice", *, distiller: Distiller | None = None, budget: int = 400, channel: Channel = Channel.USER
    ) -> Any:
        store = store_at()
        await store.open()
        stores.append(store)
        writer = Writer(store, None, clock, debug=True, max_queue=100)
        tools = SessionTools(
            states=store.sessions,
            store=store,
            writer=writer,
            distiller=distiller or Distiller(ZONE),
            clock=clock,
            count=estimate_tokens,
            budget=budget,
        )
        attribution = Attribution(Principal(agent=agent, channel=channel), "home", ZONE)
        return SimpleNamespace(sessions=Sessions(tools, attribution, idle=timedelta(hours=2)), store=store, tools=tools)

    yield open_one
    for store in stores:
        await store.close()
