"""The first question of a process also loads the model, and the first on a namespace what is kept of that in memory: both take longer than a
retrieval may, are done side by side, and count for themselves.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import numpy as np

from hindsight.errors import HindsightError
from hindsight.ports import Embedder, RecordStore
from hindsight.records import Filter

PATIENCE_SECONDS = 10.0
"""A retrieval waits so long at most; past it, keywords alone decide while the model goes on loading."""
_KEPT = 1_000
"""Of so many namespaces it is remembered that they were loaded; of another it is asked again, which costs little."""
_TEXT = "warm-up"
_LOG = logging.getLogger(__name__)


class WarmUp:
    """Loads an embedder's model once, by a first text, and each namespace once, by asking for nothing in it; whoever asks first."""

    def __init__(self, store: RecordStore, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder
        self._model: asyncio.Task[None] | None = None
        self._namespaces: dict[tuple[str, bool], asyncio.Task[None]] = {}
        """By name, and whether with its vectors."""

    async def ready(self, filter: Filter, *, vectors: bool, patience: float = PATIENCE_SECONDS) -> bool:
        """Wait until the namespace and, where ``vectors`` are asked for, the model are loaded, for ``patience`` seconds at most; at once from
        then on. False where the model is not.

        What cannot be loaded counts as ready: using it tells why.
        """
        wanted = [self._namespace(filter, vectors=vectors)]
        if vectors and self._embedder is not None:
            self._model = self._model or _begun(self._load_model(self._embedder))
            wanted.append(self._model)
        if waiting := [each for each in wanted if not each.done()]:
            await asyncio.wait(waiting, timeout=patience)
        return all(each.done() for each in wanted[1:])

    def _namespace(self, filter: Filter, *, vectors: bool) -> asyncio.Task[None]:
        key = (filter.namespace, vectors)
        if key not in self._namespaces:
            if len(self._namespaces) >= _KEPT:
                self._namespaces = {each: task for each, task in self._namespaces.items() if not task.done()}
            self._namespaces[key] = _begun(self._load_namespace(filter, vectors=vectors))
        return self._namespaces[key]

    async def close(self) -> None:
        """Stop waiting for anything."""
        loading = [*self._namespaces.values(), *([self._model] if self._model is not None else [])]
        for each in loading:
            each.cancel()
        await asyncio.gather(*loading, return_exceptions=True)

    async def _load_model(self, embedder: Embedder) -> None:
        try:
            await embedder.embed([_TEXT], kind="query")
        except HindsightError as error:
            _LOG.warning("model_not_loaded", extra={"error": str(error)})

    async def _load_namespace(self, filter: Filter, *, vectors: bool) -> None:
        nothing = np.empty(0, dtype=np.int64)
        with suppress(HindsightError):
            await self._store.columns(filter, nothing)
            if vectors and self._embedder is not None:
                await self._store.vector_scores(filter, nothing, np.zeros(self._embedder.dimension, dtype=np.float32))


def _begun(loading: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(loading, name="hindsight-warm-up")
