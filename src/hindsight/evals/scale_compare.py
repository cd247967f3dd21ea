"""Compare and join runs of :mod:`hindsight.evals.scale`: ratios within each, since absolute times belong to a machine.

The processor time of each kind of question is divided by the pace of the machine while it was asked (:func:`hindsight.evals.machine.pace_ms`).
Memory and disk are compared as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

SLOWER = 1.5
"""From so much of its former ratio on a time counts as worse: runs on one machine differ by a third."""
LARGER = 1.2
"""The same for memory and disk."""
KIND = "cached query"
"""Of this kind the growth from one size of store to the next is compared, too."""
EMBEDDED = "embedded"
Key = tuple[str, int]
"""A store of a report: engine and number of memories."""


def ratios(report: Mapping[str, Any]) -> dict[str, float]:
    """What is compared of a report, by name."""
    found: dict[str, float] = {}
    stores = {key_of(store): store for store in report["stores"]}
    for key, store in stores.items():
        found |= {f"{_said(key)}: {records:,}: {kind}": time for records, kind, time in _paced(store)}
        if "rss_mb" in store:
            found[f"{_said(key)}: resident MB"] = store["rss_mb"]["all namespaces"]
        if "disk_mb" in store:
            found[f"{_said(key)}: MB on disk"] = store["disk_mb"]
    for smaller, larger in pairwise(sorted(stores)):
        if smaller[0] == larger[0]:
            small = {records: time for records, kind, time in _paced(stores[smaller]) if kind == KIND}
            large = {records: time for records, kind, time in _paced(stores[larger]) if kind == KIND}
            for records in sorted(small.keys() & large.keys()):
                found[f"{_said(larger)} / {smaller[1]:,}: {records:,}: {KIND}"] = large[records] / small[records]
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


def merged(before: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    """A report with what the other one measured anew; of a store that both have, parts and namespaces that only the older has are kept.

    The machine that a store tells of is that of its newest parts.
    """
    stores = {key_of(store): dict(store) for store in before.get("stores", ())}
    for store in report["stores"]:
        old = stores.get(key_of(store), {})
        retrieve = {**old.get("retrieve", {}), **store.get("retrieve", {})}
        asked = {"retrieve": {size: retrieve[size] for size in sorted(retrieve, key=int)}} if retrieve else {}
        stores[key_of(store)] = {**old, **store, **asked}
    return {**report, "stores": [stores[key] for key in sorted(stores)]}


def key_of(store: Mapping[str, Any]) -> Key:
    """Which store of a report it is."""
    return str(store.get("engine", EMBEDDED)), int(store["memories"])


def _said(key: Key) -> str:
    return f"{key[1]:,}" if key[0] == EMBEDDED else f"{key[0]}, {key[1]:,}"


def _paced(store: Mapping[str, Any]) -> Iterator[tuple[int, str, float]]:
    """(Size of a namespace, kind of question, processor time in paces)."""
    for records, kinds in store.get("retrieve", {}).items():
        for kind, told in kinds.items():
            if isinstance(told, Mapping) and told.get("pace_ms") and told["cpu_ms"]:
                yield int(records), kind, told["cpu_ms"] / told["pace_ms"]
