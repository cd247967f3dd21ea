from __future__ import annotations

import pytest

from hindsight.remember.distil.echo import is_echo

RECALLED = [
    "The user is allergic to peanuts and carries an EpiPen.",
    "用户对花生过敏，随身带肾上腺素笔。",
    "The staging database listens on port 5432 of the old host.",
]


@pytest.mark.parametrize(
    "text",
    [
        "The user is allergic to peanuts and carries an EpiPen.",
        "the user is allergic to peanuts, and carries an EpiPen",
        "用户对花生过敏，随身带肾上腺素笔",
        "The staging database listens on port 5432.",
    ],
)
def test_what_was_recalled_is_an_echo(text):
    assert is_echo(text, RECALLED)


@pytest.mark.parametrize(
    "text",
    [
        "The staging database listens on port 5433 of the old host.",
        "The user is no longer allergic to peanuts and carries an EpiPen.",
        "用户对花生不过敏，随身带肾上腺素笔。",
        "The user is allergic to shellfish.",
        "The user is allergic to peanuts and carries an EpiPen in the blue bag.",
        "用户住在成都。",
        "",
        "!?",
    ],
)
def test_news_is_no_echo_however_alike(text):
    assert not is_echo(text, RECALLED)


def test_nothing_recalled_nothing_echoed():
    assert not is_echo("The user is allergic to peanuts.", [])
