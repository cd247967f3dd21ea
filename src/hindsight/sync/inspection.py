"""The calls for people who look inside, synchronous."""

from __future__ import annotations

import builtins
import copy
from collections.abc import Sequence
from typing import Self, Unpack

import numpy as np
from numpy.typing import NDArray

from hindsight import memory as asynchronous
from hindsight.recall.arguments import FilterArguments
from hindsight.recall.options import Fusion
from hindsight.records import Event, Memory
from hindsight.sync.loop import LoopThread


class InspectionCalls:
    """What a memory offers to see why recall does what it does."""

    _memory: asynchronous.Hindsight
    _loop: LoopThread

    def recalling_with(
        self,
        *,
        fusion: Fusion | None = None,
        rerank: bool = True,
        half_life_days: float | None = None,
        decay_floor: float | None = None,
        similarity_threshold: float | None = None,
    ) -> Self:
        """A view of the same open store whose recall ranks by other options, to compare them; it needs no closing of its own."""
        view = copy.copy(self)
        view._memory = self._memory.recalling_with(  # noqa: SLF001 - its own copy
            fusion=fusion,
            rerank=rerank,
            half_life_days=half_life_days,
            decay_floor=decay_floor,
            similarity_threshold=similarity_threshold,
        )
        return view

    def sample(self, most: int, *, namespace: str | None = None, **filters: Unpack[FilterArguments]) -> tuple[builtins.list[Memory], int]:
        """At most ``most`` memories, spread evenly over all that pass the filters, newest first; and how many pass."""
        return self._loop.run(self._memory.sample(most, namespace=namespace, **filters))

    def audit_trail(self, *, namespace: str | None = None, limit: int = 100, below: int | None = None) -> builtins.list[Event]:
        """Who did what to which memory of a namespace, newest first, without the texts. For admins alone."""
        return self._loop.run(self._memory.audit_trail(namespace=namespace, limit=limit, below=below))

    def vectors(self, memories: Sequence[Memory]) -> NDArray[np.float32]:
        """Where these memories lie: ``(memories, dimension)``, centred and of length 1; zeros where one has no vector."""
        return self._loop.run(self._memory.vectors(memories))
