"""Draw how cost grows with size: ``python benchmarks/plot.py`` reads benchmarks/scale.json and writes docs/images/scale.svg (needs matplotlib)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"cached query": "retrieve, query cached", "with embedding": "retrieve, embedding included", "keyword only": "keyword only"}


def plot(report: dict[str, Any], target: Path) -> None:
    """Milliseconds against the size of the namespace, log-log, for each store; the processor's time in the second panel."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "hindsight"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), constrained_layout=True, sharey=True)
    for axis, (name, title) in zip(axes, (("p95_ms", "p95 by the clock, ms"), ("cpu_ms", "processor time, ms")), strict=True):
        for store, style in zip(report["stores"], (":", "--", "-"), strict=False):
            sizes = sorted(int(records) for records in store["retrieve"])
            for colour, (kind, label) in enumerate(KINDS.items()):
                values = [store["retrieve"][str(records)][kind][name] for records in sizes]
                axis.loglog(sizes, values, style, marker=".", color=f"C{colour}", label=f"{label}, store of {store['memories']:,}")
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("memories in the namespace")
        axis.grid(alpha=0.3, which="both")
    axes[0].legend(fontsize=7)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    plot(json.loads((ROOT / "benchmarks" / "scale.json").read_text(encoding="utf-8")), ROOT / "docs" / "images" / "scale.svg")
