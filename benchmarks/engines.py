"""Do the engines answer alike? The same questions on an embedded store, on PostgreSQL with pgvector, and on PostgreSQL with Qdrant.

    python benchmarks/engines.py postgresql://… FOLDER [--set NAME=SCOPES]… [--qdrant URL] [--most POINTS]

The documents are embedded once; the embedded store is then moved into the database, which must be empty (and have pgvector). Every search
by vector is sent to the index under test, however small the namespace and however narrow the filter, which by default would be scanned.
Without ``--qdrant`` the client's local mode stands in for a server: it searches exactly, so that what is measured is the way there and back.
Ends with 1 where a rate is further than ``--most`` points from that of the embedded store.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import warnings
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hindsight.adapters.postgres import hnsw
from hindsight.adapters.postgres.store import PostgresStore
from hindsight.adapters.qdrant.engine import QdrantEngine
from hindsight.adapters.relational import indexed
from hindsight.adapters.relational.feeding import EngineIndex
from hindsight.assemble import assemble, mover
from hindsight.evals.beir import BeirFolder, read_beir
from hindsight.evals.metrics import ndcg_at, recall_at
from hindsight.evals.retrieval import fill
from hindsight.settings import Settings, load_settings
from hindsight.upkeep.follow import Follower

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from qdrant_client import QdrantClient

    from hindsight.memory import Hindsight

SETS = ("locomo=2", "lifebench_zh=lumingqiang")
KS = (5, 10, 20)


def main() -> int:
    """Measure every set on every engine; 1 where they differ."""
    parser = argparse.ArgumentParser(description="Compare the engines that search vectors.")
    parser.add_argument("postgres", help="address of a PostgreSQL in which schemas may be made")
    parser.add_argument("data", type=Path, help="folder of the development sets")
    parser.add_argument("--set", action="append", help="NAME=SCOPES: so many scopes of this set, or those named; may be repeated")
    parser.add_argument("--qdrant", default="", help="address of a Qdrant server; default: the client's local mode")
    parser.add_argument("--most", type=float, default=0.5, help="points by which a rate may differ")
    arguments = parser.parse_args()
    # Nothing is scanned that could be asked of an index.
    indexed.SCANNED, hnsw.LARGE, EngineIndex.serve_from = 0, 1, 1
    worst = 0.0
    for each in arguments.set or SETS:
        name, _, scopes = each.partition("=")
        chosen = int(scopes or 1) if not scopes or scopes.isdecimal() else scopes.split(",")
        rates = asyncio.run(measured(read_beir(arguments.data / name, scopes=chosen), arguments.postgres, arguments.qdrant))
        first = rates["embedded"]
        for engine, found in rates.items():
            worst = max([worst, *(abs(100 * (found[measure] - first[measure])) for measure in first if measure not in ("asked", "n"))])
            print(json.dumps({"set": name, "engine": engine, **{measure: round(value, 4) for measure, value in found.items()}}))
    print(f"largest difference: {worst:.2f} points")
    return int(worst > arguments.most)


async def measured(data: BeirFolder, postgres: str, qdrant: str) -> dict[str, dict[str, float]]:
    """Rates by engine."""
    with tempfile.TemporaryDirectory(prefix="hindsight-engines-") as folder:
        chosen = load_settings(store=f"{folder}/memory", seal_key="off", worker="off")
        async with assemble(chosen) as memory:
            await fill(memory, data, None)
            rates = {"embedded": await ask(memory, data)}
        moved = chosen.model_copy(update={"store": await fresh_schema(postgres)})
        await mover(chosen, moved.store).run(lambda *_: None)
        async with with_pgvector(moved) as (memory, index):
            rates["postgresql + pgvector"] = await ask(memory, data) | {"asked": index.asked}
        async with with_qdrant(moved, qdrant) as (memory, index):
            rates["postgresql + qdrant"] = await ask(memory, data) | {"asked": index.asked}
    return rates


async def ask(memory: Hindsight, data: BeirFolder) -> dict[str, float]:
    """Recall and nDCG over all questions."""
    found: dict[str, list[float]] = {**{f"recall@{k}": [] for k in KS}, "ndcg@10": []}
    for query in data.queries:
        answer = await memory.retrieve(query.text, k=max(KS), namespace=query.scope, min_relevance=0, now=query.now)
        ranked = [hit.memory.key or "" for hit in answer.hits]
        for k in KS:
            found[f"recall@{k}"].append(recall_at(ranked, query.relevant, k))
        found["ndcg@10"].append(ndcg_at(ranked, query.relevant, 10))
        if "degraded" in answer.flags:
            raise SystemExit(f"a search was degraded: {query.text}")
    return {"n": len(data.queries), **{measure: sum(values) / len(values) for measure, values in found.items()}}


class Counted:
    """An index, and how often it was asked."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.asked = 0

    def serves(self, *arguments: Any) -> bool:
        """As the index does."""
        return bool(self._index.serves(*arguments))

    def nearest(self, *arguments: Any) -> Any:
        """As the index does."""
        self.asked += 1
        return self._index.nearest(*arguments)


@asynccontextmanager
async def with_pgvector(settings: Settings) -> AsyncIterator[tuple[Hindsight, Counted]]:
    """The store in PostgreSQL, with indexes of pgvector for every namespace."""
    async with assemble(settings) as memory:
        store = memory._store  # noqa: SLF001 - forced on, which no setting does
        assert isinstance(store, PostgresStore)
        made = await asyncio.to_thread(store._database.hnsw.build)  # noqa: SLF001
        if not made["vector_indexes_made"]:
            raise SystemExit("no index was made: is pgvector to be had in this PostgreSQL?")
        index = Counted(store._database.hnsw)  # noqa: SLF001
        store.search_with(index)
        yield memory, index


@asynccontextmanager
async def with_qdrant(settings: Settings, url: str) -> AsyncIterator[tuple[Hindsight, Counted]]:
    """The same store with Qdrant beside it, filled."""
    async with assemble(settings) as memory:
        store, embedder = memory._store, memory._embedder  # noqa: SLF001 - as above
        assert isinstance(store, PostgresStore)
        assert embedder is not None
        engine = QdrantEngine(url) if url else QdrantEngine("http://local:6333", connect=local_mode())
        follower = Follower(store.feed, engine, store.upkeep)
        await follower.level()
        compared = await follower.compare(10_000)
        if not compared.equal:
            raise SystemExit(f"Qdrant is not equal to the store: {compared}")
        index = Counted(EngineIndex(engine, model=embedder.model_id, dimension=embedder.dimension))
        store.search_with(index)
        yield memory, index
        await engine.close()


def local_mode() -> Any:
    """Connects to one and the same local client."""
    from qdrant_client import QdrantClient

    warnings.filterwarnings("ignore", module="qdrant_client")
    client = QdrantClient(":memory:")

    def connect(_seconds: int) -> QdrantClient:
        return client

    return connect


async def fresh_schema(address: str) -> str:
    """An address at which nothing is yet."""
    import secrets

    import psycopg

    name = f"engines_{secrets.token_hex(4)}"
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as db:
        await db.execute(psycopg.sql.SQL("CREATE SCHEMA {}").format(psycopg.sql.Identifier(name)))
    return f"{address}{'&' if '?' in address else '?'}options=-csearch_path%3D{name}"


if __name__ == "__main__":
    sys.exit(main())
