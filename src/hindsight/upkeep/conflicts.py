"""``conflicts``: statements that cannot both hold are marked on both sides and wait for a person."""

from __future__ import annotations

from hindsight.learn.conflicts import SEMANTIC, Conflicts
from hindsight.records import Status
from hindsight.upkeep.archive import CATEGORY
from hindsight.upkeep.run import PRINCIPAL, Run, UpkeepTools

PAGE = 500


async def conflicts(tools: UpkeepTools, run: Run) -> None:
    """Compare every active statement that changed since the last run with those that share words with it.

    A dry run tells how many would be compared.
    """
    finder = Conflicts(tools.store)
    for namespace in await tools.store.namespaces():
        after = 0
        while page := await tools.upkeep.scan(namespace, statuses=(Status.ACTIVE,), kinds=SEMANTIC, after=after, limit=PAGE):
            after = page[-1][0]
            for _, memory in page:
                # An experience tells of one case: two cases that ended differently contradict nothing.
                if CATEGORY in memory.tags or (run.since is not None and memory.updated_at < run.since):
                    continue
                run.counts["compared"] += 1
                if run.dry_run:
                    continue
                current = await tools.store.get(memory.id)
                if current is None or current.status is not Status.ACTIVE:
                    continue
                for conflict in await finder.check(current, PRINCIPAL, run.now):
                    run.counts["conflicts"] += 1
                    run.list(first=str(conflict.first), second=str(conflict.second))
