"""``forget``: what nobody needs is archived, and after a grace period gone. A score tells what that is; some things are never forgotten."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import numpy as np

from hindsight.ports import Write
from hindsight.records import Filter, Kind, Memory, Status
from hindsight.text.tokens import index_tokens
from hindsight.upkeep.archive import CATEGORY, touched
from hindsight.upkeep.expire import leave
from hindsight.upkeep.run import Run, UpkeepTools

PAGE = 500
YOUNG = timedelta(days=120)
"""Younger memories are not judged."""
GRACE = timedelta(days=90)
"""So long after it was put away a forgotten memory can be restored."""
RECENT = timedelta(days=180)
FORGOTTEN = "forgotten"
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.EPISODE, Kind.PROCEDURE, Kind.KNOWLEDGE)
FEW = 3
"""A word that no more memories hold is one that would be missed."""
_AMOUNT = re.compile(r"\d{1,4}(?:[.:]\d{1,2})?[^\W\d]{0,2}")
"""A short number, a time of day, a version; with or without a unit."""
WEIGHTS = {"use": 0.26, "recency": 0.2, "helpfulness": 0.17, "importance": 0.11, "connectedness": 0.1, "youth": 0.1, "distinctness": 0.06}


async def forget(tools: UpkeepTools, run: Run) -> None:
    """Put away what is worth less than the threshold; erase what was put away so long ago that nobody missed it."""
    for namespace in await tools.store.namespaces():
        await _put_away(tools, run, namespace)
        if tools.legal_hold:
            run.note("the store is under a legal hold: nothing is deleted.")
        else:
            await _delete(tools, run, namespace)


def worth(memory: Memory, shown: int, children: int, now_days: float, used_days: float | None) -> float:
    """From 0 (nobody needs it) to 1, by :data:`WEIGHTS`, but for its distinctness.

    Args:
        memory: what is judged.
        shown: how many logged retrievals showed it.
        children: how many records were made of it.
        now_days: its age in days.
        used_days: days since it was last used; None: never.
    """
    uses = memory.use_count + shown
    judged = memory.helpful + memory.harmful
    parts = {
        "use": 1 - math.exp(-uses / 3),
        "recency": 0.0 if used_days is None else 2 ** (-used_days / 90),
        "helpfulness": (memory.helpful + 1) / (judged + 2) if judged else 0.25,
        "connectedness": 1 - math.exp(-(children + len(memory.conflicts_with)) / 2),
        "importance": memory.importance,
        "youth": 2 ** (-now_days / 180),
    }
    return sum(WEIGHTS[name] * part for name, part in parts.items())


def protected(memory: Memory, run: Run) -> bool:
    """What is never forgotten: constraints and rules, what a person said or approved, and lessons that were used of late."""
    if memory.kind in (Kind.CONSTRAINT, Kind.RULE) or memory.conflicts_with:
        return True
    if memory.trust >= 1.0 and CATEGORY not in memory.tags:
        return True
    return memory.lesson is not None and memory.last_used_at is not None and run.now - memory.last_used_at < RECENT


async def _put_away(tools: UpkeepTools, run: Run, namespace: str) -> None:
    after = 0
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ACTIVE,), kinds=KINDS, after=after, limit=PAGE):
        after = page[-1][0]
        judged = [memory for _, memory in page if run.now - touched(memory) >= YOUNG and not protected(memory, run)]
        if not judged:
            continue
        ids = [memory.id for memory in judged]
        shown, children = await _shown(tools, judged), await tools.store.children(ids)
        low = []
        for memory in judged:
            if memory.lesson is not None and shown[memory.id]:
                continue  # a lesson that the log of retrievals still shows is a recent hit
            used = None if memory.last_used_at is None else (run.now - memory.last_used_at).days
            score = worth(memory, shown[memory.id], len(children.get(memory.id, ())), (run.now - memory.created_at).days, used)
            run.counts["judged"] += 1
            if 0 < tools.options.forget_below - score <= WEIGHTS["distinctness"]:  # else it decides nothing
                score += WEIGHTS["distinctness"] * await _tells_alone(tools, run, memory)
            if score < tools.options.forget_below:
                low.append(memory)
                run.list(id=str(memory.id), kind=str(memory.kind), worth=round(score, 3), age_days=(run.now - memory.created_at).days)
        run.counts["put_away"] += len(low)
        if low and not run.dry_run:
            await _archive(tools, run, low)


async def _shown(tools: UpkeepTools, memories: Sequence[Memory]) -> dict[UUID, int]:
    """How many logged retrievals showed each memory, or one of the episodes that a digest stands for."""
    stood_for = {memory.id: (memory.id, *(memory.parents if CATEGORY in memory.tags else ())) for memory in memories}
    shown = await tools.learning.times_shown(list(dict.fromkeys(id for ids in stood_for.values() for id in ids)))
    return {id: sum(shown.get(each, 0) for each in ids) for id, ids in stood_for.items()}


async def _tells_alone(tools: UpkeepTools, run: Run, memory: Memory) -> bool:
    """Whether it holds a word, beside those of its situation, that hardly another memory holds: a name, an identifier, a term.

    Short numbers are left aside: how many seconds or messages it was this time differs from case to case.
    """
    words = sorted(word for word in set(index_tokens(memory.content)) - set(index_tokens(memory.query)) if not _AMOUNT.fullmatch(word))
    if not words:
        return False
    filter = Filter(namespace=memory.namespace, agent=memory.agent, scope="own", statuses=(Status.ACTIVE,), now=run.now)
    idf = (await tools.store.term_hits(filter, np.empty(0, dtype=np.int64), words)).idf
    rarest = words[int(np.argmax(idf))]
    return len((await tools.store.search_terms(filter, [rarest], limit=FEW + 1)).rows) <= FEW


async def _archive(tools: UpkeepTools, run: Run, memories: Sequence[Memory]) -> None:
    writes = []
    for memory in memories:
        changes = {"status": Status.ARCHIVED, "version": memory.version + 1, "updated_at": max(run.now, memory.created_at)}
        event = run.event("archived", f"{FORGOTTEN}: worth less than {tools.options.forget_below}")
        writes.append(Write(memory=memory.model_copy(update=changes), event=event, expected_version=memory.version))
    await tools.store.commit(writes)


async def _delete(tools: UpkeepTools, run: Run, namespace: str) -> None:
    """Erase what this job put away and nobody brought back within the grace period."""
    after = 0
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ARCHIVED,), kinds=KINDS, after=after, limit=PAGE):
        after = page[-1][0]
        due: list[UUID] = []
        for _, memory in page:
            if run.now - touched(memory) >= GRACE and not protected(memory, run) and await _was_forgotten(tools, memory):
                due.append(memory.id)
        run.counts["deleted"] += len(due)
        if due and not run.dry_run:
            await leave(tools, run, due, "forgotten, and not missed in the grace period")


async def _was_forgotten(tools: UpkeepTools, memory: Memory) -> bool:
    archived = [event for event in await tools.store.history(memory.id) if event.action == "archived"]
    return bool(archived) and (archived[-1].reason or "").startswith(FORGOTTEN)
