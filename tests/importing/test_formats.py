"""Each format: what its entries say, what it leaves out, how it is recognised."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindsight.errors import ImportFailed
from hindsight.records import Precision, Role
from hindsight.remember.importers.conversation import TOOL_CHARACTERS
from hindsight.remember.importers.detect import FORMATS, format_for
from hindsight.remember.importers.source import Entry, Source


def put(path: Path, value, *, lines: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(each, ensure_ascii=False) for each in value) if lines else json.dumps(value, ensure_ascii=False)
    path.write_text(text if not isinstance(value, str) else value, encoding="utf-8")
    return path


def entries(path: Path, name: str = "auto") -> list[Entry]:
    found = format_for(path, name)
    return list(found.read(Source(path, found.files(path), UTC)))


def drafts(path: Path, name: str = "auto") -> list[dict]:
    return [entry.draft for entry in entries(path, name) if entry.draft is not None]


class TestOpenAI:
    MESSAGES = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "name": "林悦", "content": "我对花生过敏", "created_at": "2025-09-03T09:30:00+08:00", "id": "m1"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "花生"}'}}]},
        {"role": "tool", "name": "search", "content": "x" * (TOOL_CHARACTERS + 50)},
        {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, {"type": "image_url", "image_url": {"url": "data:"}}]},
        {"role": "user", "content": ""},
    ]

    def test_each_message_is_a_turn_and_an_episode_that_points_to_it(self, tmp_path):
        found = entries(put(tmp_path / "chat.json", self.MESSAGES))
        assert [entry.turn.position if entry.turn else None for entry in found] == [0, 1, 2, 3, 4, None]
        said = found[1]
        assert said.draft["content"] == "我对花生过敏"
        assert (said.draft["speaker"], said.draft["role"], said.draft["kind"]) == ("林悦", Role.USER, "episode")
        assert said.draft["occurred_at"] == datetime(2025, 9, 3, 1, 30, tzinfo=UTC)
        assert said.draft["turn_ids"] == ("m1",)
        ref = said.draft["refs"][0]
        assert (ref.session_id, ref.first, ref.last) == (said.turn.session_id, 1, 1)
        assert said.turn.content == "我对花生过敏"
        assert said.turn.id == "m1"

    def test_system_prompts_are_turns_only_and_empty_messages_nothing(self, tmp_path):
        found = entries(put(tmp_path / "chat.json", self.MESSAGES))
        assert found[0].draft is None
        assert found[0].turn.role is Role.OTHER
        assert found[5].draft is None
        assert found[5].turn is None

    def test_tool_calls_and_tool_output(self, tmp_path):
        found = entries(put(tmp_path / "chat.json", self.MESSAGES))
        assert found[2].draft["content"] == '→ search({"q": "花生"})'
        assert found[2].draft["tools"] == ("search",)
        assert found[3].draft["role"] is Role.TOOL
        assert found[3].draft["tools"] == ("search",)
        assert found[3].draft["content"].endswith("… (+50)")
        assert len(found[3].turn.content) == TOOL_CHARACTERS + 50
        assert found[4].draft["content"] == "Noted.\n[image]"

    def test_the_three_shapes_give_the_same_messages(self, tmp_path):
        array = drafts(put(tmp_path / "a" / "chat.json", self.MESSAGES))
        lines = drafts(put(tmp_path / "b" / "chat.jsonl", self.MESSAGES, lines=True))
        assert lines == array
        whole = drafts(put(tmp_path / "c" / "chat.json", {"messages": self.MESSAGES}))
        assert whole == array

    def test_a_list_that_grows_stays_one_session_and_another_list_is_another(self, tmp_path):
        first = drafts(put(tmp_path / "chat.json", self.MESSAGES[:4]))
        grown = drafts(put(tmp_path / "chat.json", self.MESSAGES))
        assert grown[: len(first)] == first
        other = drafts(put(tmp_path / "chat.json", [{"role": "user", "content": "hi"}]))
        assert other[0]["session_id"] != first[0]["session_id"]

    def test_conversations_name_their_sessions_or_get_a_name_each(self, tmp_path):
        path = put(
            tmp_path / "tuning.jsonl",
            [
                {"id": "first", "messages": [{"role": "user", "content": "a"}]},
                {"messages": [{"role": "user", "content": "same"}, {"role": "assistant", "content": "1"}]},
                {"messages": [{"role": "user", "content": "same"}, {"role": "assistant", "content": "2"}]},
            ],
            lines=True,
        )
        sessions = [draft["session_id"] for draft in drafts(path)]
        assert sessions[0] == "first"
        assert sessions[1] == sessions[2] != sessions[3] == sessions[4]

    def test_recalled_memories_in_a_message_are_not_remembered_again(self, tmp_path):
        block = "<memory_context>\n[1] old\n</memory_context>"
        found = entries(put(tmp_path / "a.json", [{"role": "user", "content": block}, {"role": "user", "content": block + "\nnew"}]))
        assert found[0].draft is None
        assert found[0].turn.content == block
        assert found[1].draft["content"] == "new"

    @pytest.mark.parametrize(
        ("message", "told"),
        [
            ({"role": "robot", "content": "x"}, "role: 'robot'"),
            ({"content": "x"}, "role: None"),
            ({"role": "user", "content": 5}, "content: text or a list"),
            ({"role": "user", "content": [5]}, "a part is text or an object"),
            ({"role": "user", "content": "x", "name": 5}, "name and id"),
            ({"role": "assistant", "content": "x", "tool_calls": [{"function": {}}]}, "tool_calls"),
            ({"role": "user", "content": "x", "created_at": "whenever"}, "not a time"),
            ("x", "an object with role"),
        ],
    )
    def test_a_malformed_message_is_told_with_its_line(self, tmp_path, message, told):
        path = tmp_path / "a.json"
        path.write_text('[{"role": "user", "content": "fine"},\n' + json.dumps(message) + "]")
        with pytest.raises(ImportFailed, match=told) as raised:
            entries(path)
        assert raised.value.line == 2


class TestBeir:
    ROW = {
        "_id": "c:1",
        "text": "Hey Mel!",
        "metadata": {"scope": "conv-1", "time": "2023-05-08", "session": "s1", "speaker": "Caroline", "role": None},
    }

    def test_metadata_become_fields(self, tmp_path):
        put(tmp_path / "corpus.jsonl", [self.ROW], lines=True)
        assert drafts(tmp_path) == [
            {
                "content": "Hey Mel!",
                "kind": "episode",
                "key": "c:1",
                "idempotency_key": "c:1",
                "namespace": "conv-1",
                "occurred_at": "2023-05-08",
                "session_id": "s1",
                "speaker": "Caroline",
            }
        ]

    def test_gzip_titles_and_unknown_roles(self, tmp_path):
        row = {"_id": "1", "title": "T", "text": "x", "metadata": {"role": "narrator"}}
        (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(json.dumps(row).encode()))
        assert drafts(tmp_path) == [{"content": "T\nx", "kind": "episode", "key": "1", "idempotency_key": "1", "role": Role.OTHER}]

    @pytest.mark.parametrize(
        "row", [{"text": "x"}, {"_id": 5, "text": "x"}, {"_id": "1", "text": 5}, {"_id": "1", "text": "x", "metadata": 5}]
    )
    def test_malformed_documents_are_told_with_their_line(self, tmp_path, row):
        put(tmp_path / "corpus.jsonl", [self.ROW, row], lines=True)
        with pytest.raises(ImportFailed) as raised:
            entries(tmp_path)
        assert raised.value.line == 2


class TestChatGPT:
    @staticmethod
    def node(id, parent, role, text, time, **more):
        message = {"id": id, "author": {"role": role}, "create_time": time, "content": {"content_type": "text", "parts": [text]}, **more}
        return {"id": id, "parent": parent, "children": [], "message": message}

    def conversation(self, current="c", extra=()):
        nodes = [
            {"id": "root", "parent": None, "children": ["a"], "message": None},
            self.node("a", "root", "user", "你好", 100.0),
            self.node("b", "a", "assistant", "first answer", 101.0),
            self.node("c", "a", "assistant", "second answer", 102.0),
            *extra,
        ]
        return {"conversation_id": "conv", "title": "t", "current_node": current, "mapping": {node["id"]: node for node in nodes}}

    def test_the_branch_that_is_shown(self, tmp_path):
        put(tmp_path / "conversations.json", [self.conversation()])
        found = drafts(tmp_path)
        assert [draft["content"] for draft in found] == ["你好", "second answer"]
        assert found[0]["occurred_at"] == datetime(1970, 1, 1, 0, 1, 40, tzinfo=UTC)
        assert {draft["session_id"] for draft in found} == {"conv"}

    def test_places_stay_when_the_history_grows_or_branches(self, tmp_path):
        path = put(tmp_path / "conversations.json", [self.conversation()])
        before = {entry.turn.id: entry.turn.position for entry in entries(path) if entry.turn}
        path = put(
            tmp_path / "conversations.json",
            [self.conversation("e", [self.node("d", "b", "user", "again", 103.0), self.node("e", "d", "assistant", "yes", 104.0)])],
        )
        after = {entry.turn.id: entry.turn.position for entry in entries(path) if entry.turn}
        assert [*after] == ["a", "b", "d", "e"]
        assert after["a"] == before["a"]
        assert len({*before.values(), *after.values()}) == 5

    def test_hidden_and_unreadable_messages_are_left_out(self, tmp_path):
        hidden = self.node("h", "c", "user", "secret", 103.0, metadata={"is_visually_hidden_from_conversation": True})
        thinking = self.node("t", "h", "assistant", "hm", 104.0, content={"content_type": "thoughts", "thoughts": []})
        picture = self.node(
            "p", "t", "user", "", 105.0, content={"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "这是什么"]}
        )
        path = put(tmp_path / "conversations.json", [self.conversation("p", [hidden, thinking, picture])])
        assert [draft["content"] for draft in drafts(path)] == ["你好", "second answer", "[image]\n这是什么"]

    def test_a_broken_chain_is_told(self, tmp_path):
        path = put(tmp_path / "conversations.json", [self.conversation("gone")])
        with pytest.raises(ImportFailed, match="do not hang together"):
            entries(path)


class TestClaudeCode:
    LINES = [
        {"type": "summary", "summary": "Fix it", "leafUuid": "z"},
        {
            "type": "user",
            "sessionId": "s",
            "uuid": "1",
            "timestamp": "2025-09-16T06:05:00Z",
            "message": {"role": "user", "content": "测试失败了"},
        },
        {
            "type": "assistant",
            "sessionId": "s",
            "uuid": "2",
            "message": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}]},
        },
        {
            "type": "assistant",
            "sessionId": "s",
            "uuid": "3",
            "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "pytest"}}]},
        },
        {
            "type": "user",
            "sessionId": "s",
            "uuid": "4",
            "message": {"content": [{"type": "tool_result", "content": [{"type": "text", "text": "1 failed"}], "is_error": True}]},
        },
        {"type": "user", "sessionId": "s", "uuid": "5", "isMeta": True, "message": {"content": "Caveat"}},
        {"type": "user", "sessionId": "s", "uuid": "6", "message": {"content": "<command-name>/clear</command-name>"}},
        {"type": "assistant", "sessionId": "s", "uuid": "7", "isSidechain": True, "message": {"content": "sub"}},
        {"type": "file-history-snapshot", "messageId": "1"},
    ]

    def test_what_was_said_and_done(self, tmp_path):
        found = drafts(put(tmp_path / "s.jsonl", self.LINES, lines=True))
        assert [draft["content"] for draft in found] == ["测试失败了", "I look.", '→ Bash({"command": "pytest"})', "error: 1 failed"]
        assert [draft["role"] for draft in found] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL]
        assert found[2]["tools"] == ("Bash",)

    def test_a_project_folder_and_a_resumed_session(self, tmp_path):
        put(tmp_path / "a.jsonl", self.LINES[:3], lines=True)
        put(tmp_path / "b.jsonl", [line | {"sessionId": "resumed"} for line in self.LINES[1:5]], lines=True)
        keys = [draft["idempotency_key"] for draft in drafts(tmp_path)]
        assert len(keys) == 6
        assert len(set(keys)) == 4

    def test_a_malformed_line_is_told(self, tmp_path):
        path = put(tmp_path / "s.jsonl", [self.LINES[1], {"type": "user", "sessionId": "s", "message": {"content": "x"}}], lines=True)
        with pytest.raises(ImportFailed, match="uuid") as raised:
            entries(path)
        assert raised.value.line == 2


class TestLangChain:
    def test_all_forms_of_a_message(self, tmp_path):
        values = [
            {"type": "human", "data": {"content": "你好", "name": "林悦", "id": "1"}},
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "messages", "AIMessageChunk"],
                "kwargs": {"content": "hello", "tool_calls": [{"name": "f", "args": {"x": 1}}]},
            },
            {"type": "tool", "content": "42", "name": "f", "tool_call_id": "c"},
            {"type": "system", "content": "be kind"},
        ]
        found = entries(put(tmp_path / "dump.json", values))
        assert [entry.draft and entry.draft["content"] for entry in found] == ["你好", 'hello\n→ f({"x": 1})', "42", None]
        assert [entry.turn.role for entry in found] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.OTHER]
        assert found[0].draft["speaker"] == "林悦"

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda messages: {"messages": messages, "thread_id": "t1"},
            lambda messages: {"values": {"messages": messages}, "config": {"configurable": {"thread_id": "t1"}}},
            lambda messages: {"checkpoint": {"channel_values": {"messages": messages}}, "config": {"configurable": {"thread_id": "t1"}}},
        ],
    )
    def test_states_of_a_thread(self, tmp_path, wrap):
        messages = [{"type": "human", "content": "a"}, {"type": "ai", "content": "b"}]
        found = drafts(put(tmp_path / "state.json", wrap(messages)))
        assert [(draft["content"], draft["session_id"]) for draft in found] == [("a", "t1"), ("b", "t1")]

    def test_of_a_history_the_longest_state_counts(self, tmp_path):
        messages = [{"type": "human", "content": "a"}, {"type": "ai", "content": "b"}, {"type": "human", "content": "c"}]
        states = [{"values": {"messages": messages[:n]}, "config": {"configurable": {"thread_id": "t"}}} for n in (3, 2, 1, 0)]
        assert [draft["content"] for draft in drafts(put(tmp_path / "history.json", states))] == ["a", "b", "c"]

    def test_an_unknown_type_is_told(self, tmp_path):
        with pytest.raises(ImportFailed, match="type: 'robot'"):
            entries(put(tmp_path / "a.json", [{"type": "human", "content": "a"}, {"type": "robot", "content": "b"}]), "langchain")


class TestMarkdown:
    NOTE = "---\ntitle: 笔记\ndate: 2025-03-08\ntags: [docker, 网络]\n---\nintro\n\n# Docker\n## 网络\n先看网络。\n```sh\n# no heading\nping db\n```\n## Empty\n# Other\nend\n"

    def test_sections_with_headings_tags_and_date(self, tmp_path):
        found = drafts(put(tmp_path / "a.md", self.NOTE))
        assert [(draft["query"], draft["content"]) for draft in found] == [
            ("笔记", "intro"),
            ("笔记 > Docker > 网络", "先看网络。\n```sh\n# no heading\nping db\n```"),
            ("笔记 > Other", "end"),
        ]
        assert found[0]["tags"] == ("docker", "网络")
        assert (found[0]["occurred_at"], found[0]["occurred_precision"]) == (datetime(2025, 3, 8, tzinfo=UTC), Precision.DAY)
        assert {draft["kind"] for draft in found} == {"knowledge"}

    def test_refs_point_to_the_place_in_the_document(self, tmp_path):
        path = put(tmp_path / "a.md", self.NOTE + "\n# Long\n" + "\n\n".join(f"paragraph {n} " + "字" * 300 for n in range(20)))
        text = path.read_text(encoding="utf-8")
        for draft in drafts(path):
            ref = draft["refs"][0]
            assert text[ref.start : ref.end].strip() == draft["content"].strip()

    def test_long_sections_are_cut_between_paragraphs_only(self, tmp_path):
        code = "```\n" + "\n\n".join("line" * 100 for _ in range(20)) + "\n```"
        found = drafts(put(tmp_path / "a.md", "\n\n".join(["word " * 200] * 6) + "\n\n" + code))
        assert len(found) > 2
        assert sum(code in draft["content"] for draft in found) == 1

    def test_a_folder_of_notes_with_dates_in_their_names(self, tmp_path):
        put(tmp_path / "2025-03-08.md", "今天发布了")
        put(tmp_path / "deep" / "b.markdown", "x")
        put(tmp_path / ".obsidian" / "c.md", "hidden")
        put(tmp_path / "2025-99-99.md", "no date")
        found = {draft["key"]: draft for draft in drafts(tmp_path)}
        assert set(found) == {"2025-03-08.md", "deep/b.markdown", "2025-99-99.md"}
        assert found["2025-03-08.md"]["occurred_at"] == datetime(2025, 3, 8, tzinfo=UTC)
        assert "occurred_at" not in found["2025-99-99.md"]


class TestOwn:
    def test_a_record_is_split_from_what_the_server_had_set(self, tmp_path):
        line = {
            "id": "0197a1b2-0000-7000-8000-000000000000",
            "namespace": "n",
            "created_at": "2025-01-01T00:00:00Z",
            "content": "x",
            "kind": "fact",
            "trust": 1.0,
            "seal": None,
        }
        (entry,) = entries(put(tmp_path / "a.jsonl", [line], lines=True))
        assert entry.draft == {"namespace": "n", "content": "x", "kind": "fact"}
        assert set(entry.server) == {"id", "created_at", "trust", "seal"}

    def test_lines_without_an_id_are_drafts(self, tmp_path):
        (entry,) = entries(put(tmp_path / "a.jsonl", [{"content": "x", "tags": ["a"]}], lines=True))
        assert entry.draft == {"content": "x", "tags": ["a"]}
        assert entry.server is None


class TestDetection:
    def test_every_format_is_recognised_by_none_but_itself(self, tmp_path):
        corpus, notes = tmp_path / "corpus", tmp_path / "notes"
        put(corpus / "corpus.jsonl", [TestBeir.ROW], lines=True)
        put(notes / "a.md", "x")
        project = tmp_path / "project"
        put(project / "s.jsonl", TestClaudeCode.LINES, lines=True)
        examples = {
            "hindsight": put(tmp_path / "own.jsonl", [{"content": "x", "kind": "fact", "role": "user"}], lines=True),
            "openai": put(tmp_path / "chat.json", TestOpenAI.MESSAGES),
            "beir": corpus,
            "chatgpt": put(tmp_path / "conversations.json", [TestChatGPT().conversation()]),
            "claude-code": project,
            "langchain": put(tmp_path / "lc.json", [{"type": "human", "content": "x"}]),
            "markdown": notes,
        }
        assert set(examples) == {format.name for format in FORMATS}
        for name, path in examples.items():
            assert format_for(path).name == name
        assert format_for(corpus / "corpus.jsonl").name == "beir"
        assert format_for(project / "s.jsonl").name == "claude-code"
        assert format_for(notes / "a.md").name == "markdown"

    def test_an_unknown_beginning_lists_the_formats(self, tmp_path):
        with pytest.raises(ImportFailed) as raised:
            format_for(put(tmp_path / "a.txt", '{"x": 1}'))
        for format in FORMATS:
            assert format.name in str(raised.value)

    @pytest.mark.parametrize(
        ("make", "told"),
        [
            (lambda path: None, "no such file"),
            (lambda path: path.write_bytes(b""), "empty"),
            (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(range(256))), "binary|UTF-8"),
            (lambda path: path.mkdir(), "fits none of the known formats"),
        ],
    )
    def test_what_cannot_be_imported(self, tmp_path, make, told):
        make(tmp_path / "thing")
        with pytest.raises(ImportFailed, match=told):
            format_for(tmp_path / "thing")

    def test_a_folder_where_a_file_is_needed(self, tmp_path):
        with pytest.raises(ImportFailed, match="single file"):
            entries(tmp_path, "openai")

    def test_an_unknown_format_lists_the_known_ones(self, tmp_path):
        with pytest.raises(ImportFailed, match="claude-code"):
            format_for(put(tmp_path / "a", "x"), "cbor")
