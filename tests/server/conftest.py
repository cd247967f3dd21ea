"""Real engines for the tests of a team's server: PostgreSQL, Redis, processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "serve")]  # tests are no package


@pytest.fixture(params=["postgres", "sqlite"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    return str(tmp_path / "store") if request.param == "sqlite" else request.getfixturevalue("postgres_url")()
