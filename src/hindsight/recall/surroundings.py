"""What is known of a namespace before it is searched, asked of the store once a change."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from hindsight.ports import RecordStore
from hindsight.records import Filter
from hindsight.text.indexing import DIALOGUE

_KEPT = 64


@dataclass(frozen=True, slots=True)
class Around:
    """``speakers``: folded names and codes. ``dialogues``: whether a record holds a conversation with an assistant."""

    change: int
    speakers: Mapping[str, int]
    dialogues: bool


class Surroundings:
    """What is known of the namespaces asked about lately."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._known: dict[tuple[str, str], Around] = {}

    async def of(self, filter: Filter, change: int) -> Around:
        """As of the store's change number."""
        key = (filter.namespace, filter.agent)
        kept = self._known.get(key)
        if kept is not None and kept.change == change:
            return kept
        seen = Filter(namespace=filter.namespace, agent=filter.agent, now=filter.now)
        speakers, dialogues = await asyncio.gather(
            self._store.speakers(filter.namespace), self._store.search_terms(seen, [DIALOGUE], limit=1)
        )
        self._known.pop(key, None)
        found = self._known[key] = Around(change, speakers, len(dialogues.rows) > 0)
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        return found
