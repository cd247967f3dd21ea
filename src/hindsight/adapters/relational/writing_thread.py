"""The thread that writes: what several tasks want to write at the same moment is handed on together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
_GROUP = 64


class Item(Protocol):
    """Work that waits for the thread."""

    @property
    def future(self) -> Future[Any]: ...


ItemT = TypeVar("ItemT", bound=Item)


class WritingThread(Generic[ItemT]):
    """Calls ``process`` with up to 64 items at a time, in the order of :meth:`put`."""

    def __init__(self, process: Callable[[list[ItemT]], None]) -> None:
        self._process = process
        self._queue: SimpleQueue[ItemT | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="hindsight-write", daemon=True)

    @property
    def started(self) -> bool:
        """Whether :meth:`start` was called."""
        return self._thread.ident is not None

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def put(self, item: ItemT) -> None:
        """Hand work over. The caller sees to it that nothing comes after :meth:`stop`."""
        self._queue.put(item)

    def stop(self) -> None:
        """Let it end once everything before this is done; returns at once."""
        self._queue.put(None)

    def join(self) -> None:
        """Wait for the end."""
        if self.started:
            self._thread.join()

    def _serve(self) -> None:
        while (item := self._queue.get()) is not None:
            group, stop = self._gather(item)
            self._process(group)
            if stop:
                return

    def _gather(self, first: ItemT) -> tuple[list[ItemT], bool]:
        group = [first]
        while len(group) < _GROUP:
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
            if item is None:
                return group, True
            group.append(item)
        return group, False


async def result_of(future: Future[T]) -> T:
    """What the thread makes of an item."""
    return await asyncio.wrap_future(future)
