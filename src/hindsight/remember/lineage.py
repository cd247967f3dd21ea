"""Lineage: what a memory was made of, and what was made of it, as trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hindsight.errors import NotFound
from hindsight.ports import RecordStore
from hindsight.records import Memory

MAX_NODES = 1_000
"""Nodes of a tree; what lies beyond is left out and told of by ``cut``."""


@dataclass(frozen=True, slots=True)
class Node:
    """A memory in a tree. ``memory`` is None where it is gone or not for the caller's eyes; ``again``: its branch is drawn elsewhere."""

    id: UUID
    memory: Memory | None
    branches: tuple[Node, ...] = ()
    again: bool = False

    def to_json(self) -> dict[str, Any]:
        """JSON-able."""
        told: dict[str, Any] = {"id": str(self.id)}
        if self.memory is not None:
            told |= {name: str(getattr(self.memory, name)) for name in ("kind", "status", "agent", "channel", "content")}
        return told | {"again": self.again, "branches": [node.to_json() for node in self.branches]}


@dataclass(frozen=True, slots=True)
class Lineage:
    """Both trees of a memory: ``parents`` (what it was made of) and ``children`` (what was made of it)."""

    memory: Memory
    parents: tuple[Node, ...]
    children: tuple[Node, ...]
    cut: bool

    def to_json(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "id": str(self.memory.id),
            "parents": [node.to_json() for node in self.parents],
            "children": [node.to_json() for node in self.children],
            "cut": self.cut,
        }


async def trace_lineage(store: RecordStore, id: UUID, may_see: Callable[[Memory], bool]) -> Lineage:
    """The lineage of a memory that the caller may see.

    Raises:
        NotFound: there is none.
    """
    memory = await store.get(id)
    if memory is None or not may_see(memory):
        raise NotFound(f"there is no memory {id} for this caller; its id may be mistyped, or it belongs to another agent.")
    above, below = _Tree(store, may_see, upwards=True), _Tree(store, may_see, upwards=False)
    return Lineage(memory, await above.branches(id), await below.branches(id), above.cut or below.cut)


class _Tree:
    def __init__(self, store: RecordStore, may_see: Callable[[Memory], bool], *, upwards: bool) -> None:
        self._store = store
        self._may_see = may_see
        self._upwards = upwards
        self._drawn: set[UUID] = set()
        self.cut = False

    async def branches(self, id: UUID) -> tuple[Node, ...]:
        """The nodes next to ``id``, each with its own; read level by level, so that a long chain needs no deep recursion of reads."""
        self._drawn.add(id)
        links: dict[UUID, Sequence[UUID]] = {}
        level = [id]
        while level:
            links |= await self._next(level)
            level = list(dict.fromkeys(each for one in level for each in links.get(one, ()) if each not in links and each not in level))
            if len(links) + len(level) > MAX_NODES:
                self.cut = True
                break
        records = {each: await self._store.get(each) for each in {other for named in links.values() for other in named}}
        return self._draw(id, links, records)

    async def _next(self, ids: Sequence[UUID]) -> dict[UUID, Sequence[UUID]]:
        if not self._upwards:
            return dict.fromkeys(ids, ()) | dict(await self._store.children(ids))
        found: dict[UUID, Sequence[UUID]] = {}
        for id in ids:
            memory = await self._store.get(id)
            found[id] = memory.parents if memory is not None and self._may_see(memory) else ()
        return found

    def _draw(self, id: UUID, links: dict[UUID, Sequence[UUID]], records: dict[UUID, Memory | None], depth: int = 0) -> tuple[Node, ...]:
        nodes = []
        for other in dict.fromkeys(links.get(id, ())):
            memory = records.get(other)
            shown = memory if memory is not None and self._may_see(memory) else None
            again = other in self._drawn
            self._drawn.add(other)
            deeper = () if again or depth >= _DEEPEST else self._draw(other, links, records, depth + 1)
            self.cut |= depth >= _DEEPEST
            nodes.append(Node(other, shown, deeper, again))
        return tuple(nodes)


_DEEPEST = 100
