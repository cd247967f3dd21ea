"""The calls for people who look inside that :class:`hindsight.Hindsight` offers: recall under other options, and where memories lie."""

from __future__ import annotations

import builtins
import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from hindsight.errors import AccessDenied, InvalidInput
from hindsight.ports import Clock, RecordStore
from hindsight.recall.arguments import FilterArguments, build_filter
from hindsight.recall.options import FUSIONS, Fusion
from hindsight.recall.pipeline import Retriever
from hindsight.records import Event, Memory, Status
from hindsight.remember.attribute import Attribution

_MOST_ENTRIES = 1_000
_BOUNDS: dict[str, tuple[float, float]] = {"half_life_days": (0.01, 100_000), "decay_floor": (0, 1), "similarity_threshold": (-1, 1)}


class InspectionCalls:
    """What a memory offers to see why recall does what it does."""

    _store: RecordStore
    _retriever: Retriever
    _attribution: Attribution
    _clock: Clock

    def recalling_with(
        self,
        *,
        fusion: Fusion | None = None,
        rerank: bool = True,
        half_life_days: float | None = None,
        decay_floor: float | None = None,
        similarity_threshold: float | None = None,
    ) -> Self:
        """A view of the same open store whose recall ranks by other options, to compare them; it needs no closing of its own.

        ``rerank=False`` leaves a configured cross-encoder out. What is None stays as it is set; see ``RecallOptions``.

        Raises:
            InvalidInput: a value is out of bounds; the message names them.
        """
        given: dict[str, Any] = {
            "half_life_days": half_life_days,
            "decay_floor": decay_floor,
            "similarity_threshold": similarity_threshold,
        }
        for name, value in given.items():
            low, high = _BOUNDS[name]
            if value is not None and not low <= value <= high:
                raise InvalidInput(f"{name}: {value} is not between {low:g} and {high:g}.")
        if fusion is not None and fusion not in FUSIONS:
            raise InvalidInput(f"fusion: {fusion!r} is unknown; fusions are {', '.join(FUSIONS)}.")
        changed = {name: value for name, value in {**given, "fusion": fusion}.items() if value is not None}
        view = copy.copy(self)
        view._retriever = self._retriever.varied(replace(self._retriever.options, **changed), rerank=rerank)  # noqa: SLF001 - its own copy
        return view

    async def sample(
        self, most: int, *, namespace: str | None = None, **filters: Unpack[FilterArguments]
    ) -> tuple[builtins.list[Memory], int]:
        """At most ``most`` memories, spread evenly over all that pass the filters, newest first; and how many pass.

        Raises:
            InvalidInput: a filter does not fit, or it asks for pending or quarantined ones: those are listed, not surveyed.
        """
        if most < 1:
            raise InvalidInput(f"most: {most} is not a number of memories from 1 up.")
        filter = build_filter(
            self._attribution.namespace_for(namespace),
            self._attribution.principal.agent,
            self._clock.now(),
            self._attribution.zone,
            filters,
        )
        if not set(filter.statuses) <= {Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED}:
            raise InvalidInput("status: pending and quarantined memories are not surveyed; list them instead.")
        rows = await self._store.visible(filter)
        places = np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(np.int64))
        return (await self._store.fetch(rows[places]))[::-1], len(rows)

    async def audit_trail(self, *, namespace: str | None = None, limit: int = 100, below: int | None = None) -> builtins.list[Event]:
        """Who did what to which memory of a namespace, newest first, without the texts; ``below``: entries numbered lower. For admins alone.

        Raises:
            AccessDenied: the caller is no admin, or the namespace is not open to it.
            InvalidInput: ``limit`` is not from 1 to 1,000.
        """
        if "admin" not in self._attribution.principal.scopes:
            raise AccessDenied("only a caller with the scope 'admin' may read the audit trail.")
        if not 1 <= limit <= _MOST_ENTRIES:
            raise InvalidInput(f"limit: {limit} is not a number of entries from 1 to {_MOST_ENTRIES:,}.")
        return await self._store.latest_events(self._attribution.namespace_for(namespace), limit=limit, below=below)

    async def vectors(self, memories: Sequence[Memory]) -> NDArray[np.float32]:
        """Where these memories lie: ``(memories, dimension)``, centred and of length 1; zeros where one has no vector.

        The memories come from a listing or a retrieval, which show nobody what they may not see.
        """
        there = await self._store.row_of([each.id for each in memories])
        known = there >= 0
        found = await self._store.vectors(there[known])
        placed = np.zeros((len(memories), found.shape[1]), dtype=np.float32)
        placed[known] = found
        return placed
