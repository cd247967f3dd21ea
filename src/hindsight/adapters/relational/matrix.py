"""The vectors of one namespace as an int8 matrix, with what centring needs beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.relational.image import Image
from hindsight.adapters.relational.passages import PassageMatrix, Passages
from hindsight.ports import Centring, Vector
from hindsight.vectors import (
    GATHER_BELOW,
    Bits,
    blended_mean,
    coarse_nearest,
    dequantise,
    exact_products,
    inverse_norms,
    nearest_mean,
    rough_products,
    sign_bytes,
    weighted_sum,
)

Places = NDArray[np.int64]
Found = tuple[Places, NDArray[np.float32]]

_RESCORED = 64
"""The rough product is off by about 1 % of the norms: so many, or twice those wanted, are compared exactly."""
_DRIFT = 0.05
COARSE_FROM = 40_000
"""From so many records inside the mask on, signs choose whom the int8 vectors are compared with: fewer fit into a processor's cache."""
_COARSELY = 4_000
_COARSE_SHARE = 1 / 40
"""So many, so large a share, or thirty-two times those wanted are left: of the nearest 50 they hold 99.7 % or more (docs/benchmarks.md)."""


class VectorMatrix:
    """Raw int8 vectors by place; a place without a vector has the scale 0. Each language of the namespace has its mean.

    Arrays called ``languages`` hold the codes by place.
    """

    def __init__(self, dimension: int, centring: Centring | None) -> None:
        self.dimension = dimension
        self.loaded = False
        self._centring = centring
        self.passages = PassageMatrix(dimension)
        self.forget()

    def forget(self) -> None:
        """Drop everything; the owner loads anew."""
        self.passages.forget()
        self.loaded = False
        self._count = 0
        self._data = np.empty((0, self.dimension), dtype=np.int8)
        self._scales = np.empty(0, dtype=np.float32)
        self._inverse = np.empty(0, dtype=np.float32)
        self._signs: Bits | None = None
        self._means: dict[int, Vector] = {}
        self._mean_counts: dict[int, int] = {}
        self._names: Mapping[int, str] = {}
        self._fresh: list[Places] = []

    def start(self, count: int) -> None:
        """Make room for ``count`` places."""
        capacity = count + max(64, count // 16)
        self._data = np.zeros((capacity, self.dimension), dtype=np.int8)
        self._scales = np.zeros(capacity, dtype=np.float32)
        self._inverse = np.zeros(capacity, dtype=np.float32)
        self._signs = None
        self._count = count
        self.loaded = True

    def image(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is to be laid down of settled vectors: facts, and arrays by name."""
        held, codes = slice(0, self._count), sorted(self._means)
        facts = {
            "dimension": self.dimension,
            "centring": _fingerprint(self._centring),
            "languages": [[code, self._names.get(code, ""), self._mean_counts.get(code, 0)] for code in codes],
        }
        arrays: dict[str, NDArray[Any]] = {"data": self._data[held], "scales": self._scales[held], "inverse": self._inverse[held]}
        if self._signs is not None:
            arrays["signs"] = self._signs[held]
        means = np.array([self._means[code] for code in codes], dtype=np.float32).reshape(len(codes), self.dimension)
        return facts, {**arrays, "means": means, **self.passages.image()}

    def take_up(self, image: Image) -> bool:
        """Begin with what :meth:`image` gave; False, and nothing changed, where it does not fit the embedder."""
        facts, arrays = image.facts, image.arrays
        if (facts["dimension"], facts["centring"]) != (self.dimension, _fingerprint(self._centring)):
            return False
        self._count, self._fresh = image.count, []
        self._data, self._scales, self._inverse = arrays["data"], arrays["scales"], arrays["inverse"]
        self._signs = arrays.get("signs")
        self._means = {code: mean for (code, _, _), mean in zip(facts["languages"], arrays["means"], strict=True)}
        self._mean_counts = {code: count for code, _, count in facts["languages"]}
        self._names = {code: name for code, name, _ in facts["languages"]}
        self.passages.take_up(arrays, self._means)
        self.loaded = True
        return True

    def grow(self, count: int) -> None:
        """Make room for places up to ``count``."""
        if count > len(self._scales):
            capacity = count + max(64, count // 8)
            data = np.zeros((capacity, self.dimension), dtype=np.int8)
            data[: self._count] = self._data[: self._count]
            scales, inverse = np.zeros(capacity, dtype=np.float32), np.zeros(capacity, dtype=np.float32)
            scales[: self._count] = self._scales[: self._count]
            inverse[: self._count] = self._inverse[: self._count]
            self._data, self._scales, self._inverse = data, scales, inverse
            if self._signs is not None:
                signs = np.zeros((capacity, self._signs.shape[1]), dtype=np.uint8)
                signs[: self._count] = self._signs[: self._count]
                self._signs = signs
        self._count = count

    def put(self, places: Places, scales: NDArray[np.float32], data: bytes) -> None:
        """Set vectors; places of -1 are left out."""
        vectors = np.frombuffer(data, dtype=np.int8).reshape(-1, self.dimension)
        known = places >= 0
        if not known.all():
            places, scales, vectors = places[known], scales[known], vectors[known]
        self._data[places] = vectors
        self._scales[places] = scales
        self._fresh.append(places)

    def wipe(self, places: Places) -> None:
        """Remove vectors from memory too: erased means erased."""
        self.passages.wipe(places)
        self._data[places] = 0
        self._scales[places] = 0.0
        self._inverse[places] = 0.0
        if self._signs is not None:
            self._signs[places] = 0

    @property
    def unsettled(self) -> bool:
        """Whether vectors came in since the last :meth:`settle`."""
        return bool(self._fresh) or self.passages.unsettled

    def settle(self, languages: NDArray[np.int8], names: Mapping[int, str]) -> None:
        """Bring means and norms up to date after vectors changed; means move once a language grew or shrank by 5 %."""
        self._names = names
        if self._signs is None and self._count >= COARSE_FROM:
            self._signs = np.zeros((len(self._scales), sign_bytes(self.dimension)), dtype=np.uint8)
            self._mean_counts.clear()  # so that all are made
        counts = np.bincount(languages[self._scales[: self._count] > 0].astype(np.int64), minlength=1)
        self._inverse = self._inverse.copy()  # views taken before keep norms that belong to their means
        codes = np.flatnonzero(counts).tolist()
        moved = {code for code in codes if self._has_moved(code, int(counts[code]))}
        fresh = np.unique(np.concatenate(self._fresh)) if self._fresh and len(moved) < len(codes) else np.empty(0, dtype=np.int64)
        self._fresh = []
        for code in codes:
            if code in moved:
                places = np.flatnonzero(languages == code)
                self._means = self._means | {code: self._mean_of(places, names.get(code, ""), int(counts[code]))}
                self._mean_counts[code] = int(counts[code])
            else:
                places = fresh[languages[fresh] == code]
            self._inverse[places] = inverse_norms(self._data, self._scales, self._means[code], places, self._signs)
        self.passages.settle(languages, self._means)

    def _has_moved(self, code: int, count: int) -> bool:
        used = self._mean_counts.get(code)
        return used is None or abs(count - used) > _DRIFT * used

    def view(self, languages: NDArray[np.int8]) -> Vectors:
        """The vectors as they are now; ``languages`` are the codes by place."""
        count = len(languages)
        by_language = dict(self._centring.seeds) if self._centring is not None else {}
        by_language |= {self._names.get(code, ""): mean for code, mean in self._means.items()}
        return Vectors(
            self._data[:count],
            self._scales[:count],
            self._inverse[:count],
            languages,
            self._means,
            by_language,
            self.passages.view(),
            None if self._signs is None else self._signs[:count],
        )

    def _mean_of(self, places: Places, language: str, count: int) -> Vector:
        if self._centring is None:
            return np.zeros(self.dimension, dtype=np.float32)
        return blended_mean(self._seed(language), self._centring.weight, weighted_sum(self._data, self._scales, places), count)

    def _seed(self, language: str) -> Vector | None:
        seeds = self._centring.seeds if self._centring is not None else {}
        return seeds.get(language, seeds.get(""))


def _fingerprint(centring: Centring | None) -> str:
    """What tells apart the seeds that means were blended with."""
    digest = hashlib.sha256()
    for name, seed in sorted(centring.seeds.items()) if centring is not None else ():
        digest.update(name.encode())
        digest.update(np.asarray(seed, dtype=np.float32).tobytes())
    return f"{centring.weight if centring is not None else 0}:{digest.hexdigest()}"


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a namespace at one moment, by place."""

    data: NDArray[np.int8]
    scales: NDArray[np.float32]
    inverse: NDArray[np.float32]
    languages: NDArray[np.int8]
    means: Mapping[int, Vector]
    """Of the documents, by language code."""
    query_means: Mapping[str, Vector]
    """By language name: that of the documents, or the seed of a language in which there are none."""
    passages: Passages
    signs: Bits | None = None
    """Of the centred vectors (:func:`hindsight.vectors.sign_bits`), where there are many."""

    def search(self, query: Vector, language: str | None, mask: NDArray[np.bool_], limit: int, *, centre: bool = True) -> Found:
        """The nearest places inside the mask and their cosines, best first."""
        mask = mask & (self.scales > 0)
        count = int(np.count_nonzero(mask))
        query = self.centred_query(query, language) if centre else query
        rescored = max(_RESCORED, 2 * limit)
        coarse = self.signs is not None and count >= COARSE_FROM
        if coarse or count < GATHER_BELOW * len(mask):
            chosen = self._coarsely(query, mask, max(_COARSELY, int(_COARSE_SHARE * count), 32 * limit)) if coarse else np.flatnonzero(mask)
            products = rough_products(self.data.take(chosen, axis=0), self.scales[chosen], query)
            best = chosen[_largest(self._finish(products, chosen, query), rescored)]
        else:
            scores = self._finish(rough_products(self.data, self.scales, query), slice(None), query)
            scores[~mask] = -np.inf
            best = _largest(scores, min(rescored, count))
        long = self.passages.nearest(query, self._offsets(query), self.languages, mask, rescored)
        best = np.union1d(best, long) if len(long) else best
        exact = self._exact(query, best)
        order = np.lexsort((-best, -exact))[:limit]
        return best[order], exact[order]

    def _coarsely(self, query: Vector, mask: NDArray[np.bool_], count: int) -> Places:
        assert self.signs is not None
        return np.sort(coarse_nearest(self.signs, query, mask, count))

    def scores(self, query: Vector, language: str | None, places: Places, *, centre: bool = True) -> NDArray[np.float32]:
        """Cosines of given places, NaN where there is no vector."""
        query = self.centred_query(query, language) if centre else query
        return np.where(self.scales[places] > 0, self._exact(query, places), np.float32(np.nan))

    def centred(self, places: Places) -> Vector:
        """Centred vectors of length 1; zeros where there is no vector."""
        vectors = dequantise(self.data.take(places, axis=0), self.scales[places])
        for code in np.unique(self.languages[places]).tolist():
            if code in self.means:
                vectors[self.languages[places] == code] -= self.means[code]
        vectors *= self.inverse[places][:, None]
        return vectors

    def centred_query(self, query: Vector, language: str | None) -> Vector:
        """``(q - n) / |q - n|``; without a known language ``n`` is the mean that points most the query's way."""
        query = np.asarray(query, dtype=np.float32)
        mean = self.query_means.get(language) if language is not None else None
        centred = query - (nearest_mean(query, self.query_means.values()) if mean is None else mean)
        norm = float(np.linalg.norm(centred))
        return centred / np.float32(norm) if norm > 0 else centred

    def _exact(self, query: Vector, places: Places) -> NDArray[np.float32]:
        """Cosines of places; of long records, of their nearest passage where that is nearer."""
        scores = self._finish(exact_products(self.data.take(places, axis=0), self.scales[places], query), places, query)
        self.passages.lift(scores, places, query, self._offsets(query), self.languages)
        return scores

    def _offsets(self, query: Vector) -> NDArray[np.float32]:
        """mean·query by language code."""
        offsets = np.zeros(128, dtype=np.float32)
        for code, mean in self.means.items():
            offsets[code] = mean @ query
        return offsets

    def _finish(self, products: NDArray[np.float32], places: Places | slice, query: Vector) -> NDArray[np.float32]:
        """Products of vectors with the query to cosines, in place."""
        if len(self.means) == 1:
            products -= np.float32(next(iter(self.means.values())) @ query)
        elif self.means:
            products -= self._offsets(query).take(self.languages[places])
        products *= self.inverse[places]
        return products


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Where the ``count`` largest are, in no order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[len(scores) - count :]
