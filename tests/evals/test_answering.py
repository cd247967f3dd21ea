"""Question answering judged by a model: a real HTTP server that speaks OpenAI's protocol stands for both models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PEOPLE = {"Ann": "Lisbon", "Bo": "Kyoto", "小李": "大理"}


class Models:
    """Answers with the memory's last word, judges by the reference, and fails where it is told to."""

    def __init__(self, server: Any) -> None:
        self.address = server.url
        self.asked: list[str] = []
        self.fail_after: int | None = None
        server.answer = self.reply

    def reply(self, body: dict[str, Any]) -> tuple[int, str]:
        system, user = (message["content"] for message in body["messages"])
        if system.startswith("You judge"):
            reference, answer = (line.split(": ", 1)[1] for line in user.splitlines()[1:])
            return 200, "hm" if answer == "Kyoto" else json.dumps({"correct": reference == answer})
        self.asked.append(user)
        if self.fail_after is not None and len(self.asked) > self.fail_after:
            return 401, "no"
        return 200, next((place for place in PEOPLE.values() if place in user), "I don't know")


@pytest.fixture
def models(chat_server: Any) -> Models:
    return Models(chat_server)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    (made / "qrels").mkdir(parents=True)
    rows = list(PEOPLE.items())
    corpus = [
        {"_id": f"d{n}", "text": f"{who} spent the holiday in {where}", "metadata": {"scope": f"s{n}"}}
        for n, (who, where) in enumerate(rows)
    ]
    queries = [
        {
            "_id": f"q{n}",
            "text": f"Where did {who} spend the holiday?",
            "metadata": {"scope": f"s{n}", "category": "place", "answer": where},
        }
        for n, (who, where) in enumerate(rows)
    ]
    for name, lines in (("corpus", corpus), ("queries", queries)):
        (made / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (made / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q{n}\td{n}\t1\n" for n in range(len(rows))))
    return made


def run(models: Models, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    settings = {
        "HINDSIGHT_CHAT_MODEL": "scripted",
        "HINDSIGHT_CHAT_URL": models.address,
        "HINDSIGHT_EMBEDDER": "none",
        "HINDSIGHT_STORE": str(folder.parent / "store"),
    }
    command = [sys.executable, "-c", "from hindsight.cli.app import main; main()", "--json", "eval", "qa", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings})


def test_answers_are_judged_and_a_broken_run_goes_on(models: Models, folder: Path) -> None:
    results = str(folder.parent / "answers.jsonl")
    models.fail_after = 1
    broken = run(models, folder, "--results", results)
    assert broken.returncode != 0
    assert "HINDSIGHT_CHAT" in broken.stderr
    models.fail_after = None
    with (folder.parent / "answers.jsonl").open("a") as file:
        file.write('{"id": "q1", "cat')  # as a kill would leave it
    done = run(models, folder, "--results", results)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert sum("Where did Ann" in asked for asked in models.asked) == 1
    assert (report["n"], report["judged"], report["accuracy"]) == (3, 2, 1.0)  # one reply of the judge was no verdict
    assert report["by_category"] == {"place": {"n": 2, "accuracy": 1.0}}
    assert (report["input_tokens"], report["output_tokens"]) == (100.0, 20.0)
    assert report["answer_ms_p95"] > 0
    other = run(models, folder, "--results", results, "--k", "3")
    assert other.returncode != 0
    assert "another run" in other.stderr


def test_what_is_missing_is_named(models: Models, folder: Path) -> None:
    queries = folder / "queries.jsonl"
    queries.write_text(queries.read_text().replace('"answer"', '"solution"'))
    done = run(models, folder, "--results", str(folder.parent / "a.jsonl"))
    assert "metadata.answer" in done.stderr
    models.address = ""
    assert "HINDSIGHT_CHAT_URL" in run(models, folder, "--results", str(folder.parent / "a.jsonl")).stderr
