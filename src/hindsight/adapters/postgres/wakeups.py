"""Wake-ups of workers by NOTIFY, which comes with the commit of what was queued."""

from __future__ import annotations

import asyncio
import logging
import select
import socket
import threading
from collections.abc import Callable
from typing import Any

import psycopg

from hindsight.adapters.postgres.faults import first_line

_LISTEN = "LISTEN hindsight_jobs"
_LOOK_SECONDS = 30.0
_REST_SECONDS = 1.0
_LOG = logging.getLogger(__name__)


class PostgresWakeUps:
    """``WakeUps`` of the store at ``address``, heard on a connection of its own."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._ear: _Ear | None = None

    async def ring(self) -> None:
        """Nothing is left to do: a trigger of the table rings."""

    def listen(self, woken: Callable[[], object]) -> None:
        """Call ``woken`` at each ring, and once whenever the line was down: something may have been missed."""
        loop = asyncio.get_running_loop()
        self._ear = _Ear(self._address, lambda: loop.call_soon_threadsafe(woken))
        self._ear.start()

    async def silence(self) -> None:
        """Stop listening."""
        ear, self._ear = self._ear, None
        if ear is not None:
            await asyncio.to_thread(ear.stop)


class _Ear(threading.Thread):
    """Waits for notifications; ``stop`` ends the waiting at once."""

    def __init__(self, address: str, tell: Callable[[], object]) -> None:
        super().__init__(name="hindsight-wakeups", daemon=True)
        self._address = address
        self._tell = tell
        self._stopping = threading.Event()
        self._inner, self._outer = socket.socketpair()

    def stop(self) -> None:
        self._stopping.set()
        self._outer.send(b"x")
        self.join()
        self._inner.close()
        self._outer.close()

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as line:
                    self._hear(line)
            except psycopg.Error as error:
                # Workers look by themselves, too; the store's own connections tell whoever calls.
                _LOG.debug("no wake-ups from PostgreSQL at present: %s", first_line(error))
                self._stopping.wait(_REST_SECONDS)

    def _hear(self, line: psycopg.Connection[Any]) -> None:
        mine = line.execute("SELECT current_schema()").fetchone()
        line.execute(_LISTEN)
        self._ring()
        while not self._stopping.is_set():
            ready, _, _ = select.select([line.fileno(), self._inner.fileno()], [], [], _LOOK_SECONDS)
            if not ready:
                line.execute("SELECT 1")  # a line that was cut without a word shows now
            if any(heard.payload == mine[0] for heard in line.notifies(timeout=0) if mine is not None):
                self._ring()

    def _ring(self) -> None:
        if not self._stopping.is_set():
            self._tell()
