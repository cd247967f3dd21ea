"""Recent answers: served while nothing has changed and nothing of them has run out, never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight import Hindsight
from hindsight.recall.cache import FRESH, AnswerCache, Kept
from hindsight.recall.hit import Hit
from hindsight.recall.request import Request
from hindsight.records import Filter

from .conftest import NOW

REQUEST = Request(
    query="q",
    filter=Filter(namespace="n", agent="a", now=NOW),
    now=NOW,
    k=None,
    threshold=0.1,
    free=True,
    profile="product",
    routes=("keyword",),
    state=None,
    cold=False,
)


def later(seconds: float) -> Request:
    now = NOW + timedelta(seconds=seconds)
    return replace(REQUEST, now=now, filter=REQUEST.filter.model_copy(update={"now": now}))


def test_served_until_the_store_changes() -> None:
    cache = AnswerCache(4)
    cache.put(REQUEST, Kept(7, NOW, (), "en"))
    assert cache.get(later(3), 7) is not None
    assert cache.get(later(3), 8) is None
    assert len(cache) == 0


@pytest.mark.parametrize("seconds", [FRESH.total_seconds() + 1, -1])
def test_too_old_or_from_the_future(seconds: float) -> None:
    cache = AnswerCache(4)
    cache.put(REQUEST, Kept(7, NOW, (), "en"))
    assert cache.get(later(seconds), 7) is None


@pytest.mark.parametrize("field", ["expires_at", "valid_to"])
def test_what_ran_out_meanwhile_is_not_served(hit: Callable[..., Hit], field: str) -> None:
    cache = AnswerCache(4)
    cache.put(REQUEST, Kept(7, NOW, (hit("soon over", **{field: NOW + timedelta(seconds=5)}),), "en"))
    assert cache.get(later(4), 7) is not None
    assert cache.get(later(5), 7) is None


def test_the_least_recently_used_goes_first() -> None:
    cache = AnswerCache(2)
    requests = [replace(REQUEST, query=name) for name in "abc"]
    for request in requests[:2]:
        cache.put(request, Kept(1, NOW, (), "en"))
    assert cache.get(requests[0], 1) is not None
    cache.put(requests[2], Kept(1, NOW, (), "en"))
    assert [cache.get(request, 1) is not None for request in requests] == [True, False, True]


def test_a_cache_of_no_size_keeps_nothing() -> None:
    cache = AnswerCache(0)
    cache.put(REQUEST, Kept(1, NOW, (), "en"))
    assert cache.get(REQUEST, 1) is None


async def test_every_change_of_the_store_is_seen_at_once(tmp_path: Path) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        first = await memory.store("The deploy key of Falcon lives in the vault")
        assert first.id is not None
        found = await memory.retrieve("Falcon deploy key")
        assert [each.memory.id for each in found.hits] == [first.id]
        again = await memory.retrieve("Falcon deploy key")
        assert "cached" in again.flags
        assert again.hits == found.hits
        async with Hindsight.open(tmp_path / "store", embedder="none") as other:
            second = await other.store("The Falcon deploy key was rotated", kind="episode")
        answer = await memory.retrieve("Falcon deploy key")
        assert "cached" not in answer.flags
        assert {each.memory.id for each in answer.hits} == {first.id, second.id}
        await memory.update(first.id, content="The deploy key of Falcon lives in the safe")
        answer = await memory.retrieve("Falcon deploy key")
        assert "The deploy key of Falcon lives in the safe" in [each.memory.content for each in answer.hits]
        await memory.forget(first.id)
        assert first.id not in [each.memory.id for each in (await memory.retrieve("Falcon deploy key")).hits]


async def test_another_caller_does_not_get_the_answer(tmp_path: Path) -> None:
    async with Hindsight.open(tmp_path / "store", embedder="none", agent="ann") as memory:
        await memory.store("Falcon launches on Friday")
        assert (await memory.retrieve("Falcon launch")).hits
        async with Hindsight.open(tmp_path / "store", embedder="none", agent="bob") as other:
            assert not (await other.retrieve("Falcon launch")).hits
        view = memory.acting_as(memory.principal.model_copy(update={"agent": "bob"}))
        assert not (await view.retrieve("Falcon launch")).hits
