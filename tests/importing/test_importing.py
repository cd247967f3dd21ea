"""What an import does to the store: all or nothing, once only, never with more trust or a better status than is due."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from hindsight import Hindsight
from hindsight.errors import AccessDenied, ImportFailed, StoreBusy
from hindsight.records import Channel, Principal, Status

OLD = "2024-02-03T04:05:06+00:00"


@pytest.fixture
async def memory(tmp_path):
    async with Hindsight.open(tmp_path / "store", embedder="none") as opened:
        yield opened


def lines(path: Path, values, *, start: int = 1) -> Path:
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
    return path


def record(number: int, **fields):
    return {
        "id": f"0197a1b2-0000-7000-8000-{number:012d}",
        "namespace": "default",
        "agent": "default",
        "kind": "fact",
        "content": f"fact {number}",
        "channel": "user",
        "trust": 1.0,
        "created_at": OLD,
        "updated_at": OLD,
        "idempotency_key": f"key-{number}",
        **fields,
    }


async def everything(memory, **where):
    return {each.content: each async for each in memory.export(**where)}


class TestRoundTrip:
    async def test_an_export_comes_back_with_ids_times_and_versions(self, memory, tmp_path):
        saved = await memory.store(
            "发布前先备份", kind="procedure", outcome="fixed", tools=["pg_dump"], occurred_at="2025-03", namespace="ops", tags=["备份"]
        )
        await memory.store("plain", kind="preference")
        changed = await memory.update(saved.id, importance=0.9)
        exported = [each async for each in memory.export()]
        path = tmp_path / "export.jsonl"
        path.write_text("".join(each.model_dump_json() + "\n" for each in exported), encoding="utf-8")
        async with Hindsight.open(tmp_path / "other", embedder="none") as other:
            report = await other.import_file(path)
            assert (report.format, report.read, report.stored, report.namespaces) == ("hindsight", 2, 2, ("default", "ops"))
            for old in exported:
                new = await other.get(old.id)
                assert new.seal != old.seal  # each store seals with its own chain
                assert new == old.model_copy(update={"channel": Channel.IMPORT, "trust": 0.5, "seal": new.seal})
            assert (await other.get(saved.id)).version == changed.version == 2
            assert [event.channel for event in await other.history(saved.id)] == [Channel.IMPORT]
            again = await other.import_file(path)
            assert (again.stored, again.duplicates) == (0, 2)
            assert (await other.stats()).memories == 2

    async def test_lines_without_an_id_are_stored_anew(self, memory, tmp_path):
        path = lines(tmp_path / "a.jsonl", [{"content": "用户对花生过敏", "kind": "constraint"}, record(1)])
        report = await memory.import_file(path)
        assert (report.read, report.stored) == (2, 2)
        assert (await memory.import_file(path)).duplicates == 2
        found = (await everything(memory))["用户对花生过敏"]
        assert (found.channel, found.trust, found.kind) == (Channel.IMPORT, 0.5, "constraint")

    async def test_a_line_that_says_what_is_known_strengthens_it(self, memory, tmp_path):
        values = [{"content": "Alice prefers tea", "kind": "preference"}, {"content": "alice prefers  tea.", "kind": "preference"}]
        report = await memory.import_file(lines(tmp_path / "a.jsonl", values))
        assert (report.read, report.stored, report.merged) == (2, 1, 1)
        assert (await memory.stats()).memories == 1


class TestTrust:
    async def test_status_and_trust_never_rise(self, memory, tmp_path):
        states = ["active", "pending", "quarantined", "superseded", "archived"]
        values = [record(n, status=state, content=state) for n, state in enumerate(states)]
        values.append(record(7, trust=0.2, content="low"))
        values.append(record(8, kind="rule", content="rule"))
        values.append(record(9, kind="rule", status="archived", content="archived rule"))
        values.append(record(10, visibility="shared", content="shared"))
        values.append(record(11, channel="user", content="claims", seal="ab"))
        report = await memory.import_file(lines(tmp_path / "a.jsonl", values))
        assert (report.stored, report.pending) == (10, 4)
        found = {each.content: each for each in [await memory._store.get(UUID(value["id"])) for value in values]}
        assert {name: str(found[name].status) for name in states} == {name: name for name in states}
        assert {str(found[name].status) for name in ("rule", "archived rule", "shared")} == {"pending"}
        assert found["low"].trust == 0.2
        assert found["claims"].trust == 0.5
        assert found["claims"].channel is Channel.IMPORT
        assert found["claims"].seal != "ab"
        assert (await memory.verify()).ok

    async def test_only_who_may_writes_for_others(self, memory, tmp_path):
        caller = memory.acting_as(Principal(agent="a", namespaces=("a",), scopes=frozenset({"read", "write"})), namespace="a")
        with pytest.raises(AccessDenied):
            await caller.import_file(lines(tmp_path / "a.jsonl", [{"content": "x", "namespace": "b"}]))
        with pytest.raises(AccessDenied):
            await caller.import_file(lines(tmp_path / "a.jsonl", [{"content": "x", "agent": "b"}]))
        with pytest.raises(AccessDenied):
            await caller.import_file(lines(tmp_path / "a.jsonl", [{"content": "x"}]), namespace="b")
        assert (await memory.stats()).memories == 0


class TestIds:
    async def test_an_id_twice_in_a_file_names_both_lines(self, memory, tmp_path):
        path = lines(tmp_path / "a.jsonl", [record(1), record(2), record(3), record(2, idempotency_key="other")])
        with pytest.raises(ImportFailed, match="line 4: the id stands in line 2 already"):
            await memory.import_file(path)
        assert (await memory.stats()).memories == 0

    async def test_an_id_of_another_memory_is_refused(self, memory, tmp_path):
        await memory.import_file(lines(tmp_path / "a.jsonl", [record(1)]))
        with pytest.raises(ImportFailed, match="another memory") as raised:
            await memory.import_file(lines(tmp_path / "b.jsonl", [record(2), record(1, idempotency_key="other")]))
        assert raised.value.line == 2
        assert (await memory.stats()).memories == 1

    async def test_a_copy_in_another_namespace_gets_ids_of_its_own_and_its_links_follow(self, memory, tmp_path):
        outside = record(9)["id"]
        values = [record(1, status="superseded"), record(2, supersedes=record(1)["id"], conflicts_with=[outside])]
        path = lines(tmp_path / "a.jsonl", values)
        await memory.import_file(path)
        report = await memory.import_file(path, namespace="copy")
        assert (report.stored, report.namespaces) == (2, ("copy",))
        copies = await everything(memory, namespace="copy")
        assert copies["fact 2"].supersedes == copies["fact 1"].id
        assert [str(id) for id in copies["fact 2"].conflicts_with] == [outside]
        assert copies["fact 1"].id.version == 7
        assert {str(each.id) for each in copies.values()}.isdisjoint(value["id"] for value in values)
        assert (await memory.import_file(path, namespace="copy")).duplicates == 2
        assert (await memory.stats()).memories == 4

    async def test_into_a_namespace_of_a_fresh_store_ids_stay(self, memory, tmp_path):
        await memory.import_file(lines(tmp_path / "a.jsonl", [record(1)]), namespace="elsewhere")
        assert [str(each.id) for each in (await everything(memory, namespace="elsewhere")).values()] == [record(1)["id"]]

    async def test_an_archived_record_is_not_woken_by_importing_it_again(self, memory, tmp_path):
        path = lines(tmp_path / "a.jsonl", [record(1)])
        await memory.import_file(path)
        await memory.forget(record(1)["id"], mode="archive")
        assert (await memory.import_file(path)).duplicates == 1
        assert (await memory.get(record(1)["id"])).status is Status.ARCHIVED


class TestAllOrNothing:
    async def test_a_bad_line_near_the_end_of_ten_thousand(self, memory, tmp_path):
        path = tmp_path / "a.jsonl"
        good = [json.dumps({"content": f"line {n}"}) for n in range(1, 10_001)]
        good[9_998] = '{"content": "line 9999"'
        path.write_text("\n".join(good))
        with pytest.raises(ImportFailed, match="line 9,999: not valid JSON") as raised:
            await memory.import_file(path)
        assert (raised.value.line, raised.value.kept) == (9_999, 0)
        assert (await memory.stats()).memories == 0

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            (record(1, kind="hunch"), "kind"),
            (record(1, content=5), "content: text is needed"),
            (record(1, content=" \n"), "nothing is left"),
            (record(1, content="x" * 1_048_577), "over the limit"),
            (record(1, id="not-an-id"), "id"),
            (record(1, created_at=None), "created_at"),
            (record(1, created_at="2024-01-01T00:00:00"), "time zone"),
            (record(1, trust=2), "trust"),
            (record(1, version=0), "version"),
            (record(1, surprise=1), "surprise"),
            (record(1, occurred_at="someday"), "not a time"),
            (record(1, tags="docker"), "tags"),
            (record(1, confidence="sure"), "confidence"),
            ({"kind": "fact"}, "content"),
            ({"content": "x", "query": "q" * 70_000}, "query"),
            ([1], "object is needed"),
            (7, "object is needed"),
        ],
    )
    async def test_a_line_that_does_not_fit_is_named_and_nothing_is_written(self, memory, tmp_path, line, told):
        path = lines(tmp_path / "a.jsonl", [record(5), record(6), line])
        with pytest.raises(ImportFailed, match=told) as raised:
            await memory.import_file(path, format="hindsight")
        assert raised.value.line == 3
        assert (await memory.stats()).memories == 0

    async def test_a_store_that_fails_half_way_keeps_whole_batches_and_a_second_run_finishes(self, memory, tmp_path, monkeypatch):
        path = lines(tmp_path / "a.jsonl", [record(n) for n in range(300)])
        commit, calls = memory._store.commit, 0

        async def failing(writes):
            nonlocal calls
            calls += 1
            if calls == 2:
                raise StoreBusy("locked")
            return await commit(writes)

        monkeypatch.setattr(memory._store, "commit", failing)
        with pytest.raises(StoreBusy) as raised:
            await memory.import_file(path)
        assert "128 records were stored before that" in raised.value.__notes__[0]
        report = await memory.import_file(path)
        assert (report.stored, report.duplicates) == (172, 128)

    async def test_a_source_that_changes_meanwhile_is_not_imported(self, memory, tmp_path):
        path = lines(tmp_path / "a.jsonl", [record(1)])

        def meddle(done, total):
            if not total:
                lines(path, [record(2), record(3)])

        with pytest.raises(ImportFailed, match="changed"):
            await memory.import_file(path, progress=meddle)
        assert (await memory.stats()).memories == 0

    async def test_nothing_to_import_is_said(self, memory, tmp_path):
        empty = tmp_path / "a.json"
        empty.write_text("[]")
        with pytest.raises(ImportFailed, match="nothing to import"):
            await memory.import_file(empty, format="openai")

    async def test_cancelled_and_run_again(self, memory, tmp_path):
        path = lines(tmp_path / "a.jsonl", [record(n) for n in range(600)])
        task = None

        def stop(done, total):
            if total and done >= 128:
                task.cancel()

        task = asyncio.create_task(memory.import_file(path, progress=stop))
        with pytest.raises(asyncio.CancelledError):
            await task
        kept = (await memory.stats()).memories
        assert 0 < kept < 600
        report = await memory.import_file(path)
        assert (report.stored, report.duplicates) == (600 - kept, kept)


class TestTimes:
    async def test_future_and_expired_records_are_kept_and_expired_ones_not_recalled(self, memory, tmp_path):
        later = (datetime.now(UTC) + timedelta(days=400)).isoformat()
        values = [
            {"content": "plan", "occurred_at": later, "kind": "episode"},
            {"content": "gone", "expires_at": "2020-01-01T00:00:00Z"},
            {"content": "good until 2999", "expires_at": "2999-01-01"},
        ]
        report = await memory.import_file(lines(tmp_path / "a.jsonl", values))
        assert report.stored == 3
        assert set(await everything(memory)) == {"plan", "gone", "good until 2999"}
        listed = {each.content for each in (await memory.list()).items}
        assert listed == {"plan", "good until 2999"}


class TestConversations:
    MESSAGES = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "name": "林悦", "content": "api 容器 ping 不通 db"},
        {"role": "tool", "name": "docker", "content": "x" * 5000},
        {"role": "assistant", "content": "接到同一个网络"},
    ]

    async def test_messages_become_turns_and_episodes(self, memory, tmp_path):
        path = tmp_path / "chat.json"
        path.write_text(json.dumps(self.MESSAGES))
        report = await memory.import_file(path)
        assert (report.format, report.read, report.stored, report.skipped, report.turns) == ("openai", 4, 3, 1, 4)
        found = await everything(memory)
        said = found["api 容器 ping 不通 db"]
        assert (said.kind, said.speaker, str(said.role), said.channel) == ("episode", "林悦", "user", Channel.IMPORT)
        tool = next(each for each in found.values() if each.role == "tool")
        ref = tool.refs[0]
        (turn,) = await memory.turns(ref.session_id, ref.first, ref.last)
        assert turn.content == "x" * 5000
        assert len(await memory.turns(ref.session_id)) == 4

    async def test_twice_adds_nothing_and_a_longer_history_only_what_is_new(self, memory, tmp_path):
        path = tmp_path / "chat.json"
        path.write_text(json.dumps(self.MESSAGES))
        await memory.import_file(path)
        again = await memory.import_file(path)
        assert (again.stored, again.duplicates, again.turns) == (0, 3, 0)
        path.write_text(json.dumps([*self.MESSAGES, {"role": "user", "content": "通了"}]))
        longer = await memory.import_file(path)
        assert (longer.stored, longer.duplicates, longer.turns) == (1, 3, 1)

    async def test_into_a_namespace(self, memory, tmp_path):
        path = tmp_path / "chat.json"
        path.write_text(json.dumps(self.MESSAGES))
        report = await memory.import_file(path, namespace="team")
        assert report.namespaces == ("team",)
        session = next(iter((await everything(memory, namespace="team")).values())).session_id
        assert len(await memory.turns(session, namespace="team")) == 4
        assert await memory.turns(session) == []

    async def test_lone_surrogates_and_nul_from_json_escapes_are_mended(self, memory, tmp_path):
        path = tmp_path / "chat.json"
        path.write_text('[{"role": "user", "content": "a\\u0000b \\ud83d\\ude00 \\ud800 שלום"}]')
        await memory.import_file(path)
        (content,) = await everything(memory)
        assert content == "ab 😀 � שלום"


class TestBeir:
    async def test_scopes_are_namespaces(self, memory, tmp_path):
        rows = [
            {"_id": "1", "text": "one", "metadata": {"scope": "a", "time": "2023-05-08T13:56:00", "session": "s", "speaker": "C"}},
            {"_id": "2", "text": "two", "metadata": {"scope": "b", "time": "2023"}},
        ]
        folder = tmp_path / "set"
        folder.mkdir()
        lines(folder / "corpus.jsonl", rows)
        report = await memory.import_file(folder)
        assert (report.format, report.stored, report.namespaces) == ("beir", 2, ("a", "b"))
        two = (await everything(memory, namespace="b"))["two"]
        assert (two.key, two.idempotency_key, str(two.occurred_precision)) == ("2", "2", "year")
        assert (await memory.import_file(folder)).duplicates == 2

    async def test_an_id_twice_is_told(self, memory, tmp_path):
        path = lines(tmp_path / "corpus.jsonl", [{"_id": "1", "text": "one"}, {"_id": "1", "text": "two"}])
        with pytest.raises(ImportFailed, match="line 2: the id stands in line 1"):
            await memory.import_file(path)


async def test_progress_counts_up_first_while_checking_then_while_storing(memory, tmp_path):
    seen = []
    await memory.import_file(lines(tmp_path / "a.jsonl", [record(n) for n in range(300)]), progress=lambda *told: seen.append(told))
    assert seen == [(128, 0), (256, 0), (300, 0), (128, 300), (256, 300), (300, 300)]
