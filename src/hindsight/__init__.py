"""hindsight: long-term memory for LLM agents. The public names, loaded on first use so that a short process starts fast."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hindsight.errors import HindsightError
    from hindsight.memory import Hindsight
    from hindsight.recall.answer import Hit, Recall
    from hindsight.records import (
        Channel,
        Draft,
        Kind,
        Layer,
        Lesson,
        Memory,
        Outcome,
        Principal,
        Source,
        Status,
        StoreResult,
        StoreStatus,
        Turn,
        Visibility,
    )
    from hindsight.settings import Settings

__version__ = "0.1.0"
__all__ = [
    "Channel",
    "Draft",
    "Hindsight",
    "HindsightError",
    "Hit",
    "Kind",
    "Layer",
    "Lesson",
    "Memory",
    "Outcome",
    "Principal",
    "Recall",
    "Settings",
    "Source",
    "Status",
    "StoreResult",
    "StoreStatus",
    "Turn",
    "Visibility",
]

_HOME = {
    "Hindsight": "hindsight.memory",
    "HindsightError": "hindsight.errors",
    "Hit": "hindsight.recall.answer",
    "Recall": "hindsight.recall.answer",
    "Settings": "hindsight.settings",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "hindsight.records")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
