"""Records, ids and times: pure rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hindsight.errors import InvalidInput
from hindsight.guard.envelope import strip_recalled
from hindsight.guard.gate import gate
from hindsight.moments import read_moment
from hindsight.records import (
    LAYER_OF,
    Channel,
    Kind,
    Memory,
    Precision,
    Status,
    Visibility,
    default_idempotency_key,
    new_id,
)

EAST = timezone(timedelta(hours=8))
NOW = datetime(2025, 1, 15, 12, tzinfo=UTC)


def memory(**fields: object) -> Memory:
    values = {"id": new_id(), "namespace": "n", "agent": "a", "kind": Kind.FACT, "content": "x", "channel": Channel.USER, "trust": 1.0}
    return Memory(**{**values, "created_at": NOW, "updated_at": NOW, "idempotency_key": "k", **fields})


@given(st.integers(0, 2**48 - 1))
def test_ids_are_version_7_and_carry_their_time(milliseconds: int) -> None:
    id = new_id(milliseconds)
    assert (id.version, id.variant, id.int >> 80) == (7, "specified in RFC 4122", milliseconds)


def test_ids_differ_and_sort_by_time() -> None:
    assert len({new_id(5) for _ in range(1000)}) == 1000
    assert new_id(5) < new_id(6)


def test_every_kind_has_a_layer() -> None:
    assert set(LAYER_OF) == set(Kind)


def test_a_memory_cannot_be_changed_or_carry_a_time_without_zone() -> None:
    with pytest.raises(ValidationError):
        memory().content = "y"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="time zone"):
        memory(occurred_at=datetime(2025, 1, 1))


def test_indexed_text_holds_situation_speaker_and_statement() -> None:
    assert memory(query="网络不通", speaker="李雷", content="检查网络").text() == "网络不通\n李雷: 检查网络"


def test_round_trip_through_json_is_equal() -> None:
    original = memory(tags=("a",), occurred_at=NOW, occurred_precision=Precision.DAY, parents=(new_id(),))
    assert Memory.model_validate_json(original.model_dump_json()) == original


@pytest.mark.parametrize(
    ("text", "moment", "precision"),
    [
        ("2025", datetime(2025, 1, 1, tzinfo=EAST), Precision.YEAR),
        ("2025-03", datetime(2025, 3, 1, tzinfo=EAST), Precision.MONTH),
        ("2025-03-08", datetime(2025, 3, 8, tzinfo=EAST), Precision.DAY),
        ("2025-03-08T14:30", datetime(2025, 3, 8, 14, 30, tzinfo=EAST), Precision.MINUTE),
        ("2025-03-08 14:30:05", datetime(2025, 3, 8, 14, 30, 5, tzinfo=EAST), Precision.SECOND),
        ("2025-03-08T14:30:00+00:00", datetime(2025, 3, 8, 14, 30, tzinfo=UTC), Precision.SECOND),
        ("2025-03-08T14:30Z", datetime(2025, 3, 8, 14, 30, tzinfo=UTC), Precision.MINUTE),
    ],
)
def test_times_keep_their_precision(text: str, moment: datetime, precision: Precision) -> None:
    assert read_moment(text, EAST) == (moment, precision)


@pytest.mark.parametrize("text", ["", "soon", "2025-13", "2025-02-30", "99999", "0001-01-01T00:00:00+14:00"])
def test_what_is_no_time_is_refused_with_the_accepted_forms(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"occurred_at.*2025-03-08"):
        read_moment(text, EAST)


@given(st.text())
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        moment, _ = read_moment(text, UTC)
    except InvalidInput:
        return
    assert moment.tzinfo is UTC


@given(st.text(), st.lists(st.text(), max_size=3))
def test_the_default_key_depends_on_content_session_and_turns(content: str, turns: list[str]) -> None:
    key = default_idempotency_key(content, "s", tuple(turns))
    assert key == default_idempotency_key(content, "s", tuple(turns))
    assert key != default_idempotency_key(content + "x", "s", tuple(turns))
    assert key != default_idempotency_key(content, "t", tuple(turns))


@given(st.sampled_from(Kind), st.sampled_from(Channel), st.sampled_from(Visibility))
def test_no_rule_is_active_but_by_a_person(kind: Kind, channel: Channel, visibility: Visibility) -> None:
    verdict = gate(kind, channel, visibility)
    if kind is Kind.RULE and channel is not Channel.USER:
        assert verdict.status is Status.PENDING
        assert verdict.reasons
    if channel is Channel.USER:
        assert verdict.status is Status.ACTIVE


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("before <memory_context>\nold\n</memory_context> after", "before  after"),
        ("<MEMORY_CONTEXT id=1>x</ memory_context >你好", "你好"),
        ("open <memory_context> never closed", "open"),
        ("no block: memory_context", "no block: memory_context"),
    ],
)
def test_recalled_text_is_stripped(text: str, left: str) -> None:
    assert strip_recalled(text) == left


def test_uuid_type_is_the_standard_one() -> None:
    assert isinstance(new_id(), UUID)
