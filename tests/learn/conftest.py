from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight import Hindsight
from hindsight.records import Channel, Principal

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package, and these share `simulated`
from simulated import calls


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    """A keyword-only memory as a person holds it; next to no relevance cut, for what is found must not hang on calibration."""
    async with Hindsight.open(tmp_path / "store", embedder="none", min_relevance=0.001, durability="normal") as opened:
        yield opened


@pytest.fixture
def agent(memory: Hindsight) -> Hindsight:
    """The same memory as an agent sees it."""
    return memory.acting_as(Principal(agent="worker", channel=Channel.AGENT, scopes=frozenset({"read", "write"})))


@pytest.fixture
def finish() -> Callable[..., Any]:
    """Ends a task: ``await finish(memory, "success", "Refund order 3", "get_order", ("pay", "E1: refused"))``."""

    async def done(memory: Hindsight, outcome: str, task: str, *steps: str | tuple[str, str], **fields: Any) -> Any:
        given = {"task_type": "payout", **fields}
        return await memory.task_finished(outcome, task=task, calls=calls(*steps), **given)

    return done
