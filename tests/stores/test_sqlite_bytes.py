"""After an erasure not one byte of the text, its tokens or its vector is left in any file of the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from hindsight.adapters.sqlite import core
from hindsight.errors import StoreBusy
from hindsight.ports import NewJob, RetrievalRow
from hindsight.records import Lesson, Ref, Turn, new_id
from hindsight.vectors import quantise


@pytest.fixture(params=["mapped", "sqlite"])
def backend(request):
    return request.param


def files_with(folder: Path, needles: list[bytes]) -> dict[str, list[bytes]]:
    found = {path.name: [needle for needle in needles if needle in path.read_bytes()] for path in folder.rglob("*") if path.is_file()}
    return {name: needles for name, needles in found.items() if needles}


async def test_no_byte_stays(tmp_path, open_store, write, mine):
    store = await open_store(embedder=("test", 64))
    chance = np.random.default_rng(1)
    await store.commit([write(f"other words {number}", vector=chance.normal(size=64).astype(np.float32)) for number in range(300)])
    secret = "zqxsecret 绝密内容 zqxpassword"
    vector = chance.normal(size=64).astype(np.float32)
    gone = write(
        secret, vector=vector, query="zqxquery", tags=("zqxtag",), key="zqxkey", speaker="Zqxspeaker", task_type="zqxtask", tools=("zqxtool",),
        session_id="zqxsession", turn_ids=("zqxturn",), idempotency_key="zqxidem", entities=("Zqxentity Name",), error_code="zqxerror",
        refs=(Ref(session_id="zqxsession", first=0, last=1),), lesson=Lesson(condition="zqxcondition", action="zqxaction"),
    )  # fmt: skip
    long = "zqxlongturn " * 100
    await store.add_turns(
        "work",
        "alice",
        [Turn(session_id="zqxsession", position=0, content=secret), Turn(session_id="zqxsession", position=1, content=long)],
    )
    await store.commit([gone])
    changed = write.replacement(gone, content=secret + " changed", tokens=["zqxsecret", "绝密", "zqxchanged"], tags=("zqxtag2",))
    await store.commit([changed])
    await store.search_terms(mine, ["zqxsecret"], limit=5)
    await store.log_retrievals([
        RetrievalRow(id=new_id(), namespace="work", agent="alice", at=write.now, query="zqxquestion", shown=[gone.memory.id], detail={"x": "zqxdetail"})
    ])  # fmt: skip
    [job] = await store.enqueue([NewJob(kind="store", payload={"content": secret + " changed"}, namespace="work")])
    await store.lease("w", ["store"])
    await store.fail(job, "w", "failed", retry_at=None)
    quantised = quantise(vector[None, :])[0].tobytes()
    needles = [b"zqx", "绝密".encode(), b"Zqx", quantised]
    folder = tmp_path / "store"
    assert set(needles) == {needle for found in files_with(folder, needles).values() for needle in found}
    await store.erase([gone.memory.id], write.event("erased"))
    assert files_with(folder, needles) == {}
    assert await store.check() == []
    assert len(await store.visible(mine)) == 300


async def test_a_long_reader_only_delays_the_last_bytes(tmp_path, store, write, monkeypatch):
    monkeypatch.setattr(core, "_CHECKPOINT_SECONDS", 0.3)
    gone = write("zqxsecret")
    await store.commit([gone, *(write(f"{number}") for number in range(600))])
    export = store.export()
    await anext(export)
    with pytest.raises(StoreBusy, match="the memories are erased"):
        await store.erase([gone.memory.id], write.event("erased"))
    assert await store.get(gone.memory.id) is None
    await asyncio.wait_for(store.commit([write("others go on")]), 5)
    assert len([memory async for memory in export]) == 600
    await store.erase([gone.memory.id], write.event("erased"))
    assert files_with(tmp_path / "store", [b"zqxsecret"]) == {}


async def test_reopening_finishes_what_a_reader_delayed(tmp_path, open_store, write, monkeypatch):
    monkeypatch.setattr(core, "_CHECKPOINT_SECONDS", 0.1)
    store = await open_store()
    gone = write("zqxsecret")
    await store.commit([gone, *(write(f"{number}") for number in range(600))])
    reader = await open_store()  # as another process would
    export = reader.export()
    await anext(export)
    with pytest.raises(StoreBusy):
        await store.erase([gone.memory.id], write.event("erased"))
    await export.aclose()
    await open_store()
    assert files_with(tmp_path / "store", [b"zqxsecret"]) == {}
