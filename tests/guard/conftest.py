from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight import Hindsight
from hindsight.records import Channel, Principal

DATA = Path(__file__).parent / "data"


def cases(name: str, *, held_out: bool | None = None) -> list[dict[str, Any]]:
    """Our own cases; ``held_out`` picks one half."""
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return rows if held_out is None else [row for row in rows if row["held_out"] is held_out]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Hindsight]:
    """The user's own view of a keyword-only store."""
    async with Hindsight.open(tmp_path / "store", embedder="none", agent="alice", durability="normal") as opened:
        yield opened


@pytest.fixture
def view(memory: Hindsight) -> Callable[..., Hindsight]:
    """The same store for another channel or agent."""

    def made(channel: Channel, agent: str = "alice", *, scopes: frozenset[str] = frozenset({"read", "write"})) -> Hindsight:
        return memory.acting_as(Principal.model_validate({"agent": agent, "channel": channel, "scopes": scopes}))

    return made
