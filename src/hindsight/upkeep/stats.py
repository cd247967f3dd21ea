"""``stats``: statistics for the database's planner, free pages given back, the log moved into the file."""

from __future__ import annotations

from hindsight.upkeep.run import Run, UpkeepTools


async def stats(tools: UpkeepTools, run: Run) -> None:
    """Tune the engine. A dry run does nothing."""
    if not run.dry_run:
        run.counts.update(await tools.upkeep.tune())
