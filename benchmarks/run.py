"""Run the benchmark and keep its figures; see docs/benchmarks.md.

python benchmarks/run.py [--quick] [--sizes 10000 100000] [--embedder NAME] [--folder FOLDER] [--save]
python benchmarks/run.py --scale 100000 1000000 [--folder FOLDER] [--postgres URL] [--save]     how cost grows with size
python benchmarks/run.py --scale 1000000 --folder FOLDER --parts retrieve refresh --namespaces 10000 100000     some of it
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
from hindsight.evals.scale import CLAUSES, PARTS, run_scale
from hindsight.evals.scale_compare import compared, merged
from hindsight.evals.scale_places import Load

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "benchmarks" / "scale.json"
COMPARED = (10_000, 100_000)
COMPARED_PARTS = ("cold", "retrieve", "together", "refresh")
QUICK = {"sizes": (500,), "queries": 40, "writes": 20}


def main() -> int:
    """Measure, print one JSON object, and with --save write it where the documentation takes it from."""
    arguments = parsed()
    if arguments.compare is not None or arguments.scale:
        return scale(arguments)
    load: dict[str, Any] = QUICK if arguments.quick else {"sizes": tuple(arguments.sizes)}
    report = asyncio.run(run_bench(**load, embedder=arguments.embedder, folder=arguments.folder, progress=tell)).as_dict()
    print(json.dumps(report, ensure_ascii=False))
    if arguments.save:
        (ROOT / "benchmarks" / "bench.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure speed and memory.")
    parser.add_argument("--quick", action="store_true", help="500 memories: does it run, not how fast")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of memories")
    parser.add_argument("--embedder", help="default: the settings'")
    parser.add_argument("--folder", type=Path, help="lay the stores here: its disk is measured")
    parser.add_argument("--save", action="store_true", help="write benchmarks/bench.json; `make pages` then refills the page")
    scale = parser.add_argument_group("how cost grows with size")
    scale.add_argument(
        "--scale", type=int, nargs="+", metavar="SIZE", help="stores of skewed namespaces of these sizes; with --folder they are kept"
    )
    scale.add_argument(
        "--postgres", metavar="URL", help="measure them in databases of this server (its user may create some), filled from those"
    )
    scale.add_argument(
        "--parts", nargs="+", choices=list(PARTS), default=None, help="measure these only; --save leaves the others as they are"
    )
    scale.add_argument("--namespaces", type=int, nargs="+", default=(), metavar="SIZE", help="ask only namespaces of these sizes")
    scale.add_argument("--clauses", type=int, default=CLAUSES, help="how many texts are embedded, of which memories are composed")
    scale.add_argument("--queries", type=int, default=80, help="questions of each kind")
    scale.add_argument("--seconds", type=float, default=12.0, help="how long readers and a writer run together")
    scale.add_argument("--compare", nargs="?", const="", metavar="REPORT", help="a report, or a new run of 10,000 and 100,000")
    return parser.parse_args()


def scale(arguments: argparse.Namespace) -> int:
    """Measure stores of given sizes, or take a report, and with --compare set it beside the recorded one."""
    baseline: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"stores": []}
    if arguments.compare:
        report: dict[str, Any] = json.loads(Path(arguments.compare).read_text(encoding="utf-8"))
    else:
        sizes = arguments.scale or COMPARED
        parts = arguments.parts or (tuple(PARTS) if arguments.compare is None else COMPARED_PARTS)
        load = Load(arguments.queries, arguments.seconds, namespaces=arguments.namespaces)
        options = {"parts": parts, "clauses": arguments.clauses, "embedder": arguments.embedder, "postgres": arguments.postgres}
        with tempfile.TemporaryDirectory(prefix="hindsight-scale-") as scratch:
            report = asyncio.run(run_scale(sizes, load, folder=arguments.folder or Path(scratch), tell=tell, **options))
        print(json.dumps(report, ensure_ascii=False))
    if arguments.save:
        BASELINE.write_text(json.dumps(merged(baseline, report), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if arguments.compare is None:
        return 0
    lines, worse = compared(report, baseline)
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
