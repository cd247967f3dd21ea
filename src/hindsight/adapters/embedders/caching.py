"""Remember the vectors of exact texts, so that a repeated query or a text stored again costs no inference."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

import numpy as np

from hindsight.ports import Embedder, Vector
from hindsight.telemetry import counts

Kind = Literal["query", "passage"]


class CachingEmbedder:
    """An embedder with a bounded memory of its last vectors, least recently used first to go.

    Texts themselves are not kept, only their digests; ``forget`` drops the vectors too, as erasing demands.

    Args:
        embedder: what computes vectors.
        queries: vectors of queries that are kept at most.
        passages: vectors of passages that are kept at most.
    """

    def __init__(self, embedder: Embedder, *, queries: int = 2048, passages: int = 4096) -> None:
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension
        self.hits = 0
        self.misses = 0
        self._embedder = embedder
        self._room = {"query": queries, "passage": passages}
        self._kept: dict[str, OrderedDict[bytes, Vector]] = {"query": OrderedDict(), "passage": OrderedDict()}

    async def embed(self, texts: Sequence[str], *, kind: Kind) -> Vector:
        """As the embedder within; equal texts of one call are embedded once."""
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            return await self._embedder.embed(texts, kind=kind)
        kept = self._kept[kind]
        keys = [_digest(text) for text in texts]
        vectors = np.empty((len(keys), self.dimension), np.float32)
        missing: dict[bytes, list[int]] = {}
        for index, key in enumerate(keys):
            known = kept.get(key)
            if known is None:
                missing.setdefault(key, []).append(index)
            else:
                kept.move_to_end(key)
                vectors[index] = known
        self.hits += len(keys) - len(missing)
        self.misses += len(missing)
        counts().looked_up("vectors", len(keys) - len(missing), len(missing))
        if missing:
            found = await self._embedder.embed([texts[places[0]] for places in missing.values()], kind=kind)
            for (key, places), vector in zip(missing.items(), found, strict=True):
                vectors[places] = vector
                # A copy: a view would keep the whole batch alive.
                kept[key] = vector.copy()
            while len(kept) > self._room[kind]:
                kept.popitem(last=False)
        return vectors

    def forget(self, texts: Sequence[str] | None = None) -> None:
        """Drop the vectors of these texts, or all."""
        for kept in self._kept.values():
            if texts is None:
                kept.clear()
            else:
                for text in texts:
                    kept.pop(_digest(text), None)

    async def close(self) -> None:
        """Forget all and close the embedder within."""
        self.forget()
        await self._embedder.close()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
