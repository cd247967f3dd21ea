"""How a command line is read, how it ends, and what a process of it costs to start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from hindsight import errors
from hindsight.cli import app
from hindsight.cli.app import DONE, FAILED, INTERRUPTED, MODEL, NOT_FOUND, PIPE_CLOSED, REFUSED, STORE, USAGE, run
from hindsight.cli.invocation import Invocation, patient
from hindsight.errors import InvalidInput

PROGRAM = [sys.executable, "-c", "from hindsight.cli.app import main; main()"]


def process(*arguments, **options):
    environment = {**os.environ, "HINDSIGHT_EMBEDDER": "none", **options.pop("env", {})}
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, env=environment, timeout=120, **options)


def size_of(folder) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


class TestGlobalOptions:
    @pytest.mark.parametrize(
        "words",
        [
            ["--store", "S", "--namespace=N", "--agent", "A", "--json", "recall", "x"],
            ["recall", "x", "--json", "--store=S", "--agent=A", "--namespace", "N"],
            ["recall", "--agent", "A", "--json", "--namespace", "N", "x", "--store", "S"],
        ],
    )
    def test_they_may_stand_anywhere(self, words):
        assert Invocation.read(words) == (Invocation("S", "N", "A", json=True), ["recall", "x"])

    def test_after_dashes_everything_is_text(self):
        found, rest = Invocation.read(["store", "--", "--json", "--store", "x"])
        assert (found, rest) == (Invocation(), ["store", "--", "--json", "--store", "x"])

    @pytest.mark.parametrize("words", [["stats", "--store"], ["stats", "--store="], ["stats", "--store", "--json"]])
    def test_a_missing_value_is_told(self, words):
        with pytest.raises(InvalidInput, match="--store: a value is needed"):
            Invocation.read(words)

    def test_text_that_looks_like_an_option_can_be_stored(self, cli):
        id = cli("store", "--json", "--", "--json").json["id"]
        assert cli("show", id, "--json").json["content"] == "--json"


def test_a_command_waits_longer_than_an_agent_unless_told_otherwise(monkeypatch):
    assert patient(Invocation().settings()) == {"retrieval_timeout_ms": 30_000}
    monkeypatch.setenv("HINDSIGHT_RETRIEVAL_TIMEOUT_MS", "500")
    assert patient(Invocation().settings()) == {}


class TestErrors:
    def test_each_kind_has_its_exit_code(self, monkeypatch, capsys):
        cases = {
            errors.InvalidInput("x"): USAGE,
            errors.ImportFailed("x", line=3): USAGE,
            errors.ConfigurationError("x"): USAGE,
            errors.NotFound("x"): NOT_FOUND,
            errors.VersionConflict("x", current=2): REFUSED,
            errors.AccessDenied("x"): REFUSED,
            errors.StoreCorrupt("x"): STORE,
            errors.StoreBusy("x"): STORE,
            errors.ModelMismatch("x"): MODEL,
            errors.Overloaded("x"): FAILED,
        }
        for error, code in cases.items():

            def failing(*_arguments, error=error):
                raise error

            monkeypatch.setattr(app, "_dispatch", failing)
            assert run(["stats", "--json"]) == code
            seen = capsys.readouterr()
            assert seen.err == "hindsight: x\n"
            told = json.loads(seen.out)["error"]
            assert (told["type"], told["retryable"]) == (type(error).__name__, error.retryable)

    @pytest.mark.parametrize(
        "words", [["bogus"], ["store"], ["recall", "x", "--bogus"], ["recall", "x", "-k", "many"], ["eval"], ["list", "--limit", "0"]]
    )
    def test_usage_errors_are_one_line_with_a_hint(self, cli, words):
        answer = cli(*words, "--json")
        assert (answer.code, answer.json["error"]["type"]) == (USAGE, "InvalidInput")
        assert answer.err.startswith("hindsight: ")
        assert answer.err.count("\n") == 1
        assert "--help" in answer.err

    def test_a_mistyped_setting_starts_nothing(self, cli, monkeypatch, tmp_path):
        monkeypatch.setenv("HINDSIGHT_STOER", "x")
        answer = cli("store", "x")
        assert (answer.code, answer.out) == (USAGE, "")
        assert "HINDSIGHT_STORE" in answer.err
        assert not (tmp_path / "memory").exists()

    def test_a_store_that_is_a_file(self, cli, tmp_path):
        (tmp_path / "file").write_text("x")
        assert cli("--store", tmp_path / "file", "stats").code == STORE

    def test_a_damaged_store_is_told_and_left_alone(self, cli, tmp_path):
        cli("store", "x")
        database = tmp_path / "memory" / "memory.db"
        database.write_bytes(b"garbage " * 1000)
        answer = cli("stats", "--json")
        assert (answer.code, answer.json["error"]["type"]) == (STORE, "StoreCorrupt")
        assert database.read_bytes() == b"garbage " * 1000

    def test_without_a_command_it_explains_itself(self, cli):
        for words in ((), ("--help",), ("-h",)):
            answer = cli(*words)
            assert answer.code == DONE
            for word in ("recall", "import", "doctor", "--namespace", "--json"):
                assert word in answer.out


def heed_interrupts() -> None:
    """What a shell starts in the background, and all that it starts, ignores interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class TestProcess:
    def test_store_and_show_as_a_script_does_it(self, tmp_path):
        stored = process("store", "你好 😀", "--json", env={"PYTHONIOENCODING": "ascii"})
        assert (stored.returncode, stored.stderr) == (DONE, b"")
        id = json.loads(stored.stdout.splitlines()[-1])["id"]
        shown = process("show", id, "--json")
        assert (shown.returncode, shown.stderr) == (DONE, b"")
        assert json.loads(shown.stdout)["content"] == "你好 😀"

    def test_a_reader_that_leaves_is_no_error(self, tmp_path):
        path = tmp_path / "many.jsonl"
        path.write_text("".join(json.dumps({"kind": "episode", "content": f"{n} " + "x" * 500}) + "\n" for n in range(2000)))
        assert process("import", path).returncode == DONE
        environment = {**os.environ, "HINDSIGHT_EMBEDDER": "none"}
        with subprocess.Popen([*PROGRAM, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as running:
            running.stdout.read(100)
            running.stdout.close()
            told = running.stderr.read()
            assert running.wait(60) == PIPE_CLOSED
        assert told == b""

    def test_an_interrupted_import_ends_cleanly_and_goes_on_later(self, tmp_path):
        path, store = tmp_path / "many.jsonl", tmp_path / "memory"
        path.write_text("".join(json.dumps({"kind": "episode", "content": f"event {n} " + "word " * 60}) + "\n" for n in range(3000)))
        process("store", "makes the store", "--json")
        before = size_of(store)
        environment = {**os.environ, "HINDSIGHT_EMBEDDER": "none"}
        with subprocess.Popen(
            [*PROGRAM, "import", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=heed_interrupts,  # noqa: PLW1509 - the process has one thread
        ) as running:
            deadline = time.monotonic() + 60
            while size_of(store) < before + 500_000 and time.monotonic() < deadline:
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            told = running.stderr.read().decode()
            assert running.wait(60) == INTERRUPTED
        assert told == "hindsight: interrupted\n"
        report = json.loads(process("import", path, "--json").stdout)
        assert report["stored"] + report["duplicates"] == 3000
        assert 0 < report["duplicates"] < 3000

    def test_the_stdio_server_loads_no_command_parser_and_nothing_for_people(self):
        code = (
            "import sys\n"
            "from hindsight.cli import app\n"
            "from hindsight.serve import stdio\n"
            "seen = []\n"
            "stdio.run = lambda settings: seen.extend(sys.modules)\n"
            "assert app.run(['--store', 'x', 'mcp']) == 0\n"
            "heavy = {'typer', 'rich', 'numpy', 'fastapi', 'uvicorn', 'onnxruntime', 'httpx', 'structlog'} & set(seen)\n"
            "print(sorted(heavy))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
        assert (done.stdout.decode().strip(), done.returncode) == ("[]", 0), done.stderr.decode()

    def test_an_address_makes_it_a_bridge(self, monkeypatch):
        from hindsight.serve import bridge, stdio

        seen = []
        monkeypatch.setattr(bridge, "run", lambda settings: seen.append(("bridge", settings.url)))
        monkeypatch.setattr(stdio, "run", lambda settings: seen.append(("stdio", settings.store)))
        for words in (["mcp", "--url", "http://h:1"], ["mcp", "--url=http://h:1"], ["--store", "s", "mcp"]):
            assert run(words) == DONE
        monkeypatch.setenv("HINDSIGHT_URL", "http://h:2")
        assert run(["mcp"]) == DONE
        assert seen == [("bridge", "http://h:1"), ("bridge", "http://h:1"), ("stdio", "s"), ("bridge", "http://h:2")]

    def test_what_is_wrong_with_a_stdio_call_is_told_by_the_parser(self, cli):
        assert "--url" in cli("mcp", "--help").out
        assert cli("mcp", "--url").code == USAGE
        assert cli("mcp", "surplus").code == USAGE


def test_serve_gets_address_and_port(cli, monkeypatch):
    from hindsight.serve import app as server

    seen = []
    monkeypatch.setattr(server, "run", lambda settings: seen.append((settings.host, settings.port, settings.namespace)))
    assert cli("serve", "--host", "::1", "--port", "0", "--namespace", "n").code == DONE
    assert cli("serve").code == DONE
    assert seen == [("::1", 0, "n"), ("127.0.0.1", 8080, "default")]
