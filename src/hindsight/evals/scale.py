"""How cost grows with size: stores of skewed namespaces (half of the memories in one, the smallest a thousandth), filled by :mod:`hindsight.evals.filling`.

Every figure comes with the processor time that it took (``cpu_ms``, that of a server on this machine included), which other work on the
machine disturbs less than the clock.
"""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindsight.assemble import embedder_of
from hindsight.evals.machine import describe, pace_ms, resident_mb
from hindsight.evals.metrics import percentile
from hindsight.evals.probe import cold_open
from hindsight.evals.scale_places import Embedded, Load, Place, Postgres, Tell, Texts, asked, namespaces
from hindsight.evals.scale_upkeep import erase_half, scan_limits, upkeep_jobs
from hindsight.evals.workload import TENTH, TWO_HUNDREDTH, Workload
from hindsight.memory import Hindsight
from hindsight.settings import load_settings
from hindsight.telemetry import log_structured

CLAUSES = 20_000
READERS = 3
REPORT = "report.json"
_PIPE = asyncio.subprocess.PIPE
_PACED = 10
"""Questions between two measurements of the machine's pace."""
_FREQUENT = "the with after not check first move never during hours sorted split report cluster customer prefers meeting step".split()
_TWO_HAN = "缓存 会议 客户 证书 延迟 集群 内存 邮件 报表 重启 代理 清理 手册 连接 上线".split()


async def cold(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """What a new process costs, in the largest namespace and in the one that holds a tenth."""
    environment = {f"HINDSIGHT_{name.upper()}": str(value) for name, value in place.options.items()}
    question, found, names = Workload(11).questions(1)[0].text, {}, namespaces(place)
    for name in dict.fromkeys((next(iter(names)), _tenth(place))):
        probes = [await asyncio.to_thread(cold_open, place.address, name, question, environment) for _ in range(load.probes)]
        found[name] = min(probes, key=lambda probe: float(probe["process_s"]))
        tell(f"{place.size:,}: {name}: cold", load.probes, load.probes)
    return {"cold": found}


async def retrieve(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """Every kind of question to one namespace of each size, and what the process then holds."""
    names, found = namespaces(place), {}
    whole = (max(names.values()), names[_tenth(place)])
    async with Hindsight.open(place.address, **place.options) as memory:
        disk = round((await memory.stats()).bytes_on_disk / 1e6)
        await memory.retrieve("warm-up", k=1, namespace=next(reversed(names)), min_relevance=0)
        gc.collect()
        before = resident_mb() or 0.0
        for size, name in asked(place, load).items():
            found[str(size)] = await _Asking(place, memory, name, load.queries, tell).kinds(full=size in whole)
        gc.collect()
        resident = {"model and smallest namespace": round(before), "all namespaces": round(resident_mb() or 0)}
    return {"disk_mb": disk, "retrieve": found} | ({} if load.namespaces else {"rss_mb": resident})


@dataclass(frozen=True, slots=True)
class _Asking:
    """Questions to one namespace."""

    place: Place
    memory: Hindsight
    name: str
    queries: int
    tell: Tell

    async def kinds(self, *, full: bool) -> dict[str, Any]:
        """Each kind asks for another number of hits, so that no answer is a kept one."""
        questions = [question.text for question in Workload(13).questions(self.queries)]
        started = time.perf_counter()
        await self.memory.retrieve("warm-up", k=1, namespace=self.name, min_relevance=0)
        found: dict[str, Any] = {"first_s": round(time.perf_counter() - started, 3)}
        kinds: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
            "with embedding": (questions, {"k": 10}),
            "cached query": (questions, {"k": 9}),
            "keyword only": (questions, {"k": 10, "routes": ("keyword",)}),
        }
        if full:
            kinds |= {
                "filter to 10 %": (questions, {"k": 10, "tags": TENTH}),
                "filter to 0.5 %": (questions, {"k": 10, "tags": TWO_HUNDREDTH}),
                "frequent words": (_phrases(_FREQUENT, self.queries, " "), {"k": 10, "routes": ("keyword",)}),
                "two Chinese characters": (_phrases(_TWO_HAN, self.queries, "，"), {"k": 10, "routes": ("keyword",)}),
                "long query": (_long(self.queries), {"k": 10, "routes": ("keyword",)}),
            }
        for kind, (texts, how) in kinds.items():
            # The vectors of the questions come from the first namespace asked on; this pass would find them kept.
            own = [f"{text} ({self.name})" for text in texts] if kind in ("with embedding", "cached query") else texts
            found[kind] = await self._timed(kind, how, own)
        return found

    async def _timed(self, kind: str, how: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
        took, flagged, spent, paces, served = [], 0, 0.0, [], self.place.server_seconds()
        for number, text in enumerate(texts, start=1):
            if number % _PACED == 1:
                paces.append(pace_ms())
            started, used = time.perf_counter(), time.process_time()
            answer = await self.memory.retrieve(text, namespace=self.name, min_relevance=0, **how)
            took.append(1000 * (time.perf_counter() - started))
            spent += time.process_time() - used
            flagged += "timeout" in answer.flags
            self.tell(f"{self.place.size:,}: {self.name}: {kind}", number, len(texts))
        cpu = 1000 * (spent + self.place.server_seconds() - served) / len(texts)
        paced = {"cpu_ms": round(cpu, 2), "pace_ms": round(sum(paces) / len(paces), 3)}
        return {**_told(took), **paced, **({"timeouts": flagged} if flagged else {})}


async def together(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """Readers at once, first among themselves, then while one task stores memories one by one."""
    questions, seconds, found, name = [question.text for question in Workload(17).questions(200)], load.seconds, {}, _tenth(place)
    fresh = Workload(19).memories(100_000)
    async with Hindsight.open(place.address, **place.options) as memory:
        await memory.retrieve("warm-up", k=1, namespace=name, min_relevance=0)
        for label, writing in (("readers alone", False), ("readers beside a writer", True)):
            took: list[float] = []
            end, stored = time.perf_counter() + seconds, 0

            async def read(offset: int, end: float = end, took: list[float] = took) -> None:
                for number in range(10**9):
                    if time.perf_counter() > end:
                        return
                    started = time.perf_counter()
                    await memory.retrieve(questions[(number + offset) % len(questions)], k=3 + number % 7, namespace=name, min_relevance=0)
                    took.append(1000 * (time.perf_counter() - started))

            async def write(end: float = end) -> int:
                done = 0
                while time.perf_counter() < end:
                    await memory.store(**{**next(fresh), "namespace": name, "idempotency_key": f"together-{time.time_ns()}"})
                    done += 1
                return done

            tasks = [asyncio.create_task(read(67 * number)) for number in range(READERS)]
            if writing:
                stored = await write()
            await asyncio.gather(*tasks)
            told = {"readers": READERS, **_told(took), "retrieved_per_s": round(len(took) / seconds, 1)}
            found[label] = told | ({"stored_per_s": round(stored / seconds, 1)} if writing else {})
            tell(f"{place.size:,}: {label}", 1, 1)
    return {"concurrent": found}


async def refresh(place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    """What a change by another process adds to the next retrieve here."""
    questions, found, name = [question.text for question in Workload(23).questions(20)], {}, _tenth(place)
    options = [f"{key}={value}" for key, value in place.options.items()]
    async with Hindsight.open(place.address, **place.options) as memory:
        await memory.retrieve("warm-up", k=1, namespace=name, min_relevance=0)
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "hindsight.evals.scale_writer", place.address, name, *options, stdin=_PIPE, stdout=_PIPE
        )
        assert other.stdin is not None
        assert other.stdout is not None
        for count, rounds in ((1, 10), (load.many, 1)):
            after: list[float] = []
            again: list[float] = []
            for number in range(rounds):
                other.stdin.write(f"{count}\n".encode())
                await other.stdout.readline()
                for took, k in ((after, 4 + number % 3), (again, 8 + number % 3)):
                    started = time.perf_counter()
                    await memory.retrieve(questions[number], k=k, namespace=name, min_relevance=0)
                    took.append(1000 * (time.perf_counter() - started))
            found[f"after {count} stored"] = {"first_ms": round(percentile(after, 0.5), 1), "next_ms": round(percentile(again, 0.5), 1)}
            tell(f"{place.size:,}: refresh after {count}", rounds, rounds)
        other.stdin.close()
        await other.wait()
    return {"refresh": found}


Part = Callable[[Place, Load, Tell], Coroutine[Any, Any, dict[str, Any]]]
PARTS: Mapping[str, Part] = {
    "cold": cold,
    "retrieve": retrieve,
    "limits": scan_limits,
    "together": together,
    "refresh": refresh,
    "upkeep": upkeep_jobs,
    "erase": erase_half,
}
"""What is measured, in this order. The store is left as it was but for what ``together`` and ``refresh`` add."""


async def run_scale(
    sizes: Sequence[int],
    load: Load,
    *,
    folder: Path,
    tell: Tell,
    parts: Sequence[str] = tuple(PARTS),
    clauses: int = CLAUSES,
    embedder: str | None = None,
    postgres: str | None = None,
) -> dict[str, Any]:
    """Measure stores of these sizes, kept under ``folder`` (and in databases of the server ``postgres``, which are measured in their place)
    for the next run; :data:`REPORT` there holds what an interrupted run had measured.

    Each of the ``parts`` runs in a new process, so that none finds what another left in memory; ``tell`` must be a function of a module for
    that.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    options: dict[str, Any] = {"seal_key": "off", "worker": "off", **({"embedder": embedder} if embedder else {})}
    model, texts = embedder_of(load_settings(**options)), Texts(folder, clauses, load_settings(**options), tell)
    stores: list[dict[str, Any]] = []
    report = {"embedder": model.model_id if model else None, "stores": stores}
    for size in sizes:
        embedded = Embedded(folder, size, options)
        place: Place = embedded if postgres is None else Postgres(postgres, embedded)
        stores.append({"engine": place.engine, "memories": size, "machine": describe(folder), "namespaces": namespaces(place)})
        stores[-1] |= await place.fill(texts)
        for name in (name for name in PARTS if name in parts):
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                stores[-1] |= await asyncio.get_running_loop().run_in_executor(pool, _measured, name, place, load, tell)
            (folder / REPORT).write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")
    return report


def _measured(part: str, place: Place, load: Load, tell: Tell) -> dict[str, Any]:
    log_structured(load_settings(log_level="warning"))
    return asyncio.run(PARTS[part](place, load, tell))


def _tenth(place: Place) -> str:
    """The namespace that holds a tenth of the whole."""
    return next(name for name, size in namespaces(place).items() if size <= place.size // 10)


def _phrases(words: Sequence[str], count: int, between: str) -> list[str]:
    draw = random.Random(3)
    return [between.join(draw.sample(words, 1 + number % 4)) for number in range(count)]


def _long(count: int) -> list[str]:
    """Pasted logs and mails: thirty clauses each, English and Chinese."""
    load = Workload(29)
    pool, draw = load.clauses(400), random.Random(5)
    return [" ".join(draw.sample(pool, 30)) for _ in range(min(count, 60))]


def _told(took: list[float]) -> dict[str, Any]:
    return {"n": len(took), "p50_ms": round(percentile(took, 0.5), 2), "p95_ms": round(percentile(took, 0.95), 2)}
