"""Entities of records and how often they occur together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from hindsight.adapters.relational.attributes import enum_code
from hindsight.adapters.relational.queries import Database, load, rows, value
from hindsight.records import Status, Visibility

_SQL = load("graph.sql")
LINKED_PAIRWISE = 10
"""Only so many entities of one record are joined by edges, so that a list of a hundred names does not make 10,000."""
SHARED_OWNER = 0
_SHARED = enum_code("visibility", Visibility.SHARED)
_UNAPPROVED = {enum_code("status", status) for status in (Status.PENDING, Status.QUARANTINED)}
_MIN_WORD = 2
_BREADTH = 32
_FRONTIER = 16
_ALIASES = 8
_ALIAS = 0.6
_DECAY = 0.5
_FAINT = 0.01
_PASSED_ON = 0.05
"""What is activated less passes nothing on: it would reach others faintly, at the price of a query each."""
_WEAK = 0.4


def edge_owner(attributes: Mapping[str, Any]) -> int | None:
    """Who may walk the edges of a record, by its packed attributes: everybody, its agent (by code), or nobody while it awaits review."""
    if attributes["status"] in _UNAPPROVED:
        return None
    return SHARED_OWNER if attributes["visibility"] == _SHARED else int(attributes["agent"])


class GraphChanges:
    """Links and edges of one transaction; :meth:`flush` at its end writes the counts and forgets what nothing mentions any more."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[tuple[int, str], int] = {}
        self._refs: Counter[int] = Counter()
        self._edges: Counter[tuple[int, int, int]] = Counter()

    def link(self, namespace: int, row: int, entities: Sequence[tuple[str, str]], owner: int | None) -> None:
        """Link a record to its entities (folded name, kind) and these to each other."""
        codes = sorted({self._entity(namespace, name, kind) for name, kind in entities if name})
        self._db.executemany(_SQL["add_link"], [(code, row) for code in codes])
        self._refs.update(codes)
        self._count(codes, owner, 1)

    def unlink(self, row: int, owner: int | None) -> None:
        """Undo :meth:`link`."""
        codes = self._linked(row)
        self._db.execute(_SQL["drop_links"], (row,))
        self._refs.subtract(codes)
        self._count(codes, owner, -1)

    def hand_over(self, row: int, before: int | None, after: int | None) -> None:
        """The same links, but others may walk the edges now."""
        if before != after:
            codes = self._linked(row)
            self._count(codes, before, -1)
            self._count(codes, after, 1)

    def flush(self) -> None:
        """Write the counts."""
        edges = [(owner, a, b, count) for (owner, a, b), count in self._edges.items() if count]
        self._db.executemany(_SQL["count_edge"], edges)
        self._db.executemany(_SQL["drop_edge"], [edge[:3] for edge in edges if edge[3] < 0])
        refs = [(count, code) for code, count in self._refs.items() if count]
        self._db.executemany(_SQL["change_refs"], refs)
        for _, code in (each for each in refs if each[0] < 0):
            for namespace, name in rows(self._db, _SQL["drop_unused"], (code,)):
                self._db.executemany(_SQL["drop_word"], [(namespace, word, code) for word in _words(name)])

    def _linked(self, row: int) -> list[int]:
        return [code for (code,) in rows(self._db, _SQL["links_of_row"], (row,))]

    def _count(self, codes: Sequence[int], owner: int | None, by: int) -> None:
        if owner is not None:
            for a, b in permutations(codes[:LINKED_PAIRWISE], 2):
                self._edges[owner, a, b] += by

    def _entity(self, namespace: int, name: str, kind: str) -> int:
        code = self._known.get((namespace, name))
        if code is None:
            found = value(self._db, _SQL["find_entity"], (namespace, name))
            code = self._add(namespace, name, kind) if found is None else int(found)
            self._known[namespace, name] = code
        return code

    def _add(self, namespace: int, name: str, kind: str) -> int:
        code = int(value(self._db, _SQL["add_entity"], (namespace, name, kind)))
        self._db.executemany(_SQL["add_word"], [(namespace, word, code) for word in _words(name)])
        return code


def spread(db: Database, namespace: int, agent: int, names: Sequence[str], hops: int, *, enough: int) -> list[tuple[str, float]]:
    """Spreading activation (Collins & Loftus 1975): (joined rows of an entity, its activation), strongest first.

    Activation 1 starts at entities with one of the folded ``names``, less at those that a name is a word of. Each hop passes on a share
    of an entity's activation along edges that ``agent`` may walk, divided by how often both ends occur at all: hubs pass on little.
    Entities reached weakly are left out once stronger ones are mentioned by ``enough`` records.
    """
    reached = _seeds(db, namespace, names)
    frontier = dict(reached)
    for _ in range(max(hops, 0)):
        arrived: dict[int, tuple[float, int]] = {}
        strongest = sorted(frontier.items(), key=lambda item: (-item[1][0], item[0]))[:_FRONTIER]
        for code, (activation, refs) in (each for each in strongest if each[1][0] >= _PASSED_ON):
            for other, other_refs, together in rows(db, _SQL["spread"], (agent, code, _BREADTH)):
                passed = _DECAY * activation * together / math.sqrt(max(refs * other_refs, 1))
                arrived[other] = (arrived.get(other, (0.0, 0))[0] + passed, other_refs)
        frontier = {}
        for code, (activation, refs) in arrived.items():
            if activation > reached.get(code, (_FAINT, 0))[0]:
                reached[code] = frontier[code] = (min(activation, 1.0), refs)
    found: list[tuple[str, float]] = []
    mentions = 0
    for code, (activation, refs) in sorted(reached.items(), key=lambda item: (-item[1][0], item[0]))[: 2 * _BREADTH]:
        if mentions >= enough and activation < _WEAK:
            break
        found.append((value(db, _SQL["rows_of_entity"], (code,)), activation))
        mentions += refs
    return found


def _seeds(db: Database, namespace: int, names: Sequence[str]) -> dict[int, tuple[float, int]]:
    seeds: dict[int, tuple[float, int]] = {}
    for name in dict.fromkeys(names):
        for code, refs in rows(db, _SQL["aliases"], (namespace, name, _ALIASES)):
            seeds.setdefault(code, (_ALIAS, refs))
    for name in dict.fromkeys(names):
        for code, refs in rows(db, _SQL["seeds"], (namespace, name)):
            seeds[code] = (1.0, refs)
    return seeds


def _words(name: str) -> list[str]:
    """The words by which a name of several words is known too."""
    words = name.split()
    return sorted({word for word in words if len(word) >= _MIN_WORD}) if len(words) > 1 else []
