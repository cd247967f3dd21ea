"""The table of the memories: what passes the filters, page by page or by a search, as one types or as one asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hindsight.errors import InvalidInput
from hindsight.recall.journal import unlogged
from hindsight.records import Status
from hindsight.serve.console.fields import filters, share
from hindsight.text.fold import fold

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.records import Memory

ROWS = 50
MOST_READ = 2_000
"""So many are read for one page where a filter is not the store's own."""
_HELD = frozenset({Status.PENDING, Status.QUARANTINED})
_USUAL = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED)
"""Without a choice everything is listed but what is quarantined."""
_PASSING = frozenset({"cursor", "done", "lang", "verb", "changed", "refused"})


@dataclass(frozen=True, slots=True)
class Table:
    """What a page of the table shows: memories, with their relevance where they were searched; ``following`` leads to the next page.

    ``cut``: more were there than were read.
    """

    shown: tuple[tuple[Memory, float | None], ...]
    following: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Sieve:
    """Filters that the store has not: who wrote it, how far it is trusted, and words of texts that are not searched."""

    agent: str
    trust: float
    words: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        return not (self.agent or self.trust or self.words)

    def passes(self, memory: Memory) -> bool:
        if (self.agent and memory.agent != self.agent) or memory.trust < self.trust:
            return False
        said = fold(memory.text()) if self.words else ""
        return all(word in said for word in self.words)


async def table_of(memory: Hindsight, given: Mapping[str, str]) -> Table:
    """The table that an address asks for.

    Raises:
        InvalidInput: a filter does not fit.
    """
    asked, query, namespace = filters(given), given.get("q", "").strip(), given.get("namespace", "").strip() or None
    sieve = _Sieve(given.get("agent", "").strip(), share(given.get("trust", "").strip(), "trust") or 0.0)
    if query and asked.get("status") not in _HELD:
        if given.get("cursor"):
            raise InvalidInput("cursor: a search has one page; leave it out.")
        with unlogged():  # who looks around is no agent that uses what it finds
            found = await memory.retrieve(query, k=ROWS, namespace=namespace, **asked)
        return Table(tuple((hit.memory, hit.relevance) for hit in found.hits if sieve.passes(hit.memory)))
    if query:
        sieve = _Sieve(sieve.agent, sieve.trust, tuple(fold(query).split()))
    if "status" not in asked:
        asked |= {"status": list(_USUAL)}
    cursor, read = given.get("cursor") or None, 0
    shown: list[tuple[Memory, float | None]] = []
    while True:
        listing = await memory.list(namespace=namespace, limit=ROWS, cursor=cursor, **asked)
        shown += [(each, None) for each in listing.items if sieve.passes(each)]
        read += len(listing.items)
        cursor = listing.cursor
        if cursor is None or sieve.open or len(shown) >= ROWS or read >= MOST_READ:
            break
    return Table(tuple(shown), None if cursor is None else _following(given, cursor), cut=cursor is not None and not sieve.open)


def _following(given: Mapping[str, Any], cursor: str) -> str:
    kept = {name: each for name, each in given.items() if name not in _PASSING and each}
    return "?" + urlencode({**kept, "cursor": cursor})
