"""A cross-encoder over the best candidates, within a time budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight.errors import ModelError
from hindsight.ports import Reranker
from hindsight.recall.calibrate import logistic


async def rerank(reranker: Reranker, query: str, texts: Sequence[str], budget_ms: float) -> NDArray[np.float64] | None:
    """Scores brought to 0..1 by the logistic function; None where the budget ended or the model failed: the fused order stands."""
    try:
        async with asyncio.timeout(budget_ms / 1000):
            scores = await reranker.rerank(query, texts)
    except (TimeoutError, ModelError):
        return None
    return logistic(np.nan_to_num(np.asarray(scores, dtype=np.float64)))
