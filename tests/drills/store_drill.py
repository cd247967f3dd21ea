"""Drills on one store, run as a program of its own: several processes at once, and writers that are killed.

    python store_drill.py crowd STORE PROCESSES SECONDS
    python store_drill.py kill STORE ROUNDS

STORE is a folder, or the address of a PostgreSQL database.
Each prints one JSON object. The program imports once and forks; it never opens the store itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.relational.store import RelationalStore
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.ports import NewEvent, NewJob, Write
from hindsight.records import Channel, Filter, Kind, Memory, new_id

DIMENSION = 384
WORDS = [f"word{number}" for number in range(500)]


def opened(where: str) -> RelationalStore:
    if "://" in where:
        return PostgresStore(where, embedder=("drill", DIMENSION))
    return SqliteStore(Path(where), embedder=("drill", DIMENSION))


def make_write(chance: random.Random, vectors: np.ndarray, agent: str) -> Write:
    now = datetime.now(UTC)
    words = chance.choices(WORDS, k=20)
    memory = Memory(
        id=new_id(), namespace="drill", agent=agent, kind=Kind.FACT, content=" ".join(words), channel=Channel.USER, trust=1.0,
        created_at=now, updated_at=now, idempotency_key=str(new_id()), session_id=f"{agent}-{chance.randrange(9)}", tags=(words[0],),
    )  # fmt: skip
    event = NewEvent("created", agent, Channel.USER, now)
    links = [(words[0], "x"), (words[1], "x")]
    return Write(memory, event, tokens=words, language="en", vector=chance.choice(vectors), entities=links, jobs=[NewJob("k", {}, "drill")])


def in_child(work: Callable[[int], Any]) -> tuple[int, int]:
    """Fork; the child runs ``work`` with a pipe to write to. Returns its process id and our end of the pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            work(writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading


def read_all(pipe: int) -> str:
    parts = []
    while part := os.read(pipe, 65_536):
        parts.append(part)
    os.close(pipe)
    return b"".join(parts).decode()


def vectors_of(chance: random.Random) -> np.ndarray:
    vectors = np.random.default_rng(chance.randrange(2**31)).normal(size=(50, DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def crowd_member(where: str, number: int, seconds: float, pipe: int) -> None:
    chance = random.Random(number)
    vectors, agent = vectors_of(chance), f"agent{number}"
    told: dict[str, Any] = {"stored": [], "erased": [], "searches": 0, "worst_ms": 0.0, "errors": []}
    store = opened(where)
    await store.open()
    mine = Filter(namespace="drill", agent=agent)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            write = make_write(chance, vectors, agent)
            start = time.perf_counter()
            await store.commit([write])
            told["worst_ms"] = max(told["worst_ms"], (time.perf_counter() - start) * 1000)
            told["stored"].append(str(write.memory.id))
            for _ in range(2):
                by_terms = await store.search_terms(mine, list(write.tokens or ())[:5], limit=10)
                by_vector = await store.search_vector(mine, chance.choice(vectors), limit=10)
                told["searches"] += 2
                if not len(by_terms.rows) or not len(by_vector.rows):
                    told["errors"].append("a search found nothing though a record had just been stored")
            if chance.random() < 0.05:
                gone = told["stored"].pop(chance.randrange(len(told["stored"])))
                await store.erase([UUID(gone)], NewEvent("erased", agent, Channel.USER, datetime.now(UTC)))
                told["erased"].append(gone)
        except Exception as error:  # noqa: BLE001 - a drill reports whatever happened
            told["errors"].append(repr(error))
    await store.close()
    os.write(pipe, json.dumps(told).encode())


async def look(where: str, pipe: int) -> None:
    """What stands in the store, as a process sees it that opens it now."""
    store = opened(where)
    await store.open()
    ids = [str(memory.id) async for memory in store.export()]
    told = {"ids": ids, "faults": await store.check(), "queued": await store.queued()}
    await store.close()
    os.write(pipe, json.dumps(told).encode())


def crowd(where: str, processes: int, seconds: float) -> dict[str, Any]:
    def member(number: int) -> Callable[[int], None]:
        return lambda pipe: asyncio.run(crowd_member(where, number, seconds, pipe))

    children = [in_child(member(number)) for number in range(processes)]
    told = [json.loads(read_all(pipe)) for _, pipe in children]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child, _ in children]
    _, pipe = in_child(lambda pipe: asyncio.run(look(where, pipe)))
    standing = json.loads(read_all(pipe))
    expected = {id for each in told for id in each["stored"]}
    return {
        "exit_codes": codes,
        "errors": [error for each in told for error in each["errors"]],
        "stored": len(expected),
        "stores_per_second": round(sum(len(each["stored"]) + len(each["erased"]) for each in told) / seconds, 1),
        "searches_per_second": round(sum(each["searches"] for each in told) / seconds, 1),
        "worst_store_ms": round(max(each["worst_ms"] for each in told), 1),
        "lost": len(expected - set(standing["ids"])),
        "unexpected": len(set(standing["ids"]) - expected),
        "faults": standing["faults"],
    }


async def write_until_killed(where: str, seed: int, pipe: int) -> None:
    chance = random.Random(seed)
    vectors = vectors_of(chance)
    store = opened(where)
    await store.open()

    async def one() -> None:
        while True:
            batch = [make_write(chance, vectors, "writer") for _ in range(chance.choice([1, 1, 1, 20]))]
            await store.commit(batch)
            os.write(pipe, "".join(f"{each.memory.id}\n" for each in batch).encode())
            if chance.random() < 0.1:
                os.write(pipe, f"?{batch[0].memory.id}\n".encode())
                await store.erase([batch[0].memory.id], NewEvent("erased", "writer", Channel.USER, datetime.now(UTC)))
                os.write(pipe, f"-{batch[0].memory.id}\n".encode())

    await asyncio.gather(one(), one())


def kill(where: str, rounds: int) -> dict[str, Any]:
    chance = random.Random(0)
    stored: set[str] = set()
    erased: set[str] = set()
    told: dict[str, Any] = {"rounds": rounds, "lost": 0, "back": 0, "faults": [], "exit_codes": []}
    for seed in range(rounds):
        child, pipe = in_child(lambda pipe, seed=seed: asyncio.run(write_until_killed(where, seed, pipe)))
        time.sleep(chance.uniform(0.15, 0.7))
        os.kill(child, signal.SIGKILL)
        lines = read_all(pipe).splitlines()
        told["exit_codes"].append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        erased |= {line[1:] for line in lines if line.startswith("-")}
        begun = {line[1:] for line in lines if line.startswith("?")}  # may be there or not
        stored |= {line for line in lines if line[0] not in "-?"}
        _, pipe = in_child(lambda pipe: asyncio.run(look(where, pipe)))
        standing = json.loads(read_all(pipe))
        ids = set(standing["ids"])
        told["lost"] += len(stored - erased - begun - ids)
        told["back"] += len(erased & ids)
        told["faults"] += standing["faults"]
        stored &= ids
    return {**told, "stored": len(stored), "erased": len(erased)}


if __name__ == "__main__":
    what, where, *numbers = sys.argv[1:]
    result = crowd(where, int(numbers[0]), float(numbers[1])) if what == "crowd" else kill(where, int(numbers[0]))
    sys.stdout.write(json.dumps(result) + "\n")
