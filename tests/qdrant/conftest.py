"""Stores with Qdrant beside them.

The client's local mode stands in for a server; with ``HINDSIGHT_TEST_QDRANT_URL`` the same tests run against a live one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package, and these share `beside`

from beside import LevelIndex, LocalClient, collections, followed, module_of_stores

from hindsight.adapters.qdrant.engine import QdrantEngine
from hindsight.adapters.relational import indexed

_stores = module_of_stores("conftest")
clock, write, mine = _stores.clock, _stores.write, _stores.mine


@pytest.fixture
def backend() -> str:
    """The store's own database is another suite's concern; a test that wants PostgreSQL says so."""
    return "sqlite"


@pytest.fixture
def engine(qdrant_url: str) -> Iterator[QdrantEngine]:
    """An engine with nothing of ours in it; a live one is left as it was found."""
    if not qdrant_url:
        client = LocalClient()
        yield QdrantEngine("http://local.test:6333", connect=lambda _seconds: client)
        return
    live = QdrantEngine(qdrant_url)
    before = set(collections(live))
    yield live
    for name in set(collections(live)) - before:
        live.drop(name)


@pytest.fixture
async def open_store(
    backend: str, request: pytest.FixtureRequest, clock: Any, engine: QdrantEngine, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """As the stores' own, with the engine asked by every search, however small the namespace."""
    monkeypatch.setattr(indexed, "SCANNED", 0)
    opened: list[Any] = []
    make = _stores.BACKENDS[backend](request)

    async def open_one(name: str = "store", *, centring: Any = None, embedder: tuple[str, int] | None = ("test", _stores.DIMENSION)) -> Any:
        store = make(name, clock, centring, embedder)
        await store.open()
        opened.append(store)
        if embedder is not None:
            store.search_with(LevelIndex(followed(store, engine), model=embedder[0], dimension=embedder[1]))
        return store

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: Any) -> Any:
    return await open_store()
