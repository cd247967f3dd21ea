"""Vectors of the passages of long records: such a record is as near to a query as its nearest passage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.image import Arrays
from hindsight.ports import Vector
from hindsight.vectors import GATHER_BELOW, exact_products, inverse_norms, rough_products

Places = NDArray[np.int64]
_NOBODY = -1
_ROOM = 64


class PassageMatrix:
    """Raw int8 vectors, each with the place of the record it belongs to. The owner of the cache lets one thread at a time call it."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._means: Mapping[int, Vector] = {}
        self.forget()

    def forget(self) -> None:
        """Drop everything."""
        self._count = self._settled = 0
        self._data = np.empty((0, self._dimension), dtype=np.int8)
        self._scales = np.empty(0, dtype=np.float32)
        self._inverse = np.empty(0, dtype=np.float32)
        self._owners = np.empty(0, dtype=np.int64)
        self._order = np.empty(0, dtype=np.int64)

    def image(self) -> dict[str, NDArray[Any]]:
        """The arrays of settled passages, to be laid down."""
        held = slice(0, self._count)
        return {
            "passages.data": self._data[held],
            "passages.scales": self._scales[held],
            "passages.inverse": self._inverse[held],
            "passages.owners": self._owners[held],
            "passages.order": self._order,
        }

    def take_up(self, arrays: Arrays, means: Mapping[int, Vector]) -> None:
        """Begin with what :meth:`image` gave, settled with these means."""
        self._data, self._scales, self._inverse, self._owners, self._order = (
            arrays[f"passages.{name}"] for name in ("data", "scales", "inverse", "owners", "order")
        )
        self._count = self._settled = len(self._scales)
        self._means = means

    def put(self, places: Places, scales: NDArray[np.float32], data: bytes) -> None:
        """Append passages of the records at ``places`` (one a passage, -1 is left out); call :meth:`wipe` first for known ones."""
        known = places >= 0
        added = int(np.count_nonzero(known))
        end = self._count + added
        if end > len(self._scales):
            self._reserve(end + max(_ROOM, end // 8))
        self._data[self._count : end] = np.frombuffer(data, dtype=np.int8).reshape(-1, self._dimension)[known]
        self._scales[self._count : end] = scales[known]
        self._owners[self._count : end] = places[known]
        self._count = end

    def wipe(self, places: Places) -> None:
        """Remove the passages of records from memory too: erased means erased."""
        gone = np.flatnonzero(np.isin(self._owners[: self._count], places))
        if not len(gone):
            return
        self._data[gone] = 0
        self._scales[gone] = self._inverse[gone] = 0.0
        # Views taken before keep their owners; what is wiped has the cosine 0 there.
        self._owners = self._owners.copy()
        self._owners[gone] = _NOBODY
        self._settled = -1

    @property
    def unsettled(self) -> bool:
        """Whether passages came or went since the last :meth:`settle`."""
        return self._settled != self._count

    def settle(self, languages: NDArray[np.int8], means: Mapping[int, Vector]) -> None:
        """Bring norms and order up to date after passages or means changed; ``languages`` are the codes by place."""
        if self._settled == self._count and self._means is means:
            return
        held = slice(0, self._count)
        self._inverse = np.zeros(len(self._scales), dtype=np.float32)
        owned = np.flatnonzero(self._owners[held] >= 0)
        codes = languages[self._owners[owned]]
        for code in np.unique(codes).tolist():
            chosen = owned[codes == code]
            mean = means.get(code, np.zeros(self._dimension, dtype=np.float32))
            self._inverse[chosen] = inverse_norms(self._data, self._scales, mean, chosen)
        self._order = owned[np.argsort(self._owners[owned], kind="stable")]
        self._settled, self._means = self._count, means

    def view(self) -> Passages:
        """The passages as they are now."""
        return Passages(self._data, self._scales, self._inverse, self._owners, self._order, self._owners[self._order])

    def _reserve(self, capacity: int) -> None:
        data = np.zeros((capacity, self._dimension), dtype=np.int8)
        data[: self._count] = self._data[: self._count]
        self._data = data
        for name in ("_scales", "_owners", "_inverse"):
            old = getattr(self, name)
            larger = np.zeros(capacity, dtype=old.dtype)
            larger[: min(self._count, len(old))] = old[: self._count]
            setattr(self, name, larger)


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages at one moment; ``order`` lists those that have an owner by owner, ``sorted_owners`` are the owners in that order."""

    data: NDArray[np.int8]
    scales: NDArray[np.float32]
    inverse: NDArray[np.float32]
    owners: Places
    order: NDArray[np.int64]
    sorted_owners: Places

    def nearest(
        self, query: Vector, offsets: NDArray[np.float32], languages: NDArray[np.int8], mask: NDArray[np.bool_], most: int
    ) -> Places:
        """The records inside the mask with the nearest passages, by a rough product; ``offsets`` are mean·query by language code."""
        if not len(self.order):
            return np.empty(0, dtype=np.int64)
        chosen = self.order[mask[self.sorted_owners]]
        if not len(chosen):
            return np.empty(0, dtype=np.int64)
        owners = self.owners[chosen]
        if len(chosen) < GATHER_BELOW * len(self.scales):
            products = rough_products(self.data[chosen], self.scales[chosen], query)
        else:
            products = rough_products(self.data, self.scales, query)[chosen]
        scores = (products - offsets[languages[owners]]) * self.inverse[chosen]
        firsts = np.flatnonzero(np.diff(owners, prepend=_NOBODY))
        best = np.maximum.reduceat(scores, firsts)
        found: Places = owners[firsts][np.argsort(-best, kind="stable")[:most]]
        return found

    def lift(
        self, scores: NDArray[np.float32], places: Places, query: Vector, offsets: NDArray[np.float32], languages: NDArray[np.int8]
    ) -> None:
        """Raise the scores of places to the exact cosine of their nearest passage, in place."""
        starts = np.searchsorted(self.sorted_owners, places, side="left")
        ends = np.searchsorted(self.sorted_owners, places, side="right")
        long = np.flatnonzero(ends > starts)
        if not len(long):
            return
        counts = (ends - starts)[long]
        firsts = np.cumsum(counts) - counts
        chosen = self.order[np.repeat(starts[long] - firsts, counts) + np.arange(int(counts.sum()))]
        products = exact_products(self.data[chosen], self.scales[chosen], query)
        cosines = (products - offsets[languages[self.owners[chosen]]]) * self.inverse[chosen]
        scores[long] = np.fmax(scores[long], np.maximum.reduceat(cosines, firsts))
