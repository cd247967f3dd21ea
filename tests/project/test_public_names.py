"""The names that users build on. A change here is a change of the interface: say so in the changelog."""

from __future__ import annotations

import inspect

import hindsight
import hindsight.sync
from hindsight import Hindsight

NAMES = {
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
}
CALLS = {
    "acting_as",
    "check",
    "close",
    "export",
    "forget",
    "get",
    "history",
    "import_file",
    "jobs",
    "list",
    "namespace",
    "observe",
    "open",
    "open_sessions",
    "principal",
    "restore",
    "retrieve",
    "retry_job",
    "session",
    "settle",
    "stats",
    "store",
    "store_many",
    "task_finished",
    "task_started",
    "turns",
    "update",
    "why",
    "zone",
}
NOT_IN_SYNC = {"settle"}
"""What only makes sense while other tasks of the same loop run."""


def test_the_package_exports_these_names_and_each_can_be_had() -> None:
    assert set(hindsight.__all__) == NAMES
    for name in NAMES:
        assert getattr(hindsight, name).__name__ == name


def test_hindsight_has_these_calls() -> None:
    assert {name for name in vars(Hindsight) if not name.startswith("_")} == CALLS


def test_every_call_has_a_docstring() -> None:
    for name in CALLS:
        assert inspect.getdoc(inspect.getattr_static(Hindsight, name)), name


def test_the_synchronous_face_has_the_same_calls() -> None:
    missing = CALLS - {name for name in dir(hindsight.sync.Hindsight) if not name.startswith("_")}
    assert missing <= NOT_IN_SYNC
