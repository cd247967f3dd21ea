"""The rate that a progress bar shows is what was really done, and nobody watching sees nothing."""

from __future__ import annotations

import pytest

from hindsight.cli import progress
from hindsight.cli.progress import Bar


@pytest.fixture
def clock(monkeypatch):
    times = {"now": 100.0}
    monkeypatch.setattr(progress.time, "monotonic", lambda: times["now"])

    def set_to(seconds: float) -> float:
        times["now"] = 100.0 + seconds
        return times["now"]

    return set_to


def test_the_rate_counts_from_the_beginning_of_the_stage(clock):
    bar = Bar("records", starting="checking")
    bar.show(5000, 0)
    assert bar.told(5000, 0, clock(0)) == "5,000 records"
    clock(10)
    bar.show(128, 10_128)
    assert bar.told(1128, 10_128, clock(20)) == "1,128 / 10,128 records · 100 a second · 1:30 left"
    bar.show(0, 50, "query")
    assert bar.told(10, 50, clock(30)) == "10 / 50 records · 1 a second · 0:40 left"


def test_no_rate_before_there_is_one(clock):
    bar = Bar("records", starting="checking")
    bar.show(10, 100)
    assert bar.told(10, 100, clock(0.1)) == "10 / 100 records"


def test_nothing_is_drawn_where_nobody_watches(capsys):
    with Bar("records", starting="checking") as bar:
        bar.show(1, 2)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_bar_is_drawn_and_taken_away(monkeypatch, capsys):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    with Bar("records", starting="checking") as bar:
        bar.show(1, 2)
        bar.show(2, 2)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "records" in seen.err
