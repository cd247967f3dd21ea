"""Fixtures of the client's tests: a real server on a store of its own, and one that can be killed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hindsight import Hindsight

# Tests are no package; these share `serving` with the server's, and `unreachable` among themselves.
sys.path[:0] = [str(Path(__file__).parents[1] / "serve"), str(Path(__file__).parent)]
from serving import HttpThread  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpThread]:
    with HttpThread(store=str(tmp_path_factory.mktemp("served") / "memory"), min_relevance=0.001) as running:
        yield running


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[HttpThread]:
    """A server that asks for a token."""
    with HttpThread(store=str(tmp_path / "guarded"), token="the-secret-of-the-server") as running:
        yield running


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    async with Hindsight.open(tmp_path / "own", embedder="none", min_relevance=0.001) as opened:
        yield opened
