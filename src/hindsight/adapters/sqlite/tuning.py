"""What an embedded store needs now and then: statistics for the planner, free pages given back, the log moved into the file."""

from __future__ import annotations

import apsw

from hindsight.adapters.relational.queries import load, rows, value

_SQL = load("store.sql", __package__)
WORTH = 0.25
"""From this share on of all that lies idle the file is written anew without it: free pages, and what is free within the others, for what is
erased here and there leaves those half full.
"""
_LEAST = 256
"""Less than so many pages are left to be used again."""


def tune(db: apsw.Connection) -> dict[str, int]:
    """On the writing connection, outside any transaction, while no other process writes. A reader's old snapshot leaves the log for later."""
    page = int(value(db, "PRAGMA page_size"))
    pages, free = int(value(db, "PRAGMA page_count")), int(value(db, "PRAGMA freelist_count"))
    rows(db, "PRAGMA analysis_limit = 400")
    rows(db, "ANALYZE")
    idle = free + int(value(db, _SQL["idle_bytes"]) or 0) / page
    vacuumed = idle >= max(_LEAST, WORTH * pages)
    if vacuumed:
        rows(db, "VACUUM")
    blocked = rows(db, _SQL["checkpoint"])[0][0]
    after = int(value(db, "PRAGMA page_count"))
    return {"bytes_before": pages * page, "bytes_after": after * page, "vacuumed": int(vacuumed), "log_emptied": int(not blocked)}
