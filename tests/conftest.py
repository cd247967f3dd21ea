"""What every test stands on: the developer's own settings and memory are out of reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_DRILL_ROUNDS = int(os.environ.get("HINDSIGHT_DRILL_ROUNDS", "0"))  # read before it goes with the rest

for _name in [name for name in os.environ if name.startswith("HINDSIGHT_")]:
    del os.environ[_name]


@pytest.fixture(autouse=True)
def _store_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that names no store gets an empty one, never the one in the home folder; subprocesses inherit it."""
    monkeypatch.setenv("HINDSIGHT_STORE", str(tmp_path / "memory"))
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY_FILE", str(tmp_path / "keys" / "seal.key"))


@pytest.fixture(scope="session")
def drill_rounds() -> int:
    """How often a drill repeats; 0: as few as a quick run needs."""
    return _DRILL_ROUNDS
