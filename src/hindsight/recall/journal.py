"""The log of retrievals, written in batches after the answer, so that no answer waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hindsight.errors import StoreError
from hindsight.ports import RecordStore, RetrievalRow

DELAY_SECONDS = 1.0
MOST_BUFFERED = 1_000
_LOG = logging.getLogger(__name__)
_unlogged: ContextVar[bool] = ContextVar("unlogged", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """Within, retrievals leave no row: they are a person's who looks around or compares, not an agent's who uses what it finds."""
    before = _unlogged.set(True)
    try:
        yield
    finally:
        _unlogged.reset(before)


class Journal:
    """Buffers rows for at most a second."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._rows: list[RetrievalRow] = []
        self._timer: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def add(self, row: RetrievalRow) -> None:
        """Take a row; the oldest goes where more than a thousand wait, since answers come before their log."""
        if _unlogged.get():
            return
        self._rows.append(row)
        del self._rows[:-MOST_BUFFERED]
        if self._timer is None or self._timer.done():
            self._timer = asyncio.get_running_loop().create_task(self._later(), name="hindsight-retrievals")

    async def flush(self) -> None:
        """Write what is buffered; rows stay buffered where the store is busy. What another call is writing is written when it returns."""
        async with self._writing:
            rows, self._rows = self._rows, []
            if not rows:
                return
            try:
                await self._store.log_retrievals(rows)
            except StoreError as error:
                self._rows = rows + self._rows
                _LOG.warning("retrievals_not_logged", extra={"waiting": len(self._rows), "error": str(error)})

    async def close(self) -> None:
        """Write what is left and stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)
        await self.flush()

    async def _later(self) -> None:
        await asyncio.sleep(DELAY_SECONDS)
        await self.flush()
