"""Run the benchmark and keep its figures; see docs/benchmarks.md.

python benchmarks/run.py [--quick] [--sizes 10000 100000] [--embedder NAME] [--folder FOLDER] [--save]
python benchmarks/run.py --scale 100000 1000000 [--folder FOLDER] [--save]     how cost grows with size
python benchmarks/run.py --compare [REPORT]                                    ratios against benchmarks/scale.json; 1 where one is worse
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hindsight.evals.bench import SIZES, run_bench
from hindsight.evals.scale import CLAUSES, run_scale
from hindsight.evals.scale_compare import compared

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "benchmarks" / "scale.json"
COMPARED = (10_000, 100_000)
QUICK = {"sizes": (500,), "queries": 40, "writes": 20}


def main() -> int:
    """Measure, print one JSON object, and with --save write it where the documentation takes it from."""
    parser = argparse.ArgumentParser(description="Measure speed and memory of the embedded store.")
    parser.add_argument("--quick", action="store_true", help="500 memories: does it run, not how fast")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of memories")
    parser.add_argument("--embedder", help="default: the settings'")
    parser.add_argument("--folder", type=Path, help="lay the stores here: its disk is measured")
    parser.add_argument("--save", action="store_true", help="write benchmarks/bench.json; `make pages` then refills the page")
    parser.add_argument(
        "--scale", type=int, nargs="+", metavar="SIZE", help="stores of skewed namespaces of these sizes; with --folder they are kept"
    )
    parser.add_argument(
        "--clauses", type=int, default=CLAUSES, help="with --scale: how many texts are embedded, of which memories are composed"
    )
    parser.add_argument("--queries", type=int, default=80, help="with --scale: questions of each kind")
    parser.add_argument("--seconds", type=float, default=12.0, help="with --scale: how long readers and a writer run together")
    parser.add_argument("--compare", nargs="?", const="", metavar="REPORT", help="of --scale: a report, or a new run of 10,000 and 100,000")
    arguments = parser.parse_args()
    if arguments.compare is not None or arguments.scale:
        return scale(arguments)
    load: dict[str, Any] = QUICK if arguments.quick else {"sizes": tuple(arguments.sizes)}
    report = asyncio.run(run_bench(**load, embedder=arguments.embedder, folder=arguments.folder, progress=tell)).as_dict()
    print(json.dumps(report, ensure_ascii=False))
    if arguments.save:
        (ROOT / "benchmarks" / "bench.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def scale(arguments: argparse.Namespace) -> int:
    """Measure stores of given sizes, or take a report, and with --compare set it beside the recorded one."""
    if arguments.compare:
        report: dict[str, Any] = json.loads(Path(arguments.compare).read_text(encoding="utf-8"))
    else:
        sizes = arguments.scale or COMPARED
        options = {"queries": arguments.queries, "seconds": arguments.seconds, "clauses": arguments.clauses, "embedder": arguments.embedder}
        with tempfile.TemporaryDirectory(prefix="hindsight-scale-") as scratch:
            report = asyncio.run(run_scale(sizes, folder=arguments.folder or Path(scratch), tell=tell, **options))
        print(json.dumps(report, ensure_ascii=False))
    if arguments.save:
        BASELINE.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if arguments.compare is None:
        return 0
    lines, worse = compared(report, json.loads(BASELINE.read_text(encoding="utf-8")))
    print("\n".join([*lines, *(f"WORSE {line}" for line in worse)] or ["nothing to compare: no size in common"]))
    return int(bool(worse) or not lines)


def tell(what: str, done: int, total: int) -> None:
    """A line on a terminal, rewritten; elsewhere one line a measurement, at its end."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}: {done:,} of {total:,}", end="" if done < total else "\n", file=sys.stderr, flush=True)
    elif done == total:
        print(f"{what}: {total:,}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
