"""What docs/mcp.md shows, works."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from serving import HttpThread

from hindsight.serve.mcp import older
from hindsight.serve.mcp.server import LISTED

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(program: str, folder: Path, **settings: str) -> str:
    """Run a program with the command ``hindsight`` on its path, keyword-only."""
    command = folder / "hindsight"
    before = f"import os, sys; sys.path[:] = {sys.path!r}; os.environ |= {settings!r}"
    command.write_text(f"#!{sys.executable}\n{before}\nfrom hindsight.cli.app import main\nmain()\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, cwd=folder, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_client(tmp_path) -> None:
    said = run(PYTHON[0], tmp_path, HINDSIGHT_EMBEDDER="none", HINDSIGHT_MIN_RELEVANCE="0.001")
    assert "检查容器是否在同一个自定义网络" in said
    assert (tmp_path / "memory").is_dir()


def test_the_python_client_with_a_token(tmp_path) -> None:
    with HttpThread(str(tmp_path / "memory"), token="secret") as server:
        program = PYTHON[1].replace("http://127.0.0.1:8080", server.url).replace("the value of HINDSIGHT_TOKEN", "secret")
        assert run(program, tmp_path).strip() == "stored"


@pytest.mark.parametrize("block", re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
def test_configurations_are_json_and_start_the_stdio_server(block) -> None:
    configuration = json.loads(block)
    [servers] = configuration.values()
    assert (servers["hindsight"]["command"], servers["hindsight"]["args"]) == ("hindsight", ["mcp"])
    from hindsight.settings import load_settings

    load_settings(servers["hindsight"]["env"])


def test_every_tool_and_older_call_is_named() -> None:
    for tool in LISTED:
        assert f"`{tool.name}`" in PAGE
    for tool in (*older.TOOLS, older.STORE_EXPERIENCE):
        assert f"`{tool.name}({', '.join(tool.arguments.model_fields)}"[:20] in PAGE
