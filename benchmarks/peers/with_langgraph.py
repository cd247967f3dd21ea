"""LangGraph's in-memory store with an index: what its agents use where no database is set up."""

from pathlib import Path

from conversations import K, Opened, Rows, Vectors, compare  # type: ignore[import-not-found]
from langgraph.store.memory import InMemoryStore


def opened(_folder: Path, vectors: Vectors) -> Opened:
    """A store whose namespaces are the scopes."""
    store = InMemoryStore(index={"dims": vectors.dimension, "embed": vectors.many, "fields": ["text"]})

    def keep(documents: Rows) -> None:
        for row in documents:
            store.put((row["scope"],), row["id"], {"text": row["text"]})

    def search(question: str, scope: str) -> list[str]:
        return [each.key for each in store.search((scope,), query=question, limit=K)]

    return keep, search


compare("langgraph", opened)
