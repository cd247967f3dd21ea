"""The store as an operator watches it: counts, queue, reviews, backups, disk."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from hindsight.records import Stats
from hindsight.snapshots import Condition
from hindsight.upkeep.follow import Comparison


@dataclass(frozen=True, slots=True)
class Standing:
    """One look at it. ``backup_age`` is in seconds, None where there never was a backup; ``disk_free`` None where the store is elsewhere;
    ``engine`` None where no engine holds vectors beside it.
    """

    stats: Stats
    condition: Condition
    backup_age: float | None
    disk_free: int | None
    engine: Comparison | None = None


def free_bytes(store: str) -> int | None:
    """Bytes free where an embedded store lies; None for one on a server, or where that cannot be told."""
    if "://" in store:
        return None
    try:
        return shutil.disk_usage(Path(store).expanduser()).free
    except OSError:
        return None
