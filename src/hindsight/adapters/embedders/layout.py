"""Where each tensor of the converted multilingual-e5-small stands in its weights file.

The graph (``e5_small.onnx``, written by ``scripts/model_graph.py``) and the conversion both read this table, so that the
graph can be kept in the package and the weights be written beside it at first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

HIDDEN = 384
FEED_FORWARD = 1536
LAYERS = 12
HEADS = 12
PIECES = 250_002
POSITIONS = 512
BLOCK = 32

WEIGHTS_FILE = "weights.bin"
_PAGE = 4096
"""Large tensors start on a page, so that they can be mapped."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in the weights file; ``size`` in bytes, two ``int4`` a byte, the first in the low nibble."""

    name: str
    dtype: Literal["int4", "int8", "float32"]
    shape: tuple[int, ...]
    offset: int
    size: int


@cache
def layout() -> tuple[Stored, ...]:
    """Every tensor, in file order."""
    placed: list[Stored] = []
    end = 0
    for name, dtype, shape in _tensors():
        count = 1
        for length in shape:
            count *= length
        size = {"int4": count // 2, "int8": count, "float32": 4 * count}[dtype]
        start = -(-end // _PAGE) * _PAGE if size > _PAGE else -(-end // 64) * 64
        placed.append(Stored(name, dtype, shape, start, size))
        end = start + size
    return tuple(placed)


def _tensors() -> Iterator[tuple[str, Literal["int4", "int8", "float32"], tuple[int, ...]]]:
    yield "embedding.codes", "int4", (PIECES, HIDDEN)
    yield "embedding.scales", "float32", (PIECES, HIDDEN // BLOCK)
    yield "embedding.positions", "float32", (POSITIONS, HIDDEN)
    yield "embedding.norm.weight", "float32", (HIDDEN,)
    yield "embedding.norm.bias", "float32", (HIDDEN,)
    for layer in range(LAYERS):
        for product, inputs, outputs in (
            ("attention", HIDDEN, 3 * HIDDEN),
            ("mix", HIDDEN, HIDDEN),
            ("up", HIDDEN, FEED_FORWARD),
            ("down", FEED_FORWARD, HIDDEN),
        ):
            yield f"{layer}.{product}.codes", "int8", (inputs, outputs)
            yield f"{layer}.{product}.scales", "float32", (outputs,)
            yield f"{layer}.{product}.bias", "float32", (outputs,)
        for norm in ("mix", "down"):
            yield f"{layer}.{norm}.norm.weight", "float32", (HIDDEN,)
            yield f"{layer}.{norm}.norm.bias", "float32", (HIDDEN,)
