"""The demo finds what it promises, and says so where it cannot."""

from __future__ import annotations

import json
from importlib.resources import files

from hindsight.cli.app import DONE

FOLDER = files("hindsight.cli.demo")
CONVERSATIONS = [json.loads(line) for line in FOLDER.joinpath("conversation.jsonl").read_text(encoding="utf-8").splitlines()]
SCRIPT = json.loads(FOLDER.joinpath("questions.json").read_text(encoding="utf-8"))
TURNS = {message["id"]: message for conversation in CONVERSATIONS for message in conversation["messages"]}


def han(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def test_the_script_is_bilingual_and_its_answers_exist():
    assert 60 <= len(TURNS) <= 80
    assert len(TURNS) == sum(len(conversation["messages"]) for conversation in CONVERSATIONS)
    languages = [han(message["content"]) for message in TURNS.values()]
    assert 0.3 < sum(languages) / len(languages) < 0.7
    assert {message.get("name") for message in TURNS.values()} == {None, "林悦", "Marco", "周婷"}
    assert sorted(han(question["ask"]) for question in SCRIPT["questions"]) == [False] * 3 + [True] * 3
    for question in SCRIPT["questions"]:
        assert set(question["answers"]) <= set(TURNS)


def test_with_the_default_model_every_question_finds_its_answer(cli, monkeypatch):
    monkeypatch.delenv("HINDSIGHT_EMBEDDER")
    answer = cli("demo", "--json")
    told = answer.json
    assert answer.code == DONE
    assert told["embedder"]
    assert told["import"]["stored"] == len(TURNS)
    assert {question["ask"]: question["found"] for question in told["questions"]} == {
        question["ask"]: True for question in SCRIPT["questions"]
    }
    assert (told["found"], told["of"]) == (6, 6)
    for question in told["questions"]:
        assert question["hits"][question["rank"] - 1]["routes"]
        assert question["took_ms"] > 0


def test_keyword_only_says_so(cli):
    answer = cli("demo")
    assert answer.code == DONE
    assert "keyword search only" in answer.out
    assert SCRIPT["questions"][0]["ask"] in answer.out


def test_a_kept_store_can_be_asked_again_and_the_own_one_is_not_touched(cli, tmp_path):
    assert cli("demo", "--keep", tmp_path / "kept", "--json").json["store"] == str(tmp_path / "kept")
    assert cli("demo", "--keep", tmp_path / "kept", "--json").json["import"]["duplicates"] == len(TURNS)
    found = cli("--store", tmp_path / "kept", "--namespace", "demo", "recall", "retry_backoff_ms", "-k", "3", "--json").json
    assert any("750" in hit["memory"]["content"] for hit in found["hits"])
    assert not (tmp_path / "memory").exists()
