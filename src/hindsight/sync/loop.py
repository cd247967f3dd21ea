"""An event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from hindsight.errors import InvalidInput

ResultT = TypeVar("ResultT")


class LoopThread:
    """An event loop in a daemon thread: it never keeps a program from ending."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether calls can be made."""
        return self._loop is not None

    def start(self) -> None:
        if self._loop is not None:
            raise InvalidInput("this memory is open already; open another one with Hindsight.open().")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hindsight-sync", daemon=True)
        self._thread.start()

    def run(self, call: Coroutine[Any, Any, ResultT]) -> ResultT:
        """The result of a call; an interrupt while waiting cancels it."""
        if self._loop is None or self._thread is None:
            call.close()
            raise InvalidInput("this memory is not open; use `with Hindsight.open(…) as memory:`.")
        if threading.current_thread() is self._thread:
            call.close()
            raise InvalidInput("a progress callback cannot call the memory it is called by; note what you need and call afterwards.")
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
