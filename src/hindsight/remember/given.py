"""Vectors that a file brings for its texts: read and checked, and a sample of them laid beside what the store's own model makes.

A vector counts only for a text that is kept as it came: one that was cleaned or redacted, and a long one, whose passages are embedded
apart, get the model's own.
"""

from __future__ import annotations

import base64
import binascii
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hindsight.errors import InvalidInput
from hindsight.ports import Vector
from hindsight.remember.embed import Embedded

FIELDS = ("vector", "vector_model")
SAMPLE = 16
"""Vectors that are laid beside the model's."""
MOST_APART = 0.3
"""Greatest distance of a vector to the model's own for the same text, in lengths of that one: a cosine of about 0.95. Builds of one model
for other processors, and quantised ones, differ by a tenth of it."""


@dataclass(frozen=True, slots=True)
class Given:
    """A vector, and the text that it is of: situation, speaker and statement as the file writes them."""

    text: str
    vector: Vector


def read_given(values: Mapping[str, Any], model: tuple[str, int] | None) -> Given | None:
    """The vector that an entry's fields bring; None where they bring none. ``model``: the store's own, and its dimension.

    Raises:
        InvalidInput: it is no vector of that model; the message says why.
    """
    if values.get("vector") is None:
        return None
    if model is None:
        raise InvalidInput(
            "vector: this store is keyword-only and keeps none; choose an embedder (HINDSIGHT_EMBEDDER), or leave vectors out."
        )
    name, dimension = model
    if values.get("vector_model") != name:
        raise InvalidInput(
            f"vector_model: the store's vectors are of {name!r}, not {values.get('vector_model')!r}; leave the vectors out, or import into a "
            "store with that model."
        )
    vector = _numbers(values["vector"])
    if vector.shape != (dimension,):
        raise InvalidInput(f"vector: {dimension} numbers are needed, not an array of shape {vector.shape}.")
    if not np.isfinite(vector).all() or not vector.any():
        raise InvalidInput("vector: it holds NaN or infinity, or nothing but zeros.")
    return Given(_text(values), vector)


def _numbers(value: Any) -> Vector:
    """A list of numbers, or base64 of little-endian float32."""
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        if isinstance(value, list) and all(type(each) in (int, float) for each in value):
            return np.array(value, dtype=np.float64).astype(np.float32)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise InvalidInput(f"vector: it cannot be read ({error}).") from error
    raise InvalidInput("vector: a list of numbers is needed, or base64 of little-endian float32.")


def _text(values: Mapping[str, Any]) -> str:
    """What ``Memory.text`` is of a record with these fields."""
    query, speaker, content = (values.get(name) or "" for name in ("query", "speaker", "content"))
    said = f"{speaker}: {content}" if speaker else content
    return f"{query}\n{said}" if query else str(said)


class Sample:
    """A few of the vectors of a file, wherever they stand in it."""

    def __init__(self) -> None:
        self._random = random.Random(0)
        self._seen = 0
        self.kept: list[tuple[Any, Given]] = []
        """(where it stands, the vector)."""

    def offer(self, where: Any, given: Given) -> None:
        """One more: after Vitter's algorithm R, each has the same chance to be kept."""
        self._seen += 1
        if len(self.kept) < SAMPLE:
            self.kept.append((where, given))
        elif (place := self._random.randrange(self._seen)) < SAMPLE:
            self.kept[place] = (where, given)

    def strange(self, made: Sequence[Embedded]) -> tuple[Any, str] | None:
        """Where a vector stands that the model would not have made, and why not; None where there is none. ``made``: its own, in order."""
        for (where, given), own in zip(self.kept, made, strict=True):
            if own.vector is None or own.passages is not None:
                continue
            length = float(np.linalg.norm(own.vector))
            apart = float(np.linalg.norm(given.vector - own.vector)) / max(length, 1e-9)
            if apart > MOST_APART:
                cosine = float(given.vector @ own.vector) / max(length * float(np.linalg.norm(given.vector)), 1e-9)
                return where, (
                    f"vector: the model makes another one of this text (cosine {cosine:.2f}, lengths {np.linalg.norm(given.vector):.2f} and "
                    f"{length:.2f}). Is it of another model, of another text (query, speaker and content together), or made with another prefix?"
                )
        return None
