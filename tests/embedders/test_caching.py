import numpy as np
import pytest

from hindsight.adapters.embedders.caching import CachingEmbedder
from hindsight.errors import InvalidInput


class Counting:
    """Vectors that tell text and kind, and the record of what was asked."""

    model_id = "counting/2"
    dimension = 2

    def __init__(self):
        self.asked = []
        self.closed = False

    async def embed(self, texts, *, kind):
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise InvalidInput("texts")
        self.asked.append((kind, list(texts)))
        return np.array([[len(text), kind == "query"] for text in texts], np.float32)

    async def close(self):
        self.closed = True


async def test_a_text_is_embedded_once():
    inner = Counting()
    cache = CachingEmbedder(inner)
    first = await cache.embed(["a", "bb", "a"], kind="query")
    second = await cache.embed(["bb", "ccc"], kind="query")
    np.testing.assert_array_equal(first, [[1, 1], [2, 1], [1, 1]])
    np.testing.assert_array_equal(second, [[2, 1], [3, 1]])
    assert inner.asked == [("query", ["a", "bb"]), ("query", ["ccc"])]
    assert (cache.hits, cache.misses) == (2, 3)
    assert (cache.model_id, cache.dimension) == ("counting/2", 2)


async def test_query_and_passage_are_apart():
    cache = CachingEmbedder(Counting())
    assert (await cache.embed(["a"], kind="query"))[0, 1] == 1
    assert (await cache.embed(["a"], kind="passage"))[0, 1] == 0


async def test_the_least_recently_used_goes_first():
    inner = Counting()
    cache = CachingEmbedder(inner, queries=2)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        await cache.embed([text], kind="query")
    assert [texts for _, texts in inner.asked] == [["a"], ["bb"], ["ccc"], ["bb"]]


async def test_more_texts_than_room_are_all_answered():
    cache = CachingEmbedder(Counting(), passages=3)
    vectors = await cache.embed(["x" * n for n in range(10)], kind="passage")
    np.testing.assert_array_equal(vectors[:, 0], range(10))


async def test_what_is_kept_cannot_be_changed_from_outside():
    cache = CachingEmbedder(Counting())
    vectors = await cache.embed(["abc"], kind="query")
    vectors[:] = 99
    assert (await cache.embed(["abc"], kind="query"))[0, 0] == 3


async def test_forgetting_drops_vectors():
    inner = Counting()
    cache = CachingEmbedder(inner)
    await cache.embed(["a", "bb"], kind="passage")
    cache.forget(["a", "never seen"])
    await cache.embed(["a", "bb"], kind="passage")
    cache.forget()
    await cache.embed(["bb"], kind="passage")
    assert [texts for _, texts in inner.asked] == [["a", "bb"], ["a"], ["bb"]]


async def test_texts_are_not_kept():
    cache = CachingEmbedder(Counting())
    await cache.embed(["my secret sentence", "\ud800"], kind="passage")
    assert all(isinstance(key, bytes) and len(key) == 16 for kept in cache._kept.values() for key in kept)


async def test_wrong_types_meet_the_embedder():
    cache = CachingEmbedder(Counting())
    with pytest.raises(InvalidInput):
        await cache.embed("text", kind="query")
    with pytest.raises(InvalidInput):
        await cache.embed([1], kind="query")
    assert (await cache.embed([], kind="query")).shape == (0, 2)


async def test_closing_closes_what_is_within():
    inner = Counting()
    cache = CachingEmbedder(inner)
    await cache.embed(["a"], kind="query")
    await cache.close()
    assert inner.closed
