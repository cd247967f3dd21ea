"""What the doctor finds, and that it changes nothing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from hindsight.adapters.places import open_place
from hindsight.cli.app import DONE, FAILED
from hindsight.records import Channel, Kind, Memory, new_id
from hindsight.upkeep.cold import ColdStore


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


def memory(content: str) -> Memory:
    now = datetime.now(UTC)
    fields = {
        "kind": Kind.EPISODE,
        "channel": Channel.AGENT,
        "trust": 0.5,
        "created_at": now,
        "updated_at": now,
        "idempotency_key": content,
    }
    return Memory(id=new_id(), namespace="default", agent="default", content=content, **fields)


def test_the_cold_store_is_read_and_checked(cli, tmp_path):
    cli("store", "x")
    assert findings(cli("doctor", "--json"))["cold store"]["found"].startswith("0 memories in 0 files")
    cold = ColdStore(open_place(str(tmp_path / "memory" / "cold")))
    asyncio.run(cold.put([memory("first")]))
    file = tmp_path / "memory" / "cold" / asyncio.run(cold.put([memory("second")])).name
    assert findings(cli("doctor", "--json"))["cold store"]["found"].startswith("2 memories in 2 files")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    answer = cli("doctor", "--json")
    found = findings(answer)["cold store"]
    assert (answer.code, found["state"]) == (FAILED, "fail")
    assert file.name in found["found"]
    assert "backup" in found["remedy"]


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


@pytest.fixture
def read_only(tmp_path):
    """A file system that is made read-only by calling what this gives."""
    place = tmp_path / "mounted"
    place.mkdir()
    if sys.platform != "linux" or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], capture_output=True).returncode:
        pytest.skip("mounting a small file system needs Linux and root")
    yield place, lambda: subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    subprocess.run(["umount", str(place)], check=False)


def test_a_read_only_file_system(cli, read_only):
    place, close = read_only
    cli("--store", str(place / "s"), "store", "the deploy needs two approvals")
    close()
    asked = cli("--store", str(place / "s"), "recall", "approvals")
    assert asked.code
    assert "may not be written" in asked.err
    found = findings(cli("--store", str(place / "s"), "doctor", "--json"))
    assert "copy the folder" in found["folder"]["remedy"]
    assert "copy the folder" in found["store"]["found"]
    assert "restore a backup" not in found["store"]["remedy"]
    output = cli("--store", str(place / "s2"), "export", "--output", str(place / "all.jsonl"))
    assert output.code


def test_a_cold_store_that_may_not_be_written(cli, read_only, monkeypatch):
    place, close = read_only
    cli("store", "x")
    (place / "cold").mkdir()
    close()
    monkeypatch.setenv("HINDSIGHT_COLD_STORE", str(place / "cold"))
    found = findings(cli("doctor", "--json"))
    assert (found["cold store"]["state"], "nothing can be archived" in found["cold store"]["found"]) == ("fail", True)


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


# Each fault, made on purpose: it is found, and the remedy that is named removes it.


def outside(tmp_path, *statements: str) -> None:
    """Change the store around hindsight."""
    import apsw

    db = apsw.Connection(str(tmp_path / "memory" / "memory.db"))
    for statement in statements:
        db.execute(statement).fetchall()
    db.close()


def test_an_index_that_drifted(cli, tmp_path):
    cli("store", "花生 peanut")
    outside(tmp_path, "DELETE FROM attributes")
    found = findings(cli("doctor", "--json"))["integrity"]
    assert (found["state"], "hindsight reindex --keywords" in found["remedy"]) == ("fail", True)


def test_an_edited_and_an_unsealed_record(cli, tmp_path):
    cli("store", "the price is 5")
    outside(tmp_path, "UPDATE memories SET content = 'the price is 500'")
    found = findings(cli("doctor", "--json"))["sealed"]
    assert (found["state"], "edited" in found["found"], "hindsight verify" in found["remedy"]) == ("fail", True, True)
    assert cli("verify", "--reseal", "--yes").code == DONE
    assert findings(cli("doctor", "--json"))["sealed"]["state"] == "ok"
    outside(
        tmp_path,
        "INSERT INTO events (memory_id, namespace, action, actor, channel, at) VALUES ('x', 'default', 'created', 'm', 'user', '2026')",
    )
    found = findings(cli("doctor", "--json"))["sealed"]
    assert (found["state"], "never sealed" in found["found"], "--reseal" in found["remedy"]) == ("fail", True, True)


def test_a_lost_key(cli, tmp_path, monkeypatch):
    cli("store", "x")
    (tmp_path / "keys" / "seal.key").write_text("another key\n")
    found = findings(cli("doctor", "--json"))["sealed"]
    assert (found["state"], "key" in found["remedy"]) == ("fail", True)


def test_a_worker_that_went_silent(cli, tmp_path):
    cli("store", "x")
    outside(
        tmp_path,
        "INSERT INTO jobs (kind, namespace, payload, state, created_at, due, lease_until, worker) VALUES ('unknown', 'default', '{}', 'leased', 1, 1, 2, 'gone')",
    )
    found = findings(cli("doctor", "--json"))["leases"]
    assert (found["state"], "hindsight worker" in found["remedy"]) == ("warn", True)
    outside(tmp_path, "UPDATE jobs SET state = 'waiting'")
    found = findings(cli("doctor", "--json"))["leases"]
    assert (found["state"], "waited" in found["found"]) == ("warn", True)


def test_memories_without_a_vector(cli, tmp_path, monkeypatch):
    cli("store", "written while there was no model")
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "use")
    found = findings(cli("doctor", "--json"))["vectors"]
    assert (found["state"], found["remedy"]) == ("warn", "Run `hindsight reindex`.")
    assert cli("reindex").code == DONE
    assert findings(cli("doctor", "--json"))["vectors"]["state"] == "ok"


def test_no_backup_and_an_old_one(cli, tmp_path):
    cli("store", "x")
    found = findings(cli("doctor", "--json"))["backups"]
    assert (found["state"], "hindsight backup" in found["remedy"]) == ("warn", True)
    assert cli("backup").code == DONE
    assert findings(cli("doctor", "--json"))["backups"]["state"] == "ok"
    outside(tmp_path, "UPDATE meta SET value = replace(value, '\"created\": \"20', '\"created\": \"19') WHERE name = 'note:backups'")
    found = findings(cli("doctor", "--json"))["backups"]
    assert (found["state"], "hours old" in found["found"]) == ("warn", True)


def test_a_database_that_others_may_read(cli, tmp_path):
    cli("store", "x")
    (tmp_path / "memory" / "memory.db").chmod(0o644)
    found = findings(cli("doctor", "--json"))["folder"]
    assert (found["state"], found["remedy"]) == ("warn", f"chmod 600 {tmp_path / 'memory' / 'memory.db'}*")
