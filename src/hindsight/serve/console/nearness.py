"""What hangs together around an entity or a memory: a walk in steps, and places for a drawing of it that is the same each time."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIZE = 1_000
_MARGIN = 45
_ROUNDS = 90
_LINE, _LETTER, _GAP = 22.0, 10.0, 17

Floats = NDArray[np.float64]
Neighbours = Callable[[str], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Web:
    """Nodes in the order in which they were reached, ``steps`` from the first one; ``edges`` are places of nodes in that order.

    ``cut``: more would have been reached than were allowed.
    """

    nodes: tuple[str, ...]
    steps: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    cut: bool


async def walk(start: str, neighbours: Neighbours, *, hops: int, most: int) -> Web:
    """Breadth first from ``start``, at most ``hops`` steps and ``most`` nodes. Edges lead between reached nodes alone."""
    places, steps = {start: 0}, [0]
    edges: set[tuple[int, int]] = set()
    cut = False
    frontier = [start]
    for step in range(1, hops + 1):
        following: list[str] = []
        for node in frontier:
            for other in await neighbours(node):
                if other not in places:
                    if len(places) >= most:
                        cut = True
                        continue
                    places[other] = len(places)
                    steps.append(step)
                    following.append(other)
                a, b = sorted((places[node], places[other]))
                if a != b:
                    edges.add((a, b))
        frontier = following
    return Web(tuple(places), tuple(steps), tuple(sorted(edges)), cut)


def placed(web: Web) -> Floats:
    """A place for each node in a square of ``SIZE``, (nodes, 2): the first near the middle, linked ones near each other.

    Force-directed (Fruchterman & Reingold 1991) from rings by steps, without chance: the same web gives the same drawing.
    """
    count = len(web.nodes)
    at = _rings(web.steps)
    if count > 1:
        wanted = 1.6 / math.sqrt(count)
        ends = np.asarray(web.edges, dtype=np.int64).reshape(-1, 2)
        for turn in range(_ROUNDS):
            push = _pushed(at, wanted)
            along = at[ends[:, 0]] - at[ends[:, 1]]
            pull = along * (np.linalg.norm(along, axis=1, keepdims=True) / wanted)
            np.add.at(push, ends[:, 0], -pull)
            np.add.at(push, ends[:, 1], pull)
            push -= at * 0.6  # what hangs on a thin thread stays in the picture
            length = np.maximum(np.linalg.norm(push, axis=1, keepdims=True), 1e-9)
            at = at + push / length * np.minimum(length, 0.12 * (1 - turn / _ROUNDS))
    low, high = at.min(axis=0), at.max(axis=0)
    span = np.where(high - low > 1e-9, high - low, 1.0)
    fitted = _MARGIN + (at - low) / span * (SIZE - 2 * _MARGIN)
    middle: Floats = np.where(high - low > 1e-9, fitted, SIZE / 2)
    return middle.round(1)


def _pushed(at: Floats, wanted: float) -> Floats:
    """How strongly each node is pushed away by all others."""
    across = at[:, None, 0] - at[None, :, 0]
    down = at[:, None, 1] - at[None, :, 1]
    force = wanted * wanted / np.maximum(across * across + down * down, 1e-6)
    pushed = np.empty_like(at)
    np.sum(across * force, axis=1, out=pushed[:, 0])
    np.sum(down * force, axis=1, out=pushed[:, 1])
    return pushed


def labelled(at: Floats, names: Sequence[str], order: Sequence[int]) -> dict[int, tuple[float, float, str]]:
    """Which nodes' names are written, and where: (x, baseline, end of the text that is anchored); none over another, in this order."""
    boxes: list[tuple[float, float, float, float]] = []
    found: dict[int, tuple[float, float, str]] = {}
    for place in order:
        wide = sum(2 * _LETTER if ord(letter) > 0x2E7F else _LETTER for letter in names[place])
        x, y = float(at[place][0]), float(at[place][1])
        right = x + _GAP + wide <= SIZE
        left = x + _GAP if right else x - _GAP - wide
        box = (left, y - _LINE / 2, left + wide, y + _LINE / 2)
        if left >= 0 and all(box[2] < b[0] or b[2] < box[0] or box[3] < b[1] or b[3] < box[1] for b in boxes):
            boxes.append(box)
            found[place] = (round(x + _GAP if right else x - _GAP, 1), round(y + 6, 1), "start" if right else "end")
    return found


def _rings(steps: Sequence[int]) -> Floats:
    """Rings around the first node, one a step, by the golden angle so that no two directions are the same."""
    turn = math.pi * (3 - math.sqrt(5))
    most = max(steps) or 1
    angles = np.arange(len(steps)) * turn
    radius = np.asarray(steps, dtype=np.float64) / most
    return np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)
