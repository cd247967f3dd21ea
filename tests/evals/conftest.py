"""A small folder in the BEIR layout, of our own making: two scopes, two languages, questions that nothing answers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

DOCUMENTS = [
    ("d1", "nora", "Nora adopted a grey cat named Pebble from the shelter", "2024-03-02"),
    ("d2", "nora", "The kayak trip on the river Inn was cancelled because of rain", "2024-04-11"),
    ("d3", "nora", "Nora keeps the spare key under the blue flower pot", "2024-05-20"),
    ("d4", "nora", "Dinner with Omar is moved to Friday at seven", "2024-05-21"),
    ("d5", "小林", "小林对花生过敏，聚餐时不要点宫保鸡丁", "2024-06-01"),
    ("d6", "小林", "小林把服务器的备份改到每天凌晨三点", "2024-06-03"),
    ("d7", "小林", "周末和同事去莫干山徒步，走了十二公里", "2024-06-09"),
]
QUERIES = [
    ("q1", "nora", "pets", "What is the name of the grey cat?", ["d1"]),
    ("q2", "nora", "places", "Where is the spare key kept?", ["d3"]),
    ("q3", "小林", "food", "谁对花生过敏？", ["d5"]),
    ("q4", "小林", "work", "服务器备份是几点？", ["d6"]),
    ("q5", "nora", "unjudged", "Has no relevance line", []),
]


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    (folder / "qrels").mkdir(parents=True)
    rows = [
        {"_id": id, "text": text, "metadata": {"scope": scope, "time": time, "session": f"{scope}:1", "speaker": None, "role": None}}
        for id, scope, text, time in DOCUMENTS
    ]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    asked = [{"_id": id, "text": text, "metadata": {"scope": scope, "category": category}} for id, scope, category, text, _ in QUERIES]
    (folder / "queries.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in asked), encoding="utf-8")
    none = {
        "_id": "n1",
        "text": "Which violin concerto did Pavel rehearse in Lisbon?",
        "metadata": {"scope": "nora", "category": "abstention"},
    }
    (folder / "abstention_queries.jsonl").write_text(json.dumps(none) + "\n", encoding="utf-8")
    judged = [f"{id}\t{document}\t1" for id, _, _, _, relevant in QUERIES for document in relevant]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged, "q1\td2\t0"]) + "\n", encoding="utf-8")
    return folder
