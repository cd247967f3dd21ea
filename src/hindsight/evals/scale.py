"""How cost grows with size: stores of skewed namespaces (half of the memories in one, the smallest a thousandth), filled by :mod:`hindsight.evals.filling`.

Every figure comes with the processor time that it took (``cpu_ms``), which other work on the machine disturbs less than the clock.
"""

from __future__ import annotations

import asyncio
import gc
import random
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import apsw

from hindsight.assemble import embedder_of, store_of
from hindsight.clock import SystemClock
from hindsight.evals import filling
from hindsight.evals.machine import describe, resident_mb
from hindsight.evals.metrics import percentile
from hindsight.evals.probe import cold_open
from hindsight.evals.workload import TENTH, TWO_HUNDREDTH, Workload, named, skewed
from hindsight.memory import Hindsight
from hindsight.records import Principal
from hindsight.remember.commit import event_of
from hindsight.settings import load_settings

CLAUSES = 20_000
READERS = 3
_PIPE = asyncio.subprocess.PIPE
_FREQUENT = "the with after not check first move never during hours sorted split report cluster customer prefers meeting step".split()
_TWO_HAN = "缓存 会议 客户 证书 延迟 集群 内存 邮件 报表 重启 代理 清理 手册 连接 上线".split()
Ask = Callable[[Hindsight, str], Awaitable[Any]]
Tell = Callable[[str, int, int], None]


@dataclass(slots=True)
class Scale:
    """One size.

    Args:
        folder: where its store lies; one that is there already with as many memories is used again.
        options: settings of the store; it is not sealed.
        size: number of memories.
        queries: how many questions are asked of each kind.
        seconds: how long readers and a writer run together.
        tell: told (what is measured, done, total).
    """

    folder: Path
    options: dict[str, Any]
    size: int
    queries: int
    seconds: float
    tell: Tell
    probes: int = 3
    """New processes started for each figure of one, of which the quickest counts."""
    many: int = 1000
    """So many memories are one large change by another process."""
    result: dict[str, Any] = field(default_factory=dict)

    async def measure(self, clauses: filling.Clauses, load: Workload) -> dict[str, Any]:
        """Fill, then everything that reads, then what writes, and what erases."""
        sizes = skewed(self.size)
        names = dict(zip(named(sizes), sizes, strict=True))
        settings = load_settings(store=str(self.folder), **self.options)
        self.result = {"memories": self.size, "namespaces": names}
        if not (self.folder / "memory.db").exists():
            spent = await filling.fill(
                self.folder, settings, load, sizes, clauses, lambda done: self.tell("fill", min(done, self.size), self.size)
            )
            self.result["fill_rows_per_s"] = round(self.size / spent)
        self.result["disk_mb"] = round((self.folder / "memory.db").stat().st_size / 1e6)
        environment = {f"HINDSIGHT_{name.upper()}": str(value) for name, value in self.options.items()}
        question = Workload(11).questions(1)[0].text
        for name in dict.fromkeys((next(iter(names)), self._compared(names))):
            probes = [await asyncio.to_thread(cold_open, self.folder, name, question, environment) for _ in range(self.probes)]
            self.result.setdefault("cold", {})[name] = min(probes, key=lambda probe: float(probe["process_s"]))
        async with self._opened() as memory:
            await self._reading(memory, names)
            await self._together(memory, self._compared(names))
            await self._refreshing(memory, self._compared(names))
        return self.result

    def _opened(self) -> Hindsight:
        return Hindsight.open(self.folder, **self.options)

    def _compared(self, names: dict[str, int]) -> str:
        """The namespace that holds a tenth of the whole."""
        return next(name for name, size in names.items() if size <= self.size // 10)

    async def _reading(self, memory: Hindsight, names: dict[str, int]) -> None:
        await memory.retrieve("warm-up", k=1, namespace=next(reversed(names)), min_relevance=0)
        gc.collect()
        before = resident_mb() or 0.0
        by_size = {size: name for name, size in names.items()}
        for size, name in sorted(by_size.items()):
            full = size in (max(by_size), names[self._compared(names)])
            self.result.setdefault("retrieve", {})[str(size)] = await self._kinds(memory, name, full=full)
        gc.collect()
        self.result["rss_mb"] = {"model and smallest namespace": round(before), "all namespaces": round(resident_mb() or 0)}

    async def _kinds(self, memory: Hindsight, name: str, *, full: bool) -> dict[str, Any]:
        """Each kind asks for another number of hits, so that no answer is a kept one."""
        questions = [question.text for question in Workload(13).questions(self.queries)]
        started = time.perf_counter()
        await memory.retrieve("warm-up", k=1, namespace=name, min_relevance=0)
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
            asked = [f"{text} ({name})" for text in texts] if kind in ("with embedding", "cached query") else texts
            found[kind] = await self._timed(f"{name}: {kind}", partial(_ask, memory, name, how), asked)
        return found

    async def _timed(self, what: str, ask: Callable[[str], Awaitable[Any]], texts: Sequence[str]) -> dict[str, Any]:
        took, flagged, spent = [], 0, time.process_time()
        for number, text in enumerate(texts, start=1):
            started = time.perf_counter()
            answer = await ask(text)
            took.append(1000 * (time.perf_counter() - started))
            flagged += "timeout" in answer.flags
            self.tell(f"{self.size:,}: {what}", number, len(texts))
        cpu = 1000 * (time.process_time() - spent) / len(texts)
        return {**_told(took), "cpu_ms": round(cpu, 2), **({"timeouts": flagged} if flagged else {})}

    async def _together(self, memory: Hindsight, name: str) -> None:
        """Readers at once, first among themselves, then while one task stores memories one by one."""
        questions = [question.text for question in Workload(17).questions(200)]
        fresh = Workload(19).memories(100_000)
        for label, writing in (("readers alone", False), ("readers beside a writer", True)):
            took: list[float] = []
            end, stored = time.perf_counter() + self.seconds, 0

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
            told = {"readers": READERS, **_told(took), "retrieved_per_s": round(len(took) / self.seconds, 1)}
            self.result.setdefault("concurrent", {})[label] = told | ({"stored_per_s": round(stored / self.seconds, 1)} if writing else {})

    async def _refreshing(self, memory: Hindsight, name: str) -> None:
        """What a change by another process adds to the next retrieve here."""
        questions = [question.text for question in Workload(23).questions(20)]
        options = [f"{key}={value}" for key, value in self.options.items()]
        found = self.result.setdefault("refresh", {})
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "hindsight.evals.scale_writer", str(self.folder), name, *options, stdin=_PIPE, stdout=_PIPE
        )
        assert other.stdin is not None
        assert other.stdout is not None
        for count, rounds in ((1, 10), (self.many, 1)):
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
        other.stdin.close()
        await other.wait()


async def erase_half(folder: Path, options: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Erase every second memory of the store at ``folder`` in one process that has all namespaces loaded; what it and the disk hold after."""
    settings = load_settings(store=str(folder), **options)
    connection = apsw.Connection(str(folder / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    names = [name for (name,) in connection.execute("SELECT name FROM namespaces")]
    ids = [UUID(id) for (id,) in connection.execute('SELECT id FROM memories WHERE "row" % 2 = 0')]
    connection.close()
    store = store_of(settings, embedder_of(settings), SystemClock())
    await store.open()
    async with Hindsight.open(folder, **options) as memory:
        held = [await _loaded(memory, names)]
        started = time.perf_counter()
        for start in range(0, len(ids), 500):
            await store.erase(ids[start : start + 500], event_of("erased", Principal(), datetime.now(UTC)))
            tell("erase", start + len(ids[start : start + 500]), len(ids))
        spent = time.perf_counter() - started
        held.append(await _loaded(memory, names))
        tuned = await store.upkeep.tune()
    await store.close()
    return {
        "erased": len(ids),
        "per_s": round(len(ids) / spent),
        "rss_mb": {"before": held[0], "after": held[1]},
        "disk_mb": {"before": round(tuned["bytes_before"] / 1e6), "after": round(tuned["bytes_after"] / 1e6)},
    }


async def run_scale(
    sizes: Sequence[int],
    *,
    folder: Path,
    queries: int,
    seconds: float,
    clauses: int,
    embedder: str | None,
    tell: Tell,
    probes: int = 3,
    many: int = 1000,
) -> dict[str, Any]:
    """Measure stores of these sizes, kept under ``folder`` for the next run."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    options: dict[str, Any] = {"seal_key": "off", "worker": "off", **({"embedder": embedder} if embedder else {})}
    settings = load_settings(**options)
    load = Workload()
    made = await filling.make_clauses(
        load, clauses, settings, folder / f"clauses-{clauses}.npz", lambda done: tell("embed clauses", done, clauses)
    )
    stores = []
    for size in sizes:
        place = folder / f"{size}-{'keyword' if embedder == 'none' else 'vectors'}"
        stores.append(await Scale(place, options, size, queries, seconds, tell, probes, many).measure(made, load))
    smallest = folder / f"{min(sizes)}-{'keyword' if embedder == 'none' else 'vectors'}"
    copy = folder / "erased"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(smallest, copy)
    erased = {"memories": min(sizes), **await erase_half(copy, options, tell)}
    shutil.rmtree(copy)
    model = embedder_of(settings)
    return {"machine": describe(folder), "embedder": model.model_id if model else None, "stores": stores, "erase": erased}


async def _loaded(memory: Hindsight, names: Sequence[str]) -> int:
    for name in names:
        await memory.retrieve("what helped?", k=3, namespace=name, min_relevance=0)
    gc.collect()
    return round(resident_mb() or 0)


async def _ask(memory: Hindsight, name: str, how: dict[str, Any], text: str) -> Any:
    return await memory.retrieve(text, namespace=name, min_relevance=0, **how)


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
