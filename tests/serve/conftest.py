"""Fixtures of the server's tests: real servers on stores of their own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hindsight.serve.desk import Desk, assembled
from hindsight.settings import Settings, load_settings
from hindsight.telemetry import Counts

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package, and these share `serving`
from serving import HttpThread


@pytest.fixture(scope="module")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpThread]:
    """One open server for the tests of a module, on loopback, without a token."""
    with HttpThread(store=str(tmp_path_factory.mktemp("served") / "memory")) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Keyword-only, with next to no relevance cut: what is found here must not hang on how recall is calibrated."""
    return load_settings(store=str(tmp_path / "memory"), embedder="none", min_relevance=0.001)


@pytest.fixture
async def desk(settings: Settings) -> AsyncIterator[Desk]:
    desk = Desk(settings, lambda: assembled(settings), Counts())
    yield desk
    await desk.close()
