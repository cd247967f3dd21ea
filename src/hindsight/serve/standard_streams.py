"""Standard input and output as a line protocol, kept from everything else in the process.

A stray ``print`` on stdout breaks a client's connection. So the first act of a stdio process is to take both descriptors
for itself: descriptor 1 then points at stderr, descriptor 0 at the null device, for Python, C libraries and children alike.

Reading and writing happen in daemon threads on the bare descriptors, so that neither a silent nor a stuck client can keep
the process from ending.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

CHUNK_BYTES = 1 << 16
PARENT_CHECK_SECONDS = 1.0
LAST_WORDS_SECONDS = 2.0
"""How long answers may take to reach a client that reads slowly, once the process ends."""
GRACE_SECONDS = 8.0
"""From the signal to stop until the process is ended by force, whatever hangs."""


class StandardStreams:
    """The claimed pipes of this process. Lines are bytes without their newline."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._written = threading.Event()
        self._gone = False

    @classmethod
    def claim(cls) -> StandardStreams:
        """Take descriptors 0 and 1; call it once, before anything can print."""
        sys.stdout.flush()
        read_fd, write_fd = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # started without stderr: what is printed is lost, the protocol stays clean
            os.dup2(null, 1)
        os.close(null)
        return cls(read_fd, write_fd)

    async def lines(self) -> AsyncIterator[bytes]:
        """Lines of the client until it closes its end; blank ones are left out."""
        loop = asyncio.get_running_loop()
        inbox: asyncio.Queue[bytes | None] = asyncio.Queue()

        def hand_over(line: bytes | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits for the line
                loop.call_soon_threadsafe(inbox.put_nowait, line)

        threading.Thread(target=self._read, args=(hand_over,), name="stdin", daemon=True).start()
        while (line := await inbox.get()) is not None:
            if line.strip():
                yield line

    def start_writing(self) -> None:
        """Begin to write what :meth:`write` takes."""
        threading.Thread(target=self._write, name="stdout", daemon=True).start()

    def write(self, line: bytes) -> None:
        """Write one line, in the order of the calls, without waiting. Lines for a client that has left are dropped."""
        self._outbox.put(line + b"\n")

    async def finish_writing(self) -> None:
        """Wait until the last line is out, or the client has left, or ``LAST_WORDS_SECONDS`` are over."""
        self._outbox.put(None)
        await asyncio.to_thread(self._written.wait, LAST_WORDS_SECONDS)

    def _read(self, hand_over: Callable[[bytes | None], None]) -> None:
        pending = b""
        parts: list[bytes] = []
        while chunk := self._read_chunk():
            if b"\n" not in chunk:
                parts.append(chunk)
                continue
            *complete, pending = b"".join((*parts, chunk)).split(b"\n")
            parts = [pending]
            for line in complete:
                hand_over(line)
        if last := b"".join(parts):
            hand_over(last)
        hand_over(None)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._read_fd, CHUNK_BYTES)
        except OSError:  # the other end broke off
            return b""

    def _write(self) -> None:
        while (line := self._outbox.get()) is not None:
            view = memoryview(line)
            while view and not self._gone:
                try:
                    view = view[os.write(self._write_fd, view) :]
                except OSError:  # the client has left; its end of the input closes as well
                    self._gone = True
        self._written.set()


def run_until_client_ends(serve: Callable[[StandardStreams], Coroutine[Any, Any, None]], streams: StandardStreams) -> None:
    """Run ``serve`` until it returns, the parent process dies, or SIGTERM or SIGINT arrives; then free everything and return.

    A process that hangs in its cleaning up is ended after ``GRACE_SECONDS``: stdio servers must never outlive their client.
    """
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_run(serve, streams))


async def _run(serve: Callable[[StandardStreams], Coroutine[Any, Any, None]], streams: StandardStreams) -> None:
    loop = asyncio.get_running_loop()
    serving = loop.create_task(serve(streams), name="serve")

    def stop(*_: object) -> None:
        _end_by_force_after(GRACE_SECONDS)
        loop.call_soon_threadsafe(serving.cancel)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    watching = loop.create_task(_watch_parent(stop), name="watch-parent")
    streams.start_writing()
    try:
        await serving
    finally:
        watching.cancel()
        await streams.finish_writing()
        _end_by_force_after(GRACE_SECONDS)


def _end_by_force_after(seconds: float) -> None:
    deadline = threading.Timer(seconds, os._exit, (1,))
    deadline.daemon = True
    deadline.start()


async def _watch_parent(stop: Callable[[], None]) -> None:
    """The input normally ends with the client; where another process inherited its end of the pipe, only this notices."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - the system sends no event for this
        await asyncio.sleep(PARENT_CHECK_SECONDS)
    stop()
