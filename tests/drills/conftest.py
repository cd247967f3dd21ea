"""Every drill runs on each kind of store."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["postgres", "sqlite"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    return str(tmp_path / "store") if request.param == "sqlite" else request.getfixturevalue("postgres_url")()
