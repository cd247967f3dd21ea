"""What was acknowledged is done once, whoever dies on the way.

``HINDSIGHT_DRILL_ROUNDS=50`` gives the full drill: 10,000 stores with the worker killed every second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.drill, pytest.mark.skipif(os.name != "posix", reason="the drill kills")]
PROGRAM = Path(__file__).with_name("queue_drill.py")
STAGES = ["leased", "before-embedding", "embedded", "before-commit", "committed", "before-finish", "finished"]


def drill(*arguments: object, killed: bool = False) -> dict[str, Any]:
    done = subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == (-9 if killed else 0), done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_stores_through_the_queue_with_a_worker_killed_again_and_again(where, drill_rounds):
    count, seconds = (10_000, 1.0) if drill_rounds >= 50 else (40, 0.4)
    told = drill("queue", where, count, seconds)
    assert told["kills"] > 0
    assert (told["stored"], told["twice"], told["lost"], told["dead"]) == (count, 0, 0, 0)
    assert told["in_order"]
    assert told["faults"] == []


@pytest.mark.parametrize("stage", STAGES)
def test_a_process_killed_at_a_stage_loses_nothing_acknowledged(where, stage):
    assert len(drill("stage", where, stage, killed=True)["acknowledged"]) == 3
    left = drill("finish", where)
    assert left["settled"]
    assert left["contents"] == [f"acknowledged fact number {n}" for n in range(3)]
    assert set(left["jobs"]) == {"done"}


@pytest.mark.parametrize("stage", ["closing", "task-ending"])
def test_a_session_whose_end_was_interrupted_is_still_there(where, stage):
    drill("stage", where, stage, killed=True)
    left = drill("finish", where)
    assert left["turns"] == 1
    assert left["open"] == ["s"]
    again = drill("close", where)
    assert again["open"] == []
    assert len(again["contents"]) == (1 if stage == "closing" else 2)
