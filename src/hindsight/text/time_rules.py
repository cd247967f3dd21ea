"""What the Chinese and English time grammars share: rules, clues, parts of periods, clock times."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from hindsight.text.holidays import holiday
from hindsight.text.periods import (
    Period,
    Unit,
    at_date,
    between,
    days_of_month,
    enclosing,
    midnight,
    months_of_year,
    shift,
    unit_from,
    weekday_of,
    weekend_of,
)

Kind = Literal["absolute", "relative", "recurring"]


View = Literal["back", "near", "ahead"]
"""Which of several years or weeks a sentence means: the last, the nearest, the next."""


_NEAR = timedelta(days=92)
"""Farther ahead nothing is the nearer meaning."""


class Clue(NamedTuple):
    """When a text was written, and where the sentence looks."""

    now: datetime
    view: View = "back"

    @property
    def ahead(self) -> bool:
        """Whether the sentence speaks of the future alone."""
        return self.view == "ahead"


Reading = Callable[[re.Match[str], Clue], Period | None]


class Rule(NamedTuple):
    """A pattern and what its match means; the group `it`, where there is one, is the span that is reported."""

    kind: Kind
    needs: frozenset[str]
    """Topics of the text (see `topics_of`) without which the pattern cannot match: most rules are passed over unread."""
    pattern: re.Pattern[str]
    read: Reading
    weekday: bool = False
    """A weekday alone, which may only repeat what a date beside it says."""


@dataclass(frozen=True, slots=True)
class Found:
    """A rule's match in a text, `start` and `end` with what around it was taken in."""

    start: int
    end: int
    period: Period
    kind: Kind
    rule: Rule
    match: re.Match[str]
    clue: Clue

    @property
    def has_year(self) -> bool:
        """Whether the text itself gives the year."""
        groups = self.match.groupdict()
        return any(groups.get(name) for name in ("year", "yearfirst", "whichyear", "y"))


class Offset(NamedTuple):
    """So many units (or the weekday) before or after something; `within`: all the time from there to the end of them."""

    amount: int
    unit: Unit
    after: bool
    within: bool = False
    weekday: int | None = None
    weekend: bool = False


class Step(NamedTuple):
    """A distance from an event, and where it stands together with the event's name."""

    start: int
    end: int
    anchor: str
    offset: Offset


def reading_of(rule: Rule, match: re.Match[str], clue: Clue) -> Period | None:
    """What a match means; None where there is no such date (30 February, the year 0)."""
    try:
        period = rule.read(match, clue)
    except (ValueError, OverflowError):
        return None
    return period if period is not None and period.start < period.end else None


def since(period: Period, clue: Clue) -> Period | None:
    """From the beginning of a period to the end of today."""
    today = enclosing(clue.now, "day")
    return Period(period.start, today.end, period.precision) if period.start < today.end else None


def offset_from(anchor: Period, offset: Offset) -> Period:
    """The period that lies at `offset` from `anchor`.

    "The week before" is the seven days up to the anchor; "two days after" is the day two days on; months and years are
    calendar ones.
    """
    step = offset.amount if offset.after else -offset.amount
    last_day = midnight(anchor.end - timedelta(microseconds=1))
    origin = last_day if offset.after else anchor.start
    if offset.weekday is not None:
        day = weekday_of(enclosing(origin, "week"), offset.weekday)
        late = day.start <= origin if offset.after else day.start >= midnight(origin)
        return unit_from(day.start, (7 if offset.after else -7) if late else 0, "day")
    if offset.weekend:
        weekend = weekend_of(enclosing(origin, "week"))
        late = weekend.start <= origin if offset.after else weekend.end > midnight(origin)
        return weekend_of(unit_from(weekend.start, (1 if offset.after else -1) if late else 0, "week"))
    if offset.within or (offset.unit == "week" and offset.amount == 1):
        far = shift(anchor.end if offset.after else anchor.start, step, offset.unit)
        return between(anchor.end, far) if offset.after else between(far, anchor.start)
    return unit_from(origin, step, offset.unit) if offset.unit != "week" else enclosing(shift(origin, step, "week"), "week")


def _chosen(back: Period | None, ahead: Period | None, clue: Clue) -> Period | None:
    if clue.view == "back" or ahead is None:
        return back
    if clue.view == "ahead" or back is None:
        return ahead
    distance = ahead.start - clue.now
    return ahead if distance < min(clue.now - back.end, _NEAR) else back


def nearest(make: Callable[[int], Period], clue: Clue) -> Period | None:
    """Of what comes each year: the latest that has begun, the first that has not ended, or the nearer of both."""

    def first(step: int) -> Period | None:
        for distance in range(9):
            try:
                period = make(clue.now.year + step * distance)
            except ValueError:
                continue  # 29 February, or a lunar holiday outside the table
            if period.end > clue.now if step > 0 else period.start <= clue.now:
                return period
        return None

    return _chosen(first(-1) if clue.view != "ahead" else None, first(1) if clue.view != "back" else None, clue)


def nearest_in_month(make: Callable[[Period], Period], clue: Clue) -> Period | None:
    """The same of what comes each month."""

    def first(step: int) -> Period | None:
        for distance in range(4):
            try:
                period = make(unit_from(clue.now, step * distance, "month"))
            except ValueError:
                continue  # the 31st
            if period.end > clue.now if step > 0 else period.start <= clue.now:
                return period
        return None

    return _chosen(first(-1), first(1), clue)


def nearest_weekday(weekday: int, clue: Clue) -> Period:
    """The latest such day up to today, or, where the sentence does not look back, the first after today."""
    day = weekday_of(enclosing(clue.now, "week"), weekday)
    if clue.view != "back":
        return day if day.start > clue.now else unit_from(day.start, 7, "day")
    return day if day.start <= clue.now else unit_from(day.start, -7, "day")


def nearest_weekend(clue: Clue) -> Period:
    """The weekend of this week if it has begun or the sentence does not look back, else the one before."""
    weekend = weekend_of(enclosing(clue.now, "week"))
    return weekend if clue.view != "back" or weekend.start <= clue.now else weekend_of(unit_from(clue.now, -1, "week"))


def nth_in_month(month: Period, number: int, weekday: int | None, *, weekend: bool) -> Period | None:
    """The `number`-th (0: last) week, weekday or weekend of a month; None where it has no such one.

    The first week is days 1 to 7, the last one the last seven days; weekends count from the first whole one.
    """
    if weekday is None and not weekend:
        size = (month.end - month.start).days
        first = size - 6 if number == 0 else 7 * number - 6
        return days_of_month(month, first, min(first + 6, size)) if first <= size else None
    found: list[Period] = []
    week = enclosing(month.start, "week")
    while week.start < month.end:
        period = weekend_of(week) if weekday is None else weekday_of(week, weekday)
        if month.start <= period.start < month.end:
            found.append(period)
        week = enclosing(week.end, "week")
    return found[number - 1] if number <= len(found) else None


def holiday_period(name: str, year: int, now: datetime) -> Period:
    """The days of a holiday; `ValueError` where it has none in that year."""
    first, days = holiday(name, year)
    start = at_date(first, now)
    return between(start, shift(start, days, "day"))


Part = Literal["early", "middle", "late", "first half", "second half", "middle and late", "early and middle"]
_MONTH_PARTS: dict[Part, tuple[int, int | None]] = {
    "early": (1, 10),
    "middle": (11, 20),
    "late": (21, None),
    "first half": (1, 15),
    "second half": (16, None),
    "early and middle": (1, 20),
    "middle and late": (11, None),
}
_YEAR_PARTS: dict[Part, tuple[int, int]] = {
    "early": (1, 4),
    "middle": (5, 8),
    "late": (9, 12),
    "first half": (1, 6),
    "second half": (7, 12),
    "early and middle": (1, 8),
    "middle and late": (5, 12),
}
_SHARES: dict[Part, tuple[float, float]] = {
    "early": (0, 1 / 3),
    "middle": (1 / 3, 2 / 3),
    "late": (2 / 3, 1),
    "first half": (0, 1 / 2),
    "second half": (1 / 2, 1),
    "early and middle": (0, 2 / 3),
    "middle and late": (1 / 3, 1),
}


def part_of(period: Period, part: Part) -> Period:
    """Thirds and halves: of a month in days (1-10, 11-20, 21-), of a year in months (1-4, 5-8, 9-12), else in whole days."""
    if period.precision == "month" and period.start.day == 1:
        return days_of_month(period, *_MONTH_PARTS[part])
    if period.precision == "year":
        return months_of_year(period, *_YEAR_PARTS[part])
    days = (period.end - period.start).days
    first, last = (round(days * share) for share in _SHARES[part])
    return between(period.start + timedelta(days=first), period.start + timedelta(days=max(last, first + 1)))


def clock_time(day: Period, hour: int, minute: int | None) -> Period | None:
    """An hour (its whole length) or minute of the day; 24 is the next midnight; None where the clock has no such time."""
    if hour > 24 or (minute or 0) > 59:
        return None
    start = day.end if hour == 24 else day.start.replace(hour=hour)
    return enclosing(start, "hour") if minute is None else enclosing(start.replace(minute=minute), "minute")
