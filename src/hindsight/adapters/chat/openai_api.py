"""A chat model behind an endpoint of OpenAI's form (``POST …/chat/completions``): OpenAI, vLLM, Ollama, llama.cpp, LM Studio and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hindsight.adapters.json_http import JsonEndpoint
from hindsight.adapters.plain_text import plain_text
from hindsight.errors import HindsightError, ModelError
from hindsight.ports import ChatMessage, ChatReply
from hindsight.telemetry import counts

PATH = "/chat/completions"


class OpenAIChat:
    """A remote chat model. Retries, timeouts and what to do about a fault are the endpoint's.

    An endpoint that does not know schemas is asked for a JSON object, then for plain text; the form that it took is kept.

    Args:
        endpoint: where to ask; its path is ``/chat/completions``.
        model: the name that the endpoint knows.
        temperature: 0 for the likeliest answer.
    """

    def __init__(self, endpoint: JsonEndpoint, model: str, *, temperature: float = 0.0) -> None:
        self.model_id = f"openai/{model}"
        self._endpoint = endpoint
        self._model = model
        self._temperature = temperature
        self._first_form = 0

    async def complete(self, messages: Sequence[ChatMessage], *, max_tokens: int, schema: Mapping[str, Any] | None = None) -> ChatReply:
        """The answer to ``messages``.

        Raises:
            ConfigurationError: address, model or key are wrong.
            ModelUnavailable: the endpoint does not answer.
            ModelError: it answers with something else than a chat completion.
        """
        plain: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": plain_text(message.content)} for message in messages],
            "max_tokens": max_tokens,
            "temperature": self._temperature,
        }
        forms = [plain] if schema is None else _forms(plain, schema)[self._first_form :]
        try:
            number, answer = await self._endpoint.post(*forms)
            reply = _reply(answer, self._model)
        except HindsightError:
            counts().model_failed(self.model_id)
            raise
        if schema is not None:
            self._first_form += number
        counts().asked_model(self.model_id, reply.input_tokens, reply.output_tokens)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()


def _forms(plain: dict[str, Any], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    strict = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}
    return [{**plain, "response_format": strict}, {**plain, "response_format": {"type": "json_object"}}, plain]


def _reply(answer: Any, model: str) -> ChatReply:
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise ModelError(f"{model}: the endpoint's answer is not a chat completion ({error!r}).") from error
    if not isinstance(text, str):
        raise ModelError(f"{model}: the endpoint answered without a text ({choice.get('finish_reason')!r}).")
    usage = answer.get("usage") or {}
    return ChatReply(
        text=text,
        complete=choice.get("finish_reason") != "length",
        input_tokens=int(usage.get("prompt_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
    )
