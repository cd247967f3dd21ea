"""From settings to a chat model."""

from __future__ import annotations

from hindsight.adapters.chat.openai_api import PATH, OpenAIChat
from hindsight.adapters.json_http import JsonEndpoint
from hindsight.errors import ConfigurationError
from hindsight.ports import ChatModel


def make_chat(*, model: str, url: str, key: str = "", timeout: float = 60.0) -> ChatModel | None:
    """The model at ``url``; None where no model is named. Nothing is asked yet.

    Raises:
        ConfigurationError: a model without an address, or an address that is none.
    """
    if not model:
        return None
    if not url:
        raise ConfigurationError(f"HINDSIGHT_CHAT_URL: the chat model {model!r} needs the base URL of an OpenAI-compatible endpoint.")
    return OpenAIChat(JsonEndpoint(url, PATH, key=key, settings="HINDSIGHT_CHAT", timeout=timeout), model)
