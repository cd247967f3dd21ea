"""Copying a store into another, of either kind, row by row under the same numbers: history and seals stay what they are.

A pass reads one snapshot of the source and makes the target equal to it by merging both in the order of their keys: what is there already is
left alone, so that a pass may be cut off anywhere and done again. How far the first pass is stands in the target, in the transaction of the
rows it speaks of.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from hindsight.adapters.relational import image
from hindsight.adapters.relational.core import MOVING, Core
from hindsight.adapters.relational.mapping import to_json, unpack_text
from hindsight.adapters.relational.notes import PREFIX
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.adapters.relational.terms import TokenIndex
from hindsight.errors import StoreCorrupt, StoreMisplaced
from hindsight.following import NOTE

_SQL = load("moving.sql")
_META = load("store.sql")
_PAGE = 1000
Key = tuple[Any, ...]
Progress = Callable[[int, int, str], None]
"""Told (rows done, rows there are or 0, what is done)."""

_REFS = ('"row"', "namespace", "agent", "session_id", "coalesce(first, -1)", "coalesce(last, -1)", "coalesce(turn_id, '')")
TABLES: dict[str, tuple[str, ...]] = {
    "meta": ("name",),
    "namespaces": ("code",),
    "codes": ("code",),
    "code_members": ("field", "member", "code"),
    "languages": ("code",),
    "memories": ('"row"',),
    "tombstones": ("id",),
    "attributes": ("namespace", '"row"'),
    "vectors": ("namespace", '"row"'),
    "passages": ("namespace", '"row"', "number"),
    "tokens": ('"row"',),
    "events": ("seq",),
    "changes": ("seq",),
    "turns": ("number",),
    "turn_refs": _REFS,
    "entities": ("code",),
    "entity_words": ("namespace", "word", "entity"),
    "entity_links": ("entity", '"row"'),
    "edges": ("owner", "a", "b"),
    "jobs": ("id",),
    "retrievals": ("number",),
    "retrieval_shown": ("memory_id", "retrieval"),
    "sessions": ("namespace", "agent", "session_id"),
    "seal_heads": ("chain",),
    "seals": ("chain", "number"),
    "seal_cuts": ("chain",),
    "parent_links": ("parent", "child"),
    "reviews": ("number",),
    "grounds": ("memory_id",),
    "votes": ("retrieval", "memory_id"),
    "access_tokens": ("id",),
    "upkeep": ("name",),
}
"""What is copied, in this order, by the columns that put the rows in order. Erasing a memory's row takes away what was learnt of it by itself,
so that these come after it."""
LEFT_OUT = frozenset({"migrations", "staged_vectors", "staged_passages"})
"""Each store's own; and a reindexing that was not finished."""
NUMBERED = ("memories", "namespaces", "codes", "events", "changes", "entities", "jobs", "retrievals", "reviews", "turns")
_OWN_NOTES = frozenset({MOVING, "log_holds_erased", PREFIX + NOTE})
_NOT_CONTENT = frozenset({"meta", "upkeep", "languages"})


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied. ``counts`` are rows by table, ``written`` what this run had to write, ``checksum`` the SHA-256 of every row of source
    and target, ``resumed`` whether an earlier run had begun it.
    """

    counts: dict[str, int]
    written: int
    checksum: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two stores, open; ``pack_text`` is how it keeps the texts of turns."""

    core: Core
    pack_text: Callable[[str], str | bytes]


@dataclass(frozen=True, slots=True)
class _Change:
    """What a row has to become: ``after`` None: it goes; ``before`` None: it is new."""

    key: Key
    before: Key | None
    after: Key | None


class Copier:
    """Copies one store into another. Both are open; nobody writes to the target meanwhile, the source is only read."""

    def __init__(self, source: Side, target: Side) -> None:
        self._source = source
        self._target = target
        self._columns: dict[str, list[str]] = {}
        self._written = 0

    async def run(self, progress: Progress) -> Copied:
        """Copy, catch up with what was written meanwhile, and compare every row; the target then is as the source was at that moment.

        Raises:
            StoreMisplaced: the target holds something that is not this copy, or was written to since, or is the source.
            StoreCorrupt: the stores are not equal afterwards.
        """
        note, resumed = await self._begin()
        if not note.get("copied"):
            await self._pass(progress, "copying", note=note)
            note["copied"] = True
        progress(0, 0, "catching up")
        with self._source.core.engine.snapshot() as snapshot:
            await self._pass(progress, "catching up", note=note, source=snapshot)
            marks = await asyncio.to_thread(_marks, snapshot)
            await self._target.core.engine.write_indexed(lambda db, _: _set_marks(db, marks))
            counts, checksum = await asyncio.to_thread(self._compare, snapshot, progress)
        await self._target.core.engine.write_indexed(lambda db, _: _finish(db, note))
        return Copied(counts, self._written, checksum, resumed)

    async def _begin(self) -> tuple[dict[str, Any], bool]:
        source, target, name = self._source.core, self._target.core, self._target.core.place
        identity = await source.engine.read(lambda db: value(db, _META["get_meta"], ("store_id",)) or source.place)
        found = await target.engine.read(lambda db: value(db, _META["get_meta"], (MOVING,)))
        if found is None:
            if full := await target.engine.read(_content):
                raise StoreMisplaced(
                    f"{name} holds a store already ({full}); move into an empty folder, database or schema. Nothing was changed."
                )
            note: dict[str, Any] = {"source": identity, "mark": secrets.token_hex(8), "after": {}}
            await target.engine.write_indexed(lambda db, _: _put(db, note))
            if await source.engine.read(lambda db: value(db, _META["get_meta"], (MOVING,))) == to_json(note):
                await target.engine.write_indexed(lambda db, _: db.execute(_META["delete_meta"], (MOVING,)))
                raise StoreMisplaced(f"{name} is the store itself; name another place.")
            return note, False
        note = dict(json.loads(found))
        if note["source"] != identity:
            raise StoreMisplaced(
                f"{name} holds a copy of another store; move into an empty folder, database or schema. Nothing was changed."
            )
        if "left" in note and note["left"] != await target.engine.read(_marks):
            raise StoreMisplaced(
                f"{name} was written to since it was moved into; to move again would undo that, so nothing was changed. Use it as the store "
                "(HINDSIGHT_STORE), or move into an empty place."
            )
        note.pop("left", None)
        await target.engine.write_indexed(lambda db, _: _put(db, note))
        return note, True

    async def _pass(self, progress: Progress, stage: str, *, note: dict[str, Any], source: Database | None = None) -> None:
        """Make the target equal to a snapshot; without one given, a first copy, which goes on where it was."""
        done = 0
        with ExitStack() as stack:
            first = source is None
            reading = stack.enter_context(self._source.core.engine.snapshot()) if source is None else source
            total = await asyncio.to_thread(_total, reading)
            for table in TABLES:
                after = note["after"].get(table) if first else None
                with self._target.core.engine.snapshot() as there:
                    changes = self._changes(reading, there, table, tuple(after) if after else None)
                    while batch := await asyncio.to_thread(_take, changes):
                        moved = [change for change in batch if change.before != change.after]
                        done += len(batch)
                        if moved:
                            note["after"][table] = batch[-1].key
                            kept = note if first else None
                            work = partial(self._apply, table=table, moved=moved, note=kept)
                            await self._target.core.engine.write_indexed(work)
                            self._written += len(moved)
                        progress(min(done, total), total, stage)

    def _compare(self, source: Database, progress: Progress) -> tuple[dict[str, int], str]:
        counts: dict[str, int] = {}
        ours, theirs, total, done = hashlib.sha256(), hashlib.sha256(), _total(source), 0
        for table in TABLES:
            with self._target.core.engine.snapshot() as there:
                for change in self._changes(source, there, table, None):
                    if change.before != change.after:
                        raise StoreCorrupt(
                            f"{self._target.core.place} is not equal to its source: table {table}, key {change.key!r}. Is somebody else writing "
                            "to it? Stop that, and run the same command again."
                        )
                    ours.update(repr(change.after).encode("utf-8", "surrogatepass"))
                    theirs.update(repr(change.before).encode("utf-8", "surrogatepass"))
                    counts[table] = counts.get(table, 0) + 1
                    done += 1
                    if done % _PAGE == 0:
                        progress(min(done, total), total, "comparing")
        assert ours.digest() == theirs.digest()
        return counts, ours.hexdigest()

    def _changes(self, source: Database, target: Database, table: str, after: Key | None) -> Iterator[_Change]:
        """Every row of both, in the order of keys."""
        ours, theirs = self._stream(source, table, after), self._stream(target, table, after)
        mine, other = next(ours, None), next(theirs, None)
        while mine is not None or other is not None:
            if other is None or (mine is not None and mine[0] < other[0]):
                assert mine is not None
                yield _Change(mine[0], None, mine[1])
                mine = next(ours, None)
            elif mine is None or other[0] < mine[0]:
                yield _Change(other[0], other[1], None)
                other = next(theirs, None)
            else:
                yield _Change(mine[0], other[1], mine[1])
                mine, other = next(ours, None), next(theirs, None)

    def _stream(self, db: Database, table: str, after: Key | None) -> Iterator[tuple[Key, Key]]:
        """(key, row) of a table after a key, by pages."""
        width, columns = len(TABLES[table]), self._columns_of(db, table)
        content = columns.index("content") if table == "turns" else None
        while True:
            page = rows(db, *_page(table, columns, after))
            for found in page:
                row = list(found[width:])
                if content is not None:
                    row[content] = unpack_text(row[content])
                if table != "meta" or not _is_own(found[0]):
                    yield tuple(found[:width]), tuple(row)
            if len(page) < _PAGE:
                return
            after = tuple(page[-1][:width])

    def _columns_of(self, db: Database, table: str) -> list[str]:
        if table not in self._columns:
            self._columns[table] = sorted(name for (name,) in rows(db, _SQL["columns"], (table,)))
        return self._columns[table]

    def _apply(self, db: Database, index: TokenIndex, *, table: str, moved: Sequence[_Change], note: dict[str, Any] | None) -> None:
        if table == "tokens":
            _apply_tokens(db, index, moved)
        else:
            self._apply_rows(db, table, moved)
        if note is not None:
            _put(db, note)

    def _apply_rows(self, db: Database, table: str, moved: Sequence[_Change]) -> None:
        columns, keys = self._columns[table], " AND ".join(f"{part} = ?" for part in TABLES[table])
        gone = [change.key for change in moved if change.after is None]
        changed = [change for change in moved if change.before is not None and change.after is not None]
        db.executemany(f"DELETE FROM {table} WHERE {keys}", gone)  # noqa: S608 - names of tables and columns are ours
        if table == "memories":
            db.executemany(_SQL["free_key"], [change.key for change in changed])  # one may take the key of another
        names = [f'"{column}"' for column in columns]
        if changed:
            others = [number for number, name in enumerate(names) if name.strip('"') not in {part.strip('"') for part in TABLES[table]}]
            sets = ", ".join(f"{names[number]} = ?" for number in others)
            values = [self._kept(table, change.after or ()) for change in changed]
            db.executemany(
                f"UPDATE {table} SET {sets} WHERE {keys}",  # noqa: S608
                [(*(row[number] for number in others), *change.key) for row, change in zip(values, changed, strict=True)],
            )
        places = ", ".join("?" for _ in columns)
        db.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) {self._target.core.numbers_given} VALUES ({places})",  # noqa: S608
            [self._kept(table, change.after) for change in moved if change.before is None and change.after is not None],
        )

    def _kept(self, table: str, row: Key) -> Key:
        if table != "turns":
            return row
        place = self._columns[table].index("content")
        return (*row[:place], self._target.pack_text(row[place]), *row[place + 1 :])


def _take(changes: Iterator[_Change]) -> list[_Change]:
    return list(islice(changes, _PAGE))


def _page(table: str, columns: Sequence[str], after: Key | None) -> tuple[str, Key]:
    if table == "tokens":
        return _SQL["tokens"], (after[0] if after else -1, _PAGE)
    keys = TABLES[table]
    order, names = ", ".join(keys), ", ".join(f'"{column}"' for column in columns)
    begin, bindings = "", ()
    if after is not None:
        begin = f"WHERE {keys[0]} >= ? AND ({order}) > ({', '.join('?' for _ in keys)})"
        bindings = (after[0], *after)
    return f"SELECT {order}, {names} FROM {table} {begin} ORDER BY {order} LIMIT {_PAGE}", bindings  # noqa: S608


def _apply_tokens(db: Database, index: TokenIndex, moved: Sequence[_Change]) -> None:
    for change in moved:
        row = change.key[0]
        if change.before is not None:
            index.unindex(row, change.before[-1])
            db.execute(_SQL["drop_tokens"], (row,))
        if change.after is not None:
            db.execute(_SQL["put_tokens"], (row, change.after[-1]))
            index.index(row, change.after[-1])


def _content(db: Database) -> str | None:
    """What a store holds, if anything."""
    for table in TABLES:
        if table not in _NOT_CONTENT and (count := value(db, f"SELECT count(*) FROM {table}")):  # noqa: S608
            return f"{count:,} rows in {table}"
    return None


def _total(db: Database) -> int:
    return sum(int(value(db, f"SELECT count(*) FROM {table}")) for table in TABLES)  # noqa: S608


def _marks(db: Database) -> dict[str, int]:
    """The last number that each table gave: none is given twice, also not that of an erased row."""
    found: dict[str, int] = {name: int(number) for name, number in rows(db, _SQL["marks"])}
    return {table: found.get(table) or (value(db, _SQL["last_turn"]) if table == "turns" else 0) for table in NUMBERED}


def _set_marks(db: Database, marks: dict[str, int]) -> None:
    for name, number in marks.items():
        db.execute(_SQL["add_mark"], {"name": name})
        rows(db, _SQL["set_mark"], {"name": name, "number": number})


def _is_own(note: str) -> bool:
    """Whether a note tells of the one store that holds it."""
    return note in _OWN_NOTES or note.startswith(image.NOTE)


def _put(db: Database, note: dict[str, Any]) -> None:
    db.execute(_META["set_meta"], (MOVING, to_json(note)))


def _finish(db: Database, note: dict[str, Any]) -> None:
    _put(db, {**note, "after": {}, "left": _marks(db)})
