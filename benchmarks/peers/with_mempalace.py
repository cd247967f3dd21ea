"""MemPalace: one drawer a document, scopes as wings, vectors given in place of its embedder's, its own hybrid search."""

import os
from pathlib import Path

from conversations import K, Opened, Rows, Vectors, compare  # type: ignore[import-not-found]


def opened(folder: Path, vectors: Vectors) -> Opened:
    """A palace in a home of its own."""
    folder.mkdir(parents=True)
    os.environ["HOME"] = str(folder)
    from chromadb import EmbeddingFunction  # type: ignore[import-not-found]
    from mempalace import embedding  # type: ignore[import-not-found]

    class Given(EmbeddingFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def __call__(self, input: list[str]) -> list[list[float]]:
            made: list[list[float]] = vectors.many(list(input))
            return made

        @staticmethod
        def name() -> str:
            return "default"

        def get_config(self) -> dict[str, str]:
            return {}

    given = Given()
    embedding.get_embedding_function = lambda *_, **__: given
    from mempalace.palace import get_collection  # type: ignore[import-not-found]
    from mempalace.searcher import search_memories  # type: ignore[import-not-found]

    palace = str(folder / "palace")
    drawers = get_collection(palace)

    def keep(documents: Rows) -> None:
        for start in range(0, len(documents), 200):
            part = documents[start : start + 200]
            drawers.upsert(
                ids=[row["id"] for row in part],
                documents=[row["text"] for row in part],
                metadatas=[{"wing": row["scope"], "room": "talk", "source_file": row["id"], "chunk_index": 0} for row in part],
            )

    def search(question: str, scope: str) -> list[str]:
        found = search_memories(question, palace, wing=scope, n_results=K, candidate_strategy="union")
        if "error" in found:
            raise RuntimeError(str(found))
        return [each["source_file"] for each in found["results"]]

    return keep, search


compare("mempalace", opened)
