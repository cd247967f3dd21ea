"""What every store promises of searches by vector, with Qdrant asked by each of them."""

from __future__ import annotations

import pytest
from beside import module_of_stores

_stores, _passages, _search, _indexed = map(module_of_stores, ("conftest", "test_passages", "test_search", "test_indexed"))

axes, seeds, filled, no_small_filters = _passages.axes, _search.seeds, _stores.filled, _indexed.no_small_filters
_OTHER_ROUTES = ("keyword", "term", "bm25", "statistics", "time", "activation", "name_that", "steer", "neighbours", "columns")
"""What those tests are of concerns no vectors."""


def _on_one_backend(test):
    """The same test; on which databases the stores' own run is their concern."""
    test.pytestmark = [mark for mark in getattr(test, "pytestmark", []) if mark.args[:1] != ("backend",)]
    return test


globals().update({
    name: _on_one_backend(test)
    for module in (_passages, _search)
    for name, test in vars(module).items()
    if name.startswith("test_") and not any(other in name for other in _OTHER_ROUTES)
})  # fmt: skip


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
async def test_the_ranking_is_that_of_the_scan(filled, mine, backend):
    index, filled._core.vector_index = filled._core.vector_index, None
    exact = await _indexed.everything(filled, mine)
    filled._core.vector_index = index
    again = await _indexed.everything(filled, mine)
    assert index.asked == 3
    for one, other in zip(exact, again, strict=True):
        assert one == pytest.approx(other, abs=1e-6, nan_ok=True)
