"""Several processes on one store, and writers that are killed: nothing acknowledged is lost, nothing breaks.

``HINDSIGHT_DRILL_ROUNDS=50`` gives the full drill: 50 kills, and 4 processes for 20 seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.drill, pytest.mark.skipif(not hasattr(os, "fork"), reason="the drill forks")]


def drill(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, Path(__file__).with_name("store_drill.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_four_processes_store_search_and_erase_in_one_store(where, drill_rounds):
    told = drill("crowd", where, 4, 20 if drill_rounds >= 50 else 3)
    assert told["exit_codes"] == [0, 0, 0, 0]
    assert told["errors"] == []
    assert (told["lost"], told["unexpected"]) == (0, 0)
    assert told["faults"] == []
    assert told["stored"] > 0
    assert told["searches_per_second"] > 0


def test_a_killed_writer_loses_nothing_it_acknowledged(where, drill_rounds):
    rounds = drill_rounds or 4
    told = drill("kill", where, rounds)
    assert told["exit_codes"] == [-9] * rounds
    assert (told["lost"], told["back"]) == (0, 0)
    assert told["faults"] == []
    assert told["stored"] > 0
