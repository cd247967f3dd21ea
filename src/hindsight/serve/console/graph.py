"""The page of the graph: entities and memories around one of them, drawn on the server, with the same as a list."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.remember.commit import entity_pairs
from hindsight.serve.console.fields import whole
from hindsight.serve.console.keeping import address
from hindsight.serve.console.nearness import SIZE, labelled, placed, walk
from hindsight.serve.console.rendering import page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory
from hindsight.text.fold import fold
from hindsight.text.language import detect_language

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory
    from hindsight.serve.console.nearness import Web

MOST_NODES = 500
MOST_HOPS = 6
USUAL_HOPS = 2
_MENTIONS = 200
_OFFERED, _OFFERED_FROM = 40, 500
_ENTITY, _MEMORY = "e:", "m:"
_SHORT = 26


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the drawing: where it is, what it is, where it leads; ``label`` is where its name is written, if it is."""

    name: str
    memory: bool
    step: int
    href: str
    x: float
    y: float
    radius: float
    short: str
    label: tuple[float, float, str] | None


def graph(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""

    async def around(request: Request) -> Response:
        given = request.query_params
        asked, namespace = given.get("around", "").strip(), given.get("namespace", "").strip() or None
        hops = whole(given.get("hops", "").strip(), "hops", least=1, most=MOST_HOPS) or USUAL_HOPS
        memory = await callers_memory(desk, "read")
        values: dict[str, Any] = {"nodes": [], "lines": [], "cut": False, "named": asked, "offered": []}
        if asked:
            neighbourhood = Neighbourhood(memory, namespace)
            start = await neighbourhood.start(asked)
            web = await walk(start, neighbourhood.of, hops=hops, most=MOST_NODES) if start else None
            if web is not None and len(web.nodes) > 1:
                nodes, lines = await asyncio.to_thread(drawn, web, neighbourhood.texts, hops, namespace)
                values |= {"nodes": nodes, "lines": lines, "cut": web.cut, "named": nodes[0].name}
        if not values["nodes"]:
            values["offered"] = await offered(memory, namespace)
        return page(
            request,
            "graph",
            zone=memory.zone,
            around=asked,
            hops=hops,
            most_hops=MOST_HOPS,
            size=SIZE,
            most=MOST_NODES,
            given=given,
            **values,
        )

    return [Route("/graph", around)]


class Neighbourhood:
    """Who is next to whom, of what one caller may see: a memory beside its entities, an entity beside the memories that name it."""

    def __init__(self, memory: Hindsight, namespace: str | None) -> None:
        self._memory = memory
        self._namespace = namespace
        self._entities: dict[str, list[str]] = {}
        self.texts: dict[str, str] = {}

    async def start(self, asked: str) -> str | None:
        """The node that is meant: a memory by its id, else an entity by its name; None for a memory that is not there."""
        try:
            id = UUID(asked)
        except ValueError:
            return f"{_ENTITY}{fold(asked)}"
        found = await self._memory.get(id)
        return None if found is None else self._seen(found)

    async def of(self, node: str) -> list[str]:
        """The neighbours of a node, an entity's newest memories first."""
        if node.startswith(_MEMORY):
            return self._entities[node]
        name = node.removeprefix(_ENTITY)
        found = await self._memory.list(namespace=self._namespace, limit=_MENTIONS, entities=[name])
        return [self._seen(each) for each in found.items]

    def _seen(self, memory: Memory) -> str:
        node = f"{_MEMORY}{memory.id}"
        if node not in self.texts:
            self.texts[node] = memory.content
            self._entities[node] = [f"{_ENTITY}{name}" for name in named_in(memory)]
        return node


def named_in(memory: Memory) -> list[str]:
    """The entities under which a memory is filed."""
    return [name for name, _ in entity_pairs(memory, detect_language(memory.text()))]


def drawn(web: Web, texts: dict[str, str], hops: int, namespace: str | None) -> tuple[list[Node], list[tuple[Any, ...]]]:
    """The nodes with their places, and the ends of the lines between them."""
    at = placed(web)
    degrees = Counter(place for edge in web.edges for place in edge)
    memories = [node.startswith(_MEMORY) for node in web.nodes]
    names = [texts[node] if node in texts else node.removeprefix(_ENTITY) for node in web.nodes]
    shorts = [name if len(name) <= _SHORT else f"{name[: _SHORT - 1]}…" for name in names]
    order = sorted(range(len(names)), key=lambda place: (web.steps[place] > 0, memories[place], -degrees[place], place))
    labels = labelled(at, shorts, order)
    nodes = []
    for place, node in enumerate(web.nodes):
        around = {"around": node.removeprefix(_ENTITY), "hops": hops} | ({"namespace": namespace} if namespace else {})
        href = address(node.removeprefix(_MEMORY)) if memories[place] else f"/graph?{urlencode(around)}"
        radius = 14.0 if not web.steps[place] else (5.0 if memories[place] else min(6.0 + degrees[place] / 2, 12.0))
        x, y = (float(each) for each in at[place])
        nodes.append(Node(names[place], memories[place], web.steps[place], href, x, y, radius, shorts[place], labels.get(place)))
    return nodes, [(*map(float, at[a]), *map(float, at[b])) for a, b in web.edges]


async def offered(memory: Hindsight, namespace: str | None) -> list[tuple[str, int]]:
    """The entities that the newest memories name most, with in how many."""
    found = await memory.list(namespace=namespace, limit=_OFFERED_FROM)
    counts = await asyncio.to_thread(lambda: Counter(name for each in found.items for name in named_in(each)))
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_OFFERED]
