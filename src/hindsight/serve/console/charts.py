"""Geometry of the console's charts: numbers become places in a drawing; templates draw them, with a table beside each. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 420, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 10, 26
_LABELS = 6
_ROW, _NAME, _NUMBER = 24, 110, 70


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle of a series; ``told`` is what it says when it is pointed at."""

    series: int
    x: float
    y: float
    width: float
    height: float
    told: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A word at a place."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of ``width`` x ``height`` with its numbers as rows of a table: the first column names, the others count."""

    width: float
    height: float
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    lines: tuple[Mark, ...]
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(any(values) for _, values in self.rows)


def stacked(names: Sequence[str], series: Sequence[tuple[str, Sequence[float]]]) -> Chart:
    """Upright bars, one a name, the series on top of each other; ``lines`` are the steps of the scale."""
    rows = tuple((name, tuple(values[place] for _, values in series)) for place, name in enumerate(names))
    top, steps = _scale(max((sum(values) for _, values in rows), default=0))
    deep, step = HEIGHT - _TOP - _BOTTOM, (WIDTH - _LEFT - _RIGHT) / max(len(names), 1)
    bars: list[Bar] = []
    for place, (name, values) in enumerate(rows):
        floor = float(HEIGHT - _BOTTOM)
        for number, value in enumerate(values):
            tall = round(deep * value / top, 2)
            floor -= tall
            if value:
                x = round(_LEFT + step * (place + 0.14), 2)
                bars.append(Bar(number, x, round(floor, 2), round(step * 0.72, 2), tall, f"{name}: {series[number][0]} {value:,.4g}"))
    every = max(1, -(-len(names) // _LABELS))
    shown = [(place, name) for place, name in enumerate(names) if (len(names) - 1 - place) % every == 0]
    marks = tuple(Mark(round(_LEFT + step * (place + 0.5), 2), HEIGHT - 8, name) for place, name in shown)
    lines = tuple(Mark(_LEFT, round(HEIGHT - _BOTTOM - deep * value / top, 2), f"{value:,.4g}") for value in steps)
    return Chart(WIDTH, HEIGHT, tuple(bars), marks, lines, tuple(name for name, _ in series), rows)


def lying(rows: Sequence[tuple[str, float]], name: str, *, unit: str = "") -> Chart:
    """Bars that lie below each other, each with its name before and its number behind it."""
    most = max((value for _, value in rows), default=0) or 1.0
    long = WIDTH - _NAME - _NUMBER
    bars, marks = [], []
    for place, (label, value) in enumerate(rows):
        y = float(place * _ROW + 4)
        wide = round(max(long * value / most, 1.0), 2)
        told = f"{value:,.3g}{unit}"
        bars.append(Bar(0, _NAME, y, wide, _ROW - 8.0, f"{label}: {told}"))
        marks += [Mark(0, y + 13, label), Mark(_NAME + wide + 6, y + 13, told)]
    height = max(len(rows), 1) * _ROW + 4
    return Chart(WIDTH, height, tuple(bars), tuple(marks), (), (name,), tuple((label, (value,)) for label, value in rows))


def _scale(most: float) -> tuple[float, list[float]]:
    """The top of a scale that ends on a round number, and its steps."""
    if most <= 0:
        return 1.0, [0.0]
    step = 1.0
    while most / step > 5:
        step *= 2 if str(step)[0] in "15" else 2.5
    count = int(-(-most // step))
    return step * count, [step * each for each in range(count + 1)]
