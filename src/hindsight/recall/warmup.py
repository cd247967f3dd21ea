"""The first query of a process also loads the model: that takes longer than a retrieval may, and counts for itself."""

from __future__ import annotations

import asyncio

import structlog

from hindsight.errors import HindsightError
from hindsight.ports import Embedder

PATIENCE_SECONDS = 10.0
"""A retrieval waits so long for the model at most; past it, keywords alone decide while the model goes on loading."""
_TEXT = "warm-up"
_log = structlog.get_logger("hindsight.recall")


class WarmUp:
    """Loads an embedder's model once, by a first text, whoever asks first."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._loading: asyncio.Task[None] | None = None

    async def ready(self, patience: float = PATIENCE_SECONDS) -> bool:
        """Wait until the model is loaded, for ``patience`` seconds at most; True at once from then on.

        One that cannot be loaded counts as ready: using it tells why.
        """
        if self._loading is None:
            self._loading = asyncio.get_running_loop().create_task(self._load(), name="hindsight-warm-up")
        loading = self._loading
        if not loading.done():
            await asyncio.wait([loading], timeout=patience)
        return loading.done()

    async def close(self) -> None:
        """Stop waiting for it."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)

    async def _load(self) -> None:
        try:
            await self._embedder.embed([_TEXT], kind="query")
        except HindsightError as error:
            _log.warning("model_not_loaded", error=str(error))
