"""The file of an image: a head (JSON: facts, and where each array is), then the arrays, each from the beginning of a page on."""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.attributes import DTYPE
from hindsight.adapters.relational.image import Image, by_place

_FORM = 1
"""The number of the file's form; another cannot be read."""
_MAGIC = b"hindsght"
_HEAD = struct.Struct("<8sI")
_PAGE = 4096
_COLUMNS = tuple(str(name) for name in DTYPE.names or ())
_KEPT = ("rows", "live")
"""What tells nothing of an erased record, and is needed to find its place."""


@dataclass(frozen=True, slots=True)
class _Array:
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize

    def of(self, buffer: mmap.mmap) -> NDArray[Any]:
        count = int(np.prod(self.shape, dtype=np.int64))
        return np.frombuffer(buffer, dtype=self.dtype, count=count, offset=self.offset).reshape(self.shape)


def write_image(handle: IO[bytes], image: Image, *, spare: int, schema: int) -> None:
    """Write an image with room for ``spare`` more places; the room takes none on the disk.

    Raises:
        OSError: the disk is full, say.
    """
    layout: dict[str, _Array] = {}
    offset = 0
    for name, array in image.arrays.items():
        shape = (len(array) + spare if by_place(name) else len(array), *array.shape[1:])
        layout[name] = _Array(array.dtype.str, shape, offset)
        offset += _whole_pages(layout[name].size)
    head = {
        "form": _FORM,
        "schema": schema,
        "number": image.number,
        "count": image.count,
        "facts": dict(image.facts),
        "arrays": {name: [each.dtype, each.shape, each.offset] for name, each in layout.items()},
    }
    text = json.dumps(head, ensure_ascii=False).encode()
    start = _whole_pages(_HEAD.size + len(text))
    handle.write(_HEAD.pack(_MAGIC, len(text)) + text)
    for name, array in image.arrays.items():
        if array.size:
            handle.seek(start + layout[name].offset)
            handle.write(np.ascontiguousarray(array).data.cast("B"))
    handle.truncate(start + offset)
    handle.flush()


def mapped(file: Path, schema: int) -> Image:
    """The image in a file, which is read as it is used. The arrays may be written to: the file stays as it is.

    Raises:
        OSError: it is not there, or cannot be read.
        ValueError: it is not an image of this version.
    """
    with file.open("rb") as handle:
        head, layout = _read_head(handle)
        if head["schema"] != schema or any(layout[name].dtype != DTYPE[name].str for name in _COLUMNS):
            raise ValueError(f"{file} was made by another version")
        buffer = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_COPY)
    if any(each.offset + each.size > len(buffer) for each in layout.values()):
        raise ValueError(f"{file} is cut off")
    if hasattr(buffer, "madvise"):
        buffer.madvise(mmap.MADV_WILLNEED)
    return Image(head["number"], head["count"], head["facts"], {name: each.of(buffer) for name, each in layout.items()})


def wipe(file: Path, erased: Iterable[int]) -> None:
    """Overwrite what the file holds of rows: their attributes, vectors and passages. On disk when it returns.

    Raises:
        OSError, ValueError: it cannot be done; the file should go.
    """
    with file.open("r+b") as handle:
        head, layout = _read_head(handle)
        known = _read(handle, layout["rows"])[: head["count"]]
        gone = np.fromiter(erased, dtype=np.int64)
        near = np.minimum(np.searchsorted(known, gone), max(len(known) - 1, 0))  # rows are in ascending order
        places = near[known[near] == gone]
        for name, array in layout.items():
            if by_place(name) and name not in _KEPT:
                _fill(handle, array, places, _nothing(np.dtype(array.dtype), name))
        passages = np.flatnonzero(np.isin(_read(handle, layout["passages.owners"]), places))
        for name in ("passages.data", "passages.scales", "passages.inverse"):
            _fill(handle, layout[name], passages, b"\0")
        handle.flush()
        os.fsync(handle.fileno())


def _nothing(dtype: np.dtype[Any], name: str) -> bytes:
    """What no filter lets pass: -1 and NaN; for vectors and flags 0."""
    if name not in _COLUMNS or dtype.kind == "b":
        return b"\0"
    return np.array([np.nan if dtype.kind == "f" else -1], dtype=dtype).tobytes()


def _fill(handle: IO[bytes], array: _Array, places: NDArray[np.int64], value: bytes) -> None:
    width = array.size // max(array.shape[0], 1)
    filling = value * (width // len(value))
    for place in places.tolist():
        handle.seek(array.offset + place * width)
        handle.write(filling)


def _read(handle: IO[bytes], array: _Array) -> NDArray[Any]:
    handle.seek(array.offset)
    return np.frombuffer(handle.read(array.size), dtype=array.dtype)


def _read_head(handle: IO[bytes]) -> tuple[dict[str, Any], Mapping[str, _Array]]:
    first = handle.read(_HEAD.size)
    if len(first) < _HEAD.size or first[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"{handle.name} is no image")
    length = _HEAD.unpack(first)[1]
    head: dict[str, Any] = json.loads(handle.read(length))
    if head["form"] != _FORM:
        raise ValueError(f"{handle.name} has the form {head['form']}, which this version cannot read")
    start = _whole_pages(_HEAD.size + length)
    return head, {name: _Array(dtype, tuple(shape), start + offset) for name, (dtype, shape, offset) in head["arrays"].items()}


def _whole_pages(size: int) -> int:
    return -(-size // _PAGE) * _PAGE
