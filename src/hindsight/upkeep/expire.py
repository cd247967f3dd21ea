"""``expire``: memories whose time (``expires_at``) is over leave for good, their cold copies too."""

from __future__ import annotations

from uuid import UUID

from hindsight.records import Kind, Status
from hindsight.upkeep.archive import tell_damage
from hindsight.upkeep.run import Run, UpkeepTools

PAGE = 500


async def expire(tools: UpkeepTools, run: Run) -> None:
    """Erase what has expired, whatever its kind and status; recall left it out from the moment on."""
    if tools.legal_hold:
        run.note("the store is under a legal hold: nothing expires for good.")
        return
    for namespace in await tools.store.namespaces():
        after = 0
        while page := await tools.upkeep.scan(
            namespace, statuses=tuple(Status), kinds=tuple(Kind), after=after, limit=PAGE, having="expires_at"
        ):
            after = page[-1][0]
            due = [memory for _, memory in page if memory.expires_at is not None and memory.expires_at <= run.now]
            for memory in due:
                run.list(id=str(memory.id), kind=str(memory.kind), expired=str(memory.expires_at))
            run.counts["expired"] += len(due)
            if due and not run.dry_run:
                await leave(tools, run, [memory.id for memory in due], "expired")
                tell_damage(tools, run)


async def leave(tools: UpkeepTools, run: Run, ids: list[UUID], reason: str) -> None:
    """Erase records and their cold copies; the copies first: cut short between the two, the next run finds the records again."""
    if tools.cold is not None:
        await tools.cold.remove(ids)
    await tools.store.erase(ids, run.event("erased", reason))
    tools.writer.forget_texts()
