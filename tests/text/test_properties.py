"""What holds for any text."""

import unicodedata
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight.text.entities import extract_entities
from hindsight.text.fold import fold, sanitise
from hindsight.text.language import detect_language, dominant_script
from hindsight.text.lengths import estimate_tokens
from hindsight.text.stem import stem
from hindsight.text.synonyms import infer_task_type
from hindsight.text.times import MAX_EXPRESSIONS, find_anchored, find_times
from hindsight.text.tokens import MAX_QUERY_TOKENS, MAX_TOKEN_CHARS, MAX_TOKENS, index_tokens, query_tokens

PIECES = (
    "yesterday|last week|the week before|the trip|in May 2023|7 May|May 7th, 2023|2023-05-07|two weeks ago|last Friday|every Monday|at 3 pm|Q1 2023|"
    "since|until|to|and|before|the first week of|summer 2022|9999|昨天|上周三|三天前|去年国庆|2025年1月中旬|5月底|前一天|后|至|到|下午三点|春节|每周一|"
    '十一月|二〇二三年|半年前|最近三天|getUserName|user_name|E1101|ORA-00942|3.11.2|Caroline\'s|New York|张伟说|王经理|《书》|"Quoted"|#tag|a@b.co|'
    "https://x.org/a|\u200b|\ufeff|\0|\ud800|🎉|ﬁ|１２|، |، ‏مرحبا|C++|---|...|'|’|/|\\|::|，|。|\n| "
).split("|")
ANY_TEXT = st.one_of(
    st.text(max_size=200),
    st.text(st.characters(), max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join),
    st.text(st.characters(codec="utf-8", categories=["Lo", "Mn", "Nd", "Cf", "Zs", "So"]), max_size=60),
)
MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9990, 1, 1))


@settings(deadline=None)
@given(ANY_TEXT)
def test_sanitised_text_can_be_encoded(text):
    clean = sanitise(text)
    assert "\0" not in clean
    clean.encode("utf-8")
    assert sanitise(clean) == clean


@settings(deadline=None)
@given(ANY_TEXT)
def test_folding_twice_changes_nothing_and_leaves_nothing_invisible(text):
    folded = fold(text)
    assert fold(folded) == folded
    assert not any(unicodedata.category(character) == "Cc" for character in folded)
    assert folded == folded.strip()


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_tokens_are_short_and_hold_no_white_space_or_controls(text):
    for token in index_tokens(text):
        assert 0 < len(token) <= MAX_TOKEN_CHARS
        assert not any(character.isspace() or unicodedata.category(character) == "Cc" for character in token)


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_query_tokens_are_found_in_the_index_of_the_same_text(text):
    indexed, asked = index_tokens(text), query_tokens(text)
    assert set(asked) <= set(indexed)
    assert len(set(asked)) == len(asked)
    assert bool(asked) == bool(indexed)


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1, max_size=30))
def test_a_stem_is_never_empty(word):
    assert stem(word)


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT, MOMENTS, st.sampled_from([None, UTC, ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")]))
def test_times_lie_in_the_text_and_begin_before_they_end(text, now, zone):
    now = now.replace(tzinfo=zone)
    last = 0
    for found in find_times(text, now):
        start, end = found.span
        assert last <= start < end <= len(text)
        assert found.text == text[start:end]
        assert found.start < found.end
        assert found.start.tzinfo is found.end.tzinfo is zone
        last = end


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT, MOMENTS, MOMENTS)
def test_anchored_times_resolve_to_ranges(text, now, event):
    for anchored in find_anchored(text, now):
        start, end = anchored.span
        assert anchored.text == text[start:end]
        assert anchored.anchor in anchored.text
        resolved = anchored.resolve(event, event.replace(year=event.year + 1, day=1))
        assert resolved is None or resolved.start < resolved.end


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_entities_are_named_in_the_text(text):
    norms = [entity.norm for entity in extract_entities(text)]
    assert all(norms)
    assert len(set(norms)) == len(norms)


@settings(deadline=None)
@given(ANY_TEXT)
def test_nothing_raises(text):
    assert detect_language(text) in ("zh", "en", "other")
    dominant_script(text)
    infer_task_type(text)
    assert estimate_tokens(text) >= 0


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "中",
        "1",
        " ",
        ".",
        "_",
        "A_",
        "1-",
        "May ",
        "3天前",
        "周一",
        "the week before ",
        "“",
        "'",
        "#",
        "*",
        "《",
        "@a",
        "/a",
        "\n",
        "张",
    ],
)
def test_long_repetitions_take_no_unbounded_time(piece):
    text = piece * (100_000 // len(piece))
    assert len(index_tokens(text)) <= MAX_TOKENS
    assert len(query_tokens(text)) <= MAX_QUERY_TOKENS
    assert len(find_times(text, datetime(2024, 5, 15))) <= MAX_EXPRESSIONS
    assert len(extract_entities(text)) <= len(text)
    assert fold(fold(text)) == fold(text)
