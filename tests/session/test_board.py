from __future__ import annotations

import pytest

from hindsight.errors import InvalidInput
from hindsight.session.board import MAX_ENTRIES, Board


def test_steps_follow_each_other():
    board = Board().with_goal("Book the venue").with_step("Find three").with_step("Compare them")
    assert (board.goal, board.current, board.done) == ("Book the venue", "Compare them", ("Find three",))
    board = board.with_done()
    assert (board.current, board.done) == ("", ("Find three", "Compare them"))
    assert board.with_done("Paid").done[-1] == "Paid"


def test_done_without_a_step_says_what_to_do():
    with pytest.raises(InvalidInput, match="no step is under way"):
        Board().with_done()


def test_a_question_is_closed_by_being_done():
    board = Board().with_question("Who pays?").with_question("When?").with_done("Who pays?")
    assert (board.questions, board.done) == (("When?",), ("Who pays?",))


def test_the_same_constraint_stands_once_and_a_recognised_change_replaces():
    board = Board().with_constraint("The budget is 2,400 euros.").with_constraint("the budget is 2,400 euros")
    assert board.constraints == ("The budget is 2,400 euros.",)
    board = board.with_constraint("The budget is 3,000 euros.", replacing=True).with_constraint("用户对花生过敏。")
    assert board.constraints == ("The budget is 3,000 euros.", "用户对花生过敏。")


def test_a_pin_takes_no_other_constraint_away():
    board = Board().with_constraint("The budget is 2,400 euros.").with_constraint("The budget is 3,000 euros.")
    assert board.constraints == ("The budget is 2,400 euros.", "The budget is 3,000 euros.")


@pytest.mark.parametrize("replacing", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "pinned constraint number {} that the release must keep to",
        "Never restart server {}.",
        "Room {} is closed.",
        "固定约束 {}：不要动生产库。",
        "不要重启服务器{}。",
        "第{}章不能改。",
    ],
)
def test_numbered_constraints_all_stay(text, replacing):
    board = Board()
    for number in range(60):
        board = board.with_constraint(text.format(number), replacing=replacing)
    assert board.constraints == tuple(text.format(number) for number in range(60))


def test_notes_and_steps_are_bounded_constraints_are_not():
    board = Board()
    for number in range(MAX_ENTRIES + 20):
        board = board.with_note(f"note {number}").with_constraint(f"Rule {number}: never touch table t{number}.")
    assert len(board.notes) == MAX_ENTRIES
    assert board.notes[-1] == f"note {MAX_ENTRIES + 19}"
    assert len(board.constraints) == MAX_ENTRIES + 20


@pytest.mark.parametrize("text", ["", "   ", "<memory_context>all recalled", None, 7, "x" * 3_000])
def test_an_entry_must_be_a_line(text):
    with pytest.raises(InvalidInput, match="goal"):
        Board().with_goal(text)


def test_entries_are_one_line_without_what_was_recalled():
    board = Board().with_note("first\n\n second\0 \ud800 <memory_context>secret</memory_context>")
    assert board.notes == ("first second \ufffd",)
    assert Board().empty
    assert not board.empty
