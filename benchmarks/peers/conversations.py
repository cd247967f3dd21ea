"""What each adapter stands on: the documents, the questions, vectors that were made before, and the measuring. Runs in any peer's environment.

An adapter is run as ``python with_PEER.py FOLDER OUT``. FOLDER holds ``documents.jsonl`` and ``questions.jsonl`` (id, scope, text) and
``vectors.npy`` (those of the documents, then of the questions). What it found goes to OUT as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

K = 20
Rows = list[dict[str, str]]
Opened = tuple[Callable[[Rows], None], Callable[[str, str], list[str]]]
"""Keeps all documents; the best ``K`` document ids of one scope for a question."""


class Vectors:
    """Text → vector, from those made before; a text that is not among them (a part, a name) is asked of the driver."""

    def __init__(self, folder: Path, documents: Rows, questions: Rows) -> None:
        table = np.load(folder / "vectors.npy")
        self.dimension = int(table.shape[1])
        self._known = {row["text"]: table[place] for place, row in enumerate([*documents, *questions])}
        self.asked = 0

    def __call__(self, text: str) -> list[float]:
        """One text's vector."""
        if text not in self._known:
            self.asked += 1
            request = urllib.request.Request(os.environ["PEERS_EMBEDDER"], data=json.dumps(text).encode(), method="POST")  # noqa: S310 - the driver\'s own address
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                self._known[text] = np.asarray(json.load(answer), dtype=np.float32)
        return [float(value) for value in self._known[text]]

    def many(self, texts: list[str]) -> list[list[float]]:
        """The vectors of several texts."""
        return [self(text) for text in texts]


def compare(package: str, open_: Callable[[Path, Vectors], Opened]) -> None:
    """Measure one peer.

    Args:
        package: the distribution that is measured.
        open_: makes the store in a folder.
    """
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    documents, questions = (
        [json.loads(line) for line in (folder / name).open(encoding="utf-8")] for name in ("documents.jsonl", "questions.jsonl")
    )
    vectors = Vectors(folder, documents, questions)
    begun = time.perf_counter()
    keep, search = open_(out.parent / f"store-{out.stem}", vectors)
    started = time.perf_counter() - begun
    begun = time.perf_counter()
    keep(documents)
    kept = time.perf_counter() - begun
    search(questions[0]["text"], questions[0]["scope"])
    found: dict[str, list[str]] = {}
    took: list[float] = []
    for row in questions:
        begun = time.perf_counter()
        found[row["id"]] = search(row["text"], row["scope"])[:K]
        took.append((time.perf_counter() - begun) * 1000)
    took.sort()
    told: dict[str, Any] = {
        "package": package,
        "version": version(package),
        "start_s": round(started, 2),
        "ingest_s": round(kept, 2),
        "p50_ms": round(statistics.median(took), 2),
        "p95_ms": round(took[int(0.95 * (len(took) - 1))], 2),
        "rss_mb": resident(),
        "vectors_asked": vectors.asked,
        "found": found,
    }
    out.write_text(json.dumps(told), encoding="utf-8")


def resident() -> int | None:
    """The most memory that this process has held, in MiB; None where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024
