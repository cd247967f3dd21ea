"""``consolidate``: experiences of one kind of task become one more abstract candidate, which waits for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hindsight.guard.trust import derived_trust
from hindsight.learn.candidates import digest
from hindsight.ports import Write
from hindsight.records import Channel, DebugInfo, Draft, Kind, Memory, Outcome, Source, Status
from hindsight.remember.commit import build_memory, build_write
from hindsight.remember.distil.clauses import language_of
from hindsight.upkeep.archive import CATEGORY
from hindsight.upkeep.digest import LONGEST, cut
from hindsight.upkeep.run import Run, UpkeepTools
from hindsight.upkeep.wording import Wording

LEAST = 5
"""Experiences of one kind from which something more general is drawn."""
SHOWN = 12
PAGE = 500
_PROMPT = {
    "zh": "下面是同一类任务的多次经历。写一句不超过 100 个汉字的概括，说出它们共有的做法或教训；不要编造，不要写单次的细节。只写这一句话。",
    "en": "Below are experiences with one kind of task. Write one sentence of at most 180 characters that says what they have in common, a way of "
    "working or a lesson; make nothing up and leave out details of single cases. Write that sentence only.",
}


async def consolidate(tools: UpkeepTools, run: Run) -> None:
    """Propose one statement for every kind of task with enough experiences; what was proposed or rejected before is not proposed again."""
    wording = Wording(tools.chat, run)
    for namespace in await tools.store.namespaces():
        for (agent, kind), members in (await _groups(tools, namespace)).items():
            if len(members) < LEAST:
                continue
            signature = "\x1f".join(("consolidated", namespace, agent, *kind))
            if await tools.learning.rejected(namespace, [digest(signature)]):
                continue
            key = f"consolidated:{digest(signature)}"
            if await tools.store.find_keys(namespace, agent, [key]):
                continue
            draft = await _draft(wording, members, key)
            run.list(candidate=draft.content, experiences=len(members))
            run.counts["candidates"] += 1
            if not run.dry_run:
                await _propose(tools, run, draft, members, signature)


async def _groups(tools: UpkeepTools, namespace: str) -> dict[tuple[str, tuple[str, str, str]], list[Memory]]:
    groups: dict[tuple[str, tuple[str, str, str]], list[Memory]] = {}
    after = 0
    while page := await tools.upkeep.scan(namespace, statuses=(Status.ACTIVE,), kinds=(Kind.FACT,), after=after, limit=PAGE):
        after = page[-1][0]
        for _, memory in page:
            if CATEGORY in memory.tags and memory.task_type:
                kind = (memory.task_type, memory.error_code or "", "failure" if memory.outcome is Outcome.FAILURE else "other")
                groups.setdefault((memory.agent, kind), []).append(memory)
    return groups


async def _draft(wording: Wording, members: Sequence[Memory], key: str) -> Draft:
    telling = sorted(members, key=lambda memory: (-memory.helpful, -memory.use_count, -memory.event_time.timestamp()))[:SHOWN]
    text, model = _common(telling, len(members)), None
    told = "\n".join(f"- {memory.content}" for memory in telling)
    text, model = await wording.say(_PROMPT, told) or (text, None)
    first = telling[0]
    return Draft(
        content=text,
        kind=Kind.FACT,
        query=first.task_type or "",
        namespace=first.namespace,
        agent=first.agent,
        task_type=first.task_type,
        error_code=first.error_code,
        tags=(CATEGORY, "general"),
        source=Source.INFERRED,
        confidence=0.5,
        importance=0.6,
        parents=tuple(memory.id for memory in telling),
        idempotency_key=key,
        debug=DebugInfo(model=model, distiller="consolidate-1"),
    )


def _common(members: Sequence[Memory], count: int) -> str:
    """What the experiences have in common, without a model: the kind, how they ended, the tools, and the best known of them."""
    first = members[0]
    outcomes = Counter(str(memory.outcome) for memory in members)
    tools = [tool for tool, _ in Counter(tool for memory in members for tool in memory.tools).most_common(3)]
    told = f"{', '.join(f'{name} {number}' for name, number in outcomes.most_common())}"
    if language_of(first.content) == "zh":
        used = f"常用 {'、'.join(tools)}。" if tools else ""
        return cut(f"“{first.task_type}”类任务有 {count} 次经历（{told}）。{used}最有代表性：{first.content}")
    used = f"Mostly with {', '.join(tools)}. " if tools else ""
    return cut(f"{count} experiences with {first.task_type} ({told}). {used}Typical: {first.content}")[:LONGEST]


async def _propose(tools: UpkeepTools, run: Run, draft: Draft, members: Sequence[Memory], signature: str) -> None:
    guarded = (await tools.writer.guard.examine([draft], Channel.REFLECTION, run.now))[0]
    trust = derived_trust(Channel.REFLECTION, members)
    made = build_memory(guarded.draft, guarded.verdict, Channel.REFLECTION, run.now, debug=True, trust=trust)
    if made.status is Status.ACTIVE:
        made = made.model_copy(update={"status": Status.PENDING})  # it is a conclusion: a person decides
    embedded = (await tools.writer.embed([made.text()]))[0]
    write: Write = build_write(made, embedded, run.event("created", f"drawn from {len(members)} experiences"))
    await tools.store.commit([write])
    grounds = {"signature": signature, "origin": "consolidated", "supporting": [str(each.id) for each in members[:200]]}
    await tools.learning.put_grounds(made.id, digest(signature), grounds | {"confidence": made.confidence, "agents": [made.agent]})
