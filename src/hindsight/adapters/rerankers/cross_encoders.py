"""Cross-encoders that run in this process under fastembed or sentence-transformers, loaded by the first ``rerank``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.inference_thread import InferenceThread
from hindsight.adapters.optional import loaded_model, optional_module
from hindsight.adapters.plain_text import plain_text, plain_texts
from hindsight.errors import ModelError


class Score(Protocol):
    """A loaded cross-encoder: one score a text."""

    def __call__(self, query: str, texts: list[str]) -> Any: ...


class LocalReranker:
    """A reranker around a loaded model's function.

    Args:
        model_id: names the model.
        load: imports the package and loads the model.
    """

    def __init__(self, model_id: str, load: Callable[[], Score]) -> None:
        self.model_id = model_id
        self._thread = InferenceThread(load, name=model_id)

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One score a text, higher is better.

        Raises:
            MissingExtra: the package is not installed.
            ModelUnavailable: the model cannot be loaded.
            ModelError: it returned something else than one finite number a text.
        """
        if not texts:
            return np.zeros(0, np.float32)
        given, asked = plain_texts(texts), plain_text(query)
        scores = np.asarray(await self._thread.run(lambda score: score(asked, given)), np.float32)
        if scores.shape != (len(given),) or not np.isfinite(scores).all():
            raise ModelError(f"{self.model_id} returned scores of shape {scores.shape} for {len(given)} texts, or not finite ones.")
        return scores

    async def close(self) -> None:
        """Free the model; a later ``rerank`` is refused."""
        await self._thread.close()


def fastembed(name: str, *, threads: int) -> LocalReranker:
    """A cross-encoder that fastembed knows by name (``BAAI/bge-reranker-v2-m3-int8`` and so on); downloaded at first use."""

    def load() -> Score:
        purpose, install = "The reranker fastembed", "hindsight-memory[fastembed]"
        optional_module("fastembed", purpose=purpose, install=install)
        package = optional_module("fastembed.rerank.cross_encoder", purpose=purpose, install=install)
        model = loaded_model(lambda: package.TextCrossEncoder(name, threads=threads), name)
        return lambda query, texts: list(model.rerank(query, texts))

    return LocalReranker(f"fastembed/{name}", load)


def sentence_transformers(name: str, *, threads: int) -> LocalReranker:
    """A cross-encoder for sentence-transformers, by name (downloaded at first use) or folder."""

    def load() -> Score:
        package = optional_module(
            "sentence_transformers", purpose="The reranker sentence-transformers", install="hindsight-memory[sentence-transformers]"
        )
        optional_module("torch", purpose="sentence-transformers", install="torch").set_num_threads(threads)
        model = loaded_model(lambda: package.CrossEncoder(name), name)
        return lambda query, texts: model.predict([(query, text) for text in texts], show_progress_bar=False)

    return LocalReranker(f"sentence-transformers/{name}", load)
