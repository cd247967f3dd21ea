import importlib.util

import numpy as np
import pytest

from hindsight.adapters.rerankers.factory import make_reranker
from hindsight.errors import ConfigurationError, InvalidInput, MissingExtra, ModelError, ModelUnavailable

TEXTS = ["a list of animals", "docker network notes", "容器网络排查"]


def by_words(query, text):
    return float(len(set(query) & set(text)))


def common_form(body):
    results = [{"index": i, "relevance_score": by_words(body["query"], text)} for i, text in enumerate(body["documents"])]
    return 200, {"results": sorted(results, key=lambda result: -result["relevance_score"])}, {}


def tei_form(body):
    if "texts" not in body:
        return 422, {"error": "missing field `texts`"}, {}
    return 200, [{"index": i, "score": by_words(body["query"], text)} for i, text in enumerate(body["texts"])], {}


@pytest.mark.parametrize("path", ["", "/v1", "/v1/rerank"])
async def test_the_common_form(endpoint, path):
    endpoint.answer = common_form
    made = make_reranker("http", model="some-reranker", url=endpoint.url + path, key="secret")
    scores = await made.rerank("docker", TEXTS)
    await made.close()
    assert scores.dtype == np.float32
    assert scores.argmax() == 1
    (request,) = endpoint.requests
    assert request["path"].endswith("/rerank")
    assert request["path"].count("/rerank") == 1
    assert request["headers"]["Authorization"] == "Bearer secret"
    assert request["body"] == {"model": "some-reranker", "query": "docker", "documents": TEXTS, "top_n": 3, "return_documents": False}


async def test_the_form_of_text_embeddings_inference_is_found_and_kept(endpoint):
    endpoint.answer = tei_form
    made = make_reranker("http", url=endpoint.url)
    for _ in range(2):
        assert (await made.rerank("容器网络", TEXTS)).argmax() == 2
    await made.close()
    assert ["texts" in request["body"] for request in endpoint.requests] == [False, True, True]


async def test_nothing_to_rank_is_not_asked(endpoint):
    made = make_reranker("http", url=endpoint.url)
    assert (await made.rerank("docker", [])).shape == (0,)
    assert not endpoint.requests
    await made.close()


async def test_odd_texts_are_sent_plain(endpoint):
    endpoint.answer = common_form
    made = make_reranker("http", url=endpoint.url)
    await made.rerank("a\0b", ["\ud800", ""])
    with pytest.raises(InvalidInput):
        await made.rerank("a", [None])
    await made.close()
    assert endpoint.requests[0]["body"]["query"] == "a b"
    assert endpoint.requests[0]["body"]["documents"] == ["\ufffd", ""]


@pytest.mark.parametrize(
    ("status", "content", "error", "words"),
    [
        (401, "no", ConfigurationError, "HINDSIGHT_RERANKER_KEY"),
        (404, "no", ConfigurationError, "HINDSIGHT_RERANKER_URL"),
        (422, "no", ModelError, "422"),
        (503, "busy", ModelUnavailable, "503"),
        (200, {"results": [{"index": 0, "relevance_score": 1.0}]}, ModelError, "1 of 3"),
        (200, {"results": [{"index": 9, "relevance_score": 1.0}]}, ModelError, "index 9"),
        (200, {"ranking": []}, ModelError, "not of a known form"),
        (200, {"results": [{"index": i, "relevance_score": None} for i in range(3)]}, ModelError, "not of a known form"),
        (200, "oops", ModelError, "not JSON"),
    ],
)
async def test_wrong_answers_are_clear_errors(endpoint, status, content, error, words):
    endpoint.answer = lambda body: (status, content, {})
    made = make_reranker("http", url=endpoint.url)
    with pytest.raises(error, match=words):
        await made.rerank("docker", TEXTS)
    await made.close()


def test_choices():
    assert make_reranker("none") is None
    with pytest.raises(ConfigurationError, match="none, fastembed, sentence-transformers, http"):
        make_reranker("cohere")
    with pytest.raises(ConfigurationError, match="HINDSIGHT_RERANKER_URL"):
        make_reranker("http")
    for name in ("fastembed", "sentence-transformers"):
        with pytest.raises(ConfigurationError, match="HINDSIGHT_RERANKER_MODEL"):
            make_reranker(name)
        assert make_reranker(name, model="some/model").model_id == f"{name}/some/model"


@pytest.mark.parametrize(("name", "package"), [("fastembed", "fastembed"), ("sentence-transformers", "sentence_transformers")])
async def test_a_missing_package_is_named_with_its_command(name, package):
    if importlib.util.find_spec(package):
        pytest.skip("installed here")
    made = make_reranker(name, model="some/model")
    with pytest.raises(MissingExtra, match=rf"pip install 'hindsight-memory\[{name}\]'"):
        await made.rerank("docker", TEXTS)
    await made.close()
