"""Speed and memory of the embedded store at given sizes, through the public interface, in one run on one described machine.

Absolute times belong to the machine; compare ratios within a run, or runs on one machine. Texts come from
:mod:`hindsight.evals.workload`, vectors from the model that the settings name, which the report states.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from hindsight.assemble import embedder_of
from hindsight.evals.machine import describe, resident_mb
from hindsight.evals.metrics import percentile
from hindsight.evals.probe import cold_open, stdio_start
from hindsight.evals.retrieval import embedder_options
from hindsight.evals.seal_cost import measure_seals
from hindsight.evals.workload import NAMESPACES, TENTH, TWO_HUNDREDTH, Question, Workload
from hindsight.memory import Hindsight
from hindsight.settings import load_settings

SIZES = (10_000, 100_000)
Item = TypeVar("Item")
Progress = Callable[[str, int, int], None]
"""Told (what is measured, done, total)."""


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What a run measured: the machine, and one mapping a size."""

    machine: dict[str, Any]
    sizes: Sequence[dict[str, Any]]
    concurrent: dict[str, Any]
    seals: dict[str, Any]
    embedder: str | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: milliseconds, seconds, MB of 10^6 bytes."""
        parts = {"sizes": list(self.sizes), "concurrent": self.concurrent, "seals": self.seals}
        return {"machine": self.machine, "embedder": self.embedder, **parts}


async def run_bench(
    sizes: Sequence[int] = SIZES,
    *,
    queries: int = 300,
    writes: int = 200,
    processes: int = 4,
    embedder: str | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> BenchReport:
    """Fill stores of the given sizes, measure, and throw them away.

    Args:
        sizes: numbers of memories.
        queries: questions asked in each kind of retrieval.
        writes: memories stored and erased one by one, and by each process of those that store at once.
        processes: how many store at once.
        embedder: an embedder's name, with its model after a colon where it takes one; default: the settings'.
        folder: where the stores are laid (default: the system's temporary folder): its disk is what is measured.
        progress: told (what is measured, done, total).

    Raises:
        ConfigurationError: no such embedder.
    """
    options = embedder_options(embedder)
    place = Path(folder) if folder is not None else None
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="hindsight-bench-", dir=place) as home:
            keyed = {**options, "seal_key_file": str(Path(home) / "keys" / "seal.key")}
            measured.append(await _Run(Path(home) / "store", keyed, size, queries, writes, progress).measure())
    with tempfile.TemporaryDirectory(prefix="hindsight-bench-", dir=place) as home:
        together = await asyncio.to_thread(_concurrently, home, processes, writes)
    with tempfile.TemporaryDirectory(prefix="hindsight-bench-", dir=place) as home:
        seals = await measure_seals(Path(home), records=min(10_000, max(sizes)), writes=writes)
    model = embedder_of(load_settings(**options))
    return BenchReport(
        machine=describe(place), sizes=measured, concurrent=together, seals=seals, embedder=model.model_id if model else None
    )


@dataclass(slots=True)
class _Run:
    """One size: a store of its own, filled once, measured from every side."""

    folder: Path
    options: Mapping[str, Any]
    size: int
    queries: int
    writes: int
    progress: Progress | None
    load: Workload = field(default_factory=Workload)

    async def measure(self) -> dict[str, Any]:
        """Every measurement of this size; reads come before the writes that would disturb them."""
        result: dict[str, Any] = {"memories": self.size}
        async with Hindsight.open(self.folder, **self.options) as memory:
            result["import"] = await self._import(memory)
            questions = self.load.questions(self.queries)
            result["retrieve"] = await self._retrieve(memory, questions)
            result["rss_mb"] = _rounded(resident_mb())
            result["write"] = await self._write(memory)
            result["disk_mb"] = _rounded((await memory.stats()).bytes_on_disk / 1e6)
        environment = {f"HINDSIGHT_{name.upper()}": value for name, value in self.options.items()}
        for name, probe in (("cold", cold_open), ("mcp_stdio", stdio_start)):
            result[name] = await asyncio.to_thread(probe, self.folder, NAMESPACES[0], questions[0].text, environment)
        result["embed_query"] = await self._embed(questions)
        return result

    async def _import(self, memory: Hindsight) -> dict[str, Any]:
        done = 0

        def count(stored: int) -> None:
            nonlocal done
            done += stored
            self._tell("import", done, self.size)

        started = time.perf_counter()
        await memory.store_many(list(self.load.memories(self.size)), progress=count)
        spent = time.perf_counter() - started
        return {"s": round(spent, 1), "memories_per_s": round(self.size / spent)}

    async def _retrieve(self, memory: Hindsight, questions: Sequence[Question]) -> dict[str, Any]:
        """The first pass embeds each question; later ones find its vector cached, and another k, so that no whole answer is."""
        await memory.retrieve("warm-up", k=1, namespace=NAMESPACES[0], min_relevance=0)
        kinds: dict[str, dict[str, Any]] = {
            "with embedding": {"k": 10},
            "cached query": {"k": 9},
            "cached query, largest namespace": {"k": 8, "namespace": NAMESPACES[0]},
            "keyword only": {"k": 10, "routes": ("keyword",)},
            "filter to 10 %": {"k": 10, "tags": TENTH},
            "filter to 0.5 %": {"k": 10, "tags": TWO_HUNDREDTH},
        }
        result = {}
        for name, how in kinds.items():

            async def ask(question: Question, how: dict[str, Any] = how) -> None:
                await memory.retrieve(question.text, **{"namespace": question.namespace, "min_relevance": 0, **how})

            result[name] = await self._timed(f"retrieve, {name}", ask, questions)
        return result

    async def _write(self, memory: Hindsight) -> dict[str, Any]:
        fresh = Workload(seed=self.size).memories(2 * self.writes)
        drafts = [{**draft, "idempotency_key": f"fresh-{number}"} for number, draft in enumerate(fresh)]
        stored: list[UUID] = []

        async def store(draft: dict[str, Any]) -> None:
            kept = await memory.store(**draft)
            if kept.id is not None:
                stored.append(kept.id)

        async def queue(draft: dict[str, Any]) -> None:
            await memory.store(wait=False, **draft)

        result: dict[str, Any] = {"store": await self._timed("store", store, drafts[: self.writes])}
        result["store, wait=False"] = await self._timed("store, wait=False", queue, drafts[self.writes :])
        started = time.perf_counter()
        await memory.settle(timeout=600)
        result["queue drained_s"] = round(time.perf_counter() - started, 2)
        result["forget"] = await self._timed("forget", memory.forget, stored)
        return result

    async def _embed(self, questions: Sequence[Question]) -> dict[str, Any] | None:
        model = embedder_of(load_settings(**self.options))
        if model is None:
            return None

        async def embed(question: Question) -> None:
            await model.embed([question.text], kind="query")

        await model.embed(["warm-up"], kind="query")
        timed = await self._timed("embed a query", embed, questions)
        await model.close()
        return timed

    async def _timed(self, name: str, call: Callable[[Item], Awaitable[Any]], items: Sequence[Item]) -> dict[str, Any]:
        took = []
        for number, item in enumerate(items, start=1):
            started = time.perf_counter()
            await call(item)
            took.append(1000 * (time.perf_counter() - started))
            self._tell(name, number, len(items))
        return {"n": len(took), "p50_ms": round(percentile(took, 0.5), 2), "p95_ms": round(percentile(took, 0.95), 2)}

    def _tell(self, name: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(f"{self.size:,}: {name}", done, total)


def _concurrently(store: str, processes: int, writes: int) -> dict[str, Any]:
    """Several processes store at once, keyword-only: what the store itself takes, without the time of a model."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        pool.starmap(_store_alone, [(store, number, 1) for number in range(processes)])  # all have imported and opened once
        started = time.perf_counter()
        took = [
            each
            for times in pool.starmap(_store_alone, [(store, number + processes, writes) for number in range(processes)])
            for each in times
        ]
        spent = time.perf_counter() - started
    return {
        "processes": processes,
        "stores_per_s": round(len(took) / spent),
        "p50_ms": round(percentile(took, 0.5), 2),
        "p95_ms": round(percentile(took, 0.95), 2),
        "worst_ms": round(max(took), 1),
    }


def _store_alone(store: str, seed: int, writes: int) -> list[float]:
    return asyncio.run(_store_one_by_one(store, seed, writes))


async def _store_one_by_one(store: str, seed: int, writes: int) -> list[float]:
    took = []
    async with Hindsight.open(f"{store}/store", embedder="none", seal_key_file=f"{store}/keys/seal.key") as memory:
        for number, draft in enumerate(Workload(seed).memories(writes)):
            started = time.perf_counter()
            await memory.store(**{**draft, "idempotency_key": f"{seed}-{number}"})
            took.append(1000 * (time.perf_counter() - started))
    return took


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)
