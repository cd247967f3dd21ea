"""Compare two runs of :mod:`hindsight.evals.scale`: ratios within each, since absolute times belong to a machine.

Every time is divided by the processor time of one kind of question in the same run: a cached query on the namespace that holds a tenth of the
store. Memory and disk are compared as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

SLOWER = 1.5
"""From so much of its former ratio on a time counts as worse: runs on one machine differ by a third."""
LARGER = 1.2
"""The same for memory and disk."""
UNIT = "cached query"


def ratios(report: Mapping[str, Any]) -> dict[str, float]:
    """What is compared of a report, by name."""
    found: dict[str, float] = {}
    units: dict[int, dict[str, float]] = {}
    for store in report["stores"]:
        size = store["memories"]
        times = {
            (records, kind): float(told["cpu_ms"])
            for records, kinds in store["retrieve"].items()
            for kind, told in kinds.items()
            if isinstance(told, Mapping)
        }
        tenth = max((int(records) for records in store["retrieve"] if int(records) <= size // 10), default=0)
        unit = times.get((str(tenth), UNIT), 0.0)
        if unit > 0:
            found |= {f"{size:,}: {int(records):,}: {kind}": time / unit for (records, kind), time in times.items()}
        units[size] = {records: time for (records, kind), time in times.items() if kind == UNIT}
        found[f"{size:,}: resident MB"] = store["rss_mb"]["all namespaces"]
        found[f"{size:,}: MB on disk"] = store["disk_mb"]
    sizes = sorted(units)
    for smaller, larger in pairwise(sizes):
        for records in units[smaller].keys() & units[larger].keys():
            if units[smaller][records] > 0:
                found[f"{larger:,} / {smaller:,}: {int(records):,}: {UNIT}"] = units[larger][records] / units[smaller][records]
    return found


def compared(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Lines that set what both hold side by side, and those that are worse."""
    now, before = ratios(report), ratios(baseline)
    lines, worse = [], []
    for name in (name for name in before if name in now):
        change = now[name] / before[name] if before[name] else 1.0
        line = f"{name}: {before[name]:.2f} → {now[name]:.2f} (× {change:.2f})"
        lines.append(line)
        if change > (LARGER if " MB" in name else SLOWER):
            worse.append(line)
    return lines, worse
