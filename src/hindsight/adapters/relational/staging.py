"""Vectors of a new model, made beside those in use and put in their place in one transaction.

Which model they are for stands in ``meta``, so that an interrupted run goes on where it was. Triggers of the schema take a
staged vector away when its record's text changes or is erased.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from hindsight.adapters.relational.mapping import read_memory, to_json
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.writing import add_change, checked_vectors, passage_rows
from hindsight.errors import StoreError
from hindsight.ports import StagedVector
from hindsight.records import Memory
from hindsight.vectors import quantise

_SQL = load("staging.sql")
_STORE = load("store.sql")
_RECORDS = load("records.sql")
_NOBODY = 0
"""No namespace and no row has this number."""


def begin(db: Database, model: str, dimension: int) -> tuple[int, int]:
    """Take up the run for this model, or begin one in place of that for another; (records done, records in all)."""
    known = value(db, _STORE["get_meta"], ("reindex",))
    target = {"model": model, "dimension": dimension}
    if known is None or json.loads(known) != target:
        _empty(db)
        db.execute(_STORE["set_meta"], ("reindex", to_json(target)))
    return progress(db)


def progress(db: Database) -> tuple[int, int]:
    """(records done, records in all)."""
    done, total = rows(db, _SQL["progress"])[0]
    return int(done), int(total)


def unstaged(db: Database, after: int, limit: int) -> list[tuple[int, Memory]]:
    """The next records after row ``after`` that have no staged vector, whatever their status."""
    return [(values[0], read_memory(values[1:])) for values in rows(db, _SQL["unstaged"], (after, limit))]


def records(db: Database, after: int, limit: int) -> list[tuple[int, Memory]]:
    """The next records after row ``after``."""
    return [(values[0], read_memory(values[1:])) for values in rows(db, _SQL["records"], (after, limit))]


def stage(db: Database, batch: Sequence[StagedVector], model: str, dimension: int) -> int:
    """Keep vectors of records that are still at the version that was embedded; how many those were."""
    _check_run(db, model, dimension)
    kept = 0
    for each in batch:
        namespace = value(db, _SQL["namespace_at_version"], (each.row, each.version))
        if namespace is None:  # changed or erased since it was read
            continue
        data, scales = quantise(checked_vectors(each.id, each.vector[None, :], dimension))
        scale = float(scales[0])
        db.execute(_SQL["stage_vector"], (namespace, each.row, scale, data.tobytes() if scale > 0 else b""))
        db.execute(_SQL["unstage_passages"], (namespace, each.row))
        if each.passages is not None:
            passages = checked_vectors(each.id, each.passages, dimension)
            db.executemany(_SQL["stage_passage"], passage_rows(namespace, each.row, passages))
        kept += 1
    return kept


def switch(db: Database, model: str, dimension: int) -> bool:
    """Put the staged vectors in the place of the old ones; False, and nothing done, where a record has none yet."""
    _check_run(db, model, dimension)
    if value(db, _SQL["any_unstaged"]):
        return False
    rows(db, _SQL["unindex"])  # an index is of one dimension
    for name in ("empty_vectors", "empty_passages", "take_vectors", "take_passages"):
        db.execute(_SQL[name])
    _empty(db)
    db.execute(_STORE["set_meta"], ("embedder", to_json({"model": model, "dimension": dimension})))
    db.execute(_STORE["delete_meta"], ("reindex",))
    _make_all_load_anew(db)
    return True


def _check_run(db: Database, model: str, dimension: int) -> None:
    known = value(db, _STORE["get_meta"], ("reindex",))
    if known is None or json.loads(known) != {"model": model, "dimension": dimension}:
        raise StoreError(
            f"another `hindsight reindex` {'finished' if known is None else 'for ' + json.loads(known)['model'] + ' began'} meanwhile, so "
            "this one stopped; searches go on. See `hindsight doctor`, and run one at a time."
        )


def _empty(db: Database) -> None:
    db.execute(_SQL["empty_staged_vectors"])
    db.execute(_SQL["empty_staged_passages"])


def _make_all_load_anew(db: Database) -> None:
    """Leave a gap in the list of changes: whoever has not seen what is missing there loads everything, vectors too."""
    for _ in range(2):
        add_change(db, _NOBODY, _NOBODY, reindexed=True)
    db.execute(_RECORDS["prune_changes"], (1,))
