"""Retrieval folders in the BEIR layout: ``corpus.jsonl``, ``queries.jsonl`` (either may be gzipped) and ``qrels/test.tsv``.

The corpus is read as ``hindsight import`` reads it: ``metadata.scope`` is the namespace, ``metadata.time`` the event time. A
query's ``metadata.time`` is its ``now``. ``*_queries.jsonl`` beside them hold questions that nothing in the corpus answers.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

from hindsight.errors import InvalidInput
from hindsight.remember.importers import beir
from hindsight.remember.importers.source import Source, json_lines

NO_SCOPE = "default"
"""Namespace of folders whose documents name no scope."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question, the time at which it is asked, the ids of the documents that answer it, and its ``metadata.answer``."""

    id: str
    text: str
    scope: str
    category: str
    now: str | None
    relevant: frozenset[str]
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class BeirFolder:
    """A folder that was read: ``documents`` as fields of drafts, whose ``key`` is the document's id.

    ``unanswerable`` holds the questions of each ``*_queries.jsonl`` by the file's name without that ending.
    """

    name: str
    documents: list[dict[str, Any]]
    queries: list[Query]
    unanswerable: dict[str, list[Query]] = field(default_factory=dict)

    def digest(self) -> str:
        """Hash of the documents in their order: equal digests make equal stores."""
        state = hashlib.blake2b(digest_size=12)
        for document in self.documents:
            state.update(json.dumps(document, sort_keys=True).encode())
        return state.hexdigest()

    def scopes(self) -> list[str]:
        """The namespaces that have documents, sorted."""
        return sorted({document["namespace"] for document in self.documents})


def read_beir(folder: str | Path, *, scopes: int | Sequence[str] | None = None) -> BeirFolder:
    """The documents and answerable queries of a folder, of its first ``scopes`` scopes by name, or of those named.

    Raises:
        InvalidInput: a file is missing or malformed; the message names the line.
    """
    folder = Path(folder)
    entries = beir.read(Source(folder, beir.files(folder), UTC))
    documents = [{"namespace": NO_SCOPE, **entry.draft} for entry in entries if entry.draft and entry.draft["content"].strip()]
    present = sorted({document["namespace"] for document in documents})
    kept = set(present[:scopes] if scopes is None or isinstance(scopes, int) else scopes)
    if absent := kept - set(present):
        raise InvalidInput(f"{folder}: there is no scope {', '.join(sorted(absent))}; there are {', '.join(present)}.")
    queries = _queries(_present(folder, "queries.jsonl"), kept, _relevant(_present(folder, "qrels/test.tsv")))
    answerable = [query for query in queries if query.relevant]
    if not answerable:
        raise InvalidInput(f"{folder}: no query has a relevant document in qrels/test.tsv, so there is nothing to measure.")
    return BeirFolder(
        name=folder.resolve().name,
        documents=[document for document in documents if document["namespace"] in kept],
        queries=answerable,
        unanswerable={
            path.name.partition("_queries.jsonl")[0]: _queries(path, kept, {}) for path in sorted(folder.glob("*_queries.jsonl*"))
        },
    )


def _present(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InvalidInput(f"{folder}: {name} is missing; a BEIR folder has corpus.jsonl, queries.jsonl and qrels/test.tsv.")


def _queries(path: Path, scopes: set[str], relevant: Mapping[str, set[str]]) -> list[Query]:
    queries = []
    for number, row in json_lines(path):
        metadata = row.get("metadata") or {}
        if not isinstance(row.get("_id"), str) or not isinstance(row.get("text"), str) or not isinstance(metadata, dict):
            raise InvalidInput(
                f'{path}, line {number}: the texts "_id" and "text" are needed, and "metadata" is an object where there is one.'
            )
        query = Query(
            id=row["_id"],
            text=row["text"],
            scope=str(metadata.get("scope") or NO_SCOPE),
            category=str(metadata.get("category") or "all"),
            now=metadata.get("time"),
            relevant=frozenset(relevant.get(row["_id"], ())),
            answer=None if metadata.get("answer") is None else str(metadata["answer"]),
        )
        if query.scope in scopes:
            queries.append(query)
    return queries


def _relevant(path: Path) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines, delimiter="\t"), start=2):
            try:
                query, document, score = row["query-id"], row["corpus-id"], float(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidInput(f"{path}, line {number}: the columns query-id, corpus-id and score are needed.") from error
            if score > 0:
                relevant.setdefault(query, set()).add(document)
    return relevant
