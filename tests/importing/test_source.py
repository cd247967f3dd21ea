"""Reading files piece by piece: values, lines, and the place of every fault."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight.errors import ImportFailed
from hindsight.records import Precision
from hindsight.remember.importers import source as reading
from hindsight.remember.importers.source import head_of, json_lines, json_pieces, moment_of, text_lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(items=st.lists(JSON, max_size=8), indent=st.sampled_from([None, 0, 2]), chunk=st.sampled_from([1, 3, 64]))
def test_a_streamed_array_equals_the_parsed_one(tmp_path, items, indent, chunk, monkeypatch):
    path = write(tmp_path / "a.json", json.dumps(items, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass"))
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    assert [value for _, value in json_pieces(path)] == json.loads(path.read_bytes())


def test_items_carry_their_lines(tmp_path):
    path = write(tmp_path / "a.json", '\ufeff\n[\n {"a": "一"},\n\n {"a":\n 2} , {"b": 3}\n]\n')
    assert list(json_pieces(path)) == [(3, {"a": "一"}), (5, {"a": 2}), (6, {"b": 3})]


def test_one_object_over_several_lines_is_one_piece(tmp_path):
    path = write(tmp_path / "a.json", '{\n "messages": [\n {"role": "user"}\n]}\n')
    assert list(json_pieces(path)) == [(1, {"messages": [{"role": "user"}]})]


def test_json_lines_may_be_named_json_and_be_gzipped(tmp_path):
    path = write(tmp_path / "a.json", gzip.compress(b'{"a": 1}\r\n\r\n{"a": 2}'))
    assert list(json_pieces(path)) == [(1, {"a": 1}), (3, {"a": 2})]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ('[\n{"a": 1},\n{"a": }\n]', 3, "not valid JSON"),
        ('[\n{"a": 1}\n{"a": 2}\n]', 3, "',' or ']' is needed"),
        ('[\n{"a": 1},\n', 3, "not valid JSON"),
        ('[{"a": 1}]\n[2]', 2, "more text after"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('[{"a": ' + "9" * 5000 + "}]", 1, "not valid JSON"),
    ],
)
def test_a_fault_in_a_document_names_its_line(tmp_path, text, line, told):
    with pytest.raises(ImportFailed, match=told) as raised:
        list(json_pieces(write(tmp_path / "a.json", text)))
    assert raised.value.line == line


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (b'{"a": 1}\n{"a": 2\n', 2, "not valid JSON"),
        (b'{"a": 1}\n\n[1]\n', 3, "object is needed, not a list"),
        (b'{"a": 1}\n{"a": "\xff"}\n', 2, "not UTF-8"),
        (b'{"a": 1}\n{"a": "\x00"}\n', 2, "NUL byte"),
        ('{"a": 1}'.encode("utf-16"), 1, "UTF-16"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", 1, "nested too deeply"),
    ],
)
def test_a_fault_in_json_lines_names_its_line(tmp_path, data, line, told):
    with pytest.raises(ImportFailed, match=told) as raised:
        list(json_lines(write(tmp_path / "a.jsonl", data)))
    assert raised.value.line == line


def test_bad_utf8_deep_inside_a_document_names_its_line(tmp_path):
    good = b'{"a": "' + "汉".encode() * 30_000 + b'"},\n'
    path = write(tmp_path / "a.json", b"[\n" + good * 3 + b'{"a": "\xe6\xb1"}]')
    with pytest.raises(ImportFailed, match="not UTF-8") as raised:
        list(json_pieces(path))
    assert raised.value.line == 5


def test_a_line_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_PIECE_BYTES", 1000)
    path = write(tmp_path / "a.jsonl", b'{"a": 1}\n{"a": "' + b"x" * 2000 + b'"}\n')
    with pytest.raises(ImportFailed, match="longer than 1,000 bytes") as raised:
        list(json_lines(path))
    assert raised.value.line == 2
    array = write(tmp_path / "a.json", b'[{"a": "' + b"x" * 200_000 + b'"}]')
    with pytest.raises(ImportFailed, match="longer than"):
        list(json_pieces(array))


def test_a_cut_off_gzip_file_is_told(tmp_path):
    packed = gzip.compress(b'{"a": 1}\n' * 5000)
    with pytest.raises(ImportFailed, match="damaged or cut off"):
        list(text_lines(write(tmp_path / "a.jsonl.gz", packed[: len(packed) // 2])))
    with pytest.raises(ImportFailed, match="damaged or cut off"):
        list(text_lines(write(tmp_path / "b.jsonl.gz", packed[:40] + b"garbage" + packed[47:])))


def test_head_is_the_first_value_or_nothing(tmp_path):
    assert head_of(write(tmp_path / "a", '[{"a": 1}, nonsense')).value == {"a": 1}
    assert head_of(write(tmp_path / "b", '{"a": 1}\n{')).value == {"a": 1}
    assert head_of(write(tmp_path / "c", "# note")).value is None
    assert head_of(write(tmp_path / "d", "[]")).value is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_757_000_000, datetime(2025, 9, 4, 15, 33, 20, tzinfo=UTC)),
        (1_757_000_000_000, datetime(2025, 9, 4, 15, 33, 20, tzinfo=UTC)),
        ("1757000000.5", datetime(2025, 9, 4, 15, 33, 20, 500_000, tzinfo=UTC)),
        ("2025-09-04T15:33:20Z", datetime(2025, 9, 4, 15, 33, 20, tzinfo=UTC)),
        ("2025-09-04T15:33:20", datetime(2025, 9, 4, 7, 33, 20, tzinfo=UTC)),
    ],
)
def test_times_as_histories_write_them(tmp_path, value, expected):
    assert moment_of(value, ZoneInfo("Asia/Shanghai"), tmp_path, 1) == (expected, Precision.SECOND)


def test_a_date_keeps_its_precision_and_no_time_is_none(tmp_path):
    assert moment_of("2025-09", UTC, tmp_path, 1) == (datetime(2025, 9, 1, tzinfo=UTC), Precision.MONTH)
    assert moment_of(None, UTC, tmp_path, 1) is None
    assert moment_of("", UTC, tmp_path, 1) is None


@pytest.mark.parametrize("value", ["yesterday-ish", True, ["2025"], float("nan"), float("inf"), 1e300, "99999999999999999999"])
def test_what_is_no_time_is_told_with_its_line(tmp_path, value):
    with pytest.raises(ImportFailed) as raised:
        moment_of(value, UTC, tmp_path, 7)
    assert raised.value.line == 7
