"""The synchronous face: the same methods with the same arguments, in one thread of its own."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading

import pytest

from hindsight import memory as asynchronous
from hindsight.errors import InvalidInput, NotFound, StoreUnavailable
from hindsight.records import Channel, Principal
from hindsight.sync import Hindsight


@pytest.fixture
def memory(tmp_path):
    with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        yield opened


def public(cls) -> dict[str, object]:
    return {name: value for name, value in vars(cls).items() if not name.startswith("_")}


def test_it_offers_what_the_asynchronous_one_offers_with_the_same_arguments():
    ours, theirs = public(Hindsight), public(asynchronous.Hindsight)
    assert set(theirs) - {"settings"} <= set(ours)
    for name, method in theirs.items():
        if isinstance(method, property):
            assert isinstance(ours[name], property)
            continue
        our, their = getattr(Hindsight, name), getattr(asynchronous.Hindsight, name)
        assert list(inspect.signature(our).parameters.values()) == list(inspect.signature(their).parameters.values()), name
        assert not inspect.iscoroutinefunction(our)


def test_store_retrieve_change_forget(memory):
    saved = memory.store("用户对花生过敏", kind="constraint", tags=["饮食"])
    assert memory.get(saved.id).content == "用户对花生过敏"
    found = memory.retrieve("花生", k=1, explain=True)
    assert found.hits[0].memory.id == saved.id
    assert found.render().startswith("<memory_context>")
    assert memory.why(saved.id, "花生").query == "花生"
    assert memory.update(saved.id, importance=0.9, expected_version=1).version == 2
    assert [each.id for each in memory.list(tags=["饮食"]).items] == [saved.id]
    assert memory.forget(saved.id, mode="archive")
    assert memory.restore(saved.id).status == "active"
    assert memory.forget(saved.id)
    assert memory.history(saved.id)[-1].action == "erased"
    with pytest.raises(NotFound):
        memory.restore(saved.id)


def test_many_import_export_and_counts(memory, tmp_path):
    told = []
    memory.store_many([{"content": f"event {n}", "kind": "episode"} for n in range(600)], progress=told.append)
    assert sum(told) == 600
    exported = list(memory.export())
    assert len(exported) == 600
    path = tmp_path / "a.jsonl"
    path.write_text("".join(each.model_dump_json() + "\n" for each in exported[:3]))
    assert memory.import_file(path).duplicates == 3
    (tmp_path / "chat.json").write_text(json.dumps([{"role": "user", "content": "hi"}]))
    memory.import_file(tmp_path / "chat.json", format="openai")
    session = next(each.session_id for each in memory.list().items if each.session_id)
    assert [turn.content for turn in memory.turns(session)] == ["hi"]
    assert memory.stats().memories == 601
    assert memory.check() == []
    memory.store("later", wait=False)
    assert memory.settle(30)
    assert memory.jobs(states=["done"])


def test_an_export_that_is_left_early_is_closed(memory):
    memory.store_many([{"content": f"event {n}", "kind": "episode"} for n in range(600)])
    records = memory.export()
    next(records)
    records.close()
    assert memory.store("more").status == "stored"


def test_another_caller_on_the_same_store(memory):
    other = memory.acting_as(Principal(agent="b", channel=Channel.AGENT))
    saved = other.store("x")
    assert memory.get(saved.id) is None
    assert other.get(saved.id).channel is Channel.AGENT
    assert (other.principal.agent, other.namespace, other.zone) == ("b", memory.namespace, memory.zone)
    assert memory.settings.embedder == "none"


def test_it_works_inside_a_running_event_loop_and_from_several_threads(memory):
    async def inside():
        return memory.store("from a coroutine").status

    assert asyncio.run(inside()) == "stored"
    threads = [threading.Thread(target=memory.store, args=(f"thread {n}",), kwargs={"kind": "episode"}) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.stats().memories == 9


def test_a_closed_memory_says_so_and_its_thread_is_gone(tmp_path):
    with Hindsight.open(tmp_path / "store", embedder="none") as memory:
        assert any(thread.name == "hindsight-sync" for thread in threading.enumerate())
    assert not any(thread.name == "hindsight-sync" for thread in threading.enumerate())
    memory.close()
    with pytest.raises(InvalidInput, match="not open"):
        memory.store("x")


def test_a_memory_that_is_not_entered_says_so(tmp_path):
    with pytest.raises(InvalidInput, match="with Hindsight.open"):
        Hindsight.open(tmp_path / "store", embedder="none").store("x")


def test_a_store_that_cannot_be_opened_leaves_no_thread(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnavailable), Hindsight.open(tmp_path / "file", embedder="none"):
        pass
    assert not any(thread.name == "hindsight-sync" for thread in threading.enumerate())


def test_a_callback_that_calls_back_is_refused_instead_of_waiting_for_ever(memory):
    with pytest.raises(InvalidInput, match="callback"):
        memory.store_many([{"content": "x"}], progress=lambda _number: memory.stats())
