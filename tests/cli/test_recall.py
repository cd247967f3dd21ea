"""recall and why: found, explained, rendered, filtered."""

from __future__ import annotations

import pytest

from hindsight.cli.app import DONE, NOT_FOUND, USAGE


@pytest.fixture
def saved(cli):
    texts = {
        "docker": ("api 容器 ping 不通 db：两个容器不在同一个网络", "--kind", "episode", "--outcome", "fixed", "--tag", "docker"),
        "peanut": ("用户对花生过敏", "--kind", "constraint"),
        "error": ("ERR_QUEUE_4012 means that a batch outlived the visibility timeout", "--kind", "fact"),
    }
    return {name: cli("store", *words, "--json").json["id"] for name, words in texts.items()}


def test_recall_for_programs(cli, saved):
    found = cli("recall", "花生过敏", "-k", "2", "--json").json
    assert found["hits"][0]["id"] == saved["peanut"]
    assert found["hits"][0]["memory"]["content"] == "用户对花生过敏"
    assert "keyword" in found["hits"][0]["routes"]
    assert found["rendered"].startswith("<memory_context>")
    assert "keyword_only" in found["flags"]
    assert "explanation" not in found
    assert found["took_ms"] > 0


def test_recall_for_people(cli, saved):
    answer = cli("recall", "ERR_QUEUE_4012", "-k", "1")
    assert answer.code == DONE
    assert "ERR_QUEUE_4012 means" in answer.out
    assert saved["error"] in answer.out
    assert "found by" in answer.out


def test_explanations(cli, saved):
    explained = cli("recall", "ERR_QUEUE_4012", "-k", "1", "--explain", "--json").json["explanation"]
    assert [each["id"] for each in explained["candidates"] if each["shown"]] == [saved["error"]]
    assert "understood" in cli("recall", "ERR_QUEUE_4012", "--explain").out


def test_why_and_why_not(cli, saved):
    for_it = cli("why", saved["error"], "ERR_QUEUE_4012", "--json").json
    assert (for_it["id"], bool(for_it["verdict"])) == (saved["error"], True)
    against = cli("why", saved["peanut"], "ERR_QUEUE_4012")
    assert against.code == DONE
    assert against.out.strip()
    assert cli("why", "0197a1b2-0000-7000-8000-000000000000", "x").code == NOT_FOUND


def test_filters_reach_the_search(cli, saved):
    def found(*words):
        return [hit["id"] for hit in cli("recall", "网络 花生 batch", "--min-relevance", "0", "-k", "5", *words, "--json").json["hits"]]

    assert set(found()) == set(saved.values())
    assert found("--tag", "docker") == [saved["docker"]]
    assert set(found("--kind", "fact", "--kind", "constraint")) == {saved["peanut"], saved["error"]}
    assert found("--outcome", "fixed") == [saved["docker"]]
    assert found("--within", "1h", "--layer", "episodic") == [saved["docker"]]
    assert found("--namespace", "elsewhere") == []


def test_the_block_alone(cli, saved):
    block = cli("recall", "花生", "-k", "1", "--render").out
    assert block.startswith("<memory_context>")
    assert block.rstrip().endswith("</memory_context>")


def test_nothing_found_is_an_answer(cli, made):
    answer = cli("recall", "anything")
    assert (answer.code, answer.out.splitlines()[0]) == (DONE, "nothing relevant found")
    assert cli("recall", "anything", "--json").json["hits"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["--profile", "magic"],
        ["--route", "telepathy"],
        ["--since", "someday"],
        ["--within", "long"],
        ["--status", "quarantined"],
        ["-k", "0"],
    ],
)
def test_what_does_not_fit_is_told(cli, words, made):
    answer = cli("recall", "x", *words)
    assert (answer.code, answer.out) == (USAGE, "")
    assert answer.err.startswith("hindsight: ")
