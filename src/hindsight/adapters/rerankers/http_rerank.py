"""Reranking by an endpoint of the common ``/rerank`` form: Jina, Cohere, vLLM, LocalAI, llama.cpp, TEI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.json_http import JsonEndpoint
from hindsight.adapters.plain_text import plain_text, plain_texts
from hindsight.errors import ModelError


class HttpReranker:
    """A remote cross-encoder.

    The request is ``{model, query, documents, top_n}`` and the answer ``{results: [{index, relevance_score}]}``; an endpoint
    that refuses it is asked as Text Embeddings Inference wants it, ``{query, texts}``, answered by ``[{index, score}]``.

    Args:
        endpoint: where to ask.
        model: the name that the endpoint knows; may be empty where it serves one model.
    """

    def __init__(self, endpoint: JsonEndpoint, model: str) -> None:
        self.model_id = f"http/{model or 'default'}"
        self._endpoint = endpoint
        self._model = model
        self._form = 0

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """One score a text, higher is better.

        Raises:
            ConfigurationError: address, model or key are wrong.
            ModelUnavailable: the endpoint does not answer.
            ModelError: it does not answer with one score a text.
        """
        if not texts:
            return np.zeros(0, np.float32)
        documents, asked = plain_texts(texts), plain_text(query)
        common = {"model": self._model} if self._model else {}
        forms: list[dict[str, Any]] = [
            {**common, "query": asked, "documents": documents, "top_n": len(documents), "return_documents": False},
            {"query": asked, "texts": documents, "raw_scores": False},
        ]
        used, answer = await self._endpoint.post(*forms[self._form :])
        self._form += used
        return _scores(answer, len(documents))

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()


def _scores(answer: Any, texts: int) -> NDArray[np.float32]:
    scores = np.full(texts, np.nan, np.float32)
    try:
        results = answer["results"] if isinstance(answer, dict) else answer
        for result in results:
            index = int(result["index"])
            if not 0 <= index < texts:
                raise ValueError(f"index {index} of {texts} documents")
            scores[index] = float(result["relevance_score"] if "relevance_score" in result else result["score"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"The rerank endpoint's answer is not of a known form ({error!r}).") from error
    if not np.isfinite(scores).all():
        raise ModelError(f"The rerank endpoint scored {int(np.isfinite(scores).sum())} of {texts} documents.")
    return scores
