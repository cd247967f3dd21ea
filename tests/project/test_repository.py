"""The repository speaks of the product alone and can be read by someone who has nothing but it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT_SUFFIXES = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".json", ".jsonl", ".sql", ".html", ".css", ".js", ".svg", ""}
GENERATED = {"requirements"}
HOME_FOLDER = re.compile(r"/(?:home|root|Users|work)/\w")
NOTE_ELSEWHERE = re.compile(r"\bissue \d+\b|\bsee (?:the )?(?:design|facts)\b|\b[A-Z]{5,} section \d", re.IGNORECASE)
EVALUATION_DATA = "../shared/data"


def files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [str(path.relative_to(ROOT)) for path in walk()]
    kept = (ROOT / name for name in names if Path(name).parts[0] not in GENERATED)
    return [path for path in kept if path.suffix in TEXT_SUFFIXES and path.is_file() and path != Path(__file__)]


def walk() -> list[Path]:
    """Everything but hidden and made folders, for a copy that is no git checkout."""
    made = {"build", "dist", "__pycache__"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not any(part in made or (part.startswith(".") and part != ".ci") for part in path.relative_to(ROOT).parts)
    ]


def registry_hosts() -> list[str]:
    """Hosts of the package registries that this machine's clients are set to."""
    asked = subprocess.run(["pip", "config", "list"], capture_output=True, text=True, check=False).stdout if which("pip") else ""
    return [host for host in re.findall(r"//([^/:'\s]+)", asked) if "." in host]


def which(command: str) -> bool:
    return subprocess.run(["sh", "-c", f"command -v {command}"], capture_output=True, check=False).returncode == 0


def test_no_file_names_a_private_path_a_registry_or_a_note_that_is_not_here() -> None:
    hosts = registry_hosts()
    faults = []
    for path in files():
        text = path.read_text(encoding="utf-8", errors="replace").replace(EVALUATION_DATA, "")
        for pattern in (HOME_FOLDER, NOTE_ELSEWHERE):
            faults += [f"{path.relative_to(ROOT)}: {found.group()!r}" for found in pattern.finditer(text)]
        faults += [f"{path.relative_to(ROOT)}: {host}" for host in hosts if host in text]
        if "shared/" in text and path.suffix != ".md":
            faults += [f"{path.relative_to(ROOT)}: {line.strip()!r}" for line in text.splitlines() if re.search(r"\.\./shared/", line)]
    assert not faults


def test_evaluation_data_is_named_by_its_gates_only() -> None:
    named = {str(path.relative_to(ROOT)) for path in files() if EVALUATION_DATA in path.read_text(encoding="utf-8", errors="replace")}
    assert named <= {"Makefile", ".ci/run", "benchmarks/gates.py", "docs/evaluation.md", "docs/contributing.md"}


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE", "README.md", "README.zh.md", "CHANGELOG.md"])
def test_what_a_reader_looks_for_is_there(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8").strip()


def test_readmes_are_equals() -> None:
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    for mark in (r"^## ", r"^```\w+", r"^\| "):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(re.findall(mark, chinese, re.MULTILINE)), mark
    assert code(english) == code(chinese)


def code(text: str) -> list[str]:
    return re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
