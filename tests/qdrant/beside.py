"""What the tests of this folder share: a Qdrant that is none, and the tests of the stores."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient

from hindsight.adapters.qdrant.engine import QdrantEngine
from hindsight.adapters.relational.feeding import EngineIndex
from hindsight.upkeep.follow import Follower


def module_of_stores(name: str) -> Any:
    """A module of the stores' own tests."""
    path = Path(__file__).parent.parent / "stores" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"stores_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LocalClient:
    """The client's local mode, which is no server: one call at a time. Closing it keeps what it holds."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client = QdrantClient(":memory:")
        self._guard = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*arguments: Any, **options: Any) -> Any:
            with self._guard, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of indexes that local mode does without
                return method(*arguments, **options)

        return call

    def close(self) -> None:
        """Nothing: another link may be made to it."""


def collections(engine: QdrantEngine) -> list[str]:
    """The names of all collections."""
    return [each.name for each in engine._link.write(lambda client: client.get_collections()).collections]


class LevelIndex(EngineIndex):
    """An index that is brought up to the store before every search, so that what is found comes from the engine."""

    def __init__(self, follower: Follower, **options: Any) -> None:
        super().__init__(follower.engine, **options)
        self.follower = follower
        self.loop = asyncio.get_running_loop()
        self.asked = 0

    def serves(self, db: Any, namespace: str, code: int, count: int) -> bool:
        return count > 0

    def nearest(self, *arguments: Any) -> Any:
        async def state() -> Any:
            await self.follower.level()
            return await self.follower._feed.following()

        self.asked += 1
        self._known = (time.monotonic() + 60, asyncio.run_coroutine_threadsafe(state(), self.loop).result(60))
        yield from super().nearest(*arguments)


def followed(store: Any, engine: QdrantEngine) -> Follower:
    """What keeps the engine up to a store."""
    return Follower(store.feed, engine, store.upkeep)
