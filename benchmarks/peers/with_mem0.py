"""mem0 without a language model (``infer=False``), its local Qdrant below, vectors given in place of its embedder's."""

import os
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("OPENAI_API_KEY", "none")

from conversations import K, Opened, Rows, Vectors, compare  # type: ignore[import-not-found]


def opened(folder: Path, vectors: Vectors) -> Opened:
    """A memory whose users are the scopes."""
    os.environ["MEM0_DIR"] = str(folder)
    from mem0 import Memory  # type: ignore[import-not-found]
    from mem0.embeddings.base import EmbeddingBase  # type: ignore[import-not-found]

    class Given(EmbeddingBase):  # type: ignore[misc]
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - the peer's form
            made: list[float] = vectors(text)
            return made

    below = {"collection_name": "memories", "path": str(folder / "qdrant"), "embedding_model_dims": vectors.dimension, "on_disk": True}
    memory = Memory.from_config({"vector_store": {"provider": "qdrant", "config": below}, "history_db_path": str(folder / "history.db")})
    memory.embedding_model = Given()

    def keep(documents: Rows) -> None:
        for row in documents:
            memory.add([{"role": "user", "content": row["text"]}], user_id=row["scope"], metadata={"document": row["id"]}, infer=False)

    def search(question: str, scope: str) -> list[str]:
        found = memory.search(question, top_k=K, filters={"user_id": scope}, threshold=0.0)
        return [each["metadata"]["document"] for each in found["results"]]

    return keep, search


compare("mem0ai", opened)
