"""Every test of this folder that takes ``url`` runs for each kind of store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hindsight import Hindsight
from hindsight.assemble import assemble, restorer
from hindsight.clock import FixedClock
from hindsight.settings import Settings, load_settings
from hindsight.upkeep.restore import Restored

NewUrl = Callable[[], str]


@pytest.fixture(params=["postgres", "sqlite"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> NewUrl:
    """Makes addresses of places in which there is no store yet."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    numbers = iter(range(100))
    return lambda: str(tmp_path / f"store{next(numbers)}")


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., Settings]:
    """Settings of a keyword-only store whose backups go to one folder."""

    def make(url: str, **more: object) -> Settings:
        return load_settings(store=url, embedder="none", **{"backup_to": str(tmp_path / "backups"), **more})

    return make


@pytest.fixture
def opened(settings) -> Callable[..., Hindsight]:
    """A memory at an address, to be entered."""

    def open_one(url: str, *, clock: FixedClock | None = None, **more: object) -> Hindsight:
        return assemble(settings(url, **more), clock=clock)

    return open_one


@pytest.fixture
def restore(settings):
    """Restore into an address."""

    async def run(source: object, url: str, *, at=None, replace: bool = False, **more: object) -> Restored:
        return await restorer(settings(url, **more)).restore(str(source), at=at, replace=replace)

    return run


async def exported(memory: Hindsight) -> list[str]:
    return [record.model_dump_json() async for record in memory.export()]


@pytest.fixture
def export() -> Callable[[Hindsight], AsyncIterator[list[str]]]:
    return exported
