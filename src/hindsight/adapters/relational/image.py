"""The image of a namespace: its arrays as a process worked them out, laid down so that the next one need not, and others share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from hindsight.adapters.relational.queries import Database

NOTE = "image:"
"""Begins the names of the notes (``meta``) by which a store knows its images."""
IMAGE_FROM = 20_000
"""Of smaller namespaces none is laid down: they are read within a tenth of a second."""
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Image:
    """Arrays by name as they were at a change number of the store. Those of an image that was found are private to the process: what it
    writes into them nobody else sees. ``facts`` is what else belongs to them (JSON).
    """

    number: int
    count: int
    """Places that are in use; arrays by place are longer."""
    facts: Mapping[str, Any]
    arrays: Arrays


class Images(Protocol):
    """Where images are. One may be missing at any time: it is made of what the store holds."""

    def find(self, db: Database, code: int) -> Image | None:
        """The image of a namespace that the snapshot of ``db`` knows."""
        ...

    def lay_down(self, code: int, image: Image, spare: int) -> Arrays | None:
        """Keep an image, with room for ``spare`` more places, and give the arrays to go on with; None where it cannot be kept. Others find it
        a little later.
        """
        ...

    def drop(self, db: Database, erased: Sequence[tuple[int, int]]) -> None:
        """In the transaction that erases them: (namespace, row) of records that no image may hold once it is committed."""
        ...


def by_place(name: str) -> bool:
    """Whether an array has an entry for each place: not those of passages, nor the means."""
    return name != "means" and not name.startswith("passages.")
