"""Evidence recall on a folder of questions and documents: what a program gets that stores the one and asks the other.

Only the public interface is used. Each document is one episode in the namespace of its scope, each query one ``retrieve``
with the largest ``k`` and ``min_relevance=0``; its latency is the whole call, embedding included, after one warm-up call.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hindsight.evals.beir import BeirFolder, Query, read_beir
from hindsight.evals.metrics import hit_at, interval, ndcg_at, paired_interval, percentile, recall_at, reciprocal_rank_at
from hindsight.memory import Hindsight
from hindsight.settings import Settings, load_settings

KS = (5, 10, 20)
Progress = Callable[[str, int, int], None]
"""Told (stage, done, total); stages are ``store``, ``query`` and ``unanswerable``."""

_SHOWN_SETTINGS = (
    "embedder embedder_model embedder_dimensions embedder_threads reranker reranker_model rerank_budget_ms profile fusion routes "
    "half_life_days decay_floor min_relevance token_budget retrieval_timeout_ms"
).split()


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """What one run measured. ``per_query`` maps a measure to one value a query, in the folder's order, for paired comparisons.

    ``unanswerable`` says, by file of questions that nothing answers, how many were answered with something at default
    settings (no ``k``, no ``min_relevance``); ``default`` what the same settings do with the answerable ones.
    """

    folder: str
    embedder: str | None
    documents: int
    scopes: int
    ingest_s: float | None
    latencies_ms: Sequence[float]
    categories: Sequence[str]
    per_query: Mapping[str, Sequence[float]]
    settings: Mapping[str, Any]
    unanswerable: Mapping[str, Sequence[float]] = field(default_factory=dict)
    default: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def rate(self, measure: str) -> float:
        """Mean of a measure over all queries."""
        return _mean(self.per_query[measure])

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values; rates 0..1, milliseconds, seconds. ``ingest_s`` is null where a kept store was used."""
        report: dict[str, Any] = {"set": self.folder, "n": len(self.categories), "docs": self.documents, "scopes": self.scopes}
        report |= {measure: round(_mean(values), 4) for measure, values in self.per_query.items()}
        report["intervals"] = {measure: _rounded(interval(values)) for measure, values in self.per_query.items()}
        report |= {"p50_ms": round(percentile(self.latencies_ms, 0.5), 2), "p95_ms": round(percentile(self.latencies_ms, 0.95), 2)}
        report["ingest_s"] = None if self.ingest_s is None else round(self.ingest_s, 2)
        report["docs_per_s"] = round(self.documents / self.ingest_s, 1) if self.ingest_s else None
        report["by_category"] = {category: self._category(category) for category in sorted(set(self.categories))}
        if self.unanswerable:
            report["unanswerable"] = {name: _share(values, "answered") for name, values in self.unanswerable.items()}
            report["at_default_settings"] = {name: round(_mean(values), 4) for name, values in self.default.items()}
        report |= {"embedder": self.embedder, "settings": dict(self.settings)}
        return report

    def _category(self, category: str) -> dict[str, float]:
        chosen = [place for place, each in enumerate(self.categories) if each == category]
        rates = {measure: round(_mean([values[place] for place in chosen]), 4) for measure, values in self.per_query.items()}
        return {"n": len(chosen), **rates}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several embedders on the same data. Differences are paired by query, each run against the first."""

    runs: Sequence[RetrievalReport]

    def as_dict(self) -> dict[str, Any]:
        """``{"set", "runs": [report …], "differences": [{"embedder", measure: {"mean", "low", "high"}} …]}``."""
        return {
            "set": self.runs[0].folder,
            "runs": [run.as_dict() for run in self.runs],
            "differences": [self._difference(run) for run in self.runs[1:]],
        }

    def _difference(self, run: RetrievalReport) -> dict[str, Any]:
        first = self.runs[0]
        found: dict[str, Any] = {"embedder": run.embedder, "against": first.embedder}
        for measure, values in run.per_query.items():
            mean, low, high = paired_interval(values, first.per_query[measure])
            found[measure] = {"mean": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
        return found


async def evaluate_retrieval(
    folder: str | Path,
    *,
    ks: Sequence[int] = KS,
    embedder: str | None = None,
    scopes: int | Sequence[str] | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> RetrievalReport:
    """Store a BEIR folder's documents, ask its queries, measure the answers.

    Args:
        folder: corpus.jsonl[.gz], queries.jsonl and qrels/test.tsv; see :mod:`hindsight.evals.beir`.
        ks: cut-offs of recall beside 5, 10 and 20.
        embedder: an embedder's name, with its model after a colon where it takes one (``fastembed:BAAI/bge-small-zh-v1.5``); default: the settings'.
        scopes: only the first so many scopes by name, or only those named.
        store: folder in which the filled store is kept, one a corpus and embedder, and found again by the next run.
        progress: told (stage, done, total).
        settings: any other setting by its name, such as ``fusion="rrf"``.

    Raises:
        InvalidInput: the folder cannot be read; the message names the line.
        ConfigurationError: no such embedder or setting.
    """
    data = read_beir(folder, scopes=scopes)
    options = {"seal_key": "off", **embedder_options(embedder), **settings}  # nothing here needs to be proved later
    chosen = load_settings(**options)
    with place_of(data, chosen, store) as place:
        async with Hindsight.open(place, **options) as memory:
            ingest_s = await fill(memory, data, progress)
            per_query, latencies = await _ask(memory, data.queries, sorted({*KS, *ks}), progress)
            unanswerable = {name: await _answered(memory, asked, progress) for name, asked in data.unanswerable.items() if asked}
            default = await _at_default(memory, data.queries, progress) if unanswerable else {}
            stats = await memory.stats()
    return RetrievalReport(
        folder=data.name,
        embedder=stats.embedder,
        documents=len(data.documents),
        scopes=len(data.scopes()),
        ingest_s=ingest_s,
        latencies_ms=latencies,
        categories=[query.category for query in data.queries],
        per_query=per_query,
        settings={name: getattr(chosen, name) for name in _SHOWN_SETTINGS},
        unanswerable=unanswerable,
        default=default,
    )


async def compare_embedders(folder: str | Path, embedders: Sequence[str], **arguments: Any) -> Comparison:
    """:func:`evaluate_retrieval` with each embedder in turn, side by side; the first is what the others are held against."""
    return Comparison([await evaluate_retrieval(folder, embedder=embedder, **arguments) for embedder in embedders])


def embedder_options(embedder: str | None) -> dict[str, Any]:
    """Settings for ``name`` or ``name:model``; none for None."""
    if embedder is None:
        return {}
    name, _, model = embedder.partition(":")
    return {"embedder": name, "embedder_model": model} if model else {"embedder": name}


def place_of(data: BeirFolder, settings: Settings, store: str | Path | None) -> AbstractContextManager[str | Path]:
    """Where the documents are stored: a folder of its own under ``store``, or one that is thrown away."""
    if store is None:
        return tempfile.TemporaryDirectory(prefix="hindsight-eval-")
    model = f"{settings.embedder} {settings.embedder_model} {settings.embedder_url} {settings.embedder_dimensions}"
    return nullcontext(Path(store).expanduser() / f"{data.digest()}-{hashlib.blake2b(model.encode(), digest_size=4).hexdigest()}")


async def fill(memory: Hindsight, data: BeirFolder, progress: Progress | None) -> float | None:
    """Store what is not there yet; seconds it took, None where everything was there."""
    total = len(data.documents)
    if (await memory.stats()).memories == total:
        return None
    done = 0

    def count(stored: int) -> None:
        nonlocal done
        done += stored
        if progress is not None:
            progress("store", done, total)

    started = time.perf_counter()
    for scope in data.scopes():
        await memory.store_many([document for document in data.documents if document["namespace"] == scope], progress=count)
    return time.perf_counter() - started


async def _ask(
    memory: Hindsight, queries: Sequence[Query], ks: Sequence[int], progress: Progress | None
) -> tuple[dict[str, list[float]], list[float]]:
    found: dict[str, list[float]] = {**{f"recall@{k}": [] for k in ks}, "hit@5": [], "ndcg@10": [], "mrr@10": []}
    latencies = []
    if queries:
        await memory.retrieve("warm-up", k=1, namespace=queries[0].scope, min_relevance=0)
    for number, query in enumerate(queries, start=1):
        started = time.perf_counter()
        answer = await memory.retrieve(query.text, k=ks[-1], namespace=query.scope, min_relevance=0, now=query.now)
        latencies.append(1000 * (time.perf_counter() - started))
        ranked = [hit.memory.key or "" for hit in answer.hits]
        for k in ks:
            found[f"recall@{k}"].append(recall_at(ranked, query.relevant, k))
        found["hit@5"].append(hit_at(ranked, query.relevant, 5))
        found["ndcg@10"].append(ndcg_at(ranked, query.relevant, 10))
        found["mrr@10"].append(reciprocal_rank_at(ranked, query.relevant, 10))
        if progress is not None:
            progress("query", number, len(queries))
    return found, latencies


async def _answered(memory: Hindsight, queries: Sequence[Query], progress: Progress | None) -> list[float]:
    """For each question: 1 where anything came back at default settings."""
    answered = []
    for number, query in enumerate(queries, start=1):
        answer = await memory.retrieve(query.text, namespace=query.scope, now=query.now)
        answered.append(float(bool(answer.hits)))
        if progress is not None:
            progress("unanswerable", number, len(queries))
    return answered


async def _at_default(memory: Hindsight, queries: Sequence[Query], progress: Progress | None) -> dict[str, list[float]]:
    """What the relevance cut costs on answerable questions: answered at all, their recall, how many memories came back."""
    found: dict[str, list[float]] = {"answered": [], "recall": [], "hit": [], "memories": []}
    for number, query in enumerate(queries, start=1):
        answer = await memory.retrieve(query.text, namespace=query.scope, now=query.now)
        ranked = [hit.memory.key or "" for hit in answer.hits]
        found["answered"].append(float(bool(ranked)))
        found["recall"].append(recall_at(ranked, query.relevant, len(ranked)))
        found["hit"].append(hit_at(ranked, query.relevant, len(ranked)))
        found["memories"].append(float(len(ranked)))
        if progress is not None:
            progress("query", number, len(queries))
    return found


def _share(values: Sequence[float], name: str) -> dict[str, Any]:
    return {"n": len(values), name: round(_mean(values), 4), "interval": _rounded(interval(values))}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _rounded(ends: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in ends]
