"""Examples of README and documentation, run as they stand: Python, hindsight's commands, JSON and TOML."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hindsight.sync import Hindsight

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"(?P<excuse><!-- not run: [^>]+ -->\s*)?^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^ *```", re.MULTILINE | re.DOTALL
)
SERVES = {"serve", "mcp", "worker"}
TASKS = ROOT / "src/hindsight/evals/tasks/tasks.jsonl"
SERVER, TOKEN = "127.0.0.1:8080", "the value of HINDSIGHT_TOKEN"
PLACEHOLDERS = {"FOLDER", "FILE", "ID", "MEMORY", "QUERY", "AGENT", "SESSION", "SOURCE"}
CONVERSATION = [
    {"role": "user", "content": "I moved the backups to three in the morning", "created_at": "2025-03-01T09:00:00Z"},
    {"role": "assistant", "content": "Noted: backups run at 03:00.", "created_at": "2025-03-01T09:00:05Z"},
]


@dataclass(frozen=True)
class Example:
    page: Path
    line: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def examples(*languages: str) -> list[Example]:
    """Each different example once: pages in two languages share their code."""
    return list({each.code: each for each in reversed(list(every_example())) if each.language in languages}.values())


def every_example() -> Iterator[Example]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            if not found["excuse"]:
                code = "\n".join(line.removeprefix(found["indent"]) for line in found["code"].splitlines())
                yield Example(page, text.count("\n", 0, found.start("code")), found["language"], code)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and ``hindsight`` on the path as the package under test."""
    bin_folder, work = tmp_path / "bin", tmp_path / "work"
    bin_folder.mkdir()
    work.mkdir()
    command = bin_folder / "hindsight"
    # An MCP client hands on hardly any variable, so the command sets what it needs itself.
    command.write_text(
        f"#!{sys.executable}\nimport os, sys\nsys.path.insert(0, {str(ROOT / 'src')!r})\n"
        f"os.environ.setdefault('HINDSIGHT_STORE', {str(tmp_path / 'memory')!r})\n"
        "from hindsight.cli.app import main\nmain()\n",
        encoding="utf-8",
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(work)
    (work / "conversation.jsonl").write_text("\n".join(json.dumps(turn) for turn in CONVERSATION), encoding="utf-8")
    return work


@contextmanager
def served(code: str) -> Iterator[str]:
    """The code with a server running where it expects one, if it does: on a free port, with the token that it names."""
    if SERVER not in code:
        yield code
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "HINDSIGHT_TOKEN": TOKEN} if TOKEN in code else dict(os.environ)
    with subprocess.Popen(["hindsight", "serve", "--port", str(port)], env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until_live(f"http://127.0.0.1:{port}/health/live")
            yield code.replace(SERVER, f"127.0.0.1:{port}")
        finally:
            server.terminate()


def wait_until_live(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    pytest.fail(f"no answer from {address}")


@pytest.mark.parametrize("example", examples("python"), ids=str)
def test_python_examples_run(example: Example, shell: Path) -> None:
    with served(example.code) as code:
        run(code, example)


def run(text: str, example: Example) -> None:
    code = compile(text, str(example), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names: dict[str, object] = {"__name__": "example"}
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, names))
    else:
        exec(code, names)
    assert set(names) > {"__name__", "__builtins__"}, "the example does nothing"


@pytest.mark.parametrize("example", [each for each in examples("sh", "bash", "console") if "hindsight " in each.code], ids=str)
def test_commands_run(example: Example, shell: Path) -> None:
    with Hindsight.open(shell.parent / "memory", embedder="none"):
        pass  # a reader of the page has a store by now
    for line in re.sub(r"\\\n", " ", example.code).splitlines():
        command = shlex.split(line.removeprefix("$ "), comments=True)
        if len(command) < 2 or command[0] != "hindsight" or command[1] in SERVES or PLACEHOLDERS & set(command):
            continue
        if command[1:3] == ["eval", "tasks"]:  # a few stand for the fifty
            command += ["--tasks", str(few_tasks(shell))]
        done = subprocess.run(command, cwd=shell, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def few_tasks(folder: Path) -> Path:
    few = folder / "few"
    few.mkdir()
    (few / "tasks.jsonl").write_text("".join(TASKS.read_text(encoding="utf-8").splitlines(keepends=True)[::17]), encoding="utf-8")
    return few


@pytest.mark.parametrize("example", examples("json", "toml"), ids=str)
def test_configuration_examples_parse(example: Example) -> None:
    parsed = json.loads(example.code) if example.language == "json" else tomllib.loads(example.code)
    assert parsed
