"""What the doctor finds, and that it changes nothing."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from hindsight.cli.app import DONE, FAILED


def findings(answer) -> dict[str, dict[str, str]]:
    return {each["name"]: each for each in answer.json["items"]}


def test_without_a_store_none_is_made(cli, tmp_path):
    answer = cli("doctor", "--json")
    found = findings(answer)
    assert answer.code == DONE
    assert {name: each["state"] for name, each in found.items()} == {
        "python": "ok", "packages": "ok", "engine": "ok", "settings": "ok", "folder": "ok", "disk": "ok", "clock": "ok", "seals": "ok", "embedder": "warn", "store": "ok",
    }  # fmt: skip
    assert found["embedder"]["remedy"]
    assert not (tmp_path / "memory").exists()


def test_a_sound_store(cli):
    cli("store", "x")
    answer = cli("doctor", "--json")
    found = findings(answer)
    assert (answer.code, found["integrity"]["state"], found["times"]["state"], found["jobs"]["state"]) == (DONE, "ok", "ok", "ok")
    assert "1 memories" in found["store"]["found"]
    told = cli("doctor").out
    assert "warn" in told
    assert "→ Set HINDSIGHT_EMBEDDER" in told


def test_secrets_stay_hidden(cli, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_TOKEN", "very-secret")
    answer = cli("doctor", "--json")
    assert "token=(hidden)" in findings(answer)["settings"]["found"]
    assert "very-secret" not in answer.out + cli("doctor").out


def test_a_faulty_setting(cli, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_PORT", "many")
    answer = cli("doctor", "--json")
    assert (answer.code, answer.json["state"]) == (FAILED, "fail")
    assert "HINDSIGHT_PORT" in findings(answer)["settings"]["found"]


def test_a_store_that_is_a_file(cli, tmp_path):
    (tmp_path / "memory").write_text("x")
    answer = cli("doctor", "--json")
    assert answer.code == FAILED
    assert findings(answer)["folder"]["state"] == "fail"


def test_a_folder_open_to_others(cli, tmp_path):
    cli("store", "x")
    (tmp_path / "memory").chmod(0o755)
    found = findings(cli("doctor", "--json"))
    assert (found["folder"]["state"], found["folder"]["remedy"]) == ("warn", f"chmod 700 {tmp_path / 'memory'}")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(cli, tmp_path):
    cli("store", "x")
    (tmp_path / "memory").chmod(0o500)
    assert findings(cli("doctor", "--json"))["folder"]["state"] == "fail"
    (tmp_path / "memory").chmod(0o700)


def test_a_damaged_store(cli, tmp_path):
    cli("store", "x")
    database = tmp_path / "memory" / "memory.db"
    database.write_bytes(b"garbage " * 1000)
    answer = cli("doctor", "--json")
    assert answer.code == FAILED
    assert findings(answer)["store"]["state"] == "fail"
    assert database.read_bytes() == b"garbage " * 1000


def test_little_room_on_the_disk(cli, monkeypatch):
    from hindsight.cli import doctor

    class Usage:
        free = 10_000_000

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _path: Usage)
    assert findings(cli("doctor", "--json"))["disk"]["state"] == "fail"


def test_memories_from_the_future(cli, tmp_path):
    later = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    path = tmp_path / "a.jsonl"
    fields = {"namespace": "default", "agent": "default", "kind": "fact", "content": "x", "created_at": later, "updated_at": later}
    path.write_text(json.dumps({"id": "0197a1b2-0000-7000-8000-000000000001", **fields}) + "\n")
    cli("import", path)
    found = findings(cli("doctor", "--json"))["times"]
    assert (found["state"], "1 of the newest" in found["found"]) == ("warn", True)


def test_a_model_that_cannot_be_loaded(cli, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "openai")
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_MODEL", "m")
    answer = cli("doctor", "--json")
    assert answer.code == FAILED
    assert findings(answer)["embedder"]["state"] == "fail"


def test_a_store_of_another_model_is_told_and_the_rest_still_looked_at(cli, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "use")
    stored = cli("store", "用户对花生过敏", "--json")
    assert stored.code == DONE
    sound = findings(cli("doctor", "--json"))
    assert (sound["embedder"]["state"], sound["store"]["state"]) == ("ok", "ok")
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "auto")
    answer = cli("doctor", "--json")
    found = findings(answer)
    assert (answer.code, found["model"]["state"], found["integrity"]["state"]) == (FAILED, "fail", "ok")
    assert "reindex" in found["model"]["remedy"]
