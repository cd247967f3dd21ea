"""What each term adds to a record's BM25: together the score that keyword search gives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import FixedClock
from hindsight.records import Filter, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.writer import Writer
from hindsight.text.bm25 import idf

from .conftest import NOW

TEXTS = (
    "apple apple banana",
    "banana cherry durian elderberry fig",
    "苹果 香蕉 banana",
    "apple 苹果 苹果",
    "nothing of the kind here",
)
MINE = Filter(namespace="default", agent="default", now=NOW)
TERMS = ("appl", "banana", "苹果", "zebra")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "store", embedder=None, clock=FixedClock(NOW))
    await opened.open()
    writer = Writer(opened, None, FixedClock(NOW), debug=False, max_queue=10)
    await writer.store([{"content": text, "kind": "episode"} for text in TEXTS], Attribution(Principal(), "default", NOW.tzinfo))
    yield opened
    await opened.close()


async def test_the_parts_sum_to_the_score(store: SqliteStore) -> None:
    rows = await store.visible(MINE)
    hits = await store.term_hits(MINE, rows, TERMS)
    assert hits.worth.shape == (len(TEXTS), len(TERMS))
    assert hits.worth.sum(axis=1) == pytest.approx(await store.term_scores(MINE, rows, TERMS), abs=1e-5)
    found = await store.search_terms(MINE, TERMS, limit=10)
    assert hits.worth.sum(axis=1)[np.searchsorted(rows, found.rows)] == pytest.approx(found.scores, abs=1e-5)


async def test_which_record_holds_which_term(store: SqliteStore) -> None:
    hits = await store.term_hits(MINE, await store.visible(MINE), TERMS)
    held = [[term in text.replace("apple", "appl") for term in TERMS] for text in TEXTS]
    assert ((hits.worth > 0) == np.array(held)).all()
    assert hits.idf == pytest.approx([*idf(len(TEXTS), np.array([2, 3, 2])), 0.0])


async def test_a_row_that_is_not_there_holds_nothing(store: SqliteStore) -> None:
    hits = await store.term_hits(MINE, np.array([9_999, 1], dtype=np.int64), TERMS)
    assert not hits.worth[0].any()
    assert (await store.term_hits(MINE, np.empty(0, dtype=np.int64), TERMS)).worth.shape == (0, len(TERMS))
    assert (await store.term_hits(MINE, np.array([1], dtype=np.int64), [])).worth.shape == (1, 0)
