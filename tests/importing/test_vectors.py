"""Vectors that a file brings: used where its owner says so, checked before anything is written, and never for another text than theirs."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest

import hindsight.assemble
from hindsight import Hindsight
from hindsight.errors import AccessDenied, ImportFailed
from hindsight.records import Principal

MODEL, DIMENSION = "hashes", 32


def vector_of(text: str) -> np.ndarray:
    made = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSION)
    return (made / np.linalg.norm(made)).astype(np.float32)


class Hashes:
    """A model whose vector of a text depends on every character, and which tells what it was asked for."""

    model_id, dimension = MODEL, DIMENSION

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts, *, kind):
        self.asked += texts
        return np.array([vector_of(text) for text in texts])

    async def close(self) -> None:
        self.asked = []


@pytest.fixture
def model(monkeypatch):
    made = Hashes()
    monkeypatch.setattr(hindsight.assemble, "embedder_of", lambda settings: made)
    return made


@pytest.fixture
async def memory(tmp_path, model):
    async with Hindsight.open(tmp_path / "store") as opened:
        yield opened


def brought(content: str, *, of: str | None = None, text: bool = False, **fields):
    vector = vector_of(content if of is None else of)
    value = base64.b64encode(vector.astype("<f4").tobytes()).decode() if text else vector.tolist()
    return {"content": content, "vector": value, "vector_model": MODEL, **fields}


def lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


async def test_texts_that_bring_vectors_are_not_embedded_and_found_by_them(memory, model, tmp_path):
    values = [brought(f"note number {n}", text=n % 2 == 0, kind=("episode", "fact")[n % 2]) for n in range(40)]
    report = await memory.import_file(lines(tmp_path / "a.jsonl", values), take_vectors=True)
    assert report.stored == 40
    assert len(model.asked) == 16, "the sample alone"
    assert (await memory.stats()).vectors == 40
    found = await memory.retrieve("note number 7", routes=["vector"], k=1, min_relevance=0)
    assert found.hits[0].memory.content == "note number 7"
    assert (await memory.import_file(tmp_path / "a.jsonl", take_vectors=True)).duplicates == 40


async def test_records_of_an_export_bring_them_too(memory, model, tmp_path):
    await memory.store("用户对花生过敏", kind="constraint", query="点菜")
    exported = [json.loads(each.model_dump_json()) async for each in memory.export()]
    whole = "点菜\n用户对花生过敏"
    exported[0] |= {"vector": vector_of(whole).tolist(), "vector_model": MODEL}
    path = lines(tmp_path / "a.jsonl", exported)
    async with Hindsight.open(tmp_path / "other") as other:
        model.asked = []
        assert (await other.import_file(path, take_vectors=True)).stored == 1
        assert model.asked == [whole]
        assert (await other.stats()).vectors == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"vector_model": "another"}, "vector_model: the store's vectors are of 'hashes', not 'another'"),
        ({"vector_model": None}, "not None"),
        ({"vector": [0.1] * 31}, "32 numbers are needed"),
        ({"vector": [[0.1] * 32]}, "a list of numbers is needed"),
        ({"vector": [True] * 32}, "a list of numbers is needed"),
        ({"vector": [0.0] * 32}, "nothing but zeros"),
        ({"vector": [float("nan")] * 32}, "NaN or infinity"),
        ({"vector": [1e300] * 32}, "NaN or infinity"),
        ({"vector": [10**400] * 32}, "it cannot be read"),
        ({"vector": "not base64!"}, "it cannot be read"),
        ({"vector": "AAAA"}, "it cannot be read"),
        ({"vector": {"0": 1}}, "a list of numbers is needed"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
async def test_a_vector_that_is_none_of_the_model_ends_the_import_with_its_line(memory, tmp_path, fields, told):
    values = [brought("first"), brought("second") | fields]
    with pytest.raises(ImportFailed, match=r"line 2: ") as raised:
        await memory.import_file(lines(tmp_path / "a.jsonl", values), take_vectors=True)
    assert told in str(raised.value)
    assert (await memory.stats()).memories == 0


async def test_vectors_of_other_texts_are_noticed_before_anything_is_written(memory, tmp_path):
    values = [brought(f"note {n}", of=f"passage: note {n}") for n in range(30)]
    with pytest.raises(ImportFailed, match="the model makes another one of this text"):
        await memory.import_file(lines(tmp_path / "a.jsonl", values), take_vectors=True)
    longer = [brought(f"note {n}") for n in range(30)]
    for each in longer:
        each["vector"] = [2 * number for number in each["vector"]]
    with pytest.raises(ImportFailed, match=r"lengths 2\.00 and 1\.00"):
        await memory.import_file(lines(tmp_path / "b.jsonl", longer), take_vectors=True)
    assert (await memory.stats()).memories == 0


async def test_a_text_that_is_not_kept_as_it_came_and_a_long_one_are_embedded_here(memory, model, tmp_path):
    secret, long = "the password: hunter2!X9", "One sentence of a long report. " * 200
    values = [brought(secret), brought(long), brought("<memory_context>old</memory_context> new"), brought("kept")]
    assert (await memory.import_file(lines(tmp_path / "a.jsonl", values), take_vectors=True)).stored == 4
    embedded = model.asked
    assert secret not in embedded
    assert "the password: [redacted: password]" in embedded
    assert "new" in [text.strip() for text in embedded]
    assert embedded.count("kept") == 1, "in the sample alone"
    assert sum(text.startswith("One sentence") for text in embedded) > 2, "by passages"


async def test_only_the_owner_takes_vectors_and_only_on_purpose(memory, model, tmp_path):
    path = lines(tmp_path / "a.jsonl", [brought("note")])
    with pytest.raises(ImportFailed, match="take_vectors"):
        await memory.import_file(path)
    for principal in (Principal(channel="agent"), Principal(scopes=frozenset({"read", "write"}))):
        with pytest.raises(AccessDenied, match="vectors of a file"):
            await memory.acting_as(principal).import_file(path, take_vectors=True)
    assert (await memory.stats()).memories == 0


async def test_a_keyword_only_store_says_that_it_keeps_none(tmp_path, monkeypatch):
    monkeypatch.setattr(hindsight.assemble, "embedder_of", lambda settings: None)
    async with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        with pytest.raises(ImportFailed, match="keyword-only"):
            await memory.import_file(lines(tmp_path / "a.jsonl", [brought("note")]), take_vectors=True)
