"""Playing tasks: what happened before goes into a memory of its own, the policy acts on what recall returns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Literal

from hindsight.assemble import assemble
from hindsight.clock import FixedClock
from hindsight.evals.tasks.policy import decide
from hindsight.evals.tasks.reading import Happening, Task, small_talk
from hindsight.memory import Hindsight
from hindsight.recall.render import render_line
from hindsight.records import Channel, Principal, StoreStatus
from hindsight.settings import load_settings
from hindsight.text.lengths import estimate_tokens

Row = Literal["memory", "vector_only", "full_history", "none"]
ROWS: tuple[Row, ...] = ("memory", "vector_only", "full_history", "none")
LATER = timedelta(days=20)
"""The task comes so long after the last thing that happened."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one task in one row. ``recalled``: whether what helps was among what the policy read; ``tokens`` of that."""

    task: str
    ability: str
    language: str
    row: Row
    recalled: bool
    applied: bool
    tokens: int
    chosen: str
    error: str | None


async def play(tasks: Sequence[Task], *, settings: Mapping[str, Any], progress: Progress | None = None) -> list[Played]:
    """Every task in every row, each with a memory of its own that is thrown away."""
    played: list[Played] = []
    for number, task in enumerate(tasks, 1):
        with tempfile.TemporaryDirectory(prefix="hindsight-task-") as folder:
            played.extend(await _play(task, Path(folder), settings))
        if progress is not None:
            progress(number, len(tasks))
    return played


async def _play(task: Task, folder: Path, settings: Mapping[str, Any]) -> list[Played]:
    clock = FixedClock(datetime.combine(task.before[0].on, time(12), UTC))
    loaded = load_settings(
        store=str(folder / "store"), namespace="team", agent=task.agent, seal_key_file=str(folder / "key"), timezone="UTC", **settings
    )
    history: list[str] = []
    async with assemble(loaded, clock=clock) as memory:
        for number, happening in enumerate(task.before):
            clock.instant = datetime.combine(happening.on, time(12), UTC)
            history += await _happen(memory, happening, task, number)
        await memory.settle(timeout=60)
        clock.instant += LATER
        read: dict[Row, list[str]] = {"full_history": history[::-1], "none": []}
        block = (await memory.context(task.ask)).render()
        read["memory"] = [line for line in block.splitlines() if line.startswith(("- ", "["))]
        if settings.get("embedder") != "none":
            found = await memory.retrieve(task.ask, routes=("vector",))
            read["vector_only"] = [render_line(hit, place, task.language, UTC) for place, hit in enumerate(found.hits, 1)]
    return [_judged(task, row, read[row]) for row in ROWS if row in read]


def _judged(task: Task, row: Row, texts: Sequence[str]) -> Played:
    chosen = decide(task.tool.values, task.tool.default, texts)
    error = task.tool.call(chosen)
    helps = [all(each.casefold() in text.casefold() for each in task.evidence) for text in texts]
    tokens = sum(map(estimate_tokens, texts))
    return Played(task.id, task.ability, task.language, row, any(helps), error is None, tokens, chosen, error)


async def _happen(memory: Hindsight, happening: Happening, task: Task, number: int) -> list[str]:
    """Let it happen to the memory; the lines of it that a prompt with the whole history would hold."""
    if happening.store is not None:
        stored = await _as(memory, happening.agent).store(**happening.store)
        if stored.status is StoreStatus.PENDING and stored.id is not None:  # what an agent shares waits for a person
            await memory.approve(stored.id, reason="true")
        return [f"{happening.on} {happening.agent}: {happening.store['content']}"]
    if happening.task is not None:
        fields = dict(happening.task)
        shared = fields.pop("visibility", None)
        kept = await _as(memory, happening.agent).task_finished(fields.pop("outcome"), **fields)
        written = [kept.episode, *([kept.lesson] if kept.lesson else []), *kept.distilled, *kept.learned]
        for id in {result.id for result in written if result.id is not None and shared is not None}:
            await _as(memory, happening.agent).update(id, visibility=shared)
        told = "; ".join(f"{name}: {value}" for name, value in happening.task.items() if isinstance(value, str))
        return [f"{happening.on} {happening.agent}: {told}"]
    turns = happening.turns or list(islice(cycle(small_talk()[task.language]), happening.small_talk))
    lines = []
    async with memory.session(f"{task.id}-{number}") as session:
        for role, content, *speaker in turns:
            await session.turn(content, role=role, speaker=speaker[0] if speaker else None)
            lines.append(f"{happening.on} {speaker[0] if speaker else role}: {content}")
    await memory.store_many(
        [
            {
                "content": content,
                "kind": "episode",
                "speaker": speaker[0] if speaker else None,
                "session_id": session.id,
                "turn_ids": [str(place)],
            }
            for place, (role, content, *speaker) in enumerate(turns)
            if role == "user"
        ]
    )
    return lines


def _as(memory: Hindsight, agent: str) -> Hindsight:
    return memory.acting_as(Principal(agent=agent, channel=Channel.AGENT))
