"""Upkeep that is killed, run as a program of its own.

    python upkeep_drill.py FOLDER ROUNDS [SEED]

Each round takes a fresh copy of a store, runs every job that moves or removes memories in a process that is killed at a random moment of one
of them, each in its turn, runs them again to their end, and compares what there is with what there should be. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from keeping import BEGIN, episode, kept

from hindsight.clock import FixedClock
from hindsight.errors import HindsightError
from hindsight.records import Channel, Principal

EPISODES, CASES, FACTS, EXPIRING, NEEDLESS = 200, 80, 10, 10, 12
SETTINGS = {"log_level": "error", "forget_below": 0.12}  # below what digests are worth: they are counted
COMMON = "the visitor was there again when lamp and door opened".split()
JOBS = ("archive", "compact", "expire", "forget", "conflicts", "patterns", "consolidate", "history", "stats")


async def fill(folder: Path) -> dict[str, Any]:
    """Episodes (some say the same), facts that say the same, facts that expire; the ids."""
    async with kept(folder, FixedClock(BEGIN), **SETTINGS) as memory:
        episodes = await memory.store_many([episode(n % CASES, "zh" if n % 2 else "en", idempotency_key=f"e{n}") for n in range(EPISODES)])
        tool = memory.acting_as(Principal(channel=Channel.TOOL))
        facts = []
        for number in range(FACTS):
            text = f"The valve number {number} belongs to hall {number + 100}."
            first = await memory.store(text, kind="fact")
            await memory.forget(first.id, mode="archive")
            second = await tool.store(text, kind="fact", idempotency_key=f"twin{number}")
            await memory.restore(first.id)
            facts.append((str(first.id), str(second.id)))
        later = BEGIN + timedelta(days=50)
        gone = await memory.store_many(
            [{"content": f"The guest code {n} opens gate {n}.", "kind": "fact", "expires_at": later} for n in range(EXPIRING)]
        )
        gone += await memory.acting_as(Principal(channel=Channel.TOOL)).store_many(
            [
                {
                    "content": " ".join(random.Random(n).sample(COMMON, 8)),
                    "kind": "knowledge",
                    "importance": 0.0,
                    "idempotency_key": f"needless{n}",
                }
                for n in range(NEEDLESS)
            ]
        )
    return {"episodes": [str(each.id) for each in episodes], "facts": facts, "leaving": [str(each.id) for each in gone]}


FIRST, AGAIN = (40, 140), (141, 241)
"""Days on which the jobs run: at first, and after they were killed, when the leases of the dead process are over."""


async def keep(folder: Path, days: tuple[int, ...], begins: Callable[[str], None]) -> None:
    """All jobs on each of the days; ``begins`` is told of each."""
    for day in days:
        clock = FixedClock(BEGIN + timedelta(days=day))
        async with kept(folder, clock, **SETTINGS) as memory:
            for name in JOBS:
                begins(f"{name} on day {day}")
                await memory.upkeep(name)
            begins("")


async def judge(folder: Path, planted: dict[str, Any]) -> list[str]:
    """What is wrong after all; nothing should be."""
    faults = []
    async with kept(folder, FixedClock(BEGIN + timedelta(days=242)), **SETTINGS) as memory:
        faults += [f"check: {each}" for each in await memory.check()]
        verified = await memory.verify()
        faults += [f"verify: {each.message}" for each in verified.faults]
        live = {str(each.id): each async for each in memory.export()}
        cold: dict[str, int] = {}
        for segment in await memory._upkeep.tools.cold.segments():
            for each in await memory._upkeep.tools.cold.read(segment):
                cold[str(each.id)] = cold.get(str(each.id), 0) + 1
        faults += [f"lost: {id}" for id in planted["episodes"] if id not in live and id not in cold]
        faults += [f"twice in the cold store: {id}" for id, count in cold.items() if count > 1]
        faults += [f"live and cold: {id}" for id in cold if id in live]
        digests = [each for each in live.values() if each.status == "active" and "experience" in each.tags and "general" not in each.tags]
        keys = {each.idempotency_key for each in digests}
        if len(digests) != CASES or len(keys) != CASES:  # an even number of cases: each comes in one language
            faults.append(f"{len(digests)} digests of {len(keys)} cases")
        covered = {str(parent) for each in digests for parent in each.parents}
        faults += [f"no digest: {id}" for id in planted["episodes"] if id not in covered]
        for pair in planted["facts"]:
            states = sorted(str(live[id].status) if id in live else "gone" for id in pair)
            if states != ["active", "archived"]:
                faults.append(f"statement and twin are {states}")
        faults += [f"did not leave: {id}" for id in planted["leaving"] if id in live or id in cold]
    return faults


class Child:
    """The jobs in a process of their own, which tells when each begins."""

    def __init__(self, folder: Path, days: tuple[int, ...]) -> None:
        told, tell = os.pipe()
        self.id = os.fork()
        if self.id == 0:
            code = 1
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                asyncio.run(keep(folder, days, lambda name: os.write(tell, f"{name}\n".encode()) and None))
                code = 0
            except HindsightError as error:
                sys.stderr.write(f"{error}\n")
            finally:
                os._exit(code)
        os.close(tell)
        self._told = os.fdopen(told)

    def durations(self) -> dict[str, float]:
        """Seconds of each job, to the end of the process."""
        marks = [(line.strip(), time.monotonic()) for line in self._told]
        return {name: end - begin for (name, begin), (_, end) in pairwise(marks) if name}

    def wait_for(self, job: str) -> None:
        """Until the job begins."""
        for line in self._told:
            if line.strip() == job:
                return

    def code(self) -> int:
        """How it ended, once it did."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.id, 0)[1])
        self._told.close()
        return code


def drill(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """The rounds."""
    chance = random.Random(seed)
    planted = asyncio.run(fill(folder / "fresh"))
    shutil.copytree(folder / "fresh", folder / "whole")
    child = Child(folder / "whole", FIRST)
    durations = child.durations()
    faults = ["the run that was not killed failed"] if child.code() else []
    shutil.copytree(folder / "whole", folder / "again")
    if Child(folder / "again", AGAIN).code():
        faults.append("the run after it failed")
    faults += asyncio.run(judge(folder / "again", planted))
    killed: Counter[str] = Counter()
    jobs = list(durations)
    chance.shuffle(jobs)
    for number in range(rounds):
        store, job = folder / f"round{number}", jobs[number % len(jobs)]
        shutil.copytree(folder / "fresh", store)
        child = Child(store, FIRST)
        child.wait_for(job)
        time.sleep(chance.uniform(0, durations[job]))
        os.kill(child.id, signal.SIGKILL)
        killed[job] += child.code() == -signal.SIGKILL
        if Child(store, AGAIN).code():
            faults.append(f"round {number}, {job}: the jobs did not run again")
        faults += [f"round {number}, {job}: {fault}" for fault in asyncio.run(judge(store, planted))]
        shutil.rmtree(store)
    return {
        "rounds": rounds,
        "killed": dict(killed),
        "seconds_of_each": {job: round(took, 3) for job, took in durations.items()},
        "faults": faults[:20],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(drill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)) + "\n")
