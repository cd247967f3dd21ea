"""Embedding stage: each text gets its vector, a long one also those of its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hindsight.errors import ModelUnavailable
from hindsight.ports import Embedder, Vector
from hindsight.text.passages import split_passages


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vector of a text, and ``(n, dimension)`` of its passages where it is long; None where the store is keyword-only."""

    vector: Vector | None = None
    passages: Vector | None = None


async def embed_texts(embedder: Embedder | None, texts: Sequence[str], given: Sequence[Vector | None] = ()) -> list[Embedded]:
    """One result a text. ``given``: vectors that are known already, by place; a long text is embedded all the same.

    The vector of a long text is the mean of its passages', each weighted by its length, so that nothing is embedded twice.

    Raises:
        ModelUnavailable: the embedder does not answer, or gives vectors of another shape; nothing was stored.
    """
    if embedder is None:
        return [Embedded()] * len(texts)
    split = [split_passages(text) for text in texts]
    known = [vector if not passages else None for vector, passages in zip(given, split, strict=True)] if given else [None] * len(texts)
    pieces = [piece for text, passages, vector in zip(texts, split, known, strict=True) for piece in (passages or [text]) if vector is None]
    vectors = await embedder.embed(pieces, kind="passage") if pieces else np.empty((0, embedder.dimension), dtype=np.float32)
    if vectors.shape != (len(pieces), embedder.dimension):
        raise ModelUnavailable(
            f"{embedder.model_id} gave vectors of shape {vectors.shape} for {len(pieces)} texts of dimension {embedder.dimension}; "
            "nothing was stored. Check the endpoint's model and the setting embedder_dimensions."
        )
    found: list[Embedded] = []
    start = 0
    for passages, vector in zip(split, known, strict=True):
        if vector is not None:
            found.append(Embedded(vector))
            continue
        end = start + max(1, len(passages))
        part = vectors[start:end]
        found.append(Embedded(_mean(part, passages), part) if passages else Embedded(part[0]))
        start = end
    return found


def _mean(vectors: Vector, passages: Sequence[str]) -> Vector:
    mean = np.asarray([len(passage) for passage in passages], dtype=np.float32) @ vectors
    norm = float(np.linalg.norm(mean))
    return (mean / norm if norm > 0 else mean).astype(np.float32)
