"""Another process on the same store: ``python -m hindsight.evals.scale_writer FOLDER NAMESPACE [SETTING=VALUE …]`` stores as many memories as each line of
its input says, and answers each with a line once they are there.
"""

from __future__ import annotations

import asyncio
import sys
import time

from hindsight.evals.workload import Workload
from hindsight.memory import Hindsight


async def main(folder: str, namespace: str, options: dict[str, str]) -> None:
    """Until the input ends."""
    load, begun = Workload(time.time_ns()), time.time_ns()
    async with Hindsight.open(folder, **options) as memory:
        number = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            drafts = list(load.memories(int(line)))
            for draft in drafts:
                draft |= {"namespace": namespace, "idempotency_key": f"other-{begun}-{number}"}
                number += 1
            await memory.store_many(drafts)
            sys.stdout.write(f"{len(drafts)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], dict(each.split("=", 1) for each in sys.argv[3:])))
