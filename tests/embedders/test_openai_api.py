import base64

import numpy as np
import pytest

from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.known_models import known_model
from hindsight.adapters.embedders.openai_api import OpenAIEmbedder
from hindsight.adapters.json_http import JsonEndpoint
from hindsight.errors import ConfigurationError, InvalidInput, ModelError, ModelUnavailable


def vector_of(text, length):
    """A vector that tells its text: ones at the place of its length."""
    vector = [0.0] * length
    vector[len(text) % length] = 2.0
    return vector


def answering(length=8, *, backwards=False, as_base64=False, cut=True):
    def answer(body):
        wanted = body.get("dimensions", length) if cut else length
        data = []
        for index, text in enumerate(body["input"]):
            vector = vector_of(text, length)[:wanted]
            data.append(
                {"index": index, "embedding": base64.b64encode(np.array(vector, "<f4").tobytes()).decode() if as_base64 else vector}
            )
        return 200, {"data": data[::-1] if backwards else data}, {}

    return answer


def embedder(endpoint, dimensions=8, *, path="/v1", timeout=5.0, attempts=3, model="some-model", key="secret-key"):
    http = JsonEndpoint(
        endpoint.url + path, "/embeddings", key=key, settings="HINDSIGHT_EMBEDDER", timeout=timeout, attempts=attempts, first_wait=0.01
    )
    return OpenAIEmbedder(http, model, known_model(model, dimensions), ask_length=True)


async def test_texts_become_unit_vectors_in_their_order(endpoint):
    endpoint.answer = answering(backwards=True)
    made = embedder(endpoint)
    vectors = await made.embed(["a", "ab", "abc"], kind="passage")
    await made.close()
    np.testing.assert_allclose(vectors, np.eye(8, dtype=np.float32)[[1, 2, 3]])
    (request,) = endpoint.requests
    assert request["path"] == "/v1/embeddings"
    assert request["headers"]["Authorization"] == "Bearer secret-key"
    assert request["body"] == {"model": "some-model", "input": ["a", "ab", "abc"], "encoding_format": "float", "dimensions": 8}


async def test_base64_is_read(endpoint):
    endpoint.answer = answering(as_base64=True)
    made = embedder(endpoint)
    np.testing.assert_allclose(await made.embed(["ab"], kind="query"), np.eye(8, dtype=np.float32)[[2]])
    await made.close()


async def test_an_endpoint_without_dimensions_is_asked_without(endpoint):
    def answer(body):
        return (400, {"error": "unknown field dimensions"}, {}) if "dimensions" in body else answering()(body)

    endpoint.answer = answer
    made = embedder(endpoint)
    await made.embed(["a"], kind="query")
    await made.embed(["b"], kind="query")
    await made.close()
    assert ["dimensions" in request["body"] for request in endpoint.requests] == [True, False, False]


async def test_vectors_that_may_not_be_cut_are_refused_not_cut(endpoint):
    endpoint.answer = answering(16, cut=False)
    made = embedder(endpoint, 8)
    with pytest.raises(ModelError, match="HINDSIGHT_EMBEDDER_DIMENSIONS=16"):
        await made.embed(["a"], kind="query")
    await made.close()


async def test_vectors_that_are_too_short_are_refused(endpoint):
    endpoint.answer = answering(4)
    made = embedder(endpoint, 8)
    with pytest.raises(ModelError, match="HINDSIGHT_EMBEDDER_DIMENSIONS=4"):
        await made.embed(["a"], kind="query")
    await made.close()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_trouble_is_tried_again(endpoint, status):
    endpoint.answer = lambda body: answering()(body) if len(endpoint.requests) == 3 else (status, "busy", {"retry-after": "0"})
    made = embedder(endpoint)
    assert (await made.embed(["a"], kind="query")).shape == (1, 8)
    await made.close()
    assert len(endpoint.requests) == 3


async def test_lasting_trouble_is_told_and_may_be_retried_later(endpoint):
    endpoint.answer = lambda body: (503, "warming up", {})
    made = embedder(endpoint)
    with pytest.raises(ModelUnavailable, match="503: warming up") as caught:
        await made.embed(["a"], kind="query")
    await made.close()
    assert caught.value.retryable
    assert len(endpoint.requests) == 3


async def test_a_closed_port_names_the_setting():
    made = make_embedder("openai", model="text-embedding-3-small", url="http://user:password@127.0.0.1:9/v1")
    made._embedder._endpoint._first_wait = 0.0
    with pytest.raises(ModelUnavailable, match="HINDSIGHT_EMBEDDER_URL") as caught:
        await made.embed(["a"], kind="query")
    await made.close()
    assert "password" not in str(caught.value)


async def test_silence_ends_in_an_error(endpoint):
    import time

    def answer(body):
        time.sleep(0.5)
        return answering()(body)

    endpoint.answer = answer
    made = embedder(endpoint, timeout=0.1, attempts=2)
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.1 s"):
        await made.embed(["a"], kind="query")
    await made.close()


@pytest.mark.parametrize(
    ("status", "content", "error", "words"),
    [
        (401, {"error": "bad key"}, ConfigurationError, "HINDSIGHT_EMBEDDER_KEY"),
        (404, {"error": "no such model"}, ConfigurationError, "HINDSIGHT_EMBEDDER_MODEL"),
        (413, "too large", ModelError, "413"),
        (200, "<html>", ModelError, "not JSON"),
        (200, {"data": []}, ModelError, "shape"),
        (200, {"vectors": []}, ModelError, "not an embeddings answer"),
        (200, {"data": [{"index": 0, "embedding": ["a"] * 8}]}, ModelError, "not an embeddings answer"),
        (200, {"data": [{"index": 0, "embedding": [None] * 8}]}, ModelError, "finite"),
        (200, [1, 2], ModelError, "not an embeddings answer"),
    ],
)
async def test_wrong_answers_are_clear_errors_and_show_no_key(endpoint, status, content, error, words):
    endpoint.answer = lambda body: (status, content, {})
    made = embedder(endpoint)
    with pytest.raises(error, match=words) as caught:
        await made.embed(["a"], kind="query")
    await made.close()
    assert "secret-key" not in str(caught.value)


async def test_long_texts_go_in_windows_and_many_texts_in_requests(endpoint):
    endpoint.answer = answering(8)
    made = embedder(endpoint)
    vectors = await made.embed(["word " * 5_000, *["ab"] * 300], kind="passage")
    await made.close()
    assert vectors.shape == (301, 8)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[1:], np.eye(8, dtype=np.float32)[[2] * 300])
    assert len(endpoint.requests) >= 3
    assert max(len(text) for request in endpoint.requests for text in request["body"]["input"]) < 3_000


async def test_odd_texts_are_sent_plain(endpoint):
    endpoint.answer = answering(8)
    made = embedder(endpoint)
    await made.embed(["a\0b", "\ud800", ""], kind="query")
    with pytest.raises(InvalidInput):
        await made.embed([None], kind="query")
    await made.close()
    assert endpoint.requests[0]["body"]["input"] == ["a b", "\ufffd", " "]


async def test_models_get_the_prompts_they_were_trained_with(endpoint):
    endpoint.answer = answering(384)
    made = embedder(endpoint, 0, model="intfloat/multilingual-e5-small")
    await made.embed(["容器"], kind="query")
    await made.embed(["容器"], kind="passage")
    await made.close()
    assert [request["body"]["input"] for request in endpoint.requests] == [["query: 容器"], ["passage: 容器"]]


def test_lengths_are_known_or_asked_for():
    assert make_embedder("openai", model="text-embedding-3-small", key="k").dimension == 1536
    assert make_embedder("openai", model="text-embedding-3-small", key="k", dimensions=384).model_id == "openai/text-embedding-3-small/384"
    assert make_embedder("openai", model="my-model", url="http://localhost:1", dimensions=100).dimension == 100
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_DIMENSIONS"):
        make_embedder("openai", model="my-model", url="http://localhost:1")
    with pytest.raises(ConfigurationError, match="cannot be cut"):
        make_embedder("openai", model="bge-m3", url="http://localhost:1", dimensions=100)


def test_missing_settings_are_named():
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_MODEL"):
        make_embedder("openai", key="k")
    with pytest.raises(ConfigurationError, match="HINDSIGHT_EMBEDDER_KEY"):
        make_embedder("openai", model="text-embedding-3-small")
    with pytest.raises(ConfigurationError, match="http://"):
        make_embedder("openai", model="text-embedding-3-small", url="localhost:8080")
