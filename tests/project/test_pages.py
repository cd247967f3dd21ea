"""The documentation says what is so: generated parts are fresh, every setting is documented, pages hang together."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from hindsight.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """The script that fills them."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_parts_are_fresh(pages: ModuleType) -> None:
    stale = [str(path) for path, text in pages.filled().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run make pages"


def test_sizes_are_told_beside_what_the_machine_allows(pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {
        "processor": "P",
        "cores": 2,
        "memory_gb": 8,
        "system": "L",
        "python": "3",
        "fsyncs_per_s": 4000,
        "memory_gb_per_s": 10.0,
        "load_average": 0.1,
    }
    asked = {"10000": {"first_s": 0.1, "with embedding": {"p50_ms": 20.0, "p95_ms": 30.0, "cpu_ms": 21.0}}}
    embedded = {
        "memories": 100_000,
        "machine": rates,
        "retrieve": asked,
        "limits": {"embed_ms": 5.0, "scan": {"10000": {"p50_ms": 0.768, "read_mb": 3.84}}},
        "upkeep": {"compact": {"s": 12.0, "cpu_s": 11.0, "counts": {}}},
        "erase": {"per_s": 300, "rss_mb": {"before": 400, "after": 320}, "disk_mb": {"before": 280, "after": 140}},
    }
    served = {"engine": "postgresql + pgvector", "memories": 100_000, "machine": rates, "copy_s": 30, "tune_s": 5}
    monkeypatch.setattr(pages, "SCALE", tmp_path / "scale.json")
    monkeypatch.setattr(pages, "BENCH", tmp_path / "bench.json")
    assert "Nothing is recorded yet" in pages.scale_tables() + pages.upkeep_table()
    (tmp_path / "scale.json").write_text(json.dumps({"embedder": "m", "stores": [embedded, served]}), encoding="utf-8")
    (tmp_path / "bench.json").write_text(
        json.dumps({"machine": rates, "concurrent": {"processes": 4, "stores_per_s": 400}}), encoding="utf-8"
    )
    sizes = pages.scale_tables()
    assert "On P, 2 cores, 8 GB, L, Python 3: embedded, 100,000; postgresql + pgvector, 100,000." in sizes
    assert "| half erased: resident, MB | 400 → 320 |  |" in sizes
    assert "| rows copied / statistics and vector indexes made, s |  | 30 / 5 |" in sizes
    assert "| embedded, 100,000 | 10,000 | 20 / 30 (21) |" in sizes
    assert "three readers" not in sizes, "what nobody measured has no row"
    assert "| `compact` | 12.0 (11.0) |" in pages.upkeep_table()
    limits = pages.limits_table()
    assert "| nearest vectors among 10,000, store of 100,000 | 3.84 MB at 10.0 GB/s: 0.38 ms | 0.77 ms | 2.0 × |" in limits
    assert "| the model: 5.0 ms | 20.0 ms | 4.0 × |" in limits
    assert "| 4,000 durable writes a second | 400 stores a second | 10 % |" in limits


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
