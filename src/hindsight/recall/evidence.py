"""What the store says of the candidates and of the records beside them: the raw material of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hindsight.ports import Columns, RecordStore, Rows, TermHits, Vector
from hindsight.recall.understand import Understood
from hindsight.records import Filter
from hindsight.text.indexing import CUES

REACH = 2
"""How many turns before and after a candidate are looked at."""
Range = tuple[float, float]
"""A time range in Unix seconds, half-open."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The query's vector in two forms, both centred and of length 1: plain, and turned towards answers by the fitted map."""

    plain: Vector
    adapted: Vector


@dataclass(frozen=True, slots=True)
class Evidence:
    """Parallel arrays over ``rows``: the ``count`` candidates first, then the records beside them that are none.

    Args:
        beside: (count, 4) places in ``rows`` of what stands at -2, -1, +1, +2 in the candidate's session, -1 for none.
        terms, said: what each term of the query, and the same among a person's words, is worth in each row.
        cues: (rows, cues) which of ``hindsight.text.indexing.CUES`` each row shows.
        plain, adapted: cosines, NaN where there is no vector.
        ranges: when, where the query says it.
    """

    rows: Rows
    count: int
    columns: Columns
    beside: NDArray[np.int64]
    terms: TermHits
    said: TermHits
    cues: NDArray[np.bool_]
    plain: NDArray[np.float32]
    adapted: NDArray[np.float32]
    ranges: Sequence[Range]


async def collect(
    store: RecordStore, filter: Filter, query: Understood, vectors: QueryVectors | None, candidates: Rows, ranges: Sequence[Range]
) -> Evidence:
    """Ask the store for everything that the features of ``candidates`` need; every answer is inside the filter."""
    neighbours = await store.neighbours(filter, candidates, reach=REACH)
    extra = np.setdiff1d(neighbours[neighbours >= 0], candidates)
    rows = np.concatenate([candidates, extra])
    columns = await store.columns(filter, rows)
    hits = await store.term_hits(filter, rows, [*query.terms, *query.said, *CUES])
    plain = await _cosines(store, filter, rows, None if vectors is None else vectors.plain)
    adapted = await _cosines(store, filter, rows, None if vectors is None else vectors.adapted)
    own, beyond = len(query.terms), len(query.terms) + len(query.said)
    return Evidence(
        rows=rows,
        count=len(candidates),
        columns=columns,
        beside=_places(rows, neighbours),
        terms=TermHits(hits.idf[:own], hits.worth[:, :own]),
        said=TermHits(hits.idf[own:beyond], hits.worth[:, own:beyond]),
        cues=hits.worth[:, beyond:] > 0,
        plain=plain,
        adapted=adapted,
        ranges=ranges,
    )


async def _cosines(store: RecordStore, filter: Filter, rows: Rows, vector: Vector | None) -> NDArray[np.float32]:
    if vector is None:
        return np.full(len(rows), np.nan, dtype=np.float32)
    return await store.vector_scores(filter, rows, vector, centre=False)


def _places(rows: Rows, wanted: Rows) -> NDArray[np.int64]:
    """Where ``wanted`` rows stand in ``rows``, -1 for those that do not."""
    if not len(rows):
        return np.full(wanted.shape, -1, dtype=np.int64)
    order = np.argsort(rows)
    found = np.minimum(np.searchsorted(rows[order], wanted), len(rows) - 1)
    places: NDArray[np.int64] = np.where((rows[order][found] == wanted) & (wanted >= 0), order[found], -1)
    return places
