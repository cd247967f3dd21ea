"""The machine that a benchmark ran on: what it is called, and two rates that explain most of a difference between two."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from hindsight import __version__

_PACKAGES = ("apsw", "numpy", "onnxruntime", "simsimd", "mcp")
_COPIED_MEGABYTES = 256
_PACE_TEXT = " ".join(f"word{number * number % 499}" for number in range(2000))
_PACE_VECTORS = np.random.default_rng(1).standard_normal((2000, 96), dtype=np.float32)


def describe(folder: Path | None = None) -> dict[str, Any]:
    """Processor, cores, memory, system, versions, and the measured rates of ``folder``'s disk and of the memory."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory_gb(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": sys.version.split()[0],
        "hindsight": __version__,
        "packages": {name: _version(name) for name in _PACKAGES},
        "fsyncs_per_s": round(fsyncs_per_second(folder)),
        "memory_gb_per_s": round(memory_bandwidth(), 1),
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def processor() -> str:
    """The processor's name as the system gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def fsyncs_per_second(folder: Path | None = None, *, seconds: float = 1.0) -> float:
    """How often 4 KiB can be appended and made durable a second: the bound of single acknowledged writes."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        block = os.urandom(4096)
        count, started = 0, time.perf_counter()
        while (spent := time.perf_counter() - started) < seconds:
            file.write(block)
            file.flush()
            os.fsync(file.fileno())
            count += 1
    return count / spent


def memory_bandwidth() -> float:
    """GB/s (10^9 bytes) read plus written by the best of five copies: the bound of a scan over all vectors."""
    source = np.ones(_COPIED_MEGABYTES * 1_000_000, dtype=np.uint8)
    target = np.empty_like(source)
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - started)
    return 2 * source.nbytes / best / 1e9


def pace_ms() -> float:
    """Milliseconds of the processor that one and the same small work takes now: words counted, vectors compared, as a question does.

    Machines differ, and one machine differs by the minute; a time divided by this is of the work alone.
    """
    started = time.process_time()
    for _ in range(8):
        words = Counter(_PACE_TEXT.split(" "))
        sorted(words.items(), key=lambda item: (-item[1], item[0]))
        np.argpartition(_PACE_VECTORS @ _PACE_VECTORS[7], 50)
    return 1000 * (time.process_time() - started)


def resident_mb(pid: int | None = None) -> float | None:
    """Resident memory of a process in MB (10^6 bytes), of this one by default; None where the system does not tell."""
    status = Path(f"/proc/{pid or os.getpid()}/status")
    if not status.exists():
        return None
    line = next((line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS:")), None)
    return int(line.split()[1]) * 1024 / 1e6 if line else None


def _memory_gb() -> float | None:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
