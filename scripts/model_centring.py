"""Centring of the bundled model's vectors: make the seeds, and measure what each form of it is worth.

    python scripts/model_centring.py seeds
    python scripts/model_centring.py measure DATA --vectors FOLDER [--sets locomo lifebench_zh …]

``seeds`` embeds the sentences of ``model_seed_texts.json`` (our own) and writes the mean of each language into the package.
``measure`` ranks each query's documents by cosine alone, inside its scope, and prints recall@5/10/20 as Markdown. DATA holds
BEIR folders; vectors are kept in FOLDER, since embedding them takes minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.embedders.e5 import E5Embedder
from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.seeds import SEEDS_FILE, centring_for
from hindsight.adapters.embedders.windows import unit
from hindsight.ports import Embedder
from hindsight.text.language import detect_language

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "hindsight" / "adapters" / "embedders"
DEPTHS = (5, 10, 20)
PSEUDO_COUNT = 200

Vectors = NDArray[np.float32]
Pair = tuple[Vectors, Vectors]


async def make_seeds() -> None:
    """Write the mean vector of each language's passages."""
    texts = json.loads((HERE / "model_seed_texts.json").read_text(encoding="utf-8"))
    embedder = make_embedder("e5")
    assert embedder is not None
    means = {language: (await embedder.embed(kinds["passage"], kind="passage")).mean(axis=0) for language, kinds in texts.items()}
    await embedder.close()
    np.savez(PACKAGE / SEEDS_FILE, **means)


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file, compressed or not."""
    packed = path.with_suffix(".jsonl.gz")
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Folder:
    """One BEIR folder with its vectors."""

    def __init__(self, data: Path, name: str) -> None:
        self.name = name
        self.documents = lines(data / name / "corpus.jsonl")
        queries = lines(data / name / "queries.jsonl")
        self.relevant: dict[str, set[str]] = {}
        for line in (data / name / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            query, document, *_ = line.split("\t")
            self.relevant.setdefault(query, set()).add(document)
        self.queries = [query for query in queries if query["_id"] in self.relevant]
        self.ids = np.array([document["_id"] for document in self.documents])
        self.scopes = np.array([document["metadata"]["scope"] for document in self.documents])
        self.query_scopes = np.array([query["metadata"]["scope"] for query in self.queries])
        self.languages = np.array([detect_language(document["text"]) for document in self.documents])
        self.query_languages = np.array([detect_language(query["text"]) for query in self.queries])

    def texts(self) -> list[str]:
        """Turns between two people begin with their speaker; other texts stand as they are."""
        if self.name == "locomo":
            return [f"{document['metadata']['speaker']}: {document['text']}" for document in self.documents]
        return [document["text"] for document in self.documents]

    async def embed(self, embedder: Embedder, kept: Path) -> None:
        """Load the vectors, or make and keep them."""
        kinds: list[tuple[Literal["passage", "query"], list[str]]] = [
            ("passage", self.texts()),
            ("query", [query["text"] for query in self.queries]),
        ]
        for kind, texts in kinds:
            path = kept / f"{self.name}_{kind}.npy"
            if not path.exists():
                np.save(path, await embedder.embed(texts, kind=kind))
        self.passage_vectors: Vectors = np.load(kept / f"{self.name}_passage.npy")
        self.query_vectors: Vectors = np.load(kept / f"{self.name}_query.npy")

    def recall(self, passages: Vectors, queries: Vectors) -> list[float]:
        """Mean share of the relevant documents among the first 5, 10 and 20, in per cent."""
        shares = []
        for index, query in enumerate(self.queries):
            inside = np.flatnonzero(self.scopes == self.query_scopes[index])
            best = inside[np.argsort(-(passages[inside] @ queries[index]), kind="stable")[: max(DEPTHS)]]
            wanted = self.relevant[query["_id"]]
            shares.append([len(wanted & set(self.ids[best[:depth]])) / len(wanted) for depth in DEPTHS])
        return [round(100 * float(share), 1) for share in np.mean(shares, axis=0)]

    def by_scope(self, form: Callable[[Vectors, Vectors], Pair]) -> Pair:
        """Treat each scope as the namespace that it would be."""
        passages, queries = np.empty_like(self.passage_vectors), np.empty_like(self.query_vectors)
        for scope in np.unique(self.scopes):
            rows, asked = self.scopes == scope, self.query_scopes == scope
            passages[rows], queries[asked] = form(self.passage_vectors[rows], self.query_vectors[asked])
        return passages, queries

    def by_language(self, means: Callable[[str], Vectors]) -> Pair:
        """Subtract the mean of each text's language."""
        passages, queries = self.passage_vectors.copy(), self.query_vectors.copy()
        for language in ("zh", "en", "other"):
            passages[self.languages == language] -= means(language)
            queries[self.query_languages == language] -= means(language)
        return unit(passages), unit(queries)


def whitened(share: float) -> Callable[[Vectors, Vectors], Pair]:
    """Centre, then shrink each principal direction by its standard deviation to the power ``share``."""

    def form(passages: Vectors, queries: Vectors) -> Pair:
        mean = passages.mean(axis=0)
        own = np.cov(passages.T, bias=True)
        even = np.eye(len(mean)) * np.trace(own) / len(mean)
        mixed = (PSEUDO_COUNT * even + len(passages) * own) / (PSEUDO_COUNT + len(passages)) + 0.02 * even
        variances, directions = np.linalg.eigh(mixed)
        turn = directions * variances ** (-share / 2)
        return unit((passages - mean) @ turn), unit((queries - mean) @ turn)

    return form


def centred(passages: Vectors, queries: Vectors) -> Pair:
    """Subtract the mean of the passages from both."""
    mean = passages.mean(axis=0)
    return unit(passages - mean), unit(queries - mean)


def forms(folder: Folder) -> Iterator[tuple[str, Pair]]:
    """Every way to compare, by name."""
    seeds = centring_for(E5Embedder.model_id)

    def seed(language: str) -> Vectors:
        return np.asarray(seeds.seeds.get(language, seeds.seeds[""]))

    def own(language: str) -> Vectors:
        rows = folder.passage_vectors[folder.languages == language]
        total = seeds.weight * seed(language) + rows.sum(axis=0)
        return np.asarray(total / (seeds.weight + len(rows)), np.float32)

    yield "raw", (folder.passage_vectors, folder.query_vectors)
    yield "generic mean of the language", folder.by_language(seed)
    yield "mean of the corpus", centred(folder.passage_vectors, folder.query_vectors)
    yield "mean of the corpus by language, seeded", folder.by_language(own)
    yield "mean of the scope", folder.by_scope(centred)
    for share in (0.25, 0.5):
        yield f"scope whitened to the power {share}", folder.by_scope(whitened(share))


async def measure(data: Path, kept: Path, sets: list[str]) -> None:
    """Print one table a folder."""
    embedder = make_embedder("e5")
    assert embedder is not None
    for name in sets:
        folder = Folder(data, name)
        await folder.embed(embedder, kept)
        print(f"| {name}, {len(folder.queries)} queries | R@5 | R@10 | R@20 |\n|---|---|---|---|", flush=True)
        for label, pair in forms(folder):
            print(f"| {label} | " + " | ".join(f"{share:.1f}" for share in folder.recall(*pair)) + " |", flush=True)
    await embedder.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("seeds")
    measuring = commands.add_parser("measure")
    measuring.add_argument("data", type=Path)
    measuring.add_argument("--vectors", type=Path, required=True)
    measuring.add_argument("--sets", nargs="+", default=["locomo", "longmemeval_turns", "lifebench_zh"])
    given = parser.parse_args()
    if given.command == "measure":
        given.vectors.mkdir(parents=True, exist_ok=True)
    asyncio.run(make_seeds() if given.command == "seeds" else measure(given.data, given.vectors, given.sets))


if __name__ == "__main__":
    main()
