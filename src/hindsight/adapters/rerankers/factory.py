"""The one place that turns settings into a reranker. Nothing is imported or loaded before the first ``rerank``."""

from __future__ import annotations

from collections.abc import Callable

from hindsight.adapters.json_http import JsonEndpoint
from hindsight.adapters.rerankers.cross_encoders import fastembed, sentence_transformers
from hindsight.adapters.rerankers.http_rerank import HttpReranker
from hindsight.errors import ConfigurationError
from hindsight.ports import Reranker

CHOICES = ("none", "fastembed", "sentence-transformers", "http")


def make_reranker(name: str, *, model: str = "", url: str = "", key: str = "", threads: int = 1) -> Reranker | None:
    """The reranker of that name, or None for ``none``.

    Args:
        name: one of ``CHOICES``.
        model: name of the cross-encoder; may be empty for ``http`` where the server has one model.
        url: address for ``http``.
        key: API key for ``http``.
        threads: processor threads of local inference.

    Raises:
        ConfigurationError: an unknown name, or settings that do not fit it.
    """
    if name == "none":
        return None
    makers: dict[str, Callable[[], Reranker]] = {
        "fastembed": lambda: fastembed(_named(name, model), threads=threads),
        "sentence-transformers": lambda: sentence_transformers(_named(name, model), threads=threads),
        "http": lambda: HttpReranker(_endpoint(url, key), model),
    }
    if name not in makers:
        raise ConfigurationError(f"HINDSIGHT_RERANKER is {name!r}, which is no reranker; choose one of {', '.join(CHOICES)}.")
    return makers[name]()


def _named(name: str, model: str) -> str:
    if not model.strip():
        raise ConfigurationError(f"HINDSIGHT_RERANKER={name} needs HINDSIGHT_RERANKER_MODEL: the name of the cross-encoder.")
    return model.strip()


def _endpoint(url: str, key: str) -> JsonEndpoint:
    if not url.strip():
        raise ConfigurationError("HINDSIGHT_RERANKER=http needs HINDSIGHT_RERANKER_URL: the address of a /rerank endpoint.")
    # A reranking that is late is worth nothing: recall goes on without it, so there is one short second try.
    return JsonEndpoint(url, "/rerank", key=key, settings="HINDSIGHT_RERANKER", timeout=5.0, attempts=2, first_wait=0.1)
