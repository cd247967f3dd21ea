"""What the rules find in the labelled turns, in each language, on the half they were tuned on and on the other."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hindsight.records import Role
from hindsight.remember.distil.findings import find_signals

DATA = Path(__file__).parent / "data"
CLASSES = ("preference", "constraint", "identity", "remember", "outcome")


def turns(language: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"turns_{language}.jsonl").read_text(encoding="utf-8").splitlines()]


def scores(rows: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """(precision, recall) of each class. ``also`` lists what a reader would accept beside the label; a request to remember may hold any."""
    right, false, missed = Counter(), Counter(), Counter()
    for row in rows:
        kept = [each for each in find_signals(row["text"], Role(row["role"])) if not each.ground.dangling]
        found = {signal for each in kept for signal in each.signals}
        gold, accepted = set(row["classes"]) - {"nothing"}, set(row.get("also", ()))
        if "remember" in gold:
            accepted |= {"preference", "constraint", "identity"}
        for name in CLASSES:
            right[name] += name in gold and name in found
            missed[name] += name in gold and name not in found
            false[name] += name in found and name not in gold | accepted
    return {name: (right[name] / (right[name] + false[name]), right[name] / (right[name] + missed[name])) for name in CLASSES}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_set_is_large_and_has_hard_negatives(language):
    rows = turns(language)
    assert len(rows) >= 400
    assert len({row["text"] for row in rows}) == len(rows)
    counts = Counter(label for row in rows for label in row["classes"])
    assert all(counts[name] >= 50 for name in CLASSES)
    assert counts["nothing"] >= 200
    assert {row["half"] for row in rows} == {"tune", "held"}


@pytest.mark.parametrize("half", ["tune", "held"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_precision_and_recall_of_every_class(language, half):
    found = scores([row for row in turns(language) if row["half"] == half])
    for name, (precision, recall) in found.items():
        assert precision >= 0.9, (name, precision)
        assert recall >= 0.8, (name, recall)
