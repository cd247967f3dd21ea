"""Candidates become a ranking: features, fused score, calibrated relevance, profile score. Arrays all the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hindsight.ports import Columns, RecordStore, Rows
from hindsight.recall import fuse
from hindsight.recall.absolute import blended
from hindsight.recall.calibrate import MonotoneMap, logistic
from hindsight.recall.evidence import Evidence, QueryVectors, collect
from hindsight.recall.features import features
from hindsight.recall.model import FusionModel, Variant, fusion_model
from hindsight.recall.options import RecallOptions
from hindsight.recall.request import Request
from hindsight.recall.routes import Candidates
from hindsight.recall.score import Scores, score
from hindsight.recall.structure import doubt_weight, doubts
from hindsight.recall.understand import Understood

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Parallel arrays over the candidates' rows.

    ``relevance`` is calibrated and, among many candidates, strictly rises with ``fused``; ``doubt`` is what structural signs took from
    its log-odds, the same for all.
    """

    rows: Rows
    columns: Columns
    names: tuple[str, ...]
    table: Floats
    cosine: Floats
    fused: Floats
    relevance: NDArray[np.float64]
    doubt: float
    scores: Scores
    weights: dict[str, float]


async def rank(
    store: RecordStore,
    request: Request,
    query: Understood,
    vectors: QueryVectors | None,
    candidates: Candidates,
    options: RecallOptions,
) -> Ranking:
    """Rank what the routes found."""
    rows = candidates.rows()
    evidence = await collect(store, request.filter, query, vectors, rows, candidates.ranges)
    names, table = features(query, evidence)
    model = fusion_model(variant_of(vectors, evidence))
    fused, calibration, weights = _fuse(options, model, names, table)
    doubt = doubt_weight(doubts(query, evidence, fused))
    relevance = logistic(blended(calibration.odds(fused) - doubt, evidence))
    scores = score(
        request.profile,
        first_of(evidence.columns, evidence.count),
        relevance,
        now=request.now.timestamp(),
        half_life_days=options.half_life_days,
        episode_floor=options.episode_floor,
    )
    return Ranking(
        rows=rows,
        columns=first_of(evidence.columns, evidence.count),
        names=names,
        table=table,
        cosine=evidence.plain[: evidence.count],
        fused=fused,
        relevance=relevance,
        doubt=doubt,
        scores=scores,
        weights=weights,
    )


def variant_of(vectors: QueryVectors | None, evidence: Evidence) -> Variant:
    """Which of the fitted models answers to what is known of the query."""
    if vectors is None or np.isnan(evidence.plain[: evidence.count]).all():
        return "keyword"
    return "plain" if vectors.plain is vectors.adapted else "adapted"


def first_of(columns: Columns, count: int) -> Columns:
    """The first ``count`` rows of columns."""
    return Columns(**{name: getattr(columns, name)[:count] for name in Columns.__slots__})


def _fuse(
    options: RecallOptions, model: FusionModel, names: tuple[str, ...], table: Floats
) -> tuple[Floats, MonotoneMap, dict[str, float]]:
    if options.fusion == "weighted":
        return fuse.weighted(names, table), fuse.ASSUMED["weighted"], dict(fuse.WEIGHTS)
    if options.fusion == "rrf":
        return fuse.reciprocal_ranks(names, table), fuse.ASSUMED["rrf"], {"R": 0.5, "B": 0.5}
    return fuse.learned(model, names, table), model.probability, dict(model.gains)
