"""Writes that wait for the server, in a file: appended and flushed to the disk one by one, replayed in order, each under the key that
makes a repetition harmless.

One JSON object a line: ``{"n", "call", "given", "at"}`` is a write, ``{"done": n}`` says that it arrived. A process that dies leaves at
most one unfinished line, which counts as never written. The file is locked while a process uses it; another process takes a
file of its own beside it, and files left by dead processes are taken over.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hindsight.errors import ConfigurationError, Overloaded, StoreUnavailable

MOST_WRITES = 10_000
MOST_BYTES = 64 * 1024 * 1024
SIBLINGS = 64
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A write that waits: which call, with which arguments, since when."""

    number: int
    call: str
    given: Mapping[str, Any]
    at: datetime


def default_folder() -> Path:
    """Where spools lie unless told otherwise."""
    return Path.home() / ".hindsight-spool"


def spool_for(address: str, who: str = "") -> Spool:
    """The spool of writes to one server as one caller."""
    name = hashlib.blake2b(f"{address}\x1f{who}".encode(), digest_size=8).hexdigest()
    return Spool(default_folder() / f"{name}.jsonl")


class Spool:
    """The file. Not for use from several threads at once.

    Args:
        path: of the file; it and its folder are made where they are missing, for their owner alone.
        most_writes: that may wait.
        most_bytes: that they may take up.
    """

    def __init__(self, path: str | Path, *, most_writes: int = MOST_WRITES, most_bytes: int = MOST_BYTES) -> None:
        self._wanted = Path(path).expanduser()
        self._path = self._wanted
        self._most_writes = most_writes
        self._most_bytes = most_bytes
        self._waiting: OrderedDict[int, Waiting] = OrderedDict()
        self._next = 1
        self._handle: int | None = None
        self._size = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def path(self) -> Path:
        """The file in use; another one than asked for while another process holds that."""
        return self._path

    @property
    def rejected_path(self) -> Path:
        """Where writes go that the server refused, with its reason."""
        return self._wanted.with_suffix(".rejected.jsonl")

    def open(self) -> None:
        """Take the file, and over what dead processes left. Opening twice does nothing.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        if self._handle is not None:
            return
        try:
            self._wanted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in self._names():
                if self._handle is None:
                    if (handle := _locked(path)) is not None:
                        self._path, self._handle = path, handle
                        self._load()
                elif path.exists():
                    self._take_over(path)
        except OSError as error:
            raise ConfigurationError(
                f"spool: {self._wanted} cannot be used: {error.strerror or error}; name another file, or spool=None."
            ) from error
        if self._handle is None:
            raise ConfigurationError(
                f"spool: {SIBLINGS} processes hold {self._wanted} and its siblings; give each agent a file of its own."
            )

    def close(self) -> None:
        """Let the file go; what waits stays in it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
            self._waiting.clear()

    def append(self, call: str, given: Mapping[str, Any]) -> Waiting:
        """Make a write durable.

        Raises:
            Overloaded: the spool is full; nothing was added.
            StoreUnavailable: the disk does not take it.
        """
        self.open()
        one = Waiting(self._next, call, dict(given), datetime.now(UTC))
        line = _entry(one)
        if self._size + len(line) > self._most_bytes:
            self._compact()
        if len(self._waiting) >= self._most_writes or self._size + len(line) > self._most_bytes:
            raise Overloaded(
                f"the spool {self._path} is full ({len(self._waiting):,} writes, {self._size:,} bytes) and the server does not answer; "
                "start the server, or give the spool more room."
            )
        self._write(line, durable=True)
        self._waiting[one.number] = one
        self._next += 1
        return one

    def waiting(self) -> Iterator[Waiting]:
        """What waits, the oldest first."""
        self.open()
        yield from list(self._waiting.values())

    def done(self, number: int) -> None:
        """A write arrived. Not flushed: were it forgotten, the write would be repeated, which its key makes harmless."""
        if self._waiting.pop(number, None) is None:
            return
        if self._waiting:
            self._write(_line({"done": number}), durable=False)
        else:
            assert self._handle is not None
            os.ftruncate(self._handle, 0)
            self._size = 0

    def reject(self, one: Waiting, reason: str) -> None:
        """Put a write aside that the server will never take; it is kept for a person to look at."""
        told = {"call": one.call, "given": one.given, "at": one.at.isoformat(), "reason": reason}
        handle = os.open(self.rejected_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, _line(told))
            os.fsync(handle)
        finally:
            os.close(handle)
        _log.warning("a write that waited was refused and put aside in %s: %s", self.rejected_path, reason)
        self.done(one.number)

    def _compact(self) -> None:
        """Leave out what has arrived: a new file stands in the old one's place, whole or not at all."""
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        handle = _locked(fresh)
        if handle is None:
            return
        lines = [_entry(one) for one in self._waiting.values()]
        for line in lines:
            os.write(handle, line)
        os.fsync(handle)
        fresh.replace(self._path)
        if self._handle is not None:
            os.close(self._handle)
        self._handle, self._size = handle, sum(map(len, lines))

    def _names(self) -> Iterator[Path]:
        yield self._wanted
        for number in range(2, SIBLINGS + 1):
            yield self._wanted.with_name(f"{self._wanted.stem}-{number}{self._wanted.suffix}")

    def _load(self) -> None:
        assert self._handle is not None
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) != len(content):
            os.ftruncate(self._handle, len(whole))  # a process died in the middle of a line
        self._size = len(whole)
        for line in whole.splitlines():
            self._read(line)

    def _read(self, line: bytes) -> None:
        try:
            found = json.loads(line)
            if "done" in found:
                self._waiting.pop(int(found["done"]), None)
                return
            one = Waiting(int(found["n"]), str(found["call"]), dict(found["given"]), datetime.fromisoformat(found["at"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            _log.warning("%s has a line that is no write; it is left out: %r", self._path, line[:200])
            return
        self._waiting[one.number] = one
        self._next = max(self._next, one.number + 1)

    def _take_over(self, path: Path) -> None:
        """What a dead process left in a file beside ours: appended here first, emptied there afterwards."""
        handle = _locked(path)
        if handle is None:
            return
        try:
            left = Spool(path)
            left._path, left._handle = path, handle
            left._load()
            for one in left._waiting.values():
                self.append(one.call, one.given)
            os.ftruncate(handle, 0)
        finally:
            os.close(handle)

    def _write(self, line: bytes, *, durable: bool) -> None:
        assert self._handle is not None
        try:
            written = os.write(self._handle, line)
            if written != len(line):
                os.ftruncate(self._handle, self._size)
                raise OSError(28, "no space left on the device")
            if durable:
                os.fsync(self._handle)
        except OSError as error:
            raise StoreUnavailable(
                f"the spool {self._path} cannot be written: {error.strerror or error}; make room on the disk."
            ) from error
        self._size += len(line)


def _entry(one: Waiting) -> bytes:
    return _line({"n": one.number, "call": one.call, "given": one.given, "at": one.at.isoformat()})


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=True, default=str).encode("ascii") + b"\n"


def _locked(path: Path) -> int | None:
    """The file opened for this process alone; None where another has it."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    if not _try_lock(handle):
        os.close(handle)
        return None
    return handle


if os.name == "posix":
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

else:

    def _try_lock(handle: int) -> bool:  # noqa: ARG001 - without flock each agent must be given a spool of its own
        return True
