"""Run the benchmark and keep its figures; see docs/benchmarks.md.

python benchmarks/run.py [--quick] [--sizes 10000 100000] [--embedder NAME] [--folder FOLDER] [--save]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from hindsight.evals.bench import SIZES, run_bench

ROOT = Path(__file__).resolve().parent.parent
QUICK = {"sizes": (500,), "queries": 40, "writes": 20}


def main() -> int:
    """Measure, print one JSON object, and with --save write it where the documentation takes it from."""
    parser = argparse.ArgumentParser(description="Measure speed and memory of the embedded store.")
    parser.add_argument("--quick", action="store_true", help="500 memories: does it run, not how fast")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of memories")
    parser.add_argument("--embedder", help="default: the settings'")
    parser.add_argument("--folder", type=Path, help="lay the stores here: its disk is measured")
    parser.add_argument("--save", action="store_true", help="write benchmarks/bench.json; `make pages` then refills the page")
    arguments = parser.parse_args()
    load: dict[str, Any] = QUICK if arguments.quick else {"sizes": tuple(arguments.sizes)}
    report = asyncio.run(run_bench(**load, embedder=arguments.embedder, folder=arguments.folder, progress=tell)).as_dict()
    print(json.dumps(report, ensure_ascii=False))
    if arguments.save:
        (ROOT / "benchmarks" / "bench.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def tell(what: str, done: int, total: int) -> None:
    """A line on a terminal, rewritten; elsewhere one line a measurement, at its end."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}: {done:,} of {total:,}", end="" if done < total else "\n", file=sys.stderr, flush=True)
    elif done == total:
        print(f"{what}: {total:,}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
