"""The commands verify, undo, history and show --lineage."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tampers import tampering

_PLACE = Path(__file__).parents[1] / "cli" / "conftest.py"
_SPEC = importlib.util.spec_from_file_location("cli_fixtures", _PLACE)
assert _SPEC is not None
assert _SPEC.loader is not None
_FIXTURES = importlib.util.module_from_spec(_SPEC)
sys.modules["cli_fixtures"] = _FIXTURES
_SPEC.loader.exec_module(_FIXTURES)
cli = _FIXTURES.cli


@pytest.fixture
def stored(cli: Any) -> list[str]:
    return [cli("store", f"memory {number}", "--kind", "episode", "--json", "--agent", "bad").json["id"] for number in range(2)]


def test_verify_says_ok_and_where_the_chains_end(cli: Any, stored: list[str]) -> None:
    answer = cli("verify", "--json")
    assert answer.code == 0
    assert (answer.json["ok"], answer.json["state"], answer.json["records"], answer.json["entries"]) == (True, "ok", 2, 2)
    assert answer.json["heads"]["default"]["entries"] == 2
    assert answer.json["faults"] == []
    assert "ok: 2 memories" in cli("verify").out


def test_verify_exits_with_1_and_names_what_was_changed(cli: Any, stored: list[str], tmp_path: Path) -> None:
    with tampering(tmp_path / "memory") as db:
        db.execute("UPDATE memories SET content = 'forged' WHERE id = ?", (stored[0],))
    answer = cli("verify", "--json")
    assert answer.code == 1
    assert [(fault["what"], fault["id"]) for fault in answer.json["faults"]] == [("edited", stored[0])]
    assert f"edited: memory {stored[0]}" in cli("verify").out


def test_verify_exits_with_2_for_a_wrong_key(cli: Any, stored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY", "another")
    answer = cli("verify", "--json")
    assert (answer.code, answer.json["state"]) == (2, "wrong key")
    assert "wrong key" in cli("verify").out
    assert cli("verify", "--reseal").code == 2
    answer = cli("verify", "--reseal", "--yes", "--json")
    assert (answer.code, answer.json["state"]) == (0, "ok")


def test_verify_without_a_store_or_a_key_does_not_pass(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("verify").code != 0
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY", "off")
    cli("store", "unsealed", "--kind", "episode")
    answer = cli("verify", "--json")
    assert (answer.code, answer.json["state"]) == (1, "not sealed")


def test_verify_rotates_the_key_file(cli: Any, stored: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys" / "seal.key"
    before = file.read_text()
    assert cli("verify", "--rotate").code == 0
    assert len(file.read_text().splitlines()) == len(before.splitlines()) + 1
    cli("store", "after", "--kind", "episode")
    assert cli("verify").code == 0
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY", "given")
    assert cli("verify", "--rotate").code == 2


def test_undo_shows_asks_and_can_be_undone(cli: Any, stored: list[str]) -> None:
    cli("store", "mine", "--kind", "episode")
    dry = cli("undo", "--agent", "bad", "--dry-run", "--json")
    assert {item["id"]: item["effect"] for item in dry.json["items"]} == dict.fromkeys(stored, "withdrawn")
    assert dry.json["undo"] is None
    assert cli("undo", "--agent", "bad").code == 2  # nobody to ask
    assert len(cli("list", "--agent", "bad", "--json").json["items"]) == 2
    done = cli("undo", "--agent", "bad", "--yes", "--reason", "poisoned", "--json")
    assert done.code == 0
    assert cli("list", "--agent", "bad", "--json").json["items"] == []
    assert len(cli("list", "--json").json["items"]) == 1
    assert cli("undo", "--undo", done.json["undo"], "--yes").code == 0
    assert len(cli("list", "--agent", "bad", "--json").json["items"]) == 2
    assert cli("verify").code == 0
    assert cli("undo", "--session", "nothing", "--yes").code == 3
    assert cli("undo").code == 2
    shown = cli("undo", "--memory", stored[0], "--since", "2020", "--yes").out
    assert "withdrawn" in shown
    assert "takes it back" in shown


def test_history_shows_differences(cli: Any) -> None:
    from hindsight.sync import Hindsight

    with Hindsight.open(embedder="none") as memory:
        saved = memory.store("the port is 8080", kind="episode")
        memory.update(saved.id, content="the port is 9090", reason="moved")
    shown = cli("history", saved.id).out
    assert "the port is [-8080-]{+9090+}" in shown
    assert "moved" in shown
    events = cli("history", saved.id, "--json").json["items"]
    assert events[1]["differences"]["content"]["to"] == "the port is 9090"


def test_show_draws_the_lineage_and_the_past(cli: Any) -> None:
    root = cli("store", "root", "--kind", "episode", "--json").json["id"]
    made = cli("store", "made of it", "--kind", "episode", "--set", f'parents=["{root}"]', "--json").json["id"]
    last = cli("store", "made of that", "--kind", "episode", "--set", f'parents=["{made}"]', "--json").json["id"]
    shown = cli("show", made, "--lineage").out
    assert f"└─ {root} episode, active: root" in shown
    assert f"└─ {last} episode, active: made of that" in shown
    told = cli("show", root, "--lineage", "--json").json
    assert told["parents"] == []
    assert told["children"][0]["branches"][0]["id"] == last
    assert "nothing that is known" in cli("show", root, "--lineage").out
    assert cli("show", root, "--at", "2020-01-01").code == 3
    assert json.loads(cli("show", root, "--at", "2999-01-01", "--json").out)["content"] == "root"


def test_a_legal_hold_is_told(cli: Any, stored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_LEGAL_HOLD", "case 4711")
    answer = cli("forget", stored[0], "--yes", "--agent", "bad")
    assert answer.code == 4
    assert "case 4711" in answer.err


def seals_of(cli: Any) -> dict[str, str]:
    [found] = [each for each in cli("doctor", "--json").json["items"] if each["name"] == "seals"]
    return found


def test_doctor_says_how_the_store_is_sealed(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys" / "seal.key"
    assert "will be made" in seals_of(cli)["found"]
    cli("store", "x", "--kind", "episode")
    assert (seals_of(cli)["state"], seals_of(cli)["found"].endswith(str(file))) == ("ok", True)
    file.chmod(0o644)
    assert seals_of(cli)["state"] == "warn"
    file.write_text("")
    assert seals_of(cli)["state"] == "fail"
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY", "given")
    assert "HINDSIGHT_SEAL_KEY" in seals_of(cli)["found"]
    assert "given" not in seals_of(cli)["found"]
    monkeypatch.setenv("HINDSIGHT_SEAL_KEY", "off")
    assert seals_of(cli)["state"] == "warn"
