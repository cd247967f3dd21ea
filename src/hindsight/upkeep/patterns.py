"""``patterns``: causes of failure are looked for in each agent's episodes; the rules that would prevent them wait for a person."""

from __future__ import annotations

from hindsight.learn.reflector import Reflector
from hindsight.records import Channel, Kind, Principal, Status
from hindsight.remember.attribute import Attribution
from hindsight.upkeep.run import Run, UpkeepTools

PAGE = 500


async def patterns(tools: UpkeepTools, run: Run) -> None:
    """Reflect on the episodes of every agent that has new ones since the last run. A dry run tells whose."""
    for namespace in await tools.store.namespaces():
        for agent in sorted(await _busy(tools, run, namespace)):
            run.counts["agents"] += 1
            run.list(namespace=namespace, agent=agent)
            if run.dry_run:
                continue
            principal = Principal(agent=agent, channel=Channel.REFLECTION)
            caller = Attribution(principal, namespace, tools.zone)
            reflector = Reflector(tools.store, tools.learning, tools.writer, caller, tools.clock, tools.chat)
            found = await reflector.reflect(namespace=namespace)
            run.counts["episodes"] += found.episodes
            run.counts["proposed"] += sum(each.status == "pending" for each in found.proposals)


async def _busy(tools: UpkeepTools, run: Run, namespace: str) -> set[str]:
    after, busy = 0, set[str]()
    while page := await tools.upkeep.scan(
        namespace, statuses=(Status.ACTIVE, Status.ARCHIVED), kinds=(Kind.EPISODE,), after=after, limit=PAGE
    ):
        after = page[-1][0]
        busy |= {memory.agent for _, memory in page if run.since is None or memory.created_at >= run.since}
    return busy
