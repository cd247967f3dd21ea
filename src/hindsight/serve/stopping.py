"""How a process that runs on is told to stop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """Within, SIGINT and SIGTERM set the event in place of ending the process."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(stopped.set)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_with_parent() -> None:
    """Stop this process in order when the one that started it has gone, however that ended."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="hindsight-parent", daemon=True).start()
