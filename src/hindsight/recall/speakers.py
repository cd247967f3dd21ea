"""Who speaks in a namespace, asked of the store once a change."""

from __future__ import annotations

from collections.abc import Mapping

from hindsight.ports import RecordStore

_NAMESPACES = 64


class Speakers:
    """The speakers of the namespaces asked about lately."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._known: dict[str, tuple[int, Mapping[str, int]]] = {}

    async def of(self, namespace: str, change: int) -> Mapping[str, int]:
        """Folded names and codes, as of the store's change number."""
        kept = self._known.get(namespace)
        if kept is not None and kept[0] == change:
            return kept[1]
        found = await self._store.speakers(namespace)
        self._known.pop(namespace, None)
        self._known[namespace] = (change, found)
        while len(self._known) > _NAMESPACES:
            del self._known[next(iter(self._known))]
        return found
