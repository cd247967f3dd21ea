"""What the contributing page promises of the code: small modules and functions, telling names, nothing swallowed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
TELLS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc", "base"}
READS_ENVIRONMENT = {"settings.py"}
"""Beside it, the benchmark's probe hands its own environment on to the processes that it starts."""


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_modules_and_functions_are_small_and_named(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_MODULE
    assert path.stem not in TELLS_NOTHING
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= LONGEST_FUNCTION, f"{node.name} is too long"


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_exception_is_swallowed_and_no_stub_is_left(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            assert not (len(node.body) == 1 and isinstance(node.body[0], ast.Pass)), f"line {node.lineno} swallows an exception"
        if isinstance(node, ast.Raise):
            assert "NotImplementedError" not in ast.dump(node), f"line {node.lineno} is a stub"


def test_settings_alone_read_the_environment() -> None:
    readers = {path.name for path in SOURCES if path.parent.name != "evals" and {"environ", "getenv"} & names_in(path)}
    assert readers <= READS_ENVIRONMENT


def names_in(path: Path) -> set[str]:
    """Attributes taken of ``os``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    taken = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return {node.attr for node in taken if node.value.id == "os"}
