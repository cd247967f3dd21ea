"""What a session says, as recall reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.recall.questions import says_nothing_itself
from hindsight.recall.state import MAX_CHARS, SessionState


def test_sentences_of_both_languages_without_the_questions() -> None:
    state = SessionState(board=("Book a venue",), turns=("我对花生过敏。你能推荐餐厅吗？", "It seats 2.5 people! Why?\nNo stairs"))
    assert state.statements() == ("Book a venue", "我对花生过敏。", "It seats 2.5 people!", "No stairs")


def test_long_turns_do_not_push_the_goal_out() -> None:
    text = SessionState(board=("Rotate the key",), turns=("first " * 400, "the last words")).text()
    assert text.startswith("Rotate the key\n")
    assert text.endswith("the last words")
    assert len(text) == MAX_CHARS


@given(st.lists(st.text(), max_size=4), st.lists(st.text(max_size=3000), max_size=4))
def test_any_text_is_bounded(board: list[str], turns: list[str]) -> None:
    state = SessionState(board=tuple(board), turns=tuple(turns))
    assert len(state.text()) <= MAX_CHARS
    assert len(state.statements()) <= 30
    assert all(line.strip() == line and line for line in state.statements())


@pytest.mark.parametrize(
    "query",
    [
        "do it again",
        "",
        "same as before, please",
        "continue",
        "what about that one?",
        "再来一次",
        "继续",
        "那个怎么弄？",
        "像上次一样",
        "重新做一遍",
    ],
)
def test_what_only_points(query: str) -> None:
    assert says_nothing_itself(query)


@pytest.mark.parametrize("query", ["deploy key", "花生", "do the deployment again", "再部署一次", "E1101", "重新做报表", "Alice?"])
def test_what_has_a_subject(query: str) -> None:
    assert not says_nothing_itself(query)
