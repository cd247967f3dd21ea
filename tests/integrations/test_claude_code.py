"""Claude Code: its files written and taken back, and the hook."""

from __future__ import annotations

import io
import json
import sys

import pytest

from hindsight.cli.app import run
from hindsight.integrations.claude_code import HOOK


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "none")
    monkeypatch.setenv("HINDSIGHT_MIN_RELEVANCE", "0.001")
    return folder


def install(*words) -> int:
    return run(["install", "claude-code", *map(str, words)])


def test_what_was_there_stays_and_comes_back_as_it_was(project):
    servers, settings = project / ".mcp.json", project / ".claude" / "settings.json"
    settings.parent.mkdir()
    foreign = {"hooks": [{"type": "command", "command": "lint"}]}
    before = {"model": "opus", "hooks": {"UserPromptSubmit": [foreign], "Stop": [foreign]}}
    settings.write_text(json.dumps(before, indent=2) + "\n")
    servers.write_text(json.dumps({"mcpServers": {"other": {"command": "x"}}}, indent=2) + "\n")
    for _ in range(2):  # twice is once
        assert install("--project", project, "--transcripts", "--namespace", "team") == 0
    entry = json.loads(servers.read_text())["mcpServers"]
    assert set(entry) == {"other", "hindsight"}
    assert entry["hindsight"]["args"][-3:] == ["--namespace", "team", "mcp"]
    hooks = json.loads(settings.read_text())["hooks"]
    assert [len(hooks[event]) for event in ("UserPromptSubmit", "Stop", "SessionEnd")] == [2, 1, 1]
    assert HOOK in hooks["UserPromptSubmit"][1]["hooks"][0]["command"]
    assert install("--project", project, "--remove") == 0
    assert json.loads(settings.read_text()) == before
    assert json.loads(servers.read_text()) == {"mcpServers": {"other": {"command": "x"}}}


def test_files_that_only_held_ours_go_again(project):
    assert install("--project", project) == 0
    assert (project / ".mcp.json").exists()
    assert install("--project", project, "--remove") == 0
    assert not (project / ".mcp.json").exists()
    assert not (project / ".claude" / "settings.json").exists()


def test_a_dry_run_shows_and_writes_nothing(project, capsys):
    assert install("--project", project, "--dry-run") == 0
    assert '+    "hindsight": {' in capsys.readouterr().out
    assert list(project.iterdir()) == []


def test_for_all_projects_of_the_user(project, tmp_path):
    assert install("--url", "http://127.0.0.1:8080") == 0
    held = json.loads((tmp_path / "home" / ".claude.json").read_text())
    assert held["mcpServers"]["hindsight"]["args"][-3:] == ["mcp", "--url", "http://127.0.0.1:8080"]


@pytest.mark.parametrize(
    "content", ["{not json", "[1]", '{"mcpServers": {"hindsight": {"command": "another", "args": ["serve"]}}}', '{"mcpServers": []}']
)
def test_a_file_that_cannot_be_understood_is_left_alone(project, content, capsys):
    (project / ".mcp.json").write_text(content)
    assert install("--project", project) == 2
    assert (project / ".mcp.json").read_text() == content
    assert not (project / ".claude").exists()


def test_a_folder_that_is_not_there(project, capsys):
    assert install("--project", project / "nowhere") == 2


def hook(monkeypatch, event) -> int:
    text = event if isinstance(event, str) else json.dumps(event)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return run(["hook", "claude-code"])


def test_the_hook_remembers_and_recalls(project, monkeypatch, capsys):
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "我对花生过敏。"}
    assert hook(monkeypatch, said) == 0
    capsys.readouterr()
    assert hook(monkeypatch, said | {"session_id": "s2", "prompt": "我对什么过敏？"}) == 0
    told = json.loads(capsys.readouterr().out)["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "花生" in told["additionalContext"]
    assert told["additionalContext"].startswith("<memory_context>")


@pytest.mark.parametrize(
    "event", ["", "no json", "[]", {"hook_event_name": "SessionEnd", "transcript_path": "/nowhere.jsonl"}, {"hook_event_name": "Stop"}]
)
def test_a_hook_never_fails(project, monkeypatch, capsys, event):
    assert hook(monkeypatch, event) == 0
    assert capsys.readouterr().out == ""
