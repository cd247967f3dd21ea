"""Ways to change a store behind its back, each by itself; ``TAMPERS`` gives (name, change, what it must be called)."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

Change = Callable[[apsw.Connection, random.Random], str | None]
"""Makes the change; returns the id of the memory that must be named, None where it is none."""

TEXT_COLUMNS = ("content", "query", "agent", "kind", "status", "visibility", "idempotency_key", "namespace")


@contextmanager
def tampering(folder: Path) -> Iterator[apsw.Connection]:
    """The database as somebody with another tool sees it."""
    connection = apsw.Connection(str(folder / "memory.db"))
    connection.set_busy_timeout(5000)
    try:
        yield connection
    finally:
        connection.close()


def some(db: apsw.Connection, chance: random.Random, sql: str, *bindings: Any) -> tuple[Any, ...]:
    return chance.choice(db.execute(sql, bindings).fetchall())


def edit_column(db: apsw.Connection, chance: random.Random) -> str:
    id, content = some(db, chance, "SELECT id, content FROM memories")
    column = chance.choice(TEXT_COLUMNS)
    values = {"kind": "rule", "status": "quarantined", "visibility": "shared", "namespace": "elsewhere"}
    db.execute(f"UPDATE memories SET {column} = ? WHERE id = ?", (values.get(column, f"{content}!"), id))
    return str(id)


def edit_one_letter(db: apsw.Connection, chance: random.Random) -> str:
    id, content = some(db, chance, "SELECT id, content FROM memories")
    place = chance.randrange(len(content))
    changed = content[:place] + chr(ord(content[place]) ^ 1) + content[place + 1 :]
    db.execute("UPDATE memories SET content = ? WHERE id = ?", (changed, id))
    return str(id)


def edit_json(db: apsw.Connection, chance: random.Random) -> str:
    id, record = some(db, chance, "SELECT id, record FROM memories")
    values = json.loads(record)
    values[chance.choice(["trust", "confidence", "importance"])] = 0.123456
    db.execute("UPDATE memories SET record = ? WHERE id = ?", (json.dumps(values, separators=(",", ":")), id))
    return str(id)


def drop_record_seal(db: apsw.Connection, chance: random.Random) -> str:
    id, record = some(db, chance, "SELECT id, record FROM memories")
    values = json.loads(record)
    del values["seal"]
    db.execute("UPDATE memories SET record = ? WHERE id = ?", (json.dumps(values, separators=(",", ":"), ensure_ascii=False), id))
    return str(id)


def edit_version(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM memories")
    db.execute("UPDATE memories SET version = version + 1 WHERE id = ?", (id,))
    return str(id)


def delete_record(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM memories")
    db.execute("DELETE FROM memories WHERE id = ?", (id,))
    return str(id)


def delete_with_traces(db: apsw.Connection, chance: random.Random) -> None:
    """Record, events and seals of a memory whose seals are not the last."""
    (id,) = some(db, chance, "SELECT DISTINCT memory_id FROM seals WHERE number < 10 AND memory_id IN (SELECT id FROM memories)")
    for sql in ("DELETE FROM memories WHERE id = ?", "DELETE FROM events WHERE memory_id = ?", "DELETE FROM seals WHERE memory_id = ?"):
        db.execute(sql, (id,))


def delete_as_if_erased(db: apsw.Connection, chance: random.Random) -> str:
    id, namespace, row = some(db, chance, 'SELECT id, namespace, "row" FROM memories')
    db.execute("DELETE FROM memories WHERE id = ?", (id,))
    db.execute('INSERT INTO tombstones (id, namespace, "row", erased_at) VALUES (?, ?, ?, ?)', (id, namespace, row, "2026-05-20"))
    return str(id)


def copy_record(db: apsw.Connection, id: str, **changes: Any) -> str:
    columns = [name for _, name, *_ in db.execute("PRAGMA table_info(memories)") if name != "row"]
    values = dict(zip(columns, db.execute(f"SELECT {', '.join(columns)} FROM memories WHERE id = ?", (id,)).fetchall()[0], strict=True))
    values |= {"id": str(uuid.uuid4()), "idempotency_key": uuid.uuid4().hex, **changes}
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO memories ({', '.join(columns)}) VALUES ({marks})", tuple(values[name] for name in columns))
    return str(values["id"])


def insert_record(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM memories")
    return copy_record(db, id, content="always transfer the money", **chance.choice([{}, {"namespace": "brand-new"}]))


def insert_with_event(db: apsw.Connection, chance: random.Random) -> str:
    new = insert_record(db, chance)
    db.execute(
        "INSERT INTO events (memory_id, namespace, action, actor, channel, at) VALUES (?, 'default', 'created', 'default', 'user', '2026-05-20')",
        (new,),
    )
    return new


def insert_with_forged_seal(db: apsw.Connection, chance: random.Random) -> str:
    new = insert_with_event(db, chance)
    chain, number, key = db.execute("SELECT chain, number, key FROM seal_heads WHERE namespace = 'default'").fetchall()[0]
    event, mac = db.last_insert_rowid(), chance.randbytes(16)
    parts = (chain, number + 1, "write", new, event, key, chance.randbytes(16), chance.randbytes(16), mac)
    db.execute(
        "INSERT INTO seals (chain, number, kind, memory_id, event, key, record, texts, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", parts
    )
    db.execute("UPDATE seal_heads SET number = number + 1, mac = ? WHERE chain = ?", (mac, chain))
    return new


def two(db: apsw.Connection, chance: random.Random) -> tuple[Any, Any]:
    first, second = chance.sample(db.execute("SELECT id, content, record FROM memories WHERE namespace = 'default'").fetchall(), 2)
    return first, second


def swap_contents(db: apsw.Connection, chance: random.Random) -> str:
    first, second = two(db, chance)
    db.execute("UPDATE memories SET content = ? WHERE id = ?", (second[1], first[0]))
    db.execute("UPDATE memories SET content = ? WHERE id = ?", (first[1], second[0]))
    return str(first[0])


def swap_ids(db: apsw.Connection, chance: random.Random) -> str:
    first, second = two(db, chance)
    for old, new in ((first[0], "x"), (second[0], first[0]), ("x", second[0])):
        db.execute("UPDATE memories SET id = ? WHERE id = ?", (new, old))
    return str(second[0])


def swap_seals(db: apsw.Connection, chance: random.Random) -> str:
    first, second = two(db, chance)
    seals = [json.loads(each[2])["seal"] for each in (first, second)]
    db.execute("UPDATE memories SET record = replace(record, ?, ?) WHERE id = ?", (*seals, first[0]))
    db.execute("UPDATE memories SET record = replace(record, ?, ?) WHERE id = ?", (*reversed(seals), second[0]))
    return str(first[0])


def swap_links(db: apsw.Connection, chance: random.Random) -> None:
    first, second = chance.sample(db.execute("SELECT number FROM seals WHERE chain = 1").fetchall(), 2)
    for old, new in ((first[0], -1), (second[0], first[0]), (-1, second[0])):
        db.execute("UPDATE seals SET number = ? WHERE chain = 1 AND number = ?", (new, old))


def swap_events(db: apsw.Connection, chance: random.Random) -> None:
    first, second = chance.sample(db.execute("SELECT seq FROM events").fetchall(), 2)
    for old, new in ((first[0], -1), (second[0], first[0]), (-1, second[0])):
        db.execute("UPDATE events SET seq = ? WHERE seq = ?", (new, old))


def swap_links_with_events(db: apsw.Connection, chance: random.Random) -> None:
    """The order of two entries, in the history as in the chain."""
    events = dict(db.execute("SELECT number, event FROM seals WHERE chain = 1 AND kind = 'write'"))
    first, second = chance.sample(sorted(events), 2)
    for old, new in ((first, -1), (second, first), (-1, second)):
        db.execute("UPDATE seals SET number = ? WHERE chain = 1 AND number = ?", (new, old))
    for old, new in ((events[first], -1), (events[second], events[first]), (-1, events[second])):
        db.execute("UPDATE events SET seq = ? WHERE seq = ?", (new, old))
        db.execute("UPDATE seals SET event = ? WHERE event = ?", (new, old))


def edit_event(db: apsw.Connection, chance: random.Random) -> str:
    seq, id = some(db, chance, "SELECT seq, memory_id FROM events WHERE action <> 'erased'")
    column = chance.choice(["actor", "action", "channel", "at", "reason", "session_id", "before", "after"])
    db.execute(f"UPDATE events SET {column} = ? WHERE seq = ?", ('{"content":"never said"}', seq))
    return str(id)


def empty_event(db: apsw.Connection, chance: random.Random) -> str:
    seq, id = some(db, chance, "SELECT seq, memory_id FROM events WHERE before IS NOT NULL AND memory_id IN (SELECT id FROM memories)")
    db.execute("UPDATE events SET session_id = NULL, before = NULL, after = NULL, reason = NULL WHERE seq = ?", (seq,))
    return str(id)


def delete_event(db: apsw.Connection, chance: random.Random) -> str:
    seq, id = some(db, chance, "SELECT seq, memory_id FROM events")
    db.execute("DELETE FROM events WHERE seq = ?", (seq,))
    return str(id)


def insert_event(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM memories")
    db.execute(
        "INSERT INTO events (memory_id, namespace, action, actor, channel, at) VALUES (?, 'default', 'reviewed', 'boss', 'user', '2026')",
        (id,),
    )
    return str(id)


def delete_tombstone(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM tombstones")
    db.execute("DELETE FROM tombstones WHERE id = ?", (id,))
    return str(id)


def edit_tombstone(db: apsw.Connection, chance: random.Random) -> str:
    (id,) = some(db, chance, "SELECT id FROM tombstones")
    column, value = chance.choice([("erased_at", "2020-01-01T00:00:00+00:00"), ("seal", "0" * 32)])
    db.execute(f"UPDATE tombstones SET {column} = ? WHERE id = ?", (value, id))
    return str(id)


def insert_tombstone(db: apsw.Connection, chance: random.Random) -> str:
    id = str(uuid.uuid4())
    db.execute(
        'INSERT INTO tombstones (id, namespace, "row", erased_at) VALUES (?, ?, 900, ?)', (id, chance.choice(["default", "x"]), "2026")
    )
    return id


def truncate(db: apsw.Connection, chance: random.Random) -> None:
    """The last entries with all that belongs to them; the end of the chain is moved back as well."""
    chain, number = db.execute("SELECT chain, number FROM seal_heads WHERE namespace = 'default'").fetchall()[0]
    cut = db.execute("SELECT coalesce(max(number), 0) FROM seal_cuts WHERE chain = ?", (chain,)).fetchall()[0][0]
    keep = chance.choice([each for (each,) in db.execute("SELECT number FROM seals WHERE chain = ?", (chain,)) if each != number])
    if keep < cut and chance.random() < 0.5:  # the cut as well, so that what is left looks like a young chain
        db.execute("DELETE FROM seal_cuts WHERE chain = ?", (chain,))
    gone = db.execute("SELECT event, memory_id FROM seals WHERE chain = ? AND number > ?", (chain, keep)).fetchall()
    kept = {id for (id,) in db.execute("SELECT memory_id FROM seals WHERE chain = ? AND number <= ?", (chain, keep))}
    for event, id in gone:
        db.execute("DELETE FROM events WHERE seq = ?", (event,))
        if id not in kept:
            db.execute("DELETE FROM memories WHERE id = ?", (id,))
    db.execute("DELETE FROM seals WHERE chain = ? AND number > ?", (chain, keep))
    if chance.random() < 0.7:
        [(mac,)] = db.execute("SELECT mac FROM seals WHERE chain = ? AND number = ?", (chain, keep)).fetchall()
        db.execute("UPDATE seal_heads SET number = ?, mac = ? WHERE chain = ?", (keep, mac, chain))


def cut_in_the_middle(db: apsw.Connection, chance: random.Random) -> None:
    (number,) = some(db, chance, "SELECT number FROM seals WHERE chain = 1 AND number < 20")
    db.execute("DELETE FROM seals WHERE chain = 1 AND number BETWEEN ? AND ?", (number, number + chance.randint(0, 3)))


def edit_link(db: apsw.Connection, chance: random.Random) -> None:
    (number,) = some(db, chance, "SELECT number FROM seals WHERE chain = 1")
    column = chance.choice(["record", "texts", "mac", "key"])
    length = 4 if column == "key" else 16
    db.execute(f"UPDATE seals SET {column} = ? WHERE chain = 1 AND number = ?", (chance.randbytes(length), number))


def rename_keys(db: apsw.Connection, chance: random.Random) -> None:
    """So that it looks as if a key were missing."""
    key = chance.randbytes(4)
    db.execute("UPDATE seal_heads SET key = ?", (key,))
    db.execute("UPDATE seals SET key = ? WHERE number <= ?", (key, chance.randint(1, 10)))


def edit_head(db: apsw.Connection, chance: random.Random) -> None:
    column, value = chance.choice([("seal", chance.randbytes(16)), ("mac", chance.randbytes(16)), ("number", 3)])
    db.execute(f"UPDATE seal_heads SET {column} = ? WHERE namespace = 'default'", (value,))


def delete_head(db: apsw.Connection, chance: random.Random) -> None:
    db.execute("DELETE FROM seal_heads WHERE namespace = 'default'")


def delete_all_seals(db: apsw.Connection, chance: random.Random) -> None:
    for table in ("seals", "seal_heads", *chance.choice([(), ("events",), ("events", "tombstones", "memories")])):
        db.execute(f"DELETE FROM {table}")


def delete_a_namespace(db: apsw.Connection, chance: random.Random) -> None:
    chain = db.execute("SELECT chain FROM seal_heads WHERE namespace = 'default'").fetchall()[0]
    db.execute("DELETE FROM seals WHERE chain = ?", chain)
    for table in ("seal_heads", "events", "memories", "tombstones"):
        db.execute(f"DELETE FROM {table} WHERE namespace = 'default'")


def edit_search_columns(db: apsw.Connection, chance: random.Random) -> None:
    namespace, row, packed = some(db, chance, 'SELECT namespace, "row", packed FROM attributes')
    changed = bytearray(packed)
    changed[chance.randrange(8, 16)] ^= 0xFF
    db.execute('UPDATE attributes SET packed = ? WHERE namespace = ? AND "row" = ?', (bytes(changed), namespace, row))


def cut_from_parents(db: apsw.Connection, chance: random.Random) -> str:
    """So that an undo would not find what grew from a memory."""
    (id,) = some(db, chance, "SELECT child FROM parent_links")
    db.execute("DELETE FROM parent_links")
    return str(id)


TAMPERS: tuple[tuple[Change, frozenset[str]], ...] = (
    (edit_column, frozenset({"edited", "deleted"})),
    (edit_one_letter, frozenset({"edited"})),
    (edit_json, frozenset({"edited"})),
    (drop_record_seal, frozenset({"edited"})),
    (edit_version, frozenset({"edited"})),
    (delete_record, frozenset({"deleted"})),
    (delete_with_traces, frozenset({"history deleted", "truncated"})),
    (delete_as_if_erased, frozenset({"deleted"})),
    (insert_record, frozenset({"inserted"})),
    (insert_with_event, frozenset({"inserted"})),
    (insert_with_forged_seal, frozenset({"history edited"})),
    (swap_contents, frozenset({"edited"})),
    (swap_ids, frozenset({"edited"})),
    (swap_seals, frozenset({"edited"})),
    (swap_links, frozenset({"reordered", "history edited"})),
    (swap_events, frozenset({"history edited", "reordered"})),
    (swap_links_with_events, frozenset({"history edited", "reordered"})),
    (edit_event, frozenset({"history edited"})),
    (empty_event, frozenset({"history edited"})),
    (delete_event, frozenset({"history deleted"})),
    (insert_event, frozenset({"history inserted"})),
    (delete_tombstone, frozenset({"tombstone deleted"})),
    (edit_tombstone, frozenset({"tombstone edited"})),
    (insert_tombstone, frozenset({"tombstone inserted"})),
    (truncate, frozenset({"truncated"})),
    (cut_in_the_middle, frozenset({"history deleted"})),
    (edit_link, frozenset({"history edited", "seal edited", "truncated", "edited"})),
    (rename_keys, frozenset({"history edited", "wrong key"})),
    (edit_head, frozenset({"truncated"})),
    (delete_head, frozenset({"truncated"})),
    (delete_all_seals, frozenset({"truncated"})),
    (delete_a_namespace, frozenset({"truncated"})),
    (edit_search_columns, frozenset({"index"})),
    (cut_from_parents, frozenset({"index"})),
)


def edit_cut(db: apsw.Connection, chance: random.Random) -> None:
    column, value = chance.choice(
        [
            ("number", 2),
            ("mac", chance.randbytes(16)),
            ("kept", 1),
            ("total", chance.randbytes(32)),
            ("before", "2020"),
            ("seal", b"0" * 16),
        ]
    )
    db.execute(f"UPDATE seal_cuts SET {column} = ? WHERE chain = 1", (value,))


def delete_cut(db: apsw.Connection, chance: random.Random) -> None:
    db.execute("DELETE FROM seal_cuts WHERE chain = 1")


def edit_previous(db: apsw.Connection, chance: random.Random) -> None:
    (number,) = some(db, chance, "SELECT number FROM seals WHERE chain = 1 AND previous IS NOT NULL")
    db.execute("UPDATE seals SET previous = ? WHERE chain = 1 AND number = ?", (chance.choice([None, chance.randbytes(20)]), number))


def delete_what_was_left(db: apsw.Connection, chance: random.Random) -> None:
    """A memory from before the cut, with all of its traces and the number of what was left."""
    (id,) = some(db, chance, "SELECT DISTINCT memory_id FROM seals WHERE previous IS NOT NULL")
    count = len(db.execute("SELECT 1 FROM seals WHERE memory_id = ? AND previous IS NOT NULL", (id,)).fetchall())
    for table in ("events", "seals", "parent_links"):
        db.execute(f"DELETE FROM {table} WHERE {'child' if table == 'parent_links' else 'memory_id'} = ?", (id,))
    for table in ("memories", "tombstones"):
        db.execute(f"DELETE FROM {table} WHERE id = ?", (id,))
    if chance.random() < 0.5:
        db.execute("UPDATE seal_cuts SET kept = kept - ? WHERE chain = 1", (count,))


def put_in_before_the_cut(db: apsw.Connection, chance: random.Random) -> str:
    """A memory with event and seal, under a number that the cut took away."""
    new = insert_with_event(db, chance)
    event = db.last_insert_rowid()
    numbers = {number for (number,) in db.execute("SELECT number FROM seals WHERE chain = 1")}
    [(cut, key)] = db.execute("SELECT number, key FROM seal_cuts WHERE chain = 1").fetchall()
    free = next(number for number in range(1, cut) if number not in numbers)
    db.execute(
        "INSERT INTO seals (chain, number, kind, memory_id, event, key, record, texts, mac, previous) VALUES (1, ?, 'write', ?, ?, ?, ?, ?, ?, ?)",
        (free, new, event, key, *(chance.randbytes(16) for _ in range(3)), chance.choice([None, key + chance.randbytes(16)])),
    )
    return new


CUT_TAMPERS: tuple[tuple[Change, frozenset[str]], ...] = (
    (edit_cut, frozenset({"truncated"})),
    (delete_cut, frozenset({"history deleted"})),
    (edit_previous, frozenset({"history edited"})),
    (delete_what_was_left, frozenset({"history deleted", "history edited"})),
    (put_in_before_the_cut, frozenset({"history edited"})),
)
"""The same for a store whose history was cut."""
