"""Is the store sound: the file itself, the full-text index, and what is derived from the records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw

from hindsight.adapters.sqlite.attributes import CODED_FIELDS, pack, unpack
from hindsight.adapters.sqlite.codes import coded_values
from hindsight.adapters.sqlite.files import DATABASE
from hindsight.adapters.sqlite.jobs import dead, queued
from hindsight.adapters.sqlite.mapping import read_memory
from hindsight.adapters.sqlite.migrate import schema_version
from hindsight.adapters.sqlite.queries import load, rows
from hindsight.errors import StoreCorrupt
from hindsight.records import LAYER_OF, Kind, Stats, Status

_SQL = load("store.sql")


def check(db: apsw.Connection, dimension: int | None) -> list[str]:
    """What is wrong, one sentence each."""
    faults: list[str] = []
    steps: tuple[Callable[[], list[str]], ...] = (
        lambda: _damage(db),
        lambda: _missing(db),
        lambda: _drift(db),
        lambda: _vectors(db, dimension),
    )
    for step in steps:
        try:
            faults += step()
        except (apsw.CorruptError, StoreCorrupt) as error:
            faults.append(f"Reading failed: {error}")
    return faults


def check_terms(db: apsw.Connection) -> list[str]:
    """Whether the full-text index holds exactly the stored token texts. Needs a connection that may write."""
    try:
        db.execute(_SQL["check_terms"])
    except apsw.CorruptError:
        return ["The keyword index does not match the records; run `hindsight reindex --keywords`."]
    return []


def _damage(db: apsw.Connection) -> list[str]:
    return [f"The database file is damaged: {text}. Restore a backup." for (text,) in rows(db, _SQL["integrity"]) if text != "ok"]


def _missing(db: apsw.Connection) -> list[str]:
    faults = [
        f"Memory {id} is in no index: it was written from outside. Erase it, or run `hindsight reindex --keywords`."
        for (id,) in rows(db, _SQL["without_attributes"])
    ]
    faults += [f"Row {row} of {table} belongs to no memory: one was deleted from outside." for table, row in rows(db, _SQL["orphans"])]
    faults += [f"The value {value!r} of {field} is kept though nothing refers to it." for field, value in rows(db, _SQL["wrong_code_refs"])]
    return faults


def _drift(db: apsw.Connection) -> list[str]:
    """Records whose filter columns are not those of their text: changed from outside, around the index."""
    faults = []
    texts: dict[int, str] = dict(rows(db, _SQL["all_codes"]))
    for row, *values, packed in db.execute(_SQL["all_memories"]):
        try:
            memory = read_memory(values)
        except StoreCorrupt as error:
            faults.append(str(error))
            continue
        known = unpack(packed)
        codes = {name: known[name] for name in CODED_FIELDS}
        named = {name: texts.get(code) for name, code in codes.items()}
        again = pack(memory, row=row, codes=codes, language=known["language"], length=known["length"])
        if named != coded_values(memory) or again != packed:
            faults.append(f"Memory {memory.id} was changed from outside: its search columns differ from the record.")
    return faults


def _vectors(db: apsw.Connection, dimension: int | None) -> list[str]:
    wrong = rows(db, _SQL["wrong_vectors"], (dimension,))[0][0] if dimension is not None else 0
    return [f"{wrong} vectors are not of dimension {dimension}; run `hindsight reindex`."] if wrong else []


def stats(db: apsw.Connection, namespace: str | None, embedder: tuple[str, int] | None, folder: Path) -> Stats:
    """Counts of the store, or of one namespace."""
    counted = rows(db, _SQL["count_memories"]) if namespace is None else rows(db, _SQL["count_namespace"], (namespace,))
    statuses: dict[str, int] = {}
    kinds: dict[str, int] = {}
    layers: dict[str, int] = {}
    for status, kind, count in counted:
        statuses[status] = statuses.get(status, 0) + count
        if status == Status.ACTIVE.value:
            kinds[kind] = kinds.get(kind, 0) + count
            layer = LAYER_OF[Kind(kind)].value
            layers[layer] = layers.get(layer, 0) + count
    by_namespace = dict(rows(db, _SQL["count_by_namespace"]))
    numbers = rows(db, _SQL["counts"])[0] if namespace is None else rows(db, _SQL["namespace_counts"], {"name": namespace})[0]
    return Stats(
        namespaces=by_namespace if namespace is None else {namespace: by_namespace.get(namespace, 0)},
        statuses=statuses,
        kinds=kinds,
        layers=layers,
        queued=queued(db),
        dead_jobs=dead(db),
        events=numbers[0],
        retrievals=numbers[1],
        turns=numbers[2],
        vectors=numbers[3],
        embedder=embedder[0] if embedder else None,
        dimension=embedder[1] if embedder else None,
        bytes_on_disk=sum(path.stat().st_size for path in folder.glob(f"{DATABASE}*")),
        schema_version=schema_version(db),
    )
