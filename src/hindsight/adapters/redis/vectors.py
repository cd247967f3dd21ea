"""Vectors of queries that all processes share: what one has paid an endpoint for, the others need not ask again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from hindsight.companions import Blobs
from hindsight.ports import Embedder, Vector

KEPT_SECONDS = 24 * 3600.0


class SharedQueryVectors:
    """An ``Embedder`` that looks the vectors of queries up before it asks the one within. Texts are not kept, only their digests."""

    def __init__(self, embedder: Embedder, blobs: Blobs) -> None:
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._blobs = blobs

    async def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vector:
        """As the embedder within."""
        if kind != "query" or isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            return await self._embedder.embed(texts, kind=kind)
        keys = [self._key(text) for text in texts]
        known = await asyncio.gather(*map(self._blobs.get, keys))
        vectors = np.empty((len(texts), self.dimension), np.float32)
        missing = []
        for place, found in enumerate(known):
            if found is not None and len(found) == vectors.itemsize * self.dimension:
                vectors[place] = np.frombuffer(found, np.float32)
            else:
                missing.append(place)
        if missing:
            vectors[missing] = await self._embedder.embed([texts[place] for place in missing], kind=kind)
            await asyncio.gather(*(self._blobs.put(keys[place], vectors[place].tobytes(), seconds=KEPT_SECONDS) for place in missing))
        return vectors

    async def close(self) -> None:
        """Close the embedder within."""
        await self._embedder.close()

    def _key(self, text: str) -> bytes:
        name = f"{self.model_id}\x1f{self.dimension}\x1f{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(name).hexdigest().encode()
