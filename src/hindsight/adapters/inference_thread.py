"""One thread for one model: loading and inference leave the event loop free, and the first load happens once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from hindsight.errors import ModelUnavailable

M = TypeVar("M")
R = TypeVar("R")


class InferenceThread(Generic[M]):
    """Runs work on a model in a thread of its own, in order of arrival. The first work loads the model.

    Args:
        load: makes the model; when it raises, the work that asked for it gets the error, and the next work tries again.
        name: what the model is, for the error after closing.
    """

    def __init__(self, load: Callable[[], M], *, name: str) -> None:
        self._load = load
        self._name = name
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hindsight-model")
        self._model: M | None = None
        self._closed = False

    async def run(self, work: Callable[[M], R]) -> R:
        """What ``work`` makes of the model.

        Raises:
            ModelUnavailable: after ``close``.
        """
        if self._closed:
            raise ModelUnavailable(f"The model {self._name} was closed; open the memory again.")
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._work, work)

    async def close(self) -> None:
        """Let the work in hand end, then free the model; safe to call twice."""
        self._closed = True
        await asyncio.to_thread(self._executor.shutdown)
        self._model = None

    def _work(self, work: Callable[[M], R]) -> R:
        # There is one thread, so two first loads cannot meet here.
        if self._model is None:
            self._model = self._load()
        return work(self._model)
