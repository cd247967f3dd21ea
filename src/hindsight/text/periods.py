"""Calendar periods: half-open ranges of time with a precision, and how to step between them.

All in the wall clock of the reference time's time zone; weeks begin on Monday; winter of a year begins in its December.
Dates outside the years 1 to 9999 raise `ValueError` or `OverflowError`, as `datetime` does.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

Precision = Literal["minute", "hour", "day", "week", "month", "season", "year", "decade"]
Unit = Precision
"""A season as a unit is a quarter of a year."""

_LENGTHS: tuple[tuple[timedelta, Precision], ...] = (
    (timedelta(minutes=1), "minute"),
    (timedelta(hours=1), "hour"),
    (timedelta(days=1), "day"),
    (timedelta(days=7), "week"),
    (timedelta(days=31), "month"),
    (timedelta(days=92), "season"),
    (timedelta(days=366), "year"),
)
_MONTHS: dict[Unit, int] = {"month": 1, "season": 3, "year": 12, "decade": 120}


class Period(NamedTuple):
    """A range [start, end) and how exactly it is known."""

    start: datetime
    end: datetime
    precision: Precision


def between(start: datetime, end: datetime) -> Period:
    """The period from `start` to `end`; its precision is the smallest unit that is not shorter."""
    # A day with a clock change is 25 hours long; wall-clock subtraction gives 24.
    length = end.replace(tzinfo=None) - start.replace(tzinfo=None)
    return Period(start, end, next((unit for limit, unit in _LENGTHS if length <= limit), "decade"))


def midnight(moment: datetime) -> datetime:
    """The beginning of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def at_date(day: date, now: datetime) -> datetime:
    """The beginning of `day` in the time zone of `now`."""
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)


def shift(moment: datetime, amount: int, unit: Unit) -> datetime:
    """`moment` moved by `amount` units; the 31st becomes the last day of a shorter month."""
    if unit in _MONTHS:
        months = moment.year * 12 + moment.month - 1 + amount * _MONTHS[unit]
        year, month = divmod(months, 12)
        return moment.replace(year=year, month=month + 1, day=min(moment.day, days_in_month(year, month + 1)))
    steps = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
    return moment + amount * steps.get(unit, timedelta(days=7))


def days_in_month(year: int, month: int) -> int:
    """28 to 31."""
    return 31 if month == 12 else (date(year, month + 1, 1) - date(year, month, 1)).days


def enclosing(moment: datetime, unit: Unit) -> Period:
    """The calendar unit that contains `moment`."""
    start = moment.replace(second=0, microsecond=0)
    if unit != "minute":
        start = start.replace(minute=0)
    if unit not in ("minute", "hour"):
        start = start.replace(hour=0)
    if unit == "week":
        start -= timedelta(days=start.weekday())
    elif unit == "month":
        start = start.replace(day=1)
    elif unit == "season":
        start = start.replace(month=(start.month - 1) // 3 * 3 + 1, day=1)
    elif unit in ("year", "decade"):
        start = start.replace(year=start.year if unit == "year" else start.year // 10 * 10, month=1, day=1)
    return Period(start, shift(start, 1, unit), unit)


def unit_from(moment: datetime, amount: int, unit: Unit) -> Period:
    """The calendar unit `amount` units after (before, if negative) the one that contains `moment`."""
    first = enclosing(moment, unit)
    return enclosing(shift(first.start, amount, unit), unit)


def units_away(moment: datetime, low: int, high: int, unit: Unit) -> Period:
    """The time `low` to `high` units before (negative) or after `moment`: whole calendar units, but weeks around their day.

    Two weeks ago is the day 14 days ago, three days more on both sides, not the calendar week that holds it.
    """
    first, last = sorted((low, high))
    if unit == "week":
        begin, end = (enclosing(shift(moment, weeks, "week"), "day").start for weeks in (first, last))
        return between(begin - timedelta(days=3), end + timedelta(days=4))
    earliest, latest = unit_from(moment, first, unit), unit_from(moment, last, unit)
    return earliest if earliest == latest else between(earliest.start, latest.end)


def year_of(year: int, now: datetime) -> Period:
    """The calendar year."""
    return enclosing(at_date(date(year, 1, 1), now), "year")


def month_of(year: int, month: int, now: datetime) -> Period:
    """The calendar month."""
    return enclosing(at_date(date(year, month, 1), now), "month")


def day_of(year: int, month: int, day: int, now: datetime) -> Period:
    """The calendar day."""
    return enclosing(at_date(date(year, month, day), now), "day")


def quarter_of(year: int, quarter: int, now: datetime) -> Period:
    """The quarter 1 to 4 of the year."""
    return enclosing(at_date(date(year, quarter * 3 - 2, 1), now), "season")


def season_of(year: int, season: int, now: datetime) -> Period:
    """Spring (0), summer, autumn, winter (3) of the northern hemisphere: March, June, September, December onwards."""
    start = at_date(date(year, 3 * season + 3, 1), now)
    return Period(start, shift(start, 3, "month"), "season")


def days_of_month(month: Period, first: int, last: int | None) -> Period:
    """Days `first` to `last` (both included; None for the end) of a month."""
    start = month.start.replace(day=first)
    return between(start, month.end if last is None else month.start.replace(day=last) + timedelta(days=1))


def months_of_year(year: Period, first: int, last: int) -> Period:
    """Months `first` to `last`, both included, of a year."""
    start = year.start.replace(month=first)
    return between(start, shift(year.start.replace(month=last), 1, "month"))


def weekday_of(week: Period, weekday: int) -> Period:
    """Monday (0) to Sunday (6) of a week."""
    return enclosing(week.start + timedelta(days=weekday), "day")


def weekend_of(week: Period) -> Period:
    """Saturday and Sunday of a week."""
    return between(week.start + timedelta(days=5), week.end)


def hours_of(day: Period, first: int, last: int) -> Period:
    """Hours `first` to `last` (excluded) of a day; past 24 they are the next morning's."""
    start = day.start.replace(hour=first)
    end = day.start.replace(hour=last) if last < 24 else (day.start + timedelta(days=1)).replace(hour=last - 24)
    return between(start, end)


def rolling(now: datetime, amount: int, unit: Unit, *, ahead: bool = False) -> Period:
    """The `amount` units up to now, today (for hours and minutes: this minute) included, or from now on."""
    fine = unit in ("minute", "hour")
    here = enclosing(now, "minute" if fine else "day")
    if ahead:
        return between(here.start, shift(here.end, amount, unit))
    start = shift(now, -amount, unit)
    return between(enclosing(start, "minute").start if fine else midnight(start), here.end)
