"""The command line's view of working memory, and of stores that are not there."""

from __future__ import annotations

import pytest

from hindsight.sync import Hindsight


@pytest.fixture
def conversing(tmp_path, monkeypatch):
    """A store with one open session."""
    folder = tmp_path / "with-session"
    monkeypatch.setenv("HINDSIGHT_STORE", str(folder))
    with Hindsight.open(folder, embedder="none") as memory:
        session = memory.session("task-17", goal="Book the venue")
        session.open()
        session.turn("I am allergic to peanuts, please never serve them.")
    return folder


def test_sessions_are_listed_shown_and_closed(cli, conversing):
    assert "Book the venue" in cli("sessions").out
    assert [each["session_id"] for each in cli("sessions", "--json").json["items"]] == ["task-17"]
    assert "peanuts" in cli("sessions", "task-17").out
    closed = cli("sessions", "task-17", "--close", "--json").json
    assert closed["open"] is False
    assert len(closed["kept"]) == 1
    assert cli("sessions").out.strip() == "no open sessions"
    assert "peanuts" in cli("show", closed["kept"][0]).out


def test_discarding_keeps_nothing(cli, conversing):
    assert "0 memories kept" in cli("sessions", "task-17", "--discard").out
    assert cli("list", "--json").json["items"] == []


@pytest.mark.parametrize(("words", "code"), [(("task-18",), 3), (("task-17", "--close", "--discard"), 2), (("--close",), 2)])
def test_wrong_calls(cli, conversing, words, code):
    assert cli("sessions", *words).code == code


@pytest.mark.parametrize(
    "words",
    [("recall", "x"), ("list",), ("stats",), ("jobs",), ("sessions",), ("export", "--output", "out.jsonl")],
    ids=lambda words: words[0],
)
def test_reading_makes_no_store(cli, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    answer = cli(*words, "--store", tmp_path / "mistyped")
    assert answer.code == 5
    assert "there is no store at" in answer.err
    assert not (tmp_path / "mistyped").exists()


def test_dead_jobs_get_their_tries_again(cli, conversing):
    assert cli("jobs", "--retry", "99").code == 3


def test_an_address_that_cannot_be_a_store_is_not_worth_another_try(cli, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for words in (("store", "x"), ("recall", "x")):
        assert cli(*words, "--store", tmp_path / "file", "--json").json["error"]["retryable"] is False


def test_json_alone_is_no_command(cli):
    answer = cli("--json")
    assert (answer.code, answer.json["error"]["type"]) == (2, "InvalidInput")
