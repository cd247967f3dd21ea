"""What is asked of a store of any size reads what it needs: no statement of these passes over every record, or sorts all for each page."""

from __future__ import annotations

import json

import apsw
import pytest

from hindsight.adapters.relational import queries
from hindsight.adapters.sqlite.migrate import migrations

NAMES = {
    "now": 0,
    "limit": 10,
    "namespace": "default",
    "after": 0,
    "like": "%",
    "statuses": json.dumps(["active"]),
    "kinds": json.dumps(["fact", "episode"]),
}


@pytest.fixture(params=["new", "analysed"])
def database(request) -> apsw.Connection:
    """The schema; with and without the figures that the planner takes from a large store."""
    db = apsw.Connection(":memory:")
    for _, _, sql in migrations():
        db.execute(sql).fetchall()
    if request.param == "analysed":
        db.execute(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
            INSERT INTO memories (id, namespace, agent, kind, status, visibility, version, idempotency_key, created_at, query, content, record)
            SELECT n, 'namespace ' || (n % 3), 'a', 'fact', 'active', 'private', 1, n, '', '', '', '{}' FROM numbers
            """
        ).fetchall()
        db.execute("ANALYZE").fetchall()
    return db


def plan(db: apsw.Connection, file: str, name: str) -> list[str]:
    sql = queries.load(file)[name]
    given = (0,) * sql.count("?") if "?" in sql else {each: NAMES[each] for each in NAMES if f":{each}" in sql}
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", given)]


@pytest.mark.parametrize(
    ("file", "name", "index"),
    [
        ("learning.sql", "in_conflict", "INDEX memories_in_conflict"),
        ("notes.sql", "conflicts", "INDEX memories_in_conflict"),
        ("notes.sql", "backlog", "INDEX memories_under_review"),
        ("store.sql", "count_memories", "COVERING INDEX memories_by_status"),
        ("store.sql", "count_namespace", "COVERING INDEX memories_by_status"),
        ("upkeep.sql", "scan", "INTEGER PRIMARY KEY"),
        ("staging.sql", "unstaged", "INTEGER PRIMARY KEY"),
    ],
)
def test_by_index(database, file, name, index):
    steps = plan(database, file, name)
    of_records = [step for step in steps if step.split()[1] in {"m", "memories"}]
    assert of_records
    assert all(index in step for step in of_records), steps


@pytest.mark.parametrize(("file", "name"), [("learning.sql", "in_conflict"), ("upkeep.sql", "scan"), ("staging.sql", "unstaged")])
def test_a_page_is_read_in_order(database, file, name):
    assert not any("ORDER BY" in step for step in plan(database, file, name))
