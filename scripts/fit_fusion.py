"""Fit everything that recall has learnt, measure it honestly, and write it into the package.

    python scripts/fit_fusion.py DATA --work FOLDER [--sets locomo …] [--dry-run]

DATA holds BEIR folders (locomo, longmemeval_turns, longmemeval_sessions, lifebench_zh). FOLDER keeps stores and vectors, since
embedding takes the better part of an hour. What is written: ``src/hindsight/recall/fusion.npz`` and ``fusion.json``, a plot
``docs/images/calibration.svg`` and a table on standard output. Every figure is cross-validated: conversations and personas
are never in two folds, and the query map and the trees that score a query were fitted without its fold. (The maps behind the features
that the trees learn from did see it, and features and limits were chosen on the same sets: other data will do somewhat worse.)

The group ``fit`` of the project's dependencies is needed (lightgbm, matplotlib).
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from fit_calibration import Abstention, abstention, fit_doubts, fit_floor, fit_probability
from fit_corpus import FOLDS, Asked, Corpus, open_corpus, open_embedder
from fit_map import cross_fitted, fit_map, make_pools, quantised, scope_vectors, start_from
from fit_trees import PARAMETERS, ROUNDS, WEIGHTS, Example, cross_scored, fit_booster, to_trees
from numpy.typing import NDArray

from hindsight.recall import fuse
from hindsight.recall.calibrate import MonotoneMap
from hindsight.recall.evidence import QueryVectors, collect
from hindsight.recall.features import features
from hindsight.recall.model import Variant, adapt
from hindsight.recall.options import ROUTES
from hindsight.recall.routes import Candidates, Limits, Routing, run_routes
from hindsight.recall.structure import doubts

PACKAGE = Path(__file__).parent.parent / "src" / "hindsight" / "recall"
PLOT = Path(__file__).parent.parent / "docs" / "images" / "calibration.svg"
SETS = ("locomo", "longmemeval_turns", "longmemeval_sessions", "lifebench_zh")
DEPTHS = (5, 10, 20)
THRESHOLDS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
Floats = NDArray[np.float32]
Ranked = list[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Sight:
    """The queries of all sets as one variant of the model sees them."""

    names: tuple[str, ...]
    examples: list[Example]
    unanswerable: list[Example]

    @property
    def base(self) -> int:
        """The column by which hard candidates are chosen."""
        return self.names.index("base")


async def see(corpora: Sequence[Corpus], maps: Sequence[Floats], variant: Variant) -> Sight:
    """Candidates and features of every query, by the code that serves; each query is mapped by its own fold's map."""
    names: tuple[str, ...] = ()
    found: tuple[list[Example], list[Example]] = ([], [])
    for corpus in corpora:
        for kept, queries in zip(found, (corpus.asked, corpus.unanswerable), strict=True):
            for asked in queries:
                names, example = await _example(corpus, asked, _vectors(asked, maps, variant))
                kept.append(example)
    return Sight(names, *found)


def _vectors(asked: Asked, maps: Sequence[Floats], variant: Variant) -> QueryVectors | None:
    if variant == "keyword":
        return None
    return QueryVectors(asked.centred, asked.centred if variant == "plain" else adapt(asked.centred, maps[asked.fold]))


async def _example(corpus: Corpus, asked: Asked, vectors: QueryVectors | None) -> tuple[tuple[str, ...], Example]:
    candidates = Candidates()
    await run_routes(Routing(corpus.store, asked.filter, asked.query, vectors, ROUTES, Limits()), candidates)
    evidence = await collect(corpus.store, asked.filter, asked.query, vectors, candidates.rows(), candidates.ranges)
    names, table = features(asked.query, evidence)
    return names, Example(asked, evidence, table, np.isin(candidates.rows(), asked.relevant))


async def route_alone(corpora: Sequence[Corpus], route: str) -> Ranked:
    """The rankings of the vector or the keyword route by itself."""
    ranked = []
    for corpus in corpora:
        for asked in corpus.asked:
            if route == "vector":
                found = await corpus.store.search_vector(asked.filter, asked.centred, limit=DEPTHS[-1], centre=False)
            else:
                found = await corpus.store.search_terms(asked.filter, asked.query.terms, limit=DEPTHS[-1])
            ranked.append(found.rows)
    return ranked


def by_scores(examples: Sequence[Example], scores: Sequence[Floats]) -> Ranked:
    """The rankings that scores give."""
    return [example.rows[np.argsort(-score, kind="stable")[: DEPTHS[-1]]] for example, score in zip(examples, scores, strict=True)]


def recalls(asked: Sequence[Asked], ranked: Ranked) -> NDArray[np.float64]:
    """(queries, depths): the share of the relevant among the first k."""
    return np.array(
        [
            [np.isin(rows[:depth], each.relevant).sum() / len(each.relevant) for depth in DEPTHS]
            for each, rows in zip(asked, ranked, strict=True)
        ]
    )


def interval(values: NDArray[np.float64], rounds: int = 2000) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    chance = np.random.default_rng(0)
    means = values[chance.integers(0, len(values), (rounds, len(values)))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def figures(asked: Sequence[Asked], modes: dict[str, Ranked]) -> dict[str, Any]:
    """Recall by mode and set, with intervals of recall@5."""
    table: dict[str, Any] = {}
    for mode, ranked in modes.items():
        values = recalls(asked, ranked)
        for name in dict.fromkeys(each.set for each in asked):
            own = values[[each.set == name for each in asked]]
            low, high = interval(own[:, 0])
            table.setdefault(name, {})[mode] = {
                "n": len(own),
                **{f"recall@{depth}": round(100 * float(mean), 1) for depth, mean in zip(DEPTHS, own.mean(axis=0), strict=True)},
                "recall@5_interval": [round(100 * low, 1), round(100 * high, 1)],
                "hit@5": round(100 * float((own[:, 0] > 0).mean()), 1),
            }
    return table


def as_markdown(table: dict[str, Any]) -> str:
    """The figures as a table."""
    lines = ["| set (n) | mode | recall@5 (95 %) | @10 | @20 | hit@5 |", "|---|---|---|---|---|---|"]
    for name, modes in table.items():
        for mode, values in modes.items():
            low, high = values["recall@5_interval"]
            lines.append(
                f"| {name} ({values['n']}) | {mode} | {values['recall@5']} ({low}–{high}) | {values['recall@10']} | {values['recall@20']} | {values['hit@5']} |"
            )
    return "\n".join(lines)


async def measure(corpora: Sequence[Corpus], sight: Sight, scores: Sequence[Floats]) -> dict[str, Any]:
    """Every mode side by side."""
    examples = sight.examples
    asked = [example.asked for example in examples]
    return figures(
        asked,
        {
            "vector only": await route_alone(corpora, "vector"),
            "keyword only": await route_alone(corpora, "keyword"),
            "rrf": by_scores(examples, [fuse.reciprocal_ranks(sight.names, example.table) for example in examples]),
            "weighted": by_scores(examples, [fuse.weighted(sight.names, example.table) for example in examples]),
            "learned": by_scores(examples, scores),
        },
    )


def scored_unanswerable(sight: Sight) -> list[Floats]:
    """Scores of the unanswerable questions by trees that were fitted without their fold."""
    scores: list[Floats] = [np.empty(0, dtype=np.float32)] * len(sight.unanswerable)
    for fold in sorted({example.asked.fold for example in sight.unanswerable}):
        trees = to_trees(fit_booster([example for example in sight.examples if example.asked.fold != fold], sight.base))
        for number, example in enumerate(sight.unanswerable):
            if example.asked.fold == fold:
                scores[number] = trees(example.table)
    return scores


def with_structure(examples: Sequence[Example], scores: Sequence[Floats]) -> None:
    """Note the signs against an answer under the ranking that these scores give."""
    for example, score in zip(examples, scores, strict=True):
        example.structure = doubts(example.asked.query, example.evidence, score)


def pack_variant(variant: Variant, sight: Sight, probability: MonotoneMap) -> dict[str, NDArray[Any]]:
    """Trees fitted on everything, in the package's arrays."""
    booster = fit_booster(sight.examples, sight.base)
    trees = to_trees(booster)
    gains = booster.feature_importance("gain")
    return {
        f"{variant}_feature": trees.feature.astype(np.int16),
        f"{variant}_threshold": trees.threshold,
        f"{variant}_mask": trees.mask,
        f"{variant}_value": trees.value,
        f"{variant}_scores": probability.scores,
        f"{variant}_log_odds": probability.log_odds,
        f"{variant}_gains": (gains / gains.sum()).astype(np.float32),
    }


def plot_calibration(examples: Sequence[Example], scores: Sequence[Floats], probability: MonotoneMap) -> None:
    """Predicted against observed relevance, one line a set."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 4.5))
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle="--", label="perfect")
    for name in dict.fromkeys(example.asked.set for example in examples):
        own = [(example, score) for example, score in zip(examples, scores, strict=True) if example.asked.set == name]
        predicted = np.concatenate([probability(score) for _, score in own])
        observed = np.concatenate([example.answers for example, _ in own])
        edges = np.quantile(predicted[predicted > 0.02], np.linspace(0, 1, 9))
        place = np.digitize(predicted, edges[1:-1])
        shown = [(predicted[place == bin].mean(), observed[place == bin].mean()) for bin in range(8) if (place == bin).sum() > 10]
        axes.plot(*zip(*shown, strict=True), marker="o", markersize=3, linewidth=1, label=f"{name} ({len(own)})")
    axes.set(xlabel="calibrated relevance", ylabel="share that is relevant", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize=7)
    figure.tight_layout()
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PLOT, metadata={"Date": None})


def choose_threshold(rows: Sequence[Abstention], most_lost: float = 0.02) -> float:
    """The highest threshold that costs at most ``most_lost`` of recall@5."""
    return max(row.threshold for row in rows if row.recall >= row.recall_uncut - most_lost)


async def run(data: Path, work: Path, sets: Sequence[str], *, dry: bool) -> None:
    """The whole of it."""
    embedder = open_embedder(work)
    corpora = [await open_corpus(data / name, work, embedder) for name in sets]
    embedder.save()
    vectors = [await scope_vectors(corpus) for corpus in corpora]
    start = start_from([found for scopes in vectors for _, found in scopes.values()])
    pools = [pool for corpus, scopes in zip(corpora, vectors, strict=True) for pool in make_pools(corpus.asked, scopes)]
    maps = cross_fitted(pools, start)
    adapter, scale = quantised(fit_map(pools, start))
    arrays: dict[str, NDArray[Any]] = {"adapter": adapter, "adapter_scale": scale}
    card: dict[str, Any] = {}
    for variant in ("adapted", "plain", "keyword"):
        sight = await see(corpora, maps, variant)
        scores = cross_scored(sight.examples, sight.base)
        probability = fit_probability(sight.examples, scores)
        arrays["names"] = np.array(sight.names)
        arrays.update(pack_variant(variant, sight, probability))
        table = await measure(corpora, sight, scores)
        print(f"\n{variant}\n\n{as_markdown(table)}", flush=True)
        card[f"figures_{variant}"] = table
        if variant == "adapted":
            card.update(_fitted_on_top(sight, scores, probability))
            if not dry:
                plot_calibration(sight.examples, scores, probability)
    card = {
        "fitted_at": datetime.now(UTC).date().isoformat(),
        "script": "scripts/fit_fusion.py",
        "adapter": {"models": [embedder.model_id]},
        "data": {
            corpus.name: {"documents": len(corpus.folder.documents), "queries": len(corpus.asked), "digest": corpus.folder.digest()}
            for corpus in corpora
        },
        "folds": FOLDS,
        "trees": {**PARAMETERS, "rounds": ROUNDS, "set_weights": dict(WEIGHTS), "lightgbm": lightgbm.__version__},
        **card,
    }
    if not dry:
        np.savez_compressed(PACKAGE / "fusion.npz", **arrays)
        (PACKAGE / "fusion.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for corpus in corpora:
        await corpus.store.close()
    await embedder.close()


def _fitted_on_top(sight: Sight, scores: Sequence[Floats], probability: MonotoneMap) -> dict[str, Any]:
    """Doubts, threshold and decay floor, and the tables behind them."""
    missing = scored_unanswerable(sight)
    every, values = [*sight.examples, *sight.unanswerable], [*scores, *missing]
    with_structure(every, values)
    doubt = fit_doubts(every, values, probability)
    table = abstention(every, values, probability, doubt, THRESHOLDS)
    plain = abstention(every, values, probability, dict.fromkeys(doubt, 0.0), THRESHOLDS)
    floor, floors = fit_floor(sight.examples, scores, probability)
    print("\ndoubts", doubt, "\nfloor", floor, floors, flush=True)
    for row, bare in zip(table, plain, strict=True):
        print(row, "| without doubts:", round(bare.wrongly_answered, 3), round(bare.recall, 3), flush=True)
    return {
        "doubts": doubt,
        "threshold": choose_threshold(table),
        "abstention": {
            "unanswerable": len(missing),
            "rows": [asdict(row) for row in table],
            "without_doubts": [asdict(row) for row in plain],
        },
        "decay_floor": {"chosen": floor, "recall@5": {str(key): round(value, 4) for key, value in floors.items()}},
    }


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Fit recall's fusion and write it into the package.")
    parser.add_argument("data", type=Path, help="folder of the BEIR folders")
    parser.add_argument("--work", type=Path, required=True, help="folder for stores and vectors")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--dry-run", action="store_true", help="measure only")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    asyncio.run(run(arguments.data, arguments.work, arguments.sets, dry=arguments.dry_run))


if __name__ == "__main__":
    main()
