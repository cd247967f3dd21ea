"""The map: where the memories of a namespace lie by their meaning, in two dimensions, with the same as a table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight.records import Kind, Outcome
from hindsight.serve.console.fields import filters
from hindsight.serve.console.keeping import CHOICES
from hindsight.serve.console.nearness import labelled
from hindsight.serve.console.projection import plane, sampled
from hindsight.serve.console.rendering import page
from hindsight.serve.desk import Desk
from hindsight.serve.http.callers import callers_memory

if TYPE_CHECKING:
    from hindsight.records import Memory

MOST_POINTS = 2_000
LISTED = 50
"""So many of the points stand in a page of the table."""
_SIZE, _MARGIN = 1_000, 30
_NAMED, _SHORT = 24, 22
COLOURS: dict[str, tuple[str, ...]] = {"kind": tuple(Kind), "outcome": tuple(Outcome)}


@dataclass(frozen=True, slots=True)
class Point:
    """A memory on the map: its place, and which of the colours it has."""

    memory: Memory
    x: float
    y: float
    colour: int
    label: tuple[float, float, str] | None = None
    short: str = ""


def mapping(desk: Desk) -> list[Route]:
    """The route, answered from ``desk``."""

    async def show(request: Request) -> Response:
        given = request.query_params
        by = given.get("by", "") if given.get("by", "") in COLOURS else "kind"
        memory = await callers_memory(desk, "read")
        chosen, total = await memory.sample(MOST_POINTS, namespace=given.get("namespace", "").strip() or None, **filters(given))
        vectors = await memory.vectors(chosen)
        placed = np.flatnonzero(vectors.any(axis=1)) if vectors.size else np.zeros(0, dtype=np.int64)
        kept = [chosen[place] for place in placed]
        points, share = await asyncio.to_thread(_drawn, kept, vectors[placed] if kept else np.zeros((0, 1), dtype=np.float32), by)
        turned = max(int(given["page"]), 1) if given.get("page", "").isdecimal() and len(given["page"]) < 6 else 1
        pages = max(-(-len(points) // LISTED), 1)
        turned = min(turned, pages)
        values: dict[str, Any] = {
            "points": points,
            "share": share,
            "by": by,
            "colours": COLOURS[by],
            "used": {point.colour for point in points},
            "size": _SIZE,
            "total": total,
            "without": len(chosen) - len(kept),
            "listed": points[(turned - 1) * LISTED : turned * LISTED],
            "turned": turned,
            "pages": pages,
            "kept": urlencode({name: each for name, each in given.items() if each and name not in {"page", "lang"}}),
        }
        return page(request, "map", zone=memory.zone, given=given, choices=CHOICES, most=MOST_POINTS, **values)

    return [Route("/map", show)]


def _drawn(memories: Sequence[Memory], vectors: Any, by: str) -> tuple[list[Point], float]:
    """The points with their colours, the share of the spread that is seen; a few carry their text, none over another."""
    if not memories:
        return [], 0.0
    flat, share = plane(vectors)
    at = (_MARGIN + flat * (_SIZE - 2 * _MARGIN)).round(1)
    shorts = [each.content if len(each.content) <= _SHORT else f"{each.content[: _SHORT - 1]}…" for each in memories]
    labels = labelled(at, shorts, [int(place) for place in sampled(len(memories), _NAMED)])
    colours = COLOURS[by]
    points = [
        Point(each, float(at[place][0]), float(at[place][1]), colours.index(getattr(each, by)), labels.get(place), shorts[place])
        for place, each in enumerate(memories)
    ]
    return points, share
