"""Embeddings from an endpoint of OpenAI's form (``POST …/embeddings``): OpenAI, vLLM, Ollama, TEI, LM Studio and others."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from hindsight.adapters.embedders.known_models import KnownModel
from hindsight.adapters.embedders.local import checked
from hindsight.adapters.embedders.text_lengths import cut, token_batches
from hindsight.adapters.embedders.windows import pooled
from hindsight.adapters.json_http import JsonEndpoint
from hindsight.adapters.plain_text import plain_texts
from hindsight.errors import ModelError
from hindsight.ports import Vector

OPENAI_URL = "https://api.openai.com/v1"

_REQUEST_TOKENS = 16_000
_REQUEST_TEXTS = 128


class OpenAIEmbedder:
    """A remote model's vectors.

    Args:
        endpoint: where to ask.
        model: the name that the endpoint knows.
        known: length of the vectors, prompts and reach of the model.
        ask_length: send ``dimensions``; an endpoint that refuses the field is asked without it.
    """

    def __init__(self, endpoint: JsonEndpoint, model: str, known: KnownModel, *, ask_length: bool) -> None:
        self.model_id = f"openai/{model}/{known.dimension}"
        self.dimension = known.dimension
        self._endpoint = endpoint
        self._model = model
        self._known = known
        self._ask_length = ask_length

    async def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vector:
        """``(len(texts), dimension)`` float32, L2-normalised; long texts go in overlapping windows.

        Raises:
            InvalidInput: something that is not a text.
            ConfigurationError: address, model or key are wrong.
            ModelUnavailable: the endpoint does not answer.
            ModelError: it answers with something else than was asked for.
        """
        parts = cut(plain_texts(texts), tokens=self._known.tokens)
        prompt = self._known.prompt(kind)
        vectors = np.zeros((len(parts.texts), self.dimension), np.float32)
        for batch, _ in token_batches(parts.texts, tokens=_REQUEST_TOKENS, most=_REQUEST_TEXTS):
            vectors[batch] = await self._request([prompt + text for text in parts.texts[batch]])
        return pooled(vectors, parts.owners, parts.weights, len(texts))

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def _request(self, texts: list[str]) -> Vector:
        # An empty string is refused by some endpoints; a space is embedded by all.
        plain: dict[str, Any] = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        forms = [{**plain, "dimensions": self.dimension}, plain] if self._ask_length else [plain]
        form, answer = await self._endpoint.post(*forms)
        if form == 1:
            self._ask_length = False
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: Any, texts: int) -> Vector:
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            found = np.array([_numbers(item["embedding"]) for item in items], np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._model}: the endpoint's answer is not an embeddings answer ({error!r}).") from error
        if found.ndim == 2 and found.shape[1] > self.dimension:
            raise ModelError(
                f"{self._model} returned {found.shape[1]} numbers where {self.dimension} were asked for, and its vectors may not be cut: "
                f"set HINDSIGHT_EMBEDDER_DIMENSIONS={found.shape[1]}."
            )
        return checked(found, texts, self.dimension, self._model)


def _numbers(embedding: Any) -> Any:
    """A vector as JSON numbers, or as base64 of float32, which some endpoints send whatever is asked for."""
    return np.frombuffer(base64.b64decode(embedding), "<f4") if isinstance(embedding, str) else embedding
