"""What is known of public embedding models by name: length of vectors, prompts, whether vectors may be cut.

A store must know the length of its vectors before any model is loaded, hence this table; a model that is not in it needs
``HINDSIGHT_EMBEDDER_DIMENSIONS``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from hindsight.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class KnownModel:
    """``cuttable``: trained so that the first numbers of a vector are a shorter vector (Matryoshka). ``tokens``: reads at once."""

    dimension: int
    query: str = ""
    passage: str = ""
    cuttable: bool = False
    tokens: int = 480

    def prompt(self, kind: Literal["query", "passage"]) -> str:
        """What goes before a text."""
        return self.query if kind == "query" else self.passage


_BGE_ZH = "为这个句子生成表示以用于检索相关文章："
_BGE_EN = "Represent this sentence for searching relevant passages: "
_QWEN = "Instruct: Given a question, retrieve the memories that answer it\nQuery:"
_E5 = ("query: ", "passage: ")
_NOMIC = ("search_query: ", "search_document: ")

# The first pattern found in the lower-case name holds, so longer names stand before shorter ones.
_MODELS: tuple[tuple[str, KnownModel], ...] = (
    (r"text-embedding-3-large", KnownModel(3072, cuttable=True, tokens=2000)),
    (r"text-embedding-3-small", KnownModel(1536, cuttable=True, tokens=2000)),
    (r"text-embedding-ada-002", KnownModel(1536, tokens=2000)),
    (r"qwen3-embedding-8b", KnownModel(4096, query=_QWEN, cuttable=True, tokens=2000)),
    (r"qwen3-embedding-4b", KnownModel(2560, query=_QWEN, cuttable=True, tokens=2000)),
    (r"qwen3-embedding-0\.6b", KnownModel(1024, query=_QWEN, cuttable=True, tokens=2000)),
    (r"embeddinggemma", KnownModel(768, query="task: search result | query: ", passage="title: none | text: ", cuttable=True, tokens=1900)),
    (r"multilingual-e5-large", KnownModel(1024, *_E5)),
    (r"multilingual-e5-base", KnownModel(768, *_E5)),
    (r"multilingual-e5-small", KnownModel(384, *_E5)),
    (r"bge-m3", KnownModel(1024, tokens=2000)),
    (r"bge-small-zh", KnownModel(512, query=_BGE_ZH)),
    (r"bge-base-zh", KnownModel(768, query=_BGE_ZH)),
    (r"bge-large-zh", KnownModel(1024, query=_BGE_ZH)),
    (r"bge-small-en", KnownModel(384, query=_BGE_EN)),
    (r"bge-base-en", KnownModel(768, query=_BGE_EN)),
    (r"bge-large-en", KnownModel(1024, query=_BGE_EN)),
    (r"mxbai-embed-large", KnownModel(1024, query=_BGE_EN, cuttable=True)),
    (r"snowflake-arctic-embed-(xs|s)\b", KnownModel(384, query=_BGE_EN)),
    (r"snowflake-arctic-embed-m", KnownModel(768, query=_BGE_EN)),
    (r"snowflake-arctic-embed-l", KnownModel(1024, query=_BGE_EN)),
    (r"nomic-embed-text-v1\.5", KnownModel(768, *_NOMIC, cuttable=True, tokens=2000)),
    (r"nomic-embed-text", KnownModel(768, *_NOMIC, tokens=2000)),
    (r"potion-multilingual", KnownModel(256)),
    (r"potion-retrieval-32m", KnownModel(512)),
    (r"potion-base-8m", KnownModel(256)),
    (r"all-minilm-l6-v2", KnownModel(384, tokens=240)),
    (r"paraphrase-multilingual-minilm-l12-v2", KnownModel(384, tokens=120)),
    (r"paraphrase-multilingual-mpnet-base-v2", KnownModel(768, tokens=120)),
    (r"jina-embeddings-v2-base", KnownModel(768, tokens=2000)),
    (r"jina-embeddings-v2-small", KnownModel(512, tokens=2000)),
    (r"gte-large", KnownModel(1024)),
    (r"gte-base", KnownModel(768)),
)


def known_model(name: str, dimensions: int = 0) -> KnownModel:
    """What is known of a model, at the length asked for (0: its own).

    Raises:
        ConfigurationError: the length is neither known nor given, or the model's vectors are not that long or not to be cut.
    """
    found = next((known for pattern, known in _MODELS if re.search(pattern, name.lower())), None)
    if found is None:
        if not dimensions:
            raise ConfigurationError(f"How long the vectors of {name!r} are is not known: set HINDSIGHT_EMBEDDER_DIMENSIONS.")
        return KnownModel(dimensions)
    if not dimensions or dimensions == found.dimension:
        return found
    if dimensions > found.dimension or not found.cuttable:
        lengths = f"up to {found.dimension}" if found.cuttable else f"{found.dimension}, and its vectors cannot be cut"
        raise ConfigurationError(f"HINDSIGHT_EMBEDDER_DIMENSIONS is {dimensions}, but {name!r} has {lengths}.")
    return replace(found, dimension=dimensions)
