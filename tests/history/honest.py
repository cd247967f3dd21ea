"""Honest work on a store: random operations of several agents in several namespaces."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from uuid import UUID

from hindsight.errors import AccessDenied, InvalidInput, NotFound
from hindsight.memory import Hindsight
from hindsight.records import Channel, Principal

WORDS = (
    "Docker 网络",
    "花生过敏",
    "Alice lives in Paris",
    "Alice lives in Berlin",
    "deploy failed",
    "ORA-00942",
    "喜欢乌龙茶",
    "port 8080 is taken",
)
CALLERS = tuple(
    Principal(agent=agent, channel=channel) for agent, channel in (("a", Channel.USER), ("b", Channel.AGENT), ("c", Channel.TOOL))
)


class HonestWork:
    """Does ``run`` random operations; ``reopen`` gives the memory anew, as another process would have it."""

    def __init__(self, chance: random.Random, reopen: Callable[[], Awaitable[Hindsight]]) -> None:
        self.chance = chance
        self.reopen = reopen
        self.ids: list[UUID] = []
        self.undone: list[UUID] = []

    async def run(self, memory: Hindsight, operations: int) -> Hindsight:
        for number in range(operations):
            if number % 997 == 996:
                memory = await self.reopen()
            view = memory.acting_as(self.chance.choice(CALLERS), namespace=self.chance.choice(["default", "团队", "work"]))
            try:
                await self._one(view)
            except (NotFound, AccessDenied, InvalidInput):
                continue  # another agent's, erased meanwhile, or not archived: what an honest caller runs into
        return memory

    async def _one(self, view: Hindsight) -> None:
        chance = self.chance
        kind = chance.choices(["store", "many", "update", "archive", "restore", "erase", "undo", "redo"], [40, 5, 25, 8, 6, 10, 1, 1])[0]
        if kind == "store" or not self.ids:
            text = f"{chance.choice(WORDS)} {chance.randrange(40)}"
            parents = chance.sample(self.ids, 1) if self.ids and chance.random() < 0.2 else []
            kinds = ["episode", "fact", "preference", "rule", "procedure"]
            session = f"s{chance.randrange(9)}" if chance.random() < 0.5 else None
            done = await view.store(text, kind=chance.choice(kinds), session_id=session, parents=parents, importance=chance.random())
            if done.id is not None:
                self.ids.append(done.id)
        elif kind == "many":
            await view.store_many([{"content": f"{chance.choice(WORDS)} batch {chance.random()}", "kind": "episode"} for _ in range(5)])
        elif kind == "update":
            changes = chance.choice(
                [{"content": f"{chance.choice(WORDS)} again {chance.random()}"}, {"tags": [f"t{chance.randrange(9)}"]}, {"priority": 3}]
            )
            await view.update(chance.choice(self.ids), reason=chance.choice([None, "tidied"]), **changes)
        elif kind in ("archive", "erase"):
            await view.forget(chance.choice(self.ids), mode="archive" if kind == "archive" else "erase")
        elif kind == "restore":
            await view.restore(chance.choice(self.ids))
        elif kind == "undo":
            self.undone.append((await view.undo(memory=chance.choice(self.ids))).id)
        elif self.undone:
            await view.undo(undo=chance.choice(self.undone))
