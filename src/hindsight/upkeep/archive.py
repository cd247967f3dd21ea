"""``archive``: episodes past the hot window become digests; the whole texts go to the cold store.

First the copy in the cold store, then, in one transaction, the digest and the end of the episode's active life. Much later the episode
leaves the store, once its copy was seen. Whatever is cut short is done again to the same end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from hindsight.errors import VersionConflict
from hindsight.ports import Write
from hindsight.records import DebugInfo, Draft, Kind, Memory, Source, Status
from hindsight.remember.attribute import Attribution
from hindsight.remember.commit import build_memory, build_write
from hindsight.upkeep.digest import digest_key, digest_text, united
from hindsight.upkeep.run import PRINCIPAL, Run, UpkeepTools
from hindsight.upkeep.wording import Wording

BATCH = 128
PAGE = 500
MOST_PARENTS = 20
MOST_REFS = 50
CATEGORY = "experience"
"""The tag of digests."""
ATTEMPTS = 3
MOVED = "moved to the cold store"
FADED = 0.8
"""A digest's importance, as a share of the episode's."""
_PROMPT = {
    "zh": "用不超过 100 个汉字的一句话概括下面的经历：情境、做法、结果和关键值（数字、名称、错误码）原样保留。只写这一句话。",
    "en": "Sum up the experience below in one sentence of at most 180 characters: situation, what was done, the result, with values (numbers, names, "
    "error codes) as they stand. Write that sentence only.",
}


async def archive(tools: UpkeepTools, run: Run) -> None:
    """Archive what is due in every namespace, then let go what was archived long ago."""
    if tools.cold is None:
        run.note("no cold store is set (HINDSIGHT_COLD_STORE): archived episodes stay whole in the store.")
    cutoff, wording = run.now - timedelta(days=tools.options.hot_days), Wording(tools.chat, run)
    for namespace in await tools.store.namespaces():
        async for batch in _batches(tools, namespace, cutoff):
            await _archive(tools, run, wording, batch)
        if tools.cold is not None and tools.options.cold_days and not tools.legal_hold:
            await _let_go(tools, run, namespace)
    if tools.legal_hold:
        run.note("the store is under a legal hold: nothing leaves it.")
    tell_damage(tools, run)


def tell_damage(tools: UpkeepTools, run: Run) -> None:
    """Tell of every segment of the cold store that could not be read."""
    for damage in tools.cold.damaged.values() if tools.cold is not None else ():
        run.note(damage)


def touched(memory: Memory) -> datetime:
    """When somebody last did something with a memory."""
    return max(memory.updated_at, memory.last_used_at or memory.created_at)


async def _batches(tools: UpkeepTools, namespace: str, cutoff: datetime) -> AsyncIterator[list[Memory]]:
    after, batch = 0, list[Memory]()
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ACTIVE,), kinds=(Kind.EPISODE,), after=after, limit=PAGE):
        after = page[-1][0]
        batch += [memory for _, memory in page if touched(memory) < cutoff]
        while len(batch) >= BATCH:
            yield batch[:BATCH]
            batch = batch[BATCH:]
    if batch:
        yield batch


async def _archive(tools: UpkeepTools, run: Run, wording: Wording, batch: Sequence[Memory]) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        plans = await _plans(tools, run, wording, batch)
        held = [memory for plan in plans for memory in plan.sources]
        for plan in plans:
            run.list(digest=plan.memory.content, episodes=len(plan.sources), merged=plan.before is not None)
        if not held or run.dry_run:
            break
        if tools.cold is not None:
            await tools.cold.put(held)
        writes = [plan.write(run) for plan in plans]
        writes += [_archived(memory, run, plan.memory.id) for plan in plans for memory in plan.sources]
        try:
            await tools.store.commit(writes)
        except VersionConflict:
            if attempt == ATTEMPTS:
                raise
            batch = await _still_due(tools, batch)
        else:
            break
    run.counts["archived"] += len(held)
    run.counts["digests"] += sum(plan.before is None for plan in plans)
    run.counts["merged_digests"] += sum(plan.before is not None for plan in plans)
    run.counts["kept_hot"] += len(batch) - len(held)


async def _still_due(tools: UpkeepTools, batch: Sequence[Memory]) -> list[Memory]:
    found = [await tools.store.get(memory.id) for memory in batch]
    known = {memory.id: memory.version for memory in batch}
    return [memory for memory in found if memory is not None and memory.status is Status.ACTIVE and known[memory.id] == memory.version]


@dataclass(slots=True)
class _Plan:
    """One digest, new or grown, and the episodes that it stands for from now on."""

    memory: Memory
    before: Memory | None
    sources: list[Memory]
    write_new: Write | None = None

    def write(self, run: Run) -> Write:
        if self.before is None:
            assert self.write_new is not None
            return self.write_new
        return Write(
            memory=self.memory, event=run.event("merged", "further episodes that say the same"), expected_version=self.before.version
        )


async def _plans(tools: UpkeepTools, run: Run, wording: Wording, batch: Sequence[Memory]) -> list[_Plan]:
    """What becomes of a batch of one namespace. An episode whose digest would not be let into memory stays as it is."""
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in batch:
        groups.setdefault((memory.agent, digest_key(memory)), []).append(memory)
    standing = await _standing(tools, batch[0].namespace if batch else "", list(groups))
    plans: list[_Plan] = []
    fresh: list[tuple[Draft, list[Memory]]] = []
    for (agent, key), sources in groups.items():
        known = standing.get((agent, key))
        if known is None:
            fresh.append((await _draft(wording, sources, key), sources))
        elif known.status is Status.ACTIVE:
            plans.append(_Plan(_grown(known, sources, run.now), known, sources))
    for draft, sources in fresh:
        plan = await _new(tools, run, draft, sources)
        if plan is not None:
            plans.append(plan)
    if not run.dry_run:
        texts = [plan.memory.text() for plan in plans if plan.before is None]
        vectors = iter(await tools.writer.embed(texts) if texts else [])
        for plan in plans:
            if plan.before is None:
                plan.write_new = build_write(
                    plan.memory, next(vectors), run.event("created", f"digest of {len(plan.sources)} archived episodes")
                )
    return plans


async def _standing(tools: UpkeepTools, namespace: str, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Memory]:
    found: dict[tuple[str, str], Memory] = {}
    for agent in dict.fromkeys(agent for agent, _ in keys):
        ids = await tools.store.find_keys(namespace, agent, [key for mine, key in keys if mine == agent])
        for key, id in ids.items():
            memory = await tools.store.get(id)
            if memory is not None:
                found[agent, key] = memory
    return found


async def _draft(wording: Wording, sources: Sequence[Memory], key: str) -> Draft:
    """The digest of episodes that say the same, as a draft."""
    newest = max(sources, key=lambda memory: memory.event_time)
    text, model = digest_text(newest), None
    if len(newest.content) > len(text):
        told = f"{newest.query}\n{newest.content}" if newest.query else newest.content
        text, model = await wording.say(_PROMPT, told) or (text, None)
    return Draft(
        content=text,
        kind=Kind.FACT,
        query=newest.query[:400],
        namespace=newest.namespace,
        agent=newest.agent,
        key=newest.key,
        visibility=newest.visibility,
        speaker=newest.speaker,
        role=newest.role,
        refs=tuple(dict.fromkeys(ref for memory in sources for ref in memory.refs))[:MOST_REFS],
        lesson=newest.lesson,
        outcome=newest.outcome,
        task_type=newest.task_type,
        tools=newest.tools,
        error_code=newest.error_code,
        tags=united([(CATEGORY,), *(memory.tags for memory in sources)], 50),
        entities=united([memory.entities for memory in sources], 100),
        source=Source.INFERRED if model else newest.source,
        confidence=min(memory.confidence for memory in sources),
        importance=round(FADED * max(memory.importance for memory in sources), 4),
        occurred_at=newest.occurred_at or newest.created_at,
        occurred_precision=newest.occurred_precision,
        parents=tuple(memory.id for memory in sources)[:MOST_PARENTS],
        idempotency_key=key,
        debug=DebugInfo(model=model, distiller="digest-1"),
    )


async def _new(tools: UpkeepTools, run: Run, draft: Draft, sources: Sequence[Memory]) -> _Plan | None:
    # The words are the sources' own: they come in by the channel of the one trusted least, with no more trust than any of them has.
    lowest = min(sources, key=lambda memory: memory.trust)
    guarded = (await tools.writer.guard.examine([draft], lowest.channel, run.now, composed=True))[0]
    if guarded.verdict.status is not Status.ACTIVE:
        run.note("some episodes stay as they are: the guard would hold their digests back.")
        return None
    trust = min(guarded.trust, lowest.trust)
    memory = build_memory(guarded.draft, guarded.verdict, lowest.channel, run.now, debug=True, trust=trust)
    return _Plan(memory, None, list(sources))


def _grown(known: Memory, sources: Sequence[Memory], now: datetime) -> Memory:
    """A standing digest with more episodes: newest time, all references, least trust."""
    newest = max(sources, key=lambda memory: memory.event_time)
    later = newest.event_time > known.event_time
    return known.model_copy(
        update={
            "refs": tuple(dict.fromkeys((*(ref for memory in sources for ref in memory.refs), *known.refs)))[:MOST_REFS],
            "parents": tuple(dict.fromkeys((*(memory.id for memory in sources), *known.parents)))[:MOST_PARENTS],
            "occurred_at": newest.event_time if later else known.occurred_at,
            "trust": min(known.trust, *(memory.trust for memory in sources)),
            "version": known.version + 1,
            "updated_at": max(now, known.created_at),
        }
    )


def _archived(memory: Memory, run: Run, digest: UUID) -> Write:
    new = memory.model_copy(
        update={"status": Status.ARCHIVED, "version": memory.version + 1, "updated_at": max(run.now, memory.created_at)}
    )
    return Write(memory=new, event=run.event("archived", f"archived by {digest}"), expected_version=memory.version)


async def _let_go(tools: UpkeepTools, run: Run, namespace: str) -> None:
    """Take archived episodes out of the store whose copy in the cold store was read and is the same."""
    assert tools.cold is not None
    before = run.now - timedelta(days=tools.options.cold_days)
    after = 0
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ARCHIVED,), kinds=(Kind.EPISODE,), after=after, limit=PAGE):
        after = page[-1][0]
        due = {memory.id: memory for _, memory in page if touched(memory) < before}
        if not due:
            continue
        whole: dict[UUID, Memory] = {}
        for segment in {segment.name: segment for segment, _ in (await tools.cold.where(due)).values()}.values():
            whole |= {memory.id: memory for memory in await tools.cold.read(segment) if memory.id in due}
        ids = [id for id, memory in due.items() if id in whole and _same(whole[id], memory)]
        run.counts["moved_out"] += len(ids)
        if ids and not run.dry_run:
            await tools.upkeep.evict(ids, run.event("erased", f"{MOVED}; `hindsight thaw` brings it back"))


def _same(copy: Memory, memory: Memory) -> bool:
    """Whether the copy is the record as it was before it was archived."""
    return (copy.content, copy.query, copy.version + 1) == (memory.content, memory.query, memory.version)


def attribution(tools: UpkeepTools, namespace: str) -> Attribution:
    """Upkeep as a caller in a namespace."""
    return Attribution(PRINCIPAL, namespace, tools.zone)
