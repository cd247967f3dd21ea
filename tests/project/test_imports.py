"""The import contracts that pyproject.toml states."""

from __future__ import annotations

from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]


def test_every_contract_is_kept(monkeypatch, capsys) -> None:
    monkeypatch.chdir(ROOT)
    broken = lint_imports(no_cache=True)
    assert not broken, capsys.readouterr().out
