"""What is learnt from recorded runs of agents, measured: ``python scripts/learning.py --airline FOLDER --alfworld FOLDER``.

tau-bench airline (trajectories.jsonl): every trajectory is told as a task that ended, its first user message as the task, its tool
calls as they were; a result that begins with "Error" is a call's error, a reward of 1 a success. The kind of task is read from the
first message by four words (book, cancel, change, other). Task ids, instructions and rewards of the trial in question are never given.

Measure. For each failed trial of a task with a successful trial: the tools in which it differs are those that the successful trial
nearest to it (fewest edits between the call sequences) called and it did not, those that it called and that one did not, those
called in another order before the first common pivot, and the tool that failed in it. The lessons of a store without this trial
(a: the other trials of the same task and the other tasks; b: the other tasks alone) are asked with its first message; it counts when
one of the ``k`` retrieved names such a tool; more strictly, when one demands a step that the successful trial called and the failed
one never did; and when one names a tool together with an argument that both last called it with, and not alike. Two floors: as many lessons drawn by chance from the same store; the first k that name the store's most frequent tool.

Reflexion on ALFWorld (trials.jsonl) publishes no traces: each failed trial with a reflection is told as a task with that reflection as
its result. Reported: lessons drawn from the reflections; how many name an object and a step; and how often the next trial succeeded.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from math import sqrt
from pathlib import Path
from typing import Any

from hindsight import Hindsight
from hindsight.learn.difference import difference
from hindsight.records import Memory

K = 3
_KINDS = (
    ("cancellation", r"\bcancel|\brefund"),
    ("booking", r"\bbook(?:ing)? (?:a|the|same)\b"),
    ("change", r"change|modify|downgrade|upgrade|remove"),
)


def interval(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate (E. B. Wilson, 1927)."""
    if not n:
        return (0.0, 1.0)
    z, p = 1.96, hits / n
    middle, reach = (p + z * z / (2 * n)), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return ((middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n))


def rate(hits: int, n: int) -> str:
    """A rate with n and its interval."""
    low, high = interval(hits, n)
    return f"{hits}/{n} = {hits / n if n else 0:.1%} [{low:.1%}, {high:.1%}]"


class Trial:
    """One trajectory."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.task, self.trial, self.success = row["task_id"], row["trial"], row["reward"] == 1
        self.asks = next(step["content"] for step in row["steps"] if step["role"] == "user")
        self.calls = [_call(step) for step in row["steps"] if "tool" in step]
        self.tools = [call["tool"] for call in self.calls]
        self.differing: set[str] = set()
        self.missing: set[str] = set()
        self.arguments: set[tuple[str, str]] = set()
        self.kind = next((kind for kind, words in _KINDS if re.search(words, self.asks, re.IGNORECASE)), "other")

    async def tell(self, memory: Hindsight) -> None:
        """Tell the memory how it went."""
        outcome = "success" if self.success else "failure"
        about = {"task": self.asks, "task_type": self.kind, "calls": self.calls, "id": f"{self.task}-{self.trial}"}
        await memory.task_finished(outcome, **about)

    def compare(self, others: Sequence[Trial]) -> None:
        """Note in which tools it differs from the nearest of the successful ``others``, and which of that one's it never called."""
        nearest = max(others, key=lambda other: SequenceMatcher(None, self.tools, other.tools, autojunk=False).ratio())
        failing = next((call["tool"] for call in reversed(self.calls) if call["error"]), None)
        found = difference(self.tools, nearest.tools, failing)
        self.missing = set(nearest.tools) - set(self.tools)
        mine, theirs = _last_arguments(self.calls), _last_arguments(nearest.calls)
        self.arguments = {
            (tool, name)
            for tool in mine.keys() & theirs.keys()
            for name in {**mine[tool], **theirs[tool]}
            if mine[tool].get(name) != theirs[tool].get(name)
        }
        self.differing = (set(self.tools) ^ set(nearest.tools)) | set(found.late) | ({failing} if failing else set())


def _last_arguments(calls: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The arguments of each tool's last call."""
    return {call["tool"]: call["arguments"] for call in calls if isinstance(call["arguments"], dict)}


def _call(step: dict[str, Any]) -> dict[str, Any]:
    result = str(step["result"])
    failed = result.startswith("Error")
    return {"tool": step["tool"], "arguments": step["arguments"], "result": "" if failed else result, "error": result if failed else ""}


async def lessons_in(memory: Hindsight) -> list[Memory]:
    """Every active lesson of the store."""
    return [each async for each in memory.export() if each.lesson is not None]


def names(lesson: Memory, tools: set[str]) -> bool:
    """Whether a lesson names one of the tools."""
    return any(re.search(rf"\b{re.escape(tool)}\b", lesson.content) for tool in tools)


async def learnt(trials: Sequence[Trial], memory: Hindsight, *, approve: bool) -> list[Memory]:
    """Tell all, reflect, let a reviewer approve everything that was mined (the measure is of what is found, not of the reviewer)."""
    for trial in trials:
        await trial.tell(memory)
    await memory.reflect()
    if approve:
        for item in await memory.reviews(limit=1000):
            await memory.approve(item.memory.id)
    return await lessons_in(memory)


Told = dict[str, tuple[bool, bool, bool]]
"""By way of choosing lessons: whether one of them names a tool in which the trial differs, a missing step, a differing argument."""


async def judged(trials: Sequence[Trial], sources: Sequence[Trial], embedder: str, chance: random.Random) -> list[Told | None]:
    """Of each trial what lessons learnt from ``sources`` name; None where it differs from the successful ones in no tool."""
    told: list[Told | None] = []
    with tempfile.TemporaryDirectory() as folder:
        async with Hindsight.open(Path(folder) / "store", embedder=embedder, durability="normal", retrieval_timeout_ms=20_000) as memory:
            pool = await learnt(sources, memory, approve=True)
            often = Counter(tool for lesson in pool for tool in set(lesson.tools)).most_common(1)
            for trial in trials:
                wanted, missing = trial.differing, trial.missing
                found = await memory.retrieve(trial.asks, k=K, kind=["rule", "procedure"], avoid=True)
                ways = {
                    "retrieved": [hit.memory for hit in found.hits],
                    "drawn": chance.sample(pool, min(K, len(pool))),
                    "frequent": [lesson for lesson in pool if often and often[0][0] in lesson.tools][:K],
                }
                named = {
                    way: (
                        any(names(lesson, wanted) for lesson in lessons),
                        any(demands(lesson, missing) for lesson in lessons),
                        any(names(lesson, {tool}) and names(lesson, {name}) for lesson in lessons for tool, name in trial.arguments),
                    )
                    for way, lessons in ways.items()
                }
                told.append(named if wanted else None)
    return told


def demands(lesson: Memory, missing: set[str]) -> bool:
    """Whether a lesson demands one of the steps."""
    return "lesson-order" in lesson.tags and bool(set(lesson.tools[:-1]) & missing)


async def airline(folder: Path, embedder: str) -> None:
    """The measure on tau-bench airline."""
    lines = (folder / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
    trials = [Trial(json.loads(line)) for line in lines]
    with tempfile.TemporaryDirectory() as place:
        async with Hindsight.open(Path(place) / "store", embedder="none", durability="normal") as memory:
            lessons = await learnt(trials, memory, approve=False)
            proposals = (await memory.reflect()).proposals
    print(f"\nairline: {len(trials)} trajectories, {sum(trial.success for trial in trials)} succeeded; embedder {embedder}")
    print(f"lessons of single tasks: {len(lessons)}; candidates that wait for review: {len(proposals)}")
    for each in proposals:
        about = each.candidate.grounds
        told = f"support {about.support}, against {len(about.opposing)}, confidence {about.confidence}, lift {about.lift}"
        print(f"  [{told}] {each.candidate.draft.content}")
    for lesson in lessons:
        print(f"  lesson: {lesson.content[:200]}")
    solved = {trial.task for trial in trials if trial.success}
    failed = [trial for trial in trials if not trial.success and trial.task in solved]
    print(f"failed trials of the {len(solved)} tasks that succeeded at least once: {len(failed)}")
    for trial in failed:
        trial.compare([other for other in trials if other.task == trial.task and other.success])
    chance = random.Random(7)
    same = [each for trial in failed for each in await judged([trial], [other for other in trials if other is not trial], embedder, chance)]
    others: list[Told | None] = []
    for task in sorted({trial.task for trial in failed}):
        sources = [trial for trial in trials if trial.task != task]
        others += await judged([trial for trial in failed if trial.task == task], sources, embedder, chance)
    lacking, other = sum(bool(trial.missing) for trial in failed), sum(bool(trial.arguments and trial.differing) for trial in failed)
    for name, every in (("other trials of the task and other tasks", same), ("other tasks alone", others)):
        counted = [one for one in every if one is not None]
        print(f"lessons from {name}: {len(counted)} trials differ in a tool, {len(every) - len(counted)} only in arguments or words")
        for way in ("retrieved", "drawn", "frequent"):
            first = rate(sum(one[way][0] for one in counted), len(counted))
            step, argument = (sum(one[way][at] for one in counted) for at in (1, 2))
            print(
                f"  {way:<10} a differing tool {first}; a missing step {rate(step, lacking)}; a differing argument {rate(argument, other)}"
            )


_OBJECT = re.compile(r"\b[a-z]{3,} \(?\d+\)?")
_STEP = re.compile(
    r"\b(?:taken?|open(?:ed)?|heat(?:ed)?|cool(?:ed)?|clean(?:ed)?|put|gone|check(?:ed)?|look(?:ed)?|turn(?:ed)?|us(?:e|ed)|find|found|fill(?:ed)?|examined?)\b"
)


async def alfworld(folder: Path) -> None:
    """What the reflections of ALFWorld give."""
    rows = [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]
    trials: dict[tuple[str, int], dict[str, Any]] = {(row["env"], row["trial"]): row for row in rows}
    reflected = [row for row in rows if row["reflection"]]
    by_next: dict[bool, list[bool]] = defaultdict(list)
    usable = 0
    with tempfile.TemporaryDirectory() as place:
        async with Hindsight.open(Path(place) / "store", embedder="none", durability="normal") as memory:
            for row in reflected:
                kept = await memory.task_finished(
                    "failure",
                    task=f"household task in {row['env']}",
                    result=row["reflection"],
                    tags=[row["env"]],
                    id=f"{row['env']}@{row['trial']}",
                )
                lessons = [await memory.get(result.id) for result in kept.learned if result.id is not None]
                texts = [lesson.content for lesson in lessons if lesson is not None]
                good = any(_OBJECT.search(text) and _STEP.search(text) for text in texts)
                usable += good
                following = trials.get((row["env"], row["trial"] + 1))
                if following is not None:
                    by_next[good].append(bool(following["success"]))
            lessons_kept = await lessons_in(memory)
            episodes = len((await memory.list(kind="episode", limit=1000)).items)
    print(f"\nalfworld: {len(rows)} trials, {len(reflected)} with a reflection; {episodes} episodes, {len(lessons_kept)} lessons")
    print(f"reflections whose lesson names an object and a step: {rate(usable, len(reflected))}")
    for good in (True, False):
        results = by_next[good]
        print(f"  next trial succeeded {'with' if good else 'without'} such a lesson: {rate(sum(results), len(results))}")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--airline", type=Path)
    parser.add_argument("--alfworld", type=Path)
    parser.add_argument("--embedder", default="none")
    given = parser.parse_args()
    if given.airline:
        asyncio.run(airline(given.airline, given.embedder))
    if given.alfworld:
        asyncio.run(alfworld(given.alfworld))


if __name__ == "__main__":
    main()
