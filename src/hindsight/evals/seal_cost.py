"""What seals cost: the same keyword-only stores with and without, in one run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from hindsight.evals.metrics import percentile
from hindsight.evals.workload import Workload
from hindsight.memory import Hindsight


async def measure_seals(folder: Path, *, records: int, writes: int) -> dict[str, Any]:
    """Processor time and bytes a record in batches, milliseconds of single stores (medians), and seconds to verify everything."""
    unsealed = await _measure(folder / "unsealed", records, writes, {"seal_key": "off"})
    sealed = await _measure(
        folder / "sealed", records, writes, {"seal_key": "benchmark", "seal_key_file": str(folder / "keys" / "seal.key")}
    )
    return {"records": records, "unsealed": unsealed, "sealed": sealed}


async def _measure(store: Path, records: int, writes: int, settings: dict[str, str]) -> dict[str, Any]:
    load = Workload(seed=records)
    async with Hindsight.open(store, embedder="none", **settings) as memory:
        drafts = [
            {**draft, "kind": "episode", "idempotency_key": f"{number}"} for number, draft in enumerate(load.memories(records + writes))
        ]
        started = time.process_time()
        await memory.store_many(drafts[:records])
        spent = time.process_time() - started
        took = []
        for draft in drafts[records:]:
            begun = time.perf_counter()
            await memory.store(**draft)
            took.append(1000 * (time.perf_counter() - begun))
        begun = time.perf_counter()
        verified = await memory.verify()
        verify_s = time.perf_counter() - begun
        stats = await memory.stats()
    return {
        "cpu_ms_a_record": round(1000 * spent / records, 3),
        "store_p50_ms": round(percentile(took, 0.5), 2),
        "bytes_a_record": round(stats.bytes_on_disk / stats.memories),
        "verify_s": round(verify_s, 2) if verified.state == "ok" else None,
    }
