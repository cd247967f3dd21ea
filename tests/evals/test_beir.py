"""Reading folders in the BEIR layout, and what is said of faulty ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight.errors import InvalidInput
from hindsight.evals.beir import read_beir


def test_a_folder_is_read_whole(beir: Path) -> None:
    data = read_beir(beir)
    assert (data.name, len(data.documents), data.scopes()) == ("small", 7, ["nora", "小林"])
    assert [query.id for query in data.queries] == ["q1", "q2", "q3", "q4"]
    assert data.queries[0].relevant == {"d1"}, "a score of 0 is no relevance"
    assert [query.id for query in data.unanswerable["abstention"]] == ["n1"]


def test_scopes_limit_documents_and_questions(beir: Path) -> None:
    data = read_beir(beir, scopes=1)
    assert {document["namespace"] for document in data.documents} == {"nora"}
    assert {query.scope for query in data.queries} == {"nora"}
    assert read_beir(beir, scopes=["小林"]).scopes() == ["小林"]
    with pytest.raises(InvalidInput, match="no scope nobody; there are nora, 小林"):
        read_beir(beir, scopes=["nobody"])


def test_the_digest_tells_corpora_apart(beir: Path) -> None:
    assert read_beir(beir).digest() == read_beir(beir).digest()
    assert read_beir(beir).digest() != read_beir(beir, scopes=1).digest()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("queries.jsonl", '{"_id": "q1", "text": "x"}\n{"_id": 5, "text": "x"}\n', "line 2"),
        ("queries.jsonl", '{"_id": "q1", "text": "x", "metadata": []}\nno json\n', "line 2"),
        ("queries.jsonl", '{"_id": "q1", "text": "x", "metadata": [1]}\n', "line 1"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\tmany\n", "line 2"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", "nothing to measure"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(beir: Path, name: str, content: str, told: str) -> None:
    (beir / name).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=told):
        read_beir(beir)


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(beir: Path, name: str) -> None:
    (beir / name).unlink()
    with pytest.raises(InvalidInput, match=Path(name).name.removesuffix(".gz")):
        read_beir(beir)
