"""Reading the store as it stood at a moment: what it held then, in the wording of then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from hindsight.ports import Page, RecordStore
from hindsight.recall.answer import Recall
from hindsight.records import LAYER_OF, Filter, Memory, Status, Visibility
from hindsight.remember.versions import as_known_at
from hindsight.text.fold import fold


class Past:
    """Reads for one caller; ``may_see`` says which records, as they are today, it may know of.

    Erased memories are in no past. One that is quarantined today is shown as at no time.
    """

    def __init__(self, store: RecordStore, may_see: Callable[[Memory], bool]) -> None:
        self._store = store
        self._may_see = may_see

    async def get(self, id: UUID, at: datetime | None) -> Memory | None:
        """The memory as it was at ``at``; None where there was none, or the caller may not see it."""
        memory = await self._store.get(id)
        if memory is None or not self._may_see(memory):
            return None
        return memory if at is None else as_known_at(memory, await self._store.history(id), at)

    async def list(self, filter: Filter, *, limit: int, cursor: str | None) -> Page:
        """A page of what the store held at ``filter.at``, newest first; a page may hold a few more or less than ``limit``."""
        if filter.at is None:
            return await self._store.list(filter, limit=limit, cursor=cursor)
        page = await self._store.list(widened(filter), limit=limit, cursor=cursor)
        changed = {memory.id: memory for memory in await self._store.changed_since(filter.namespace, filter.at) if self._may_see(memory)}
        standing = [memory for memory in page.items if memory.id not in changed and fits(memory, filter)]
        first = int(page.cursor) if page.cursor is not None else 0
        end = int(cursor) if cursor is not None else None
        rows = dict(zip(changed, (await self._store.row_of(list(changed))).tolist(), strict=True)) if changed else {}
        here = [memory for id, memory in changed.items() if rows[id] >= first and (end is None or rows[id] < end)]
        known = [await self._as_known(memory, filter.at) for memory in here]
        past = [memory for memory in known if memory is not None and fits(memory, filter)]
        order = rows | dict(
            zip((each.id for each in standing), (await self._store.row_of([each.id for each in standing])).tolist(), strict=True)
        )
        return Page(sorted([*standing, *past], key=lambda memory: order[memory.id], reverse=True), page.cursor)

    async def recalled(self, found: Recall, filter: Filter) -> Recall:
        """An answer as it would have been worded at ``filter.at``; memories that were not there then are left out."""
        if filter.at is None or not found.hits:
            return found
        changed = {memory.id for memory in await self._store.changed_since(filter.namespace, filter.at)}
        hits = []
        for hit in found.hits:
            memory = await self._as_known(hit.memory, filter.at) if hit.memory.id in changed else hit.memory
            if memory is not None and fits(memory, filter):
                labels = tuple(label for label in hit.labels if label != "archived" or memory.status is Status.ARCHIVED)
                hits.append(replace(hit, memory=memory, labels=labels))
        return replace(found, hits=tuple(hits))

    async def _as_known(self, memory: Memory, at: datetime) -> Memory | None:
        """The memory as it was; one that was written later tells of then all the same where it says since when it holds."""
        known = as_known_at(memory, await self._store.history(memory.id), at)
        started = memory.valid_from or memory.occurred_at
        return known or (memory if started is not None and started <= at else None)


def widened(filter: Filter) -> Filter:
    """The filter of a search for what stood at a moment: what was archived since is to be found as well."""
    if filter.at is None:
        return filter
    return filter.model_copy(update={"statuses": tuple(dict.fromkeys((*filter.statuses, Status.ARCHIVED)))})


def fits(memory: Memory, filter: Filter) -> bool:
    """Whether a version of a record passes a filter with ``at``; ``entities`` are those that the record names itself."""
    return _seen(memory, filter) and _holds(memory, filter) and _asked(memory, filter)


def _seen(memory: Memory, filter: Filter) -> bool:
    own, shared = memory.agent == filter.agent, memory.visibility is Visibility.SHARED
    if memory.status not in {*filter.statuses, Status.SUPERSEDED} or memory.namespace != filter.namespace:
        return False
    return {"own": own, "shared": shared, "all": own or shared}[filter.scope]


def _holds(memory: Memory, filter: Filter) -> bool:
    at = filter.at
    if at is None:
        return True
    began = memory.valid_from is None or memory.valid_from <= at
    ended = (memory.valid_to is not None and memory.valid_to <= at) or (memory.expires_at is not None and memory.expires_at <= at)
    since = filter.since is None or memory.event_time >= filter.since
    return began and not ended and since and (filter.until is None or memory.event_time < filter.until)


def _asked(memory: Memory, filter: Filter) -> bool:
    one_of = (
        (filter.kinds, memory.kind),
        (filter.layers, LAYER_OF[memory.kind]),
        (filter.outcomes, memory.outcome),
        (filter.sources, memory.source),
        (filter.channels, memory.channel),
        (filter.task_types, memory.task_type),
        ((filter.session_id,) if filter.session_id is not None else (), memory.session_id),
        ((fold(filter.speaker),) if filter.speaker is not None else (), fold(memory.speaker or "")),
    )
    if any(wanted and value not in wanted for wanted, value in one_of):
        return False
    if filter.key_prefix and not (memory.key or "").startswith(filter.key_prefix):
        return False
    if filter.avoid is not None and (memory.lesson is not None and memory.lesson.avoid) != filter.avoid:
        return False
    tools = {
        "any": bool(set(filter.tools) & set(memory.tools)),
        "all": set(filter.tools) <= set(memory.tools),
        "chain": filter.tools == memory.tools,
    }
    names = {fold(name) for name in memory.entities}
    return (
        (not filter.tools or tools[filter.tools_match])
        and (not filter.tags or bool(set(filter.tags) & set(memory.tags)))
        and (not filter.entities or bool(names & {fold(name) for name in filter.entities}))
    )
