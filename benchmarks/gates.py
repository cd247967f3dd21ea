"""Evaluation gates: does the ranking still do on the development sets what it did?

    python benchmarks/gates.py [FOLDER] [--full] [--store FOLDER] [--record]

Three questions a set, each answered over queries with 95 % bootstrap intervals, so that noise neither passes nor fails:

1. Is the default ranking better than keyword search alone on the same questions? The paired interval must lie above 0.
2. Is a rate surely below its floor in thresholds.toml? Its whole interval must not be.
3. Is it surely worse than the run recorded in reference.json? The paired interval must not lie below 0.

``--record`` writes reference.json from this run; it holds one number a query and nothing of the data. With ``--full`` it
writes results.json instead, from which ``make pages`` fills the page on evaluation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hindsight.evals.metrics import interval, paired_interval
from hindsight.evals.retrieval import RetrievalReport, evaluate_retrieval

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "../shared/data"
THRESHOLDS = HERE / "thresholds.toml"
REFERENCE = HERE / "reference.json"
RESULTS = HERE / "results.json"
NOTE = (
    "Whole development sets. The fusion was fitted on them, so these rates flatter it; [Retrieval](retrieval.md) gives the "
    "cross-validated ones. `keyword alone` is the keyword route with nothing else."
)
MEASURES = ("recall@5", "recall@10")


def main() -> int:
    """Run every gate that has its data; 1 where one fails, or where no set was found."""
    parser = argparse.ArgumentParser(description="Evaluation gates.")
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="folder of the development sets")
    parser.add_argument("--full", action="store_true", help="whole sets instead of samples; only the first gate applies")
    parser.add_argument("--store", type=Path, help="keep the filled stores here for the next run")
    parser.add_argument("--record", action="store_true", help="write reference.json from this run")
    arguments = parser.parse_args()
    thresholds = tomllib.loads(THRESHOLDS.read_text(encoding="utf-8"))
    reference = json.loads(REFERENCE.read_text(encoding="utf-8")) if REFERENCE.exists() else {}
    faults, recorded, results = [], {}, {}
    for name, gate in thresholds.items():
        if not (arguments.data / name).is_dir():
            print(f"{name}: not in {arguments.data}, skipped")
            continue
        default, keyword = asyncio.run(runs(arguments.data / name, None if arguments.full else gate.get("scopes"), arguments.store))
        recorded[name] = {measure: [round(value, 4) for value in default.per_query[measure]] for measure in MEASURES}
        results[name] = [{"name": run, **shown(report)} for run, report in (("default", default), ("keyword alone", keyword))]
        faults += judge(
            name, default, keyword, {} if arguments.full else gate.get("floor", {}), {} if arguments.full else reference.get(name, {})
        )
    if arguments.record and arguments.full:
        RESULTS.write_text(json.dumps({"note": NOTE, "sets": results}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    elif arguments.record:
        REFERENCE.write_text(json.dumps(recorded, separators=(",", ":")) + "\n", encoding="utf-8")
    for fault in faults or ([] if recorded else ["no development set was found"]):
        print(f"FAILED {fault}")
    return int(bool(faults) or not recorded)


async def runs(folder: Path, scopes: list[str] | None, store: Path | None) -> tuple[RetrievalReport, RetrievalReport]:
    """The default ranking and keyword search alone, on one filled store."""
    with tempfile.TemporaryDirectory(prefix="hindsight-gates-") as scratch:
        place = store or Path(scratch)
        default = await evaluate_retrieval(folder, scopes=scopes, store=place)
        keyword = await evaluate_retrieval(folder, scopes=scopes, store=place, routes="keyword", fusion="weighted")
    return default, keyword


def judge(name: str, default: RetrievalReport, keyword: RetrievalReport, floor: dict[str, float], reference: dict[str, Any]) -> list[str]:
    """Print the figures of a set; the gates that it failed."""
    told = default.as_dict()
    print(
        f"{name}: {told['n']} questions, {told['docs']:,} documents, stored in {told['ingest_s']} s, p50 {told['p50_ms']} ms, p95 {told['p95_ms']} ms"
    )
    for asked, found in told.get("unanswerable", {}).items():
        print(f"  {asked}: {100 * found['answered']:.1f} % of {found['n']} unanswerable questions answered with something")
    faults = []
    for measure in MEASURES:
        values = default.per_query[measure]
        gain, low, high = paired_interval(values, keyword.per_query[measure])
        print(
            f"  {measure} {100 * default.rate(measure):5.1f} {percent(interval(values))}, "
            f"keyword alone {100 * keyword.rate(measure):5.1f}, gain {100 * gain:+.1f} {percent((low, high))}"
        )
        if low <= 0:
            faults.append(f"{name} {measure}: no better than keyword search alone (gain {100 * gain:+.1f} {percent((low, high))})")
        if measure in floor and interval(values)[1] < floor[measure]:
            faults.append(f"{name} {measure}: {percent(interval(values))} lies below its floor of {100 * floor[measure]:.1f}")
        if len(reference.get(measure, ())) == len(values):
            change, worst, best = paired_interval(values, reference[measure])
            print(f"    against the recorded run {100 * change:+.1f} {percent((worst, best))}")
            if best < 0:
                faults.append(f"{name} {measure}: worse than the recorded run by {100 * -change:.1f} {percent((worst, best))}")
        elif reference:
            faults.append(f"{name} {measure}: the recorded run has other questions; record again")
    return faults


def shown(report: RetrievalReport) -> dict[str, Any]:
    """What the page shows of a run."""
    everything = report.as_dict()
    return {name: everything[name] for name in ("n", "docs", *report.per_query, "intervals", "embedder")}


def percent(ends: tuple[float, float]) -> str:
    """``[61.2, 67.9]``."""
    return f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


if __name__ == "__main__":
    sys.exit(main())
