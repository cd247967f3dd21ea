"""PostgreSQL reads the list of a word from the index of words, and sorts numbers alone: the words of every record are far more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg

from hindsight.adapters.postgres.dialect import worded
from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational.queries import load


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for step in plan.get("Plans", ()):
        yield from steps(step)


async def test_lists_of_frequent_words_are_read_by_index(postgres_url: Callable[[], str]) -> None:
    address = postgres_url()
    store = PostgresStore(address, embedder=None)
    await store.open()
    await store.close()
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(
            """INSERT INTO tokens ("row", words) SELECT r, array_agg('1:word' || (r * n) % 997) || ARRAY['1:often', '1:often']
            FROM generate_series(1, 2000) AS r, generate_series(1, 60) AS n GROUP BY r"""
        )
        db.execute("VACUUM ANALYZE tokens")
        explain = "EXPLAIN (ANALYZE, FORMAT JSON) " + worded(load("terms.sql")["hits"])
        for word in ("1:often", "1:word7"):
            found = db.execute(explain.encode(), {"term": word, "most": 10_000}).fetchone()
            assert found is not None
            taken = list(steps(found[0][0]["Plan"]))
            assert not [step for step in taken if step.get("Index Name") == "tokens_pkey"], "the whole table was read in order"
            assert all(step["Plan Width"] < 64 for step in taken if step["Node Type"] == "Sort")
        listed = db.execute(worded(load("terms.sql")["hits"]).encode(), {"term": "1:often", "most": 10_000}).fetchone()
        assert listed == (",".join(f"{row},{row}" for row in range(1, 2001)),)
