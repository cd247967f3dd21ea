"""Upkeep that is killed, run as a program of its own.

    python upkeep_drill.py FOLDER ROUNDS [SEED]

Each round takes a fresh copy of a store, runs every job that moves or removes memories in a process that is killed at a random moment, runs
them again to their end, and compares what there is with what there should be. Prints one JSON object.
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
from datetime import timedelta
from pathlib import Path
from typing import Any

from keeping import BEGIN, episode, kept

from hindsight.clock import FixedClock
from hindsight.errors import HindsightError
from hindsight.records import Channel, Principal

EPISODES, CASES, FACTS, EXPIRING = 200, 80, 10, 10
SETTINGS = {"log_level": "error", "forget_below": 0.0}  # digests are never put away: they are counted


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
    return {"episodes": [str(each.id) for each in episodes], "facts": facts, "expiring": [str(each.id) for each in gone]}


FIRST, AGAIN = (40, 140), (141, 241)
"""Days on which the jobs run: at first, and after they were killed, when the leases of the dead process are over."""


async def keep(folder: Path, days: tuple[int, ...]) -> None:
    """All jobs on each of the days."""
    for day in days:
        clock = FixedClock(BEGIN + timedelta(days=day))
        async with kept(folder, clock, **SETTINGS) as memory:
            for name in ("archive", "compact", "expire", "forget", "conflicts", "consolidate", "history", "stats"):
                await memory.upkeep(name)


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
        faults += [f"did not expire: {id}" for id in planted["expiring"] if id in live or id in cold]
    return faults


def in_child(folder: Path, days: tuple[int, ...]) -> int:
    """Start the jobs in a process of their own; its id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            asyncio.run(keep(folder, days))
            code = 0
        except HindsightError as error:
            sys.stderr.write(f"{error}\n")
        finally:
            os._exit(code)
    return child


def drill(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """The rounds."""
    chance = random.Random(seed)
    planted = asyncio.run(fill(folder / "fresh"))
    begun = time.monotonic()
    shutil.copytree(folder / "fresh", folder / "whole")
    faults = [] if os.waitpid(in_child(folder / "whole", FIRST), 0)[1] == 0 else ["the run that was not killed failed"]
    whole = time.monotonic() - begun
    faults += asyncio.run(judge(folder / "whole", planted))
    cut = 0
    for number in range(rounds):
        store = folder / f"round{number}"
        shutil.copytree(folder / "fresh", store)
        child = in_child(store, FIRST)
        time.sleep(chance.uniform(0.02, whole))
        os.kill(child, signal.SIGKILL)
        cut += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        if os.waitpid(in_child(store, AGAIN), 0)[1] != 0:
            faults.append(f"round {number}: the jobs did not run again")
        faults += [f"round {number}: {fault}" for fault in asyncio.run(judge(store, planted))]
        shutil.rmtree(store)
    return {"rounds": rounds, "killed": cut, "seconds_of_a_run": round(whole, 2), "faults": faults[:20]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(drill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)) + "\n")
