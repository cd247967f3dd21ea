"""The command line run in this process, as a person or a script would call it."""

from __future__ import annotations

import json
import logging
import sys
from dataclasses import dataclass
from typing import Any

import pytest
import structlog

from hindsight.cli.app import run
from hindsight.sync import Hindsight


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The last line of stdout."""
        return json.loads(self.out.splitlines()[-1])


@pytest.fixture
def made():
    """An empty store, which commands that read expect."""
    with Hindsight.open(embedder="none"):
        pass


@pytest.fixture
def cli(capsys, monkeypatch, tmp_path):
    """``cli("store", "x", "--json")`` on an empty keyword-only store; logging is put back afterwards."""
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")
    monkeypatch.setenv("HINDSIGHT_TIMEZONE", "Asia/Shanghai")
    monkeypatch.setenv("COLUMNS", "200")
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        code = run([str(each) for each in arguments])
        seen = capsys.readouterr()
        return Answer(code, seen.out, seen.err)

    yield call
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
    sys.stdout.flush()
