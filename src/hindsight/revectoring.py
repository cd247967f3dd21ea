"""What replacing every vector needs of a store. Import it from ``hindsight.ports``."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Protocol

from hindsight.records import Memory
from hindsight.values import IndexedWords, StagedVector


class VectorStaging(Protocol):
    """Replacing every vector by those of another model: they are made beside the ones in use, and take their place all at once.

    The model is the one that the store was made with; it may be another than that of the vectors in use.
    """

    async def open(self) -> None:
        """Connect and migrate, whichever model the vectors in use are of."""
        ...

    async def close(self) -> None:
        """Disconnect; safe to call twice."""
        ...

    async def rebuild_terms(self) -> None:
        """Make the keyword index anew from the words that are kept of each record."""
        ...

    async def records(self, *, after: int, limit: int) -> builtins.list[tuple[int, Memory]]:
        """The next rows after ``after`` and their records, whatever their status."""
        ...

    async def put_words(self, batch: Sequence[IndexedWords]) -> int:
        """Replace what keyword search knows of records; how many. One that changed meanwhile is left as its writer indexed it."""
        ...

    async def begin_reindex(self) -> tuple[int, int]:
        """Go on with the run for this model where one was interrupted, else begin one; (records done, records in all)."""
        ...

    async def reindex_progress(self) -> tuple[int, int]:
        """(records done, records in all)."""
        ...

    async def unstaged(self, *, after: int, limit: int) -> builtins.list[tuple[int, Memory]]:
        """The next rows after ``after`` that have no vector of the new model yet, and their records."""
        ...

    async def stage(self, batch: Sequence[StagedVector]) -> int:
        """Keep vectors, durable when it returns; how many. Records that changed since they were read are left for later."""
        ...

    async def switch(self) -> bool:
        """In ONE transaction, put the new vectors in the place of the old; False, and nothing done, while a record has none.

        From then on every process sees the new ones; one that runs another model gets ``ModelMismatch``.
        """
        ...
