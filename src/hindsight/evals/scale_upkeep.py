"""What keeping a store costs at size: upkeep jobs, erasing half of it, and how near its searches are to what the machine can do at all."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hindsight.adapters.relational.matrix import COARSE_FROM
from hindsight.assemble import assemble, embedder_of, store_of
from hindsight.clock import FixedClock, SystemClock
from hindsight.evals.machine import resident_mb
from hindsight.evals.metrics import percentile
from hindsight.evals.scale_places import Load, Place, Tell, asked
from hindsight.evals.workload import Workload
from hindsight.memory import Hindsight
from hindsight.records import Filter, Principal
from hindsight.remember.commit import event_of
from hindsight.settings import load_settings

LATER = timedelta(days=200)
"""So long after the records were written the jobs run: episodes are past the hot window, and the history is old."""
_BATCH = 500
"""Records erased in one call."""
_NEAREST = 50


async def upkeep_jobs(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """Seconds by the clock and of the processor that each job takes to look at the whole store; ``stats`` alone writes."""
    del load
    settings = load_settings(store=place.address, **place.options)
    found: dict[str, Any] = {}
    async with assemble(settings, clock=FixedClock(datetime.now(UTC) + LATER)) as memory:
        jobs = [planned.job.name for planned in await memory.upkeep_jobs()]
        for number, name in enumerate(jobs, start=1):
            spent, started = time.process_time() + place.server_seconds(), time.perf_counter()
            report = await memory.upkeep(name, dry_run=name != "stats")
            took = time.perf_counter() - started
            cpu = time.process_time() + place.server_seconds() - spent
            found[name] = {"s": round(took, 2), "cpu_s": round(cpu, 2), "counts": dict(report.counts)}
            tell(f"{place.size:,}: upkeep", number, len(jobs))
    return {"upkeep": found}


async def erase_half(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """Erase every second memory of a copy of the store in one process that has all namespaces loaded; what it and the disk hold after."""
    del load
    with place.copied() as copy:
        ids, settings = copy.half(), load_settings(store=copy.address, **copy.options)
        store = store_of(settings, embedder_of(settings), SystemClock())
        await store.open()
        try:
            async with Hindsight.open(copy.address, **copy.options) as memory:
                names = await store.namespaces()
                held = [await _loaded(memory, names)]
                started = time.perf_counter()
                for start in range(0, len(ids), _BATCH):
                    batch = ids[start : start + _BATCH]
                    await store.erase(batch, event_of("erased", Principal(), datetime.now(UTC)))
                    tell(f"{place.size:,}: erase", start + len(batch), len(ids))
                spent = time.perf_counter() - started
                held.append(await _loaded(memory, names))
                tuned = await store.upkeep.tune()
        finally:
            await store.close()
    disk = {"before": round(tuned["bytes_before"] / 1e6), "after": round(tuned["bytes_after"] / 1e6)}
    rates = {"erased": len(ids), "per_s": round(len(ids) / spent)}
    return {"erase": {**rates, "rss_mb": {"before": held[0], "after": held[1]}, "disk_mb": disk}}


async def scan_limits(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """Milliseconds to embed a question, and to find the nearest vectors of each namespace by a scan, with the MB that the scan reads.

    Nothing for a store without vectors, and for one on a server, which may ask an index instead.
    """
    settings = load_settings(store=place.address, **place.options)
    model = embedder_of(settings)
    if model is None or place.engine != "embedded":
        return {}
    questions = [question.text for question in Workload(31).questions(load.queries)]
    took, vectors = [], []
    await model.embed(["warm-up"], kind="query")
    for question in questions:
        started = time.perf_counter()
        vectors.append((await model.embed([question], kind="query"))[0])
        took.append(1000 * (time.perf_counter() - started))
    found: dict[str, Any] = {"embed_ms": round(percentile(took, 0.5), 2), "scan": {}}
    store = store_of(settings, model, SystemClock())
    await store.open()
    try:
        for size, name in asked(place, load).items():
            filter = Filter(namespace=name, agent=settings.agent)
            await store.search_vector(filter, vectors[0], limit=_NEAREST)
            took = []
            for vector in vectors:
                started = time.perf_counter()
                await store.search_vector(filter, vector, limit=_NEAREST)
                took.append(1000 * (time.perf_counter() - started))
            read = scanned_bytes(size, model.dimension)
            found["scan"][str(size)] = {"p50_ms": round(percentile(took, 0.5), 2), "read_mb": round(read / 1e6, 2)}
            tell(f"{place.size:,}: {name}: scan", len(vectors), len(vectors))
    finally:
        await store.close()
    return {"limits": found}


def scanned_bytes(count: int, dimension: int) -> int:
    """What a search without a filter reads of the vectors of ``count`` records: a bit a component where they are many, else a byte."""
    return count * dimension // (8 if count >= COARSE_FROM else 1)


async def _loaded(memory: Hindsight, names: Sequence[str]) -> int:
    """Resident MB with every namespace searched."""
    for name in names:
        await memory.retrieve("what helped?", k=3, namespace=name, min_relevance=0)
    gc.collect()
    return round(resident_mb() or 0)
