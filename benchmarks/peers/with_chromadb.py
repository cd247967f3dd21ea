"""chromadb: one collection, scopes as metadata, vectors given."""

from pathlib import Path

import chromadb  # type: ignore[import-not-found]
from conversations import K, Opened, Rows, Vectors, compare  # type: ignore[import-not-found]


def opened(folder: Path, vectors: Vectors) -> Opened:
    """A persistent client."""
    settings = chromadb.Settings(anonymized_telemetry=False)
    collection = chromadb.PersistentClient(str(folder), settings).create_collection(
        "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None
    )

    def keep(documents: Rows) -> None:
        for start in range(0, len(documents), 500):
            part = documents[start : start + 500]
            collection.add(
                ids=[row["id"] for row in part],
                documents=[row["text"] for row in part],
                embeddings=vectors.many([row["text"] for row in part]),
                metadatas=[{"scope": row["scope"]} for row in part],
            )

    def search(question: str, scope: str) -> list[str]:
        found: list[str] = collection.query(query_embeddings=[vectors(question)], n_results=K, where={"scope": scope})["ids"][0]
        return found

    return keep, search


compare("chromadb", opened)
