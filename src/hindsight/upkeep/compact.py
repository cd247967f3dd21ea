"""``compact``: statements that say the same become one; the others are archived, never deleted.

Nothing is merged on likeness: two statements must have the same subject, slots, values and polarity
(:func:`hindsight.remember.reconcile.relate.relate` in both directions), be of one agent, and not differ in how a task ended.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence

import numpy as np

from hindsight.errors import VersionConflict
from hindsight.ports import Write
from hindsight.records import Filter, Kind, Memory, Outcome, Status
from hindsight.remember.reconcile.relation import MERGING
from hindsight.text.tokens import query_tokens
from hindsight.upkeep.archive import CATEGORY
from hindsight.upkeep.digest import united
from hindsight.upkeep.run import Run, UpkeepTools

KINDS = (Kind.FACT, Kind.PREFERENCE)
"""Constraints, rules and procedures are left as people and tasks worded them."""
LOOKED_AT = 16
RAREST = 8
"""So many words of a statement are looked for, at most."""
PAGE = 500
MOST_PARENTS, MOST_REFS = 100, 50
_NUMBER = re.compile(r"\d+")
_RANK = (Outcome.UNKNOWN, Outcome.SUCCESS, Outcome.FIXED, Outcome.CORRECTED)
"""Outcomes from the least to the most telling; a failure merges with a failure alone."""


async def compact(tools: UpkeepTools, run: Run) -> None:
    """Merge what says the same, among what changed since the last run and everything that is like it."""
    for namespace in await tools.store.namespaces():
        gone: set[object] = set()
        async for memory in _changed(tools, run, namespace):
            if memory.id in gone:
                continue
            twins = [other for other in await _twins(tools, run, memory) if other.id not in gone]
            if not twins:
                continue
            kept, others = _order(memory, twins)
            run.list(kept=kept.content, archived=[other.content for other in others])
            run.counts["merged"] += len(others)
            gone |= {other.id for other in others}
            if not run.dry_run:
                try:
                    await tools.store.commit(_writes(kept, others, run))
                except VersionConflict:
                    run.counts["changed_meanwhile"] += 1  # whoever changed it made it due again


async def _changed(tools: UpkeepTools, run: Run, namespace: str) -> AsyncIterator[Memory]:
    after = 0
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ACTIVE,), kinds=KINDS, after=after, limit=PAGE):
        after = page[-1][0]
        for _, memory in page:
            # A digest that more episodes joined has the words that it had.
            if run.since is None or (memory.created_at if CATEGORY in memory.tags else memory.updated_at) >= run.since:
                yield memory


async def _twins(tools: UpkeepTools, run: Run, memory: Memory) -> list[Memory]:
    """Active statements that say the same, read anew."""
    current = await tools.store.get(memory.id)
    if current is None or current.version != memory.version or current.status is not Status.ACTIVE:
        return []
    filter = Filter(namespace=memory.namespace, agent=memory.agent, scope="own", kinds=KINDS, statuses=(Status.ACTIVE,), now=run.now)
    words = await _telling(tools, filter, memory)
    rows = (await tools.store.search_terms(filter, words, limit=LOOKED_AT)).rows
    found = await tools.store.fetch(np.sort(rows)) if len(rows) else []
    return [other for other in found if other.id != memory.id and other.status is Status.ACTIVE and says_the_same(memory, other)]


async def _telling(tools: UpkeepTools, filter: Filter, memory: Memory) -> list[str]:
    """The rarest words of a memory: a twin holds them too, and what only shares frequent ones is not worth going through."""
    words = query_tokens(memory.text())
    if len(words) <= RAREST:
        return words
    idf = (await tools.store.term_hits(filter, np.empty(0, dtype=np.int64), words)).idf
    return [words[place] for place in np.argsort(-idf, kind="stable")[:RAREST]]


def says_the_same(one: Memory, other: Memory) -> bool:
    """Whether one can stand for both."""
    from hindsight.remember.reconcile.relate import relate

    alike = ("namespace", "agent", "kind", "visibility", "task_type", "error_code", "speaker", "lesson", "valid_from", "valid_to", "source")
    if any(getattr(one, name) != getattr(other, name) for name in alike) or one.conflicts_with or other.conflicts_with:
        return False
    if (Outcome.FAILURE in (one.outcome, other.outcome)) and one.outcome is not other.outcome:
        return False
    if _values(one.text()) != _values(other.text()):
        return False
    if one.expires_at or other.expires_at or (one.query and other.query and relate_texts(one.query, other.query) not in MERGING):
        return False
    return relate(one, other) in MERGING and relate(other, one) in MERGING


def _values(text: str) -> list[str]:
    """The numbers of a text, in order: cheap to compare before its words are."""
    return _NUMBER.findall(text)


def relate_texts(one: str, other: str) -> object:
    """How two situations relate."""
    from hindsight.remember.reconcile.relate import relate_statements

    return relate_statements(one, other)


def _order(memory: Memory, twins: Sequence[Memory]) -> tuple[Memory, list[Memory]]:
    """The one that stays, and the others: what is trusted most, then used most, then oldest, so that its id goes on."""
    first, *others = sorted((memory, *twins), key=lambda each: (-each.trust, -each.use_count, each.created_at, str(each.id)))
    return first, others


def _writes(kept: Memory, others: Sequence[Memory], run: Run) -> list[Write]:
    """One transaction: the one that stays with newest time, most telling outcome, all references, least trust; the others archived."""
    every = (kept, *others)
    newest = max(every, key=lambda memory: memory.event_time)
    outcome = kept.outcome if kept.outcome is Outcome.FAILURE else max((each.outcome for each in every), key=_RANK.index)
    merged = kept.model_copy(
        update={
            "refs": tuple(dict.fromkeys(ref for each in every for ref in each.refs))[:MOST_REFS],
            "tags": united([each.tags for each in every], 50),
            "entities": united([each.entities for each in every], 100),
            "parents": tuple(dict.fromkeys([*kept.parents, *(other.id for other in others)]))[-MOST_PARENTS:],
            "occurred_at": newest.occurred_at if newest.event_time > kept.event_time and newest.occurred_at else kept.occurred_at,
            "outcome": outcome,
            "trust": min(each.trust for each in every),
            "confidence": max(each.confidence for each in every if each.trust >= kept.trust),
            "importance": max(each.importance for each in every if each.trust >= kept.trust),
            "use_count": sum(each.use_count for each in every),
            "helpful": sum(each.helpful for each in every),
            "harmful": sum(each.harmful for each in every),
            "last_used_at": max((each.last_used_at for each in every if each.last_used_at), default=None),
            "version": kept.version + 1,
            "updated_at": max(run.now, kept.created_at),
        }
    )
    writes = [Write(memory=merged, event=run.event("merged", f"{len(others)} that say the same"), expected_version=kept.version)]
    for other in others:
        put_away = {"status": Status.ARCHIVED, "version": other.version + 1, "updated_at": max(run.now, other.created_at)}
        event = run.event("archived", f"archived by {kept.id}")
        writes.append(Write(memory=other.model_copy(update=put_away), event=event, expected_version=other.version))
    return writes
