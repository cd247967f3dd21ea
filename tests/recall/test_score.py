"""The arithmetic of the scoring profiles, and the formulas of the literature reached by settings."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.ports import Columns
from hindsight.recall.score import DAY, decay, score
from hindsight.records import Kind, Outcome, Source

NOW = 1_700_000_000.0


def columns(**values: float) -> Columns:
    """One row; what is not given is 0, and no time is known."""
    row = {field.name: np.zeros(1) for field in fields(Columns)}
    row |= {name: np.array([np.nan]) for name in ("valid_from", "valid_to", "occurred")}
    for name in ("kind", "outcome", "source", "status", "role"):
        row[name] = np.zeros(1, dtype=np.int8)
    return Columns(**{**row, **{name: np.array([value], dtype=row[name].dtype) for name, value in values.items()}})


def code(value: Kind | Outcome | Source) -> int:
    return list(type(value)).index(value)


@given(st.floats(-1e5, 1e5), st.floats(0.1, 1e4), st.floats(0, 1))
def test_decay_lies_between_its_floor_and_one(age: float, half_life: float, floor: float) -> None:
    assert floor <= float(decay(np.array([age]), half_life, floor)[0]) <= 1.0


def test_the_reference_half_life_halves_in_seven_days() -> None:
    assert decay(np.array([0.0, 7.0, 14.0, -3.0]), 7.0, 0.0).tolist() == [1.0, 0.5, 0.25, 1.0]


@pytest.mark.parametrize(
    ("outcome", "weight"),
    [(Outcome.SUCCESS, 1.0), (Outcome.FIXED, 1.5), (Outcome.CORRECTED, 2.0), (Outcome.FAILURE, 1.0), (Outcome.UNKNOWN, 0.9)],
)
def test_product_of_relevance_decay_outcome_source_and_trust(outcome: Outcome, weight: float) -> None:
    row = columns(
        kind=code(Kind.EPISODE), outcome=code(outcome), source=code(Source.INFERRED), occurred=NOW - 7 * DAY, created=NOW, trust=0.6
    )
    total = score("product", row, np.array([0.8]), now=NOW, half_life_days=7.0, episode_floor=0.0).total
    assert total[0] == pytest.approx(0.8 * 0.5 * weight * 0.5 * 0.6)


def test_weighted_sum_of_rerank_importance_recency_and_confidence() -> None:
    row = columns(kind=code(Kind.EPISODE), occurred=NOW - 7 * DAY, created=NOW, importance=0.5, confidence=0.9)
    total = score("weighted", row, np.array([0.1]), now=NOW, half_life_days=7.0, episode_floor=0.0, rerank=np.array([0.7])).total
    assert total[0] == pytest.approx(0.6 * 0.7 + 0.2 * 0.5 + 0.1 * 0.5 + 0.1 * 0.9)


def test_what_is_known_does_not_age() -> None:
    row = columns(kind=code(Kind.FACT), occurred=NOW - 3000 * DAY, created=NOW, trust=1.0)
    scored = score("product", row, np.array([0.5]), now=NOW, half_life_days=7.0, episode_floor=0.0)
    assert scored.factors["decay"][0] == 1.0
