"""Draw how cost grows with size: ``python benchmarks/plot.py`` reads benchmarks/scale.json and writes docs/images/scale.svg (needs matplotlib)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hindsight.evals.scale_compare import key_of

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"cached query": "retrieve, query cached", "with embedding": "retrieve, embedding included", "keyword only": "keyword only"}
PANELS = (("p95_ms", "p95 by the clock, ms"), ("cpu_ms", "processor time, ms"))


def plot(report: dict[str, Any], target: Path) -> None:
    """Milliseconds against the size of the namespace, log-log: a row for each engine, the processor's time in the second column."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "hindsight"
    from matplotlib import pyplot as plt

    engines = list(dict.fromkeys(key_of(store)[0] for store in report["stores"]))
    shape: dict[str, Any] = {
        "figsize": (10, 4 * len(engines)),
        "constrained_layout": True,
        "sharex": True,
        "sharey": True,
        "squeeze": False,
    }
    figure, axes = plt.subplots(len(engines), 2, **shape)
    for row, engine in zip(axes, engines, strict=True):
        stores = [store for store in report["stores"] if key_of(store)[0] == engine and "retrieve" in store]
        for axis, (name, title) in zip(row, PANELS, strict=True):
            for store, style in zip(reversed(stores), ("-", "--", ":"), strict=False):
                sizes = sorted(int(records) for records in store["retrieve"])
                for colour, (kind, label) in enumerate(KINDS.items()):
                    values = [store["retrieve"][str(records)][kind][name] for records in sizes]
                    axis.loglog(sizes, values, style, marker=".", color=f"C{colour}", label=f"{label}, store of {store['memories']:,}")
            axis.set_title(f"{engine}: {title}", fontsize=10)
            axis.set_xlabel("memories in the namespace")
            axis.grid(alpha=0.3, which="both")
        row[0].legend(fontsize=7)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    plot(json.loads((ROOT / "benchmarks" / "scale.json").read_text(encoding="utf-8")), ROOT / "docs" / "images" / "scale.svg")
