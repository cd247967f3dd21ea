"""The documentation says what is so: generated parts are fresh, every setting is documented, pages hang together."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from hindsight.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)")


def test_generated_parts_are_fresh() -> None:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    stale = [str(path) for path, text in pages.filled().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run make pages"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented(name: str) -> None:
    assert f"`HINDSIGHT_{name.upper()}`" in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert Settings.model_fields[name].description


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    missing = [link for link in LINK.findall(path.read_text(encoding="utf-8")) if not (path.parent / link).exists()]
    assert not missing


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        assert path.relative_to(ROOT / "docs").as_posix() in navigation
