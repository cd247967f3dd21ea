"""The trees in numpy give what the library that fitted them gives; the fitted model and its calibration are whole."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.recall.calibrate import MonotoneMap, logistic
from hindsight.recall.model import FusionModel, fusion_model, model_card

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
VARIANTS = ("adapted", "plain", "keyword")


@pytest.mark.parametrize("leaves", [2, 7, 15])
def test_trees_in_numpy_agree_with_the_library(leaves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    to_trees = __import__("fit_trees").to_trees
    chance = np.random.default_rng(leaves)
    table = chance.normal(size=(2_000, 9)).astype(np.float32)
    table[:, 3] = np.round(table[:, 3])  # values that meet the thresholds
    label = (table[:, 0] * table[:, 1] + table[:, 3] > 0.3).astype(int)
    data = lightgbm.Dataset(table, label, group=[100] * 20)
    settings = {"objective": "lambdarank", "num_leaves": leaves, "verbose": -1, "min_data_in_leaf": 5, "num_threads": 1}
    booster = lightgbm.train(settings, data, 25)
    fresh = chance.normal(size=(500, 9)).astype(np.float32)
    fresh[:, 3] = np.round(fresh[:, 3])
    assert to_trees(booster)(fresh) == pytest.approx(booster.predict(fresh), abs=1e-4)
    sys.modules.pop("fit_trees", None)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_order_of_columns_does_not_matter(variant: str) -> None:
    model = fusion_model(variant)  # type: ignore[arg-type]
    table = np.random.default_rng(0).normal(size=(40, len(model.names))).astype(np.float32)
    turned = np.random.default_rng(1).permutation(len(model.names))
    names = tuple(model.names[place] for place in turned)
    assert model.fused(names, table[:, turned]) == pytest.approx(model.fused(model.names, table))


@pytest.mark.parametrize("variant", VARIANTS)
def test_probability_strictly_rises_with_the_score(variant: str) -> None:
    model: FusionModel = fusion_model(variant)  # type: ignore[arg-type]
    scores = np.linspace(model.probability.scores[0] - 3, model.probability.scores[-1] + 3, 400)
    assert (np.diff(model.probability.odds(scores)) > 0).all()
    assert 0 < float(model.probability(scores).min()) < float(model.probability(scores).max()) < 1
    assert sum(model.gains.values()) == pytest.approx(1.0, abs=1e-3)


@given(
    st.lists(st.tuples(st.floats(0.01, 3), st.floats(0.01, 3)), min_size=1, max_size=8),
    st.lists(st.floats(-50, 50), min_size=2, max_size=20),
)
def test_a_monotone_map_keeps_the_order(steps: list[tuple[float, float]], wanted: list[float]) -> None:
    x, y = np.cumsum([(0.0, -3.0), *steps], axis=0).T
    found = MonotoneMap(x, y).odds(np.sort(wanted))
    assert (np.diff(found) >= 0).all()
    assert MonotoneMap(x, y).odds(x) == pytest.approx(y)


def test_the_logistic_function_bears_any_number() -> None:
    assert logistic(np.array([-1e9, 0.0, 1e9])).tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_the_card_says_what_was_fitted_and_how_well() -> None:
    card = model_card()
    assert set(card["data"]) == {"locomo", "longmemeval_turns", "longmemeval_sessions", "lifebench_zh"}
    for variant in VARIANTS:
        for figures in card[f"figures_{variant}"].values():
            learned = figures["learned"]
            assert learned["recall@5_interval"][0] <= learned["recall@5"] <= learned["recall@5_interval"][1]
            assert learned["n"] > 0
    assert 0.0 <= card["threshold"] <= 0.5


def test_learned_is_nowhere_worse_than_fixed_weights() -> None:
    for variant in VARIANTS:
        for figures in model_card()[f"figures_{variant}"].values():
            for depth in ("recall@5", "recall@10", "recall@20"):
                assert figures["learned"][depth] >= max(figures["weighted"][depth], figures["rrf"][depth]) - 0.05
