"""Hits and queries for the parts of recall that work without a store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from hindsight.recall.hit import Hit
from hindsight.recall.understand import Understood, understand
from hindsight.records import Channel, Kind, Memory, new_id

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def make_hit(content: str, score: float = 1.0, relevance: float = 0.9, **fields: Any) -> Hit:
    """A hit of a user's fact, whatever else is not given."""
    values: dict[str, Any] = {
        "kind": Kind.FACT,
        "channel": Channel.USER,
        "trust": 1.0,
        "created_at": NOW,
        "updated_at": NOW,
        "id": new_id(),
    }
    memory = Memory(**{**values, "namespace": "n", "agent": "a", "idempotency_key": "k", "content": content, **fields})
    return Hit(memory=memory, score=score, relevance=relevance)


@pytest.fixture
def hit() -> Callable[..., Hit]:
    return make_hit


@pytest.fixture
def asked() -> Callable[[str], Understood]:
    return lambda text: understand(text, now=NOW, zone=UTC, speakers={})
