"""Drills on acknowledged writes, run as a program of its own: workers that are killed, each stage of the way in.

    python queue_drill.py queue STORE COUNT SECONDS   a worker is killed every SECONDS until COUNT stores are done
    python queue_drill.py stage STORE STAGE           queue three stores, then die at STAGE
    python queue_drill.py finish STORE                do what is left; what is there then
    python queue_drill.py close STORE                 end the session that a stage left open, then the same

STORE is a folder, or the address of a PostgreSQL database. Each prints JSON lines. Leases are short here, so that nobody waits for those of the dead.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from hindsight import Hindsight
from hindsight.adapters.relational.boards import Boards
from hindsight.adapters.relational.queueing import Queueing
from hindsight.remember import queue
from hindsight.remember.reconcile.stage import Reconciler
from hindsight.remember.writer import Writer
from hindsight.session.session import Session

queue.LEASE_SECONDS = 1.5
SESSIONS = 20


def opened(where: str) -> Hindsight:
    return Hindsight.open(where, embedder="none", durability="full")


def say(**told: Any) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(owner: type, name: str, *, after: bool) -> None:
    """Make a method kill its process, before or after its work."""
    plain: Callable[..., Any] = getattr(owner, name)

    async def deadly(*arguments: Any, **options: Any) -> Any:
        if not after:
            die()
        result = await plain(*arguments, **options)
        if name == "lease" and not result:
            return result  # nothing was leased yet
        die()
        return result

    setattr(owner, name, deadly)


STAGES: dict[str, tuple[type, str, bool]] = {
    "leased": (Queueing, "lease", True),
    "before-embedding": (Writer, "embed", False),
    "embedded": (Writer, "embed", True),
    "before-commit": (Reconciler, "commit", False),
    "committed": (Reconciler, "commit", True),
    "before-finish": (Queueing, "finish", False),
    "finished": (Queueing, "finish", True),
}


async def stage(where: str, name: str) -> None:
    """Acknowledge three stores with the worker held back, then let it run into its death."""
    async with opened(where) as memory:
        await memory._worker.stop()
        results = await memory.store_many([{"content": f"acknowledged fact number {n}", "session_id": "s"} for n in range(3)], wait=False)
        say(acknowledged=[result.job_id for result in results])
        dying(*STAGES[name][:2], after=STAGES[name][2])
        memory._worker.start()
        await asyncio.sleep(20)


async def finish(where: str) -> None:
    """Do what is left."""
    async with opened(where) as memory:
        settled = await memory.settle(60)
        contents = [each.content async for each in memory.export()]
        turns = await memory.turns("s")
        say(
            settled=settled,
            contents=sorted(contents),
            jobs=Counter(job.state for job in await memory.jobs()),
            turns=len(turns),
            open=[state.session_id for state in await memory.open_sessions()],
        )


async def close(where: str) -> None:
    """End the session that was left."""
    async with opened(where) as memory:
        await memory.session("s").close()
    await finish(where)


async def close_session(where: str, name: str) -> None:
    """Die while a session closes or a task ends."""
    async with opened(where) as memory:
        session = memory.session("s", goal="Plan the lunch")
        await session.open()
        await session.turn("I am allergic to peanuts, please never order them.")
        say(acknowledged=1)
        if name == "closing":
            dying(Boards, "drop_session", after=False)
            await session.close()
        else:
            dying(Session, "close", after=False)
            await memory.task_finished("success", id="s")


async def work(where: str) -> None:
    async with opened(where):
        say(working=True)
        await asyncio.sleep(60)


async def produce(where: str, count: int) -> None:
    async with opened(where) as memory:
        await memory._worker.stop()
        for start in range(0, count, 500):
            drafts = [
                {"content": f"queued fact {n}", "session_id": f"s{n % SESSIONS}", "kind": "episode"}
                for n in range(start, min(count, start + 500))
            ]
            await memory.store_many(drafts, wait=False)


async def queue_drill(where: str, count: int, seconds: float) -> None:
    await produce(where, count)
    kills, started = 0, time.monotonic()
    async with opened(where) as memory:
        await memory._worker.stop()
        while left := (await memory.stats()).queued:
            child = subprocess.Popen([sys.executable, __file__, "work", where], stdout=subprocess.PIPE)
            assert child.stdout is not None
            child.stdout.readline()  # it works: the time of its start does not count
            await asyncio.sleep(seconds)
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stdout.close()
            kills += 1
            if time.monotonic() - started > 900:
                raise SystemExit(f"{left} jobs left after 15 minutes")
        contents = Counter([each.content async for each in memory.export()])
        order = {}
        async for each in memory.export():
            order.setdefault(each.session_id, []).append(int(each.content.rsplit(" ", 1)[1]))
        say(
            kills=kills,
            seconds=round(time.monotonic() - started, 1),
            stored=len(contents),
            twice=sum(number > 1 for number in contents.values()),
            lost=count - len(contents),
            in_order=all(numbers == sorted(numbers) for numbers in order.values()),
            dead=(await memory.stats()).dead_jobs,
            faults=await memory.check(),
        )


def main() -> None:
    what, where, *rest = sys.argv[1:]
    if what == "queue":
        asyncio.run(queue_drill(where, int(rest[0]), float(rest[1])))
    elif what == "work":
        asyncio.run(work(where))
    elif what == "stage":
        asyncio.run((stage if rest[0] in STAGES else close_session)(where, rest[0]))
    else:
        asyncio.run({"finish": finish, "close": close}[what](where))


if __name__ == "__main__":
    main()
