"""``hindsight eval retrieval`` on a small folder: figures for people, one object for programs."""

from __future__ import annotations

import json

import pytest

from hindsight.cli.app import DONE, USAGE


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "small"
    (made / "qrels").mkdir(parents=True)
    texts = {"d1": "容器 ping 不通 网络", "d2": "花生 过敏", "d3": "nightly import failed ERR_QUEUE_4012", "d4": "retry_backoff_ms is 750"}
    corpus = [
        {"_id": id, "text": text, "metadata": {"scope": "s", "time": f"2025-01-0{place}"}}
        for place, (id, text) in enumerate(texts.items(), 1)
    ]
    asked = {"q1": ("ping 不通", "d1"), "q2": ("ERR_QUEUE_4012", "d3"), "q3": ("retry_backoff_ms", "d4")}
    queries = [
        {"_id": id, "text": text, "metadata": {"scope": "s", "category": "code" if id != "q1" else "zh"}} for id, (text, _) in asked.items()
    ]
    (made / "corpus.jsonl").write_text("\n".join(json.dumps(each) for each in corpus))
    (made / "queries.jsonl").write_text("\n".join(json.dumps(each) for each in queries))
    rows = ["query-id\tcorpus-id\tscore", *(f"{id}\t{document}\t1" for id, (_, document) in asked.items())]
    (made / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n")
    return made


def test_one_object_with_every_figure(cli, folder):
    answer = cli("eval", "retrieval", folder, "--k", "1", "--json")
    told = answer.json
    assert (answer.code, told["n"], told["docs"]) == (DONE, 3, 4)
    for measure in ("recall@1", "recall@5", "recall@10", "recall@20", "hit@5", "ndcg@10", "mrr@10"):
        assert 0 <= told[measure] <= 1
    assert told["recall@5"] == 1
    assert told["p95_ms"] >= told["p50_ms"] > 0
    assert set(told["by_category"]) == {"code", "zh"}
    assert told["embedder"] is None


def test_for_people_and_with_settings(cli, folder):
    answer = cli("eval", "retrieval", folder, "--set", "fusion=weighted")
    assert answer.code == DONE
    for part in ("4 documents", "3 questions", "recall@5", "p95_ms", "keyword only", "code"):
        assert part in answer.out
    assert cli("eval", "retrieval", folder, "--set", "fusion=magic").code == USAGE
    assert cli("eval", "retrieval", folder, "--set", "fusion").code == USAGE


def test_several_embedders_side_by_side(cli, folder):
    told = cli("eval", "retrieval", folder, "--embedder", "none", "--embedder", "none", "--json").json
    assert [run["n"] for run in told["runs"]] == [3, 3]
    assert told["differences"][0]["recall@5"]["mean"] == 0


def test_a_filled_store_is_found_again(cli, folder, tmp_path):
    first = cli("eval", "retrieval", folder, "--keep", tmp_path / "kept", "--json").json
    again = cli("eval", "retrieval", folder, "--keep", tmp_path / "kept", "--json").json
    assert first["ingest_s"] is not None
    assert again["ingest_s"] is None
    assert not (tmp_path / "memory").exists()


def test_a_folder_without_data(cli, tmp_path):
    assert cli("eval", "retrieval", tmp_path / "absent").code == USAGE
