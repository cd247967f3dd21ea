"""Undo takes back what was chosen and what grew from it, and nothing else; it is an event and can be undone."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from tampers import tampering

from hindsight.errors import AccessDenied, InvalidInput, NotFound
from hindsight.memory import Hindsight
from hindsight.records import Principal, Status, new_id


def by(memory: Hindsight, agent: str, **fields: Any) -> Hindsight:
    return memory.acting_as(Principal(agent=agent, **fields))


async def contents(memory: Hindsight, **filters: Any) -> list[str]:
    return sorted(each.content for each in (await memory.list(limit=1000, **filters)).items)


# A model: what the store must look like had one agent never been there.


class Model:
    """Episodes by number, each with its fields; an operation on one that is not there does nothing."""

    def __init__(self) -> None:
        self.items: dict[int, dict[str, Any]] = {}

    def apply(self, name: str, number: int, values: dict[str, Any]) -> None:
        if name == "store":
            parent = values.pop("parent", None)
            if parent is None or parent in self.items:
                self.items[number] = values | {"status": "active"}
        elif number in self.items:
            self.items[number] |= values
            if name == "erase":
                del self.items[number]

    def seen(self) -> dict[str, tuple[Any, ...]]:
        return {each["content"]: (each["status"], each["tags"], each["importance"]) for each in self.items.values()}


class Random:
    """Random operations of three agents on a store and, as a list, for models."""

    def __init__(self, chance: random.Random, memory: Hindsight, *, erase: bool) -> None:
        self.chance = chance
        self.memory = memory
        self.done: list[tuple[str, str, int, dict[str, Any]]] = []
        self.real = Model()
        self.ids: dict[int, Any] = {}
        self.kinds = ["store", "store", "derive", "update", "update", "update", "archive", "restore"] + ["erase"] * erase

    async def step(self, number: int) -> None:
        chance = self.chance
        agent, name = chance.choice("abc"), chance.choice(self.kinds)
        if name in ("store", "derive") or not self.ids:
            await self._store(agent, number, derived=name == "derive" and bool(self.real.items))
            return
        target = chance.choice(sorted(self.real.items)) if self.real.items else None
        if target is None:
            return
        status = self.real.items[target]["status"]
        caller = by(self.memory, agent)
        if name == "update":
            values = chance.choice([
                {"content": f"content {number} of {agent}"}, {"tags": (f"tag{number}",)}, {"importance": chance.random()},
                {"content": f"content {number} of {agent}", "importance": chance.random()},
            ])  # fmt: skip
            await caller.update(self.ids[target], **values)
            self._note(agent, "update", target, values)
        elif name == "archive" and status == "active":
            await caller.forget(self.ids[target], mode="archive")
            self._note(agent, "status", target, {"status": "archived"})
        elif name == "restore" and status == "archived":
            await caller.restore(self.ids[target])
            self._note(agent, "status", target, {"status": "active"})
        elif name == "erase" and agent != "b":
            await caller.forget(self.ids[target])
            self._note(agent, "erase", target, {})

    async def _store(self, agent: str, number: int, *, derived: bool) -> None:
        parent = self.chance.choice(sorted(self.real.items)) if derived else None
        values = {"content": f"content {number} of {agent}", "tags": (f"tag{number}",), "importance": self.chance.random()}
        parents = [self.ids[parent]] if parent is not None else []
        saved = await by(self.memory, agent).store(kind="episode", visibility="shared", parents=parents, **values)
        self.ids[number] = saved.id
        self._note(agent, "store", number, values | ({"parent": parent} if derived else {}))

    def _note(self, agent: str, name: str, number: int, values: dict[str, Any]) -> None:
        self.done.append((agent, name, number, values))
        self.real.apply(name, number, dict(values))

    def without(self, agent: str) -> Model:
        """What grew from what the agent made or changed counts as its own: it is quarantined."""
        model = Model()
        touched: set[int] = set()
        for actor, name, number, values in self.done:
            if actor == agent and name in ("update", "status") and number in model.items:
                touched.add(number)
            elif actor != agent:
                parent = values.get("parent")
                if name == "store" and parent in touched:
                    continue
                model.apply(name, number, dict(values))
        return model


async def shown(memory: Hindsight) -> dict[str, tuple[Any, ...]]:
    page = await by(memory, "a").list(limit=2000, status=["active", "archived"])
    return {each.content: (each.status.value, each.tags, each.importance) for each in page.items}


@pytest.mark.parametrize(("seed", "erase"), [(1, False), (2, False), (3, True)])
async def test_undoing_an_agent_leaves_the_store_that_never_saw_it(memory: Hindsight, seed: int, erase: bool) -> None:
    work = Random(random.Random(seed), memory, erase=erase)
    for number in range(500):
        await work.step(number)
    before = await shown(memory)
    assert before == work.real.seen()
    dry = await memory.undo(agent="b", dry_run=True)
    assert await shown(memory) == before
    done = await memory.undo(agent="b", reason="poisoned")
    assert {item.id: item.effect for item in done.items} == {item.id: item.effect for item in dry.items}
    assert await shown(memory) == work.without("b").seen()
    assert (await memory.verify()).faults == ()
    await memory.undo(undo=done.id)
    assert await shown(memory) == before
    assert (await memory.verify()).faults == ()


async def test_two_undos_take_back_what_each_alone_would_leave(memory: Hindsight) -> None:
    saved = await by(memory, "a").store("first", kind="episode", visibility="shared")
    await by(memory, "b").update(saved.id, content="second")
    await by(memory, "c").update(saved.id, content="third")
    first = await memory.undo(agent="b")
    assert [item.effect for item in first.items] == ["unchanged"]
    await memory.undo(agent="c")
    assert await contents(by(memory, "a")) == ["first"]
    await memory.undo(undo=first.id)
    assert await contents(by(memory, "a")) == ["second"]


async def test_a_withdrawn_statement_gives_back_what_it_superseded(memory: Hindsight) -> None:
    old = await memory.store("Alice lives in Paris", kind="fact")
    new = await memory.store("Alice lives in Berlin", kind="fact", session_id="bad")
    assert (await memory.get(old.id)).status is Status.SUPERSEDED
    report = await memory.undo(session="bad")
    assert {item.id: item.effect for item in report.items} == {old.id: "restored", new.id: "withdrawn"}
    found = await memory.get(old.id)
    assert (found.status, found.valid_to) == (Status.ACTIVE, None)
    assert await memory.get(new.id) is None
    assert await contents(memory) == ["Alice lives in Paris"]


async def test_descendants_are_quarantined_but_not_what_was_made_before(memory: Hindsight) -> None:
    root = await by(memory, "a").store("root", kind="episode")
    early = await by(memory, "a").store("early digest", kind="fact", parents=[root.id])
    await by(memory, "a").update(root.id, tags=["poison"])
    late = await by(memory, "a").store("late digest", kind="procedure", parents=[root.id])
    later = await by(memory, "a").store("digest of digests", kind="rule", parents=[late.id])
    since = (await memory._store.history(root.id))[-1].at
    report = await memory.undo(memory=root.id, since=since, dry_run=True)
    assert {item.id: item.effect for item in report.items} == {root.id: "restored", late.id: "descendant", later.id: "descendant"}
    report = await memory.undo(memory=root.id)
    assert {item.id: item.effect for item in report.items} == {
        root.id: "withdrawn", early.id: "descendant", late.id: "descendant", later.id: "descendant"
    }  # fmt: skip
    assert await contents(by(memory, "a")) == []


async def test_undo_by_source_takes_a_channel_or_a_document(memory: Hindsight) -> None:
    await memory.store("from a book", kind="knowledge", refs=[{"document": "book.md", "start": 0, "end": 5}])
    await memory.acting_as(Principal(channel="tool")).store("from a tool", kind="episode")
    await memory.store("mine", kind="episode", source="inferred")
    assert len((await memory.undo(source="tool", dry_run=True)).items) == 1
    await memory.undo(source="book.md")
    assert await contents(memory) == ["from a tool", "mine"]
    await memory.undo(source="inferred")
    assert await contents(memory) == ["from a tool"]


async def test_what_was_erased_is_named_as_lost(memory: Hindsight) -> None:
    kept = await by(memory, "b").store("kept", kind="episode")
    gone = await by(memory, "b").store("gone", kind="episode")
    await by(memory, "b").forget(gone.id)
    report = await memory.undo(agent="b")
    assert [item.id for item in report.items] == [kept.id]
    assert [(id, "erased" in why) for id, why in report.lost] == [(gone.id, True)]


async def test_what_grew_in_another_namespace_is_named(memory: Hindsight) -> None:
    root = await memory.store("root", kind="episode")
    other = memory.acting_as(memory.principal, namespace="other")
    child = await other.store("made of it", kind="episode", parents=[root.id])
    report = await memory.undo(memory=root.id)
    assert [item.id for item in report.items] == [root.id]
    assert report.lost == ((child.id, "it lies in the namespace 'other'; undo it there, by its id"),)
    assert await contents(other) == ["made of it"]


async def test_undo_is_an_event_of_each_memory(memory: Hindsight) -> None:
    saved = await memory.store("text", kind="episode")
    await memory.update(saved.id, content="other text")
    report = await memory.undo(agent="default", since="2026-05-20T12:00", reason="a test")
    last = (await memory._store.history(saved.id))[-1]
    assert (last.action, last.actor) == ("undone", "default")
    assert f"undo {report.id} of events 1,2: agent default" in last.reason
    assert last.reason.endswith("a test")
    mine = await memory.history(saved.id)
    assert [event.action for event in mine] == ["created", "updated", "undone"]
    assert all(event.before is None and event.after is None for event in mine)


async def test_a_clock_that_runs_backwards_changes_nothing(memory: Hindsight, clock: Any) -> None:
    saved = await by(memory, "a").store("first", kind="episode", visibility="shared")
    clock.at -= timedelta(days=3)
    await by(memory, "b").update(saved.id, content="second")
    clock.at -= timedelta(days=3)
    await by(memory, "c").update(saved.id, tags=["t"])
    assert (await memory.verify()).faults == ()
    await memory.undo(agent="b")
    found = await by(memory, "a").get(saved.id)
    assert (found.content, found.tags) == ("first", ("t",))
    assert (await memory.verify()).faults == ()


async def test_faults_of_a_call_are_told(memory: Hindsight) -> None:
    saved = await memory.store("text", kind="episode")
    with pytest.raises(AccessDenied, match="admin"):
        await memory.acting_as(Principal(scopes=frozenset({"read", "write", "review"}))).undo(memory=saved.id)
    with pytest.raises(InvalidInput, match="what to undo"):
        await memory.undo(since="2020")
    with pytest.raises(InvalidInput, match="since"):
        await memory.undo(agent="a", since="soon")
    with pytest.raises(InvalidInput, match="id"):
        await memory.undo(memory="nonsense")
    for nothing in ({"agent": "nobody"}, {"memory": new_id()}, {"undo": new_id()}, {"session": "s"}, {"source": "x.md"}):
        with pytest.raises(NotFound, match="nothing to undo"):
            await memory.undo(**nothing)
    await memory.undo(memory=saved.id)
    with pytest.raises(NotFound):
        await memory.undo(memory=saved.id)
    with pytest.raises(AccessDenied, match="namespace"):
        await memory.acting_as(Principal(namespaces=("default",))).undo(agent="a", namespace="other")


async def test_a_restored_text_is_found_by_its_words_again(memory: Hindsight, folder: Any) -> None:
    saved = await by(memory, "a").store("zebra crossing", kind="episode", visibility="shared")
    await by(memory, "b").update(saved.id, content="giraffe house")
    await memory.undo(agent="b")
    assert [hit.memory.content for hit in (await by(memory, "a").retrieve("zebra", k=3)).hits] == ["zebra crossing"]
    assert (await memory.check()) == []
    with tampering(folder) as db:
        assert db.execute("SELECT count(*) FROM memories WHERE content = 'zebra crossing'").fetchall() == [(1,)]


async def test_the_sessions_merge_is_undone_with_it(open_memory: Callable[..., Awaitable[Hindsight]]) -> None:
    memory = await open_memory()
    old = await memory.store("I prefer tea", kind="preference", tags=["drink"])
    merged = await memory.store("I prefer tea", kind="preference", tags=["poison"], session_id="bad", turn_ids=["1"])
    assert merged.id == old.id
    await memory.undo(session="bad")
    assert (await memory.get(old.id)).tags == ("drink",)
