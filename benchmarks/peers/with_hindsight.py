"""hindsight itself, with its default model and what a conversation's importer knows (speaker, session, time). Runs in the project's environment.

Its vectors are made while it stores and asks; the time that takes a question is told apart (``embed``).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from conversations import K, resident  # type: ignore[import-not-found]

from hindsight import Hindsight, __version__


async def main(folder: Path, out: Path) -> dict[str, Any]:
    """Store and ask; what was measured."""
    drafts, questions = (
        [json.loads(line) for line in (folder / name).open(encoding="utf-8")] for name in ("drafts.jsonl", "questions.jsonl")
    )
    begun = time.perf_counter()
    async with Hindsight.open(str(out.parent / f"store-{out.stem}"), seal_key="off") as memory:
        started = time.perf_counter() - begun
        begun = time.perf_counter()
        await memory.store_many(drafts)
        kept = time.perf_counter() - begun
        await memory.retrieve("warm-up", k=1, namespace=questions[0]["scope"], min_relevance=0)
        found, took, embedding = {}, [], []
        for row in questions:
            begun = time.perf_counter()
            answer = await memory.retrieve(row["text"], k=K, namespace=row["scope"], min_relevance=0, now=row["now"])
            took.append((time.perf_counter() - begun) * 1000)
            embedding.append(answer.timings.get("embed", 0.0))
            found[row["id"]] = [hit.memory.key for hit in answer.hits]
    own = sorted(whole - part for whole, part in zip(took, embedding, strict=True))
    told: dict[str, Any] = {
        "package": "hindsight",
        "version": __version__,
        "start_s": round(started, 2),
        "ingest_s": round(kept, 2),
        "p50_ms": round(statistics.median(own), 2),
        "p95_ms": round(own[int(0.95 * (len(own) - 1))], 2),
        "rss_mb": resident(),
        "vectors_asked": 0,
        "found": found,
    }
    return told


Path(sys.argv[2]).write_text(json.dumps(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))), encoding="utf-8")
