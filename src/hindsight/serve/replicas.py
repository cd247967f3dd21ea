"""``hindsight serve --workers N``: several processes answer on one socket; one that dies is started again."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from hindsight.errors import HindsightError, StoreUnavailable
from hindsight.serve.app import GRACE_SECONDS, address_of, announcement, bound_socket, serve_on
from hindsight.serve.auth import check_binding
from hindsight.serve.desk import assembled
from hindsight.serve.oauth import Issuer
from hindsight.serve.stopping import end_with_parent
from hindsight.settings import Settings, count_together
from hindsight.telemetry import log_structured

_GIVEN_UP_AFTER = 5
"""So many processes in a row that never became ready: another one would not either."""
_LAST_SECONDS = GRACE_SECONDS + 10
_READY = "ready"
_log = logging.getLogger(__name__)


def run(settings: Settings, processes: int) -> None:
    """Serve with so many processes until SIGINT or SIGTERM; then each finishes its running requests.

    Raises:
        HindsightError: the settings do not fit, the port is taken, or an engine cannot be opened; nothing was served.
        StoreUnavailable: the processes end before they become ready.
    """
    log_structured(settings)
    tokens = asyncio.run(_checked(settings))
    listening = bound_socket(settings.host, settings.port)
    try:
        announce = announcement(address_of(listening), settings, tokens=tokens)
        with tempfile.TemporaryDirectory(prefix="hindsight-metrics-") as folder:
            count_together(folder)
            _Replicas(settings, listening, processes, lambda: sys.stderr.write(announce)).run()
    finally:
        listening.close()


async def _checked(settings: Settings) -> bool:
    """Open and close the memory once: faults show here and once, and the store is migrated before the processes start."""
    if settings.oauth_issuer:
        Issuer(settings)
    async with assembled(settings.model_copy(update={"worker": "off"})) as memory:
        tokens = await memory.access.required()
        check_binding(settings, tokens=tokens)
        return tokens


@dataclass(slots=True)
class _Replica:
    process: SpawnProcess
    line: Connection
    ready: bool = False


class _Replicas:
    """The processes, watched over."""

    def __init__(self, settings: Settings, listening: socket.socket, processes: int, announce: Callable[[], object]) -> None:
        self._settings = settings
        self._listening = listening
        self._count = processes
        self._announce: Callable[[], object] | None = announce
        self._context = multiprocessing.get_context("spawn")
        self._stopping = False
        self._failed = 0

    def run(self) -> None:
        """Start all, replace those that die, until a signal ends it."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGTERM, signal.SIGINT)}
        replicas: list[_Replica] = []
        try:
            while not self._stopping:
                while len(replicas) < self._count and not self._stopping:
                    replicas.append(self._started())
                self._look_after(replicas)
        finally:
            _end(replicas)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, _number: int, _frame: object) -> None:
        self._stopping = True

    def _started(self) -> _Replica:
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_replica, args=(self._settings, self._listening, theirs), name="hindsight-replica")
        process.start()
        theirs.close()
        return _Replica(process, ours)

    def _look_after(self, replicas: list[_Replica]) -> None:
        lines = [each.line for each in replicas if not each.ready]
        # A signal must be seen soon, and does not interrupt the waiting.
        wait([*lines, *(each.process.sentinel for each in replicas)], timeout=0.2)
        for each in list(replicas):
            if not each.ready:
                with suppress(EOFError):
                    each.ready = each.line.poll() and each.line.recv() == _READY
                    self._failed = 0 if each.ready else self._failed
            if not each.process.is_alive() and not self._stopping:
                replicas.remove(each)
                self._lost(each)
        if self._announce is not None and len(replicas) == self._count and all(each.ready for each in replicas):
            self._announce()
            sys.stderr.flush()
            self._announce = None

    def _lost(self, replica: _Replica) -> None:
        each = replica.process
        replica.line.close()
        _log.warning("process %s ended with %s; another one takes its place", each.pid, each.exitcode)
        if not replica.ready:
            self._failed += 1
            if self._failed >= _GIVEN_UP_AFTER:
                raise StoreUnavailable(f"{self._failed} processes in a row ended before they could serve; the lines above tell why.")
            time.sleep(min(0.2 * 2**self._failed, 5.0))


def _end(replicas: list[_Replica]) -> None:
    for each in replicas:
        each.process.terminate()
    end = time.monotonic() + _LAST_SECONDS
    for each in replicas:
        each.process.join(max(0.1, end - time.monotonic()))
        if each.process.is_alive():
            _log.warning("process %s did not end in time and is killed", each.process.pid)
            each.process.kill()
            each.process.join()
        each.line.close()


def _replica(settings: Settings, listening: socket.socket, line: Connection) -> None:
    """One of the processes."""
    end_with_parent()
    log_structured(settings)
    try:
        asyncio.run(serve_on(settings, listening, lambda _server: line.send(_READY)))
    except HindsightError as error:
        sys.stderr.write(f"hindsight: {error}\n")
        sys.exit(1)
