"""Makes ``stores/schema-N.db.zst``: a store as the version whose last migration was N left it.

Run it once for a new migration, with the code as it is released: ``python tests/upgrades/making.py``. What exists is not made again: these
files stand for stores of users. The rows are those of a real store; tables that came later are left out.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import apsw
import zstandard

STORES = Path(__file__).parent / "stores"
KEY = "upgrade-fixture-key"
CONTENTS = ("用户对花生过敏", "Deploy blue-green, then watch for 10 minutes", "archived episode")


async def fill(folder: Path) -> None:
    from hindsight import Hindsight

    async with Hindsight.open(folder, embedder="none", seal_key=KEY) as memory:
        await memory.store(CONTENTS[0], kind="constraint", tags=["健康"])
        kept = await memory.store("Deploy blue-green", kind="procedure", task_type="deployment", tools=["kubectl"])
        await memory.update(kept.id, content=CONTENTS[1], reason="incident")
        old = await memory.store(CONTENTS[2], kind="episode", outcome="success", session_id="s")
        await memory.forget(old.id, mode="archive")
        gone = await memory.store("erased")
        await memory.forget(gone.id)
        await memory.observe([{"session_id": "s", "position": 0, "role": "user", "content": "hello"}])
        await memory.retrieve("花生")


def at_version(source: Path, target: Path, number: int) -> None:
    """A database with the schema of migration ``number`` and the rows of ``source``."""
    from hindsight.adapters.sqlite.migrate import APPLICATION_ID, migrations

    db = apsw.Connection(str(target))
    for known, _, sql in migrations():
        if known <= number:
            db.execute(sql).fetchall()
    db.execute("ATTACH ? AS newer", (str(source),)).fetchall()
    tables = db.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT GLOB '*_fts_*' AND name <> 'sqlite_stat1'"
    ).fetchall()
    virtual = [
        name for (name,) in db.execute("SELECT name FROM main.sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%USING fts5(%'").fetchall()
    ]
    for (table,) in tables:
        if any(table.startswith(f"{name}_") for name in virtual):
            continue
        columns = [row[1] for row in db.execute(f"PRAGMA main.table_xinfo({table})").fetchall() if row[6] == 0]
        named = ", ".join(f'"{column}"' for column in columns)
        where = f" WHERE number <= {number}" if table == "migrations" else ""
        db.execute(f"DELETE FROM main.{table}").fetchall()
        db.execute(f"INSERT INTO main.{table} ({named}) SELECT {named} FROM newer.{table}{where}").fetchall()
    db.execute("DETACH newer").fetchall()
    for name in virtual:
        db.execute(f"INSERT INTO {name} ({name}) VALUES ('rebuild')").fetchall()
    db.pragma("user_version", number)
    db.pragma("application_id", APPLICATION_ID)
    db.execute("VACUUM").fetchall()
    db.close()


def main() -> None:
    from hindsight.adapters.sqlite.migrate import migrations

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(fill(Path(folder) / "store"))
        for number, _, _ in migrations():
            file = STORES / f"schema-{number}.db.zst"
            if file.exists():
                continue
            plain = Path(folder) / f"{number}.db"
            at_version(Path(folder) / "store" / "memory.db", plain, number)
            file.write_bytes(zstandard.ZstdCompressor(level=19).compress(plain.read_bytes()))


if __name__ == "__main__":
    for name in [name for name in os.environ if name.startswith("HINDSIGHT_")]:
        del os.environ[name]
    main()
