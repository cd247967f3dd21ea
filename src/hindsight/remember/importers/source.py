"""Reading a file piece by piece, with the line of every fault: text lines, JSON lines, items of a JSON document, plain or gzipped."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, BinaryIO

from hindsight.errors import ImportFailed, InvalidInput
from hindsight.moments import read_moment
from hindsight.records import Precision, Turn

MAX_PIECE_BYTES = 64 * 1024 * 1024
"""Longest line, or item of a JSON document, that is read: bounds the memory of an import."""
_CHUNK = 64 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a source holds: what to remember, its raw turn, or both; neither where nothing is worth keeping.

    ``draft`` are fields of a ``Draft``; ``server`` the fields that hindsight itself had set when it exported the record.
    ``unique`` is an id that may stand once in the source.
    """

    path: Path
    line: int | None
    draft: dict[str, Any] | None = None
    turn: Turn | None = None
    server: dict[str, Any] | None = None
    unique: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What is imported: the path given, the files that make it up, and the zone of times that carry no offset."""

    path: Path
    files: tuple[Path, ...]
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Head:
    """What detection sees of a path: whether it is a folder, the names in it, and a file's first line and first JSON value."""

    path: Path
    folder: bool
    names: tuple[str, ...] = ()
    value: Any = None
    array: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be imported. ``files`` lists what belongs to a path, ``recognises`` looks at its head."""

    name: str
    description: str
    recognises: Callable[[Head], bool]
    files: Callable[[Path], tuple[Path, ...]]
    read: Callable[[Source], Iterator[Entry]]


def fault(path: Path, line: int | None, message: str) -> ImportFailed:
    """The error of one place in a file."""
    where = f"{path}, line {line:,}" if line is not None else str(path)
    return ImportFailed(f"{where}: {message}", line=line)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file; gzip is known by its first bytes, not by its name.

    Raises:
        ImportFailed: it cannot be read, or is a damaged gzip file.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]  # a GzipFile reads like a BinaryIO
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise fault(path, None, f"the gzip file is damaged or cut off ({error}); make it again.") from error
    except OSError as error:
        raise fault(path, None, f"cannot be read: {error.strerror or error}.") from error


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number, text) of every line, without its end; the first is 1.

    Raises:
        ImportFailed: a line is not UTF-8, holds NUL, or is longer than ``MAX_PIECE_BYTES``.
    """
    with opened(path) as stream:
        number = 0
        while raw := stream.readline(MAX_PIECE_BYTES + 1):
            number += 1
            if len(raw) > MAX_PIECE_BYTES:
                raise fault(path, number, f"the line is longer than {MAX_PIECE_BYTES:,} bytes; split it.")
            yield number, _decode(path, number, raw)


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a JSON Lines file; blank lines are passed over.

    Raises:
        ImportFailed: a line is not a JSON object.
    """
    for number, text in text_lines(path):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise fault(path, number, _json_fault(error)) from error
        if not isinstance(value, dict):
            raise fault(path, number, f"a JSON object is needed, not {kind_of(value)}.")
        yield number, value


def json_pieces(path: Path) -> Iterator[tuple[int, Any]]:
    """(line, value) of the items of a JSON array, of the one JSON value, or of each line of a JSON Lines file.

    No more than one item is held at a time, so a document may be larger than memory.
    """
    head = head_of(path)
    if not head.array and (suffix_of(path) in {".jsonl", ".ndjson"} or _is_json_lines(path)):
        yield from json_lines(path)
        return
    with opened(path) as stream:
        document = _Document(path, stream)
        if not document.peek():
            return
        if document.peek() != "[":
            yield document.line, document.value()
        else:
            yield from document.items()
        if document.peek():
            raise fault(path, document.line, "there is more text after the JSON document; is it JSON Lines? Then name it .jsonl.")


def head_of(path: Path) -> Head:
    """The head of a file: its first JSON value (an array's first item), None where it is not JSON.

    Raises:
        ImportFailed: it cannot be read or is no UTF-8 text.
    """
    with opened(path) as stream:
        document = _Document(path, stream)
        first = document.peek()
        if first not in ("[", "{"):
            return Head(path, folder=False)
        try:
            if first == "{":
                return Head(path, folder=False, value=document.value())
            return Head(path, folder=False, array=True, value=next((value for _, value in document.items()), None))
        except ImportFailed:
            return Head(path, folder=False, array=first == "[")


def suffix_of(path: Path) -> str:
    """The lower-case suffix, a trailing ``.gz`` left out."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def one_file(path: Path) -> tuple[Path, ...]:
    """A path that must be a file.

    Raises:
        ImportFailed: it is a folder.
    """
    if path.is_dir():
        raise fault(path, None, "this is a folder, and this format is a single file; name the file.")
    return (path,)


def moment_of(value: Any, zone: tzinfo, path: Path, line: int | None) -> tuple[datetime, Precision] | None:
    """A time as histories write it: ISO 8601, or seconds or milliseconds since 1970; None where there is none.

    Raises:
        ImportFailed: it is none of these.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.replace(".", "", 1).isdigit() and len(value) > 8:
        value = float(value)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            # No conversation is dated past the year 5138 in seconds, so larger numbers are milliseconds.
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC), Precision.SECOND
        if isinstance(value, str):
            return read_moment(value, zone, field="time")
    except (InvalidInput, ValueError, OverflowError, OSError) as error:
        raise fault(path, line, f"{value!r} is not a time ({error})") from error
    raise fault(path, line, f"a time is text or a number, not {kind_of(value)}.")


def kind_of(value: Any) -> str:
    """How JSON calls the type of a value."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def _decode(path: Path, number: int, raw: bytes) -> str:
    if number == 1:
        _refuse_other_encodings(path, raw)
        raw = raw.removeprefix(codecs.BOM_UTF8)
    if b"\0" in raw:
        raise fault(path, number, "the line holds a NUL byte: this is a binary file, not text.")
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise fault(
            path, number, f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8; convert the file to UTF-8."
        ) from error


def _refuse_other_encodings(path: Path, start: bytes) -> None:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise fault(path, 1, "the file is UTF-16; convert it to UTF-8.")


def _json_fault(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply."
    if isinstance(error, json.JSONDecodeError):
        return f"not valid JSON: {error.msg} at column {error.colno}."
    return f"not valid JSON: {error}."


def _is_json_lines(path: Path) -> bool:
    """Whether the first line that is not blank is a JSON object of its own."""
    for _, text in text_lines(path):
        if text.strip():
            try:
                return isinstance(json.loads(text), dict)
            except (ValueError, RecursionError):
                return False
    return False


class _Document:
    """A JSON document read as a stream: holds one value at a time and knows its line."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.line = 1
        self._path = path
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._read_lines = 1
        self._ended = False

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            self._advance(_SPACE.match(self._text, self._at).end())  # type: ignore[union-attr]  # matches the empty string
            if self._at < len(self._text) or not self._fill():
                return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """The next value."""
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise fault(self._path, self.line, _json_fault(error)) from error
            except ValueError as error:
                if self._fill():
                    continue
                self._advance(error.pos if isinstance(error, json.JSONDecodeError) else self._at)
                raise fault(self._path, self.line, _json_fault(error)) from error
            if end < len(self._text) or not self._fill():  # a number at the very end of what is held may go on
                self._advance(end)
                return value

    def items(self) -> Iterator[tuple[int, Any]]:
        """(line, item) of an array; the next character is its opening bracket."""
        self._advance(self._at + 1)
        if self.peek() == "]":
            self._advance(self._at + 1)
            return
        while True:
            self.peek()
            line = self.line
            yield line, self.value()
            mark = self.peek()
            if mark not in (",", "]"):
                raise fault(
                    self._path,
                    self.line,
                    f"not valid JSON: ',' or ']' is needed after a list's item, not {mark or 'the end of the file'!r}.",
                )
            self._advance(self._at + 1)
            if mark == "]":
                return

    def _advance(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _fill(self) -> bool:
        """Read on, as much again as is held, so that a long value is parsed anew only a few times; False at the end."""
        if self._ended:
            return False
        held = self._text[self._at :]
        if len(held) > MAX_PIECE_BYTES:
            raise fault(self._path, self.line, f"one value is longer than {MAX_PIECE_BYTES:,} bytes, or is never closed.")
        raw = self._stream.read(max(_CHUNK, len(held)))
        if self._read_lines == 1:
            _refuse_other_encodings(self._path, raw)
        self._ended = not raw
        try:
            text = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            line = self._read_lines + error.object.count(b"\n", 0, error.start)
            raise fault(self._path, line, f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the file to UTF-8.") from error
        if "\0" in text:
            line = self._read_lines + text.count("\n", 0, text.index("\0"))
            raise fault(self._path, line, "the line holds a NUL byte: this is a binary file, not text.")
        self._read_lines += text.count("\n")
        self._text, self._at = held + text, 0
        return True
