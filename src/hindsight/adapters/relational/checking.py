"""Is the store sound, as far as every engine can tell: what is derived from the records, and counts."""

from __future__ import annotations

from hindsight.adapters.relational.attributes import CODED_FIELDS, pack, unpack
from hindsight.adapters.relational.codes import coded_values
from hindsight.adapters.relational.jobs import dead, queued
from hindsight.adapters.relational.mapping import read_memory
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.errors import StoreCorrupt
from hindsight.records import LAYER_OF, Kind, Stats, Status

_SQL = load("store.sql")


def missing(db: Database) -> list[str]:
    """What belongs together and is not there."""
    faults = [
        f"Memory {id} is in no index: it was written from outside. Erase it, or run `hindsight reindex --keywords`."
        for (id,) in rows(db, _SQL["without_attributes"])
    ]
    faults += [
        f"Memory {id} is not linked to all of its parents: the links were changed from outside."
        for (id,) in rows(db, _SQL["without_parent_link"])
    ]
    faults += [f"Row {row} of {table} belongs to no memory: one was deleted from outside." for table, row in rows(db, _SQL["orphans"])]
    faults += [f"The value {value!r} of {field} is kept though nothing refers to it." for field, value in rows(db, _SQL["wrong_code_refs"])]
    return faults


def drift(db: Database) -> list[str]:
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


def wrong_vectors(db: Database, dimension: int | None) -> list[str]:
    """Vectors of another length."""
    wrong = rows(db, _SQL["wrong_vectors"], (dimension,))[0][0] if dimension is not None else 0
    return [f"{wrong} vectors are not of dimension {dimension}; run `hindsight reindex`."] if wrong else []


def stats(db: Database, namespace: str | None, embedder: tuple[str, int] | None, *, bytes_on_disk: int, schema_version: int) -> Stats:
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
        bytes_on_disk=bytes_on_disk,
        schema_version=schema_version,
        sealed=value(db, _SQL["sealed"] if namespace is None else _SQL["sealed_in"], () if namespace is None else (namespace,)),
    )
