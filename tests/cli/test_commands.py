"""Each command: what it prints for people, what for programs, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path

import pytest

from hindsight.cli.app import DONE, NOT_FOUND, USAGE

ABSENT = "0197a1b2-0000-7000-8000-000000000000"


@pytest.fixture
def saved(cli):
    return cli("store", "用户对花生过敏", "--kind", "constraint", "--tag", "饮食", "--json").json["id"]


class TestStore:
    def test_fields_and_result(self, cli):
        answer = cli(
            "store", "api 连不上 db", "--kind", "episode", "--query", "Docker 网络不通", "--outcome", "fixed", "--task-type", "troubleshooting",
            "--tool", "ping", "--tool", "docker", "--speaker", "林悦", "--session", "s1", "--occurred-at", "2025-10", "--expires-at", "2999-01-01",
            "--key", "a:1", "--set", "importance=0.9", "--set", 'entities=["lantern_net"]', "--set", "role=user", "--json",
        )  # fmt: skip
        assert (answer.code, answer.json["status"]) == (DONE, "stored")
        shown = cli("show", answer.json["id"], "--json").json
        expected = {
            "content": "api 连不上 db", "kind": "episode", "layer": "episodic", "query": "Docker 网络不通", "outcome": "fixed",
            "task_type": "troubleshooting", "tools": ["ping", "docker"], "speaker": "林悦", "session_id": "s1", "occurred_precision": "month",
            "key": "a:1", "importance": 0.9, "entities": ["lantern_net"], "role": "user", "channel": "user", "visibility": "private",
        }  # fmt: skip
        assert {name: shown[name] for name in expected} == expected

    def test_a_second_store_of_the_same_is_a_duplicate(self, cli, saved):
        again = cli("store", "用户对花生过敏", "--kind", "constraint", "--json").json
        assert (again["status"], again["id"]) == ("duplicate", saved)
        assert cli("store", "用户对花生过敏").out.startswith(f"duplicate {saved}\n  a memory with this idempotency key")

    def test_text_from_stdin(self, cli, monkeypatch):
        class Stdin:
            def __init__(self, data):
                self.buffer = self
                self.read = lambda: data

        monkeypatch.setattr("sys.stdin", Stdin("来自管道\n第二行".encode()))
        id = cli("store", "-", "--json").json["id"]
        assert cli("show", id, "--json").json["content"] == "来自管道\n第二行"
        monkeypatch.setattr("sys.stdin", Stdin(b"\xff"))
        assert cli("store", "-").code == USAGE

    def test_without_waiting_there_is_a_job(self, cli):
        answer = cli("store", "later", "--no-wait", "--json")
        assert answer.json["status"] == "queued"
        assert answer.json["job_id"] > 0
        assert [job["id"] for job in cli("jobs", "--json").json["items"]] == [answer.json["job_id"]]

    @pytest.mark.parametrize("content", ["", "  \n"])
    def test_nothing_to_store(self, cli, content):
        answer = cli("store", content)
        assert (answer.code, answer.out) == (USAGE, "")
        assert "nothing is left to store" in answer.err

    def test_a_field_that_does_not_exist_or_fit(self, cli):
        assert "colour" in cli("store", "x", "--set", "colour=red").err
        assert cli("store", "x", "--set", "colour").code == USAGE
        assert "kind" in cli("store", "x", "--kind", "hunch").err
        assert "confidence" in cli("store", "x", "--set", "confidence=sure").err


class TestForget:
    def test_it_asks_and_without_anyone_to_ask_it_does_nothing(self, cli, saved):
        answer = cli("forget", saved)
        assert (answer.code, answer.out) == (USAGE, "")
        assert "add --yes" in answer.err
        assert cli("show", saved).code == DONE

    @pytest.mark.parametrize(("typed", "gone"), [("y\n", True), ("是\n", True), ("n\n", False), ("", False)])
    def test_the_answer_decides(self, cli, saved, monkeypatch, typed, gone):
        class Terminal:
            isatty = staticmethod(lambda: True)
            readline = staticmethod(lambda: typed)

        monkeypatch.setattr("sys.stdin", Terminal)
        answer = cli("forget", saved)
        assert "用户对花生过敏" in answer.err
        assert cli("show", saved).code == (NOT_FOUND if gone else DONE)

    def test_erase_and_archive(self, cli, saved):
        archived = cli("forget", saved, "--mode", "archive", "--yes", "--json")
        assert archived.json == {"mode": "archive", "ids": [saved]}
        assert cli("list", "--json").json["items"] == []
        assert [each["id"] for each in cli("list", "--status", "archived", "--json").json["items"]] == [saved]
        assert cli("restore", saved, "--json").json["status"] == "active"
        assert cli("restore", saved).code == USAGE
        assert cli("forget", saved, "-y", "--reason", "wrong").out == f"erased {saved}\n"
        assert cli("show", saved).code == NOT_FOUND
        events = cli("history", saved, "--json").json["items"]
        assert [event["action"] for event in events] == ["created", "archived", "restored", "erased"]
        assert events[-1]["reason"] == "wrong"
        assert "花生" not in json.dumps(events, ensure_ascii=False)

    def test_one_that_is_missing_keeps_the_others(self, cli, saved):
        assert cli("forget", saved, ABSENT, "--yes").code == NOT_FOUND
        assert cli("show", saved).code == DONE

    def test_an_unknown_mode(self, cli, saved):
        assert cli("forget", saved, "--mode", "burn", "--yes").code == USAGE


class TestReading:
    def test_show_for_people(self, cli, saved):
        answer = cli("show", saved)
        for part in (saved, "用户对花生过敏", "constraint", "饮食", "user"):
            assert part in answer.out

    def test_what_is_not_there(self, cli, made):
        for command in (("show", ABSENT), ("history", ABSENT), ("restore", ABSENT), ("forget", ABSENT, "--yes")):
            answer = cli(*command, "--json")
            assert (answer.code, answer.json["error"]["type"]) == (NOT_FOUND, "NotFound")
        assert cli("show", "not-an-id").code == USAGE

    def test_stored_text_drives_neither_markup_nor_terminal(self, cli):
        id = cli("store", "[bold red]x[/] \x1b[31mred \u202eevil :smile:", "--json").json["id"]
        for answer in (cli("show", id), cli("list", "--status", "pending")):
            assert "[bold red]x[/] \\x1b[31mred \\x202eevil :smile:" in answer.out
            assert "\x1b" not in answer.out
            assert "\u202e" not in answer.out

    def test_list_filters_and_pages(self, cli):
        for number in range(5):
            cli(
                "store",
                f"fact {number}",
                "--kind",
                "episode",
                "--tag",
                "odd" if number % 2 else "even",
                "--occurred-at",
                f"2025-0{number + 1}-01",
            )
        first = cli("list", "--limit", "2", "--json").json
        assert [each["content"] for each in first["items"]] == ["fact 4", "fact 3"]
        second = cli("list", "--limit", "3", "--cursor", first["cursor"], "--json").json
        assert [each["content"] for each in second["items"]] == ["fact 2", "fact 1", "fact 0"]
        assert second["cursor"] is None
        assert [each["content"] for each in cli("list", "--tag", "odd", "--json").json["items"]] == ["fact 3", "fact 1"]
        between = cli("list", "--since", "2025-02", "--until", "2025-04", "--json").json["items"]
        assert [each["content"] for each in between] == ["fact 2", "fact 1"]
        assert cli("list", "--kind", "hunch").code == USAGE
        assert "next page" in cli("list", "--limit", "2").out

    def test_an_empty_list(self, cli, made):
        assert cli("list", "--json").json == {"items": [], "cursor": None}
        assert cli("list").out == "nothing found\n"

    def test_history(self, cli, saved):
        assert "created" in cli("history", saved).out


class TestTransfer:
    MESSAGES = [{"role": "user", "content": "容器不通"}, {"role": "tool", "content": "y" * 3000}]

    @pytest.fixture
    def chat(self, tmp_path):
        path = tmp_path / "chat.json"
        path.write_text(json.dumps(self.MESSAGES, ensure_ascii=False), encoding="utf-8")
        return path

    def test_import_reports_what_it_did(self, cli, chat):
        report = cli("import", chat, "--json").json
        expected = {"format": "openai", "read": 2, "stored": 2, "duplicates": 0, "turns": 2, "namespaces": ["default"], "path": str(chat)}
        assert {name: report[name] for name in expected} == expected
        assert "2 were there already" in cli("import", chat).out

    def test_the_namespace_of_an_import_is_only_that_of_the_command_line(self, cli, tmp_path, monkeypatch):
        path = tmp_path / "own.jsonl"
        path.write_text('{"content": "x", "namespace": "theirs"}\n{"content": "y"}\n')
        monkeypatch.setenv("HINDSIGHT_NAMESPACE", "mine")
        assert cli("import", path, "--json").json["namespaces"] == ["mine", "theirs"]
        assert cli("import", path, "--namespace", "all", "--json").json["namespaces"] == ["all"]

    def test_a_malformed_file_changes_nothing_and_names_the_line(self, cli, tmp_path):
        path = tmp_path / "bad.jsonl"
        path.write_text('{"content": "x"}\n{"content": }\n')
        answer = cli("import", path, "--json")
        assert answer.code == USAGE
        assert answer.err.startswith(f"hindsight: {path}, line 2: not valid JSON")
        error = answer.json["error"]
        assert (error["type"], error["line"], error["kept"]) == ("ImportFailed", 2, 0)
        assert cli("stats", "--json").json["memories"] == 0

    @pytest.mark.parametrize(
        ("make", "told"),
        [
            (lambda path: None, "no such file"),
            (lambda path: path.write_bytes(b""), "empty"),
            (lambda path: path.write_bytes(bytes(range(256))), "binary|UTF-8"),
            (lambda path: path.mkdir(), "known formats"),
        ],
    )
    def test_what_is_no_history(self, cli, tmp_path, make, told):
        make(tmp_path / "thing")
        answer = cli("import", tmp_path / "thing")
        assert answer.code == USAGE
        assert any(each in answer.err for each in told.split("|"))

    def test_raw_turns_of_an_imported_memory(self, cli, chat):
        cli("import", chat)
        tool = next(each for each in cli("list", "--json").json["items"] if each["role"] == "tool")
        assert len(tool["content"]) < 2100
        raw = cli("show", tool["id"], "--raw", "--json").json["raw"]
        assert [turn["content"] for turn in raw] == ["y" * 3000]
        assert "y" * 100 in cli("show", tool["id"], "--raw").out.replace("\n", "")

    def test_export_to_a_file_and_back(self, cli, saved, tmp_path):
        target = tmp_path / "out.jsonl"
        report = cli("export", "--output", target, "--json").json
        assert (report["exported"], report["output"]) == (1, str(target))
        assert json.loads(target.read_text(encoding="utf-8"))["id"] == saved
        assert target.stat().st_mode & 0o077 == 0
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []
        assert cli("--store", tmp_path / "other", "import", target, "--json").json["stored"] == 1
        assert cli("--store", tmp_path / "other", "show", saved).code == DONE

    def test_export_compressed_and_of_one_namespace(self, cli, saved, tmp_path):
        cli("store", "elsewhere", "--namespace", "b")
        target = tmp_path / "out.jsonl.gz"
        cli("export", "-o", target, "--namespace", "b")
        assert [json.loads(line)["content"] for line in gzip.decompress(target.read_bytes()).splitlines()] == ["elsewhere"]

    def test_export_to_a_place_that_cannot_be_written(self, cli, saved, tmp_path):
        assert cli("export", "--output", tmp_path).code == USAGE
        assert cli("export", "--output", tmp_path / "absent" / "out.jsonl").code == USAGE

    def test_an_export_replaces_no_device_pipe_or_link(self, cli, saved, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        assert cli("export", "--output", pipe).code == DONE
        assert json.loads(os.read(reader, 1 << 16))["id"] == saved
        os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        file, link = tmp_path / "file", tmp_path / "link"
        link.symlink_to(file)
        assert cli("export", "--output", link).code == DONE
        assert (link.is_symlink(), json.loads(file.read_text())["id"]) == (True, saved)

    def test_a_failed_export_leaves_the_old_file(self, cli, saved, tmp_path, monkeypatch):
        target = tmp_path / "out.jsonl"
        target.write_text("old")

        def full(*_arguments, **_options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        answer = cli("export", "--output", target)
        monkeypatch.undo()
        assert (answer.code, target.read_text()) == (USAGE, "old")
        assert "No space left" in answer.err
        assert [path.name for path in Path(tmp_path).iterdir() if path.name.startswith(".")] == []


class TestOperating:
    def test_stats(self, cli, saved):
        counts = cli("stats", "--json").json
        assert (counts["memories"], counts["kinds"], counts["namespaces"]) == (1, {"constraint": 1}, {"default": 1})
        assert "keyword only" in cli("stats").out

    def test_no_jobs(self, cli, made):
        assert cli("jobs").out == "no jobs\n"
        assert cli("jobs", "--state", "dead", "--json").json == {"items": []}

    def test_version(self, cli):
        from hindsight import __version__

        assert cli("version").out == f"hindsight {__version__}\n"
        assert cli("version", "--json").json["version"] == __version__


def test_an_export_never_overwrites_the_store(cli, tmp_path) -> None:
    store = tmp_path / "kept"
    cli("store", "worth keeping", "--store", store)
    for name in ("memory.db", "export.jsonl"):
        refused = cli("export", "--output", store / name, "--store", store)
        assert refused.code == 2
        assert "store's own folder" in refused.err
    assert cli("stats", "--store", store, "--json").json["statuses"] == {"active": 1}


def test_the_history_of_what_was_erased_is_its_agents_own(cli, tmp_path) -> None:
    store = tmp_path / "kept"
    id = cli("store", "private", "--store", store, "--agent", "ann", "--json").json["id"]
    cli("forget", id, "--yes", "--store", store, "--agent", "ann")
    assert cli("history", id, "--store", store, "--agent", "ann").code == 0
    assert cli("history", id, "--store", store, "--agent", "bob").code == 3


def test_a_global_option_without_value_is_told_as_json_too(cli) -> None:
    answer = cli("stats", "--store", "", "--json")
    assert answer.code == 2
    assert "--store" in answer.json["error"]["message"]


@pytest.mark.parametrize("option", ["namespace", "agent"])
def test_a_pool_that_is_no_limit_makes_no_token(cli, saved, option):
    refused = cli("token", "create", "ci", f"--{option}", "team")
    assert refused.code == USAGE
    assert f"--for-{option} team" in refused.err
    assert cli("token", "list", "--json").json["items"] == []
