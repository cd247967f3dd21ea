"""``history``: old entries of the history that nothing needs any more go; the seals of what stays remain valid.

Of a memory that is there stay how it came to be, who decided on it, what was undone, and its last change; of one that a person erased,
that it was. What upkeep itself let go (expired, forgotten) leaves nothing, and what it moved to the cold store does so at once: its record
lies there. Only a history that verifies is cut.
"""

from __future__ import annotations

from datetime import timedelta

from hindsight.errors import StoreCorrupt
from hindsight.ports import HistoryCut, HistoryStep
from hindsight.upkeep.archive import MOVED
from hindsight.upkeep.run import PRINCIPAL, Run, UpkeepTools
from hindsight.upkeep.verify import judge


async def history(tools: UpkeepTools, run: Run) -> None:
    """Cut what is older than the settings say.

    Raises:
        StoreCorrupt: the history was changed around hindsight; it is left for whoever looks into that.
    """
    if not tools.options.history_days:
        run.note("the history is kept for ever (HINDSIGHT_HISTORY_DAYS=0).")
        return
    if tools.legal_hold:
        run.note("the store is under a legal hold: the history stays whole.")
        return
    found = await tools.store.audit(judge)
    if found.state not in ("ok", "not sealed"):
        raise StoreCorrupt(f"the history is not cut: its seals do not verify ({found.state}); run `hindsight verify`.")
    before = run.now - timedelta(days=tools.options.history_days)
    for namespace in await tools.store.namespaces():
        order = HistoryCut(namespace, before, PRINCIPAL.agent, str(PRINCIPAL.channel), MOVED, run.dry_run)
        step = HistoryStep()
        while not step.done:
            step = await tools.upkeep.cut_history(order, step)
            run.counts["entries"] += step.removed
