"""``hindsight upkeep``, ``thaw`` and ``forget`` with selections, as a person types them."""

from __future__ import annotations

import json

import pytest

from hindsight.cli.app import run


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")

    def called(*words: str) -> tuple[int, str, str]:
        code = run(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    return called


def test_jobs_are_listed_run_and_explained(call):
    assert call("upkeep")[0] == 5  # there is no store yet, and none is made
    call("store", "The ledger listens on port 8080.")
    code, out, _ = call("upkeep", "--json")
    items = json.loads(out)["items"]
    assert [each["name"] for each in items][:2] == ["expire", "archive"]
    assert all(each["next_run"] and each["finished_at"] is None for each in items)
    assert call("upkeep", "archive", "--dry-run")[1].startswith("archive (dry run): nothing to do")
    assert call("upkeep", "stats")[1].startswith("stats: ")
    code, out, _ = call("upkeep")
    assert code == 0
    assert "never" in out
    code, _, err = call("upkeep", "tidy")
    assert (code, "jobs are expire, archive" in err) == (2, True)
    assert call("upkeep", "--dry-run")[0] == 2


def test_a_selection_is_forgotten_with_evidence(call, tmp_path):
    call("store", "Ada Lovelace likes tea.")
    call("store", "The kettle is blue.")
    code, out, _ = call("forget", "--subject", "Ada Lovelace", "--dry-run", "--json")
    assert (code, len(json.loads(out)["ids"])) == (0, 1)
    code, _, err = call("forget", "--subject", "Ada Lovelace")
    assert (code, "add --yes" in err) == (2, True)
    file = tmp_path / "evidence.json"
    code, out, _ = call("forget", "--subject", "Ada Lovelace", "--yes", "--evidence", str(file), "--reason", "asked to")
    assert code == 0
    assert "left: nothing" in out
    told = json.loads(file.read_text())
    assert (len(told["memories"]), told["left"], "Ada" in file.read_text()) == (1, {}, False)
    assert json.loads(call("list", "--json")[1])["items"][0]["content"] == "The kettle is blue."
    for place in (tmp_path, tmp_path / "no folder" / "evidence.json"):  # known before anything is removed
        code, _, err = call("forget", "--subject", "kettle", "--yes", "--evidence", str(place))
        assert (code, "Nothing was forgotten" in err) == (2, True)
    assert len(json.loads(call("list", "--json")[1])["items"]) == 1
    code, out, err = call("forget", "--subject", "teapot", "--yes", "--evidence", "/dev/full")
    assert (code, "printed instead" in err, json.loads(out)["memories"]) == (5, True, [])
    assert call("forget")[0] == 2
    assert call("forget", "--tag", "nothing", "--yes")[0] == 3
    assert call("forget", "--mode", "archive", "--tag", "x")[0] == 2


def test_thaw_brings_back_and_says_what_is_not_there(call):
    id = json.loads(call("store", "The kettle is blue.", "--json")[1])["id"]
    call("forget", id, "--mode", "archive", "--yes")
    code, out, _ = call("thaw", id)
    assert (code, out.split()[0]) == (0, "thawed:")
    code, _, err = call("thaw", "019b76da-a800-74ef-aedc-618d90c6905b")
    assert (code, "thaw --search" in err) == (3, True)
    assert call("thaw")[0] == 2
    assert "nothing in the cold store" in call("thaw", "--search", "kettle")[1]


def test_a_backup_never_goes_into_the_store_itself(call, tmp_path, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_STORE", str(tmp_path / "store"))
    call("store", "The kettle is blue.")
    for place in (tmp_path / "store", tmp_path / "store" / "backups"):
        code, _, err = call("backup", "--to", str(place))
        assert (code, "lies in the store's own folder" in err) == (2, True)
    assert call("backup", "--to", str(tmp_path / "store-backups"))[0] == 0
