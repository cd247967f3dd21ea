"""What matches of the English time patterns mean: words and numbers → periods. The patterns stand in `times_en`."""

from __future__ import annotations

import re
from collections.abc import Callable

from hindsight.text.numerals import en_range
from hindsight.text.periods import (
    Period,
    Unit,
    between,
    day_of,
    days_of_month,
    enclosing,
    hours_of,
    midnight,
    month_of,
    months_of_year,
    quarter_of,
    rolling,
    season_of,
    unit_from,
    units_away,
    weekday_of,
    weekend_of,
    year_of,
)
from hindsight.text.time_rules import (
    Clue,
    Reading,
    clock_time,
    holiday_period,
    nearest,
    nearest_in_month,
    nearest_weekday,
    nearest_weekend,
)

MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|"
        "november nov|december dec".split("|"),
        1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "monday mon|tuesday tues tue|wednesday wed|thursday thurs thur thu|friday fri|saturday sat|sunday sun".split("|")
    )
    for name in names.split()
}
ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5}
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
_UNITS: dict[str, Unit] = {
    "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "day": "day", "night": "day", "month": "month",
    "quarter": "season", "year": "year", "yr": "year", "decade": "decade",
}  # fmt: skip
_HALVES: dict[Unit, tuple[int, Unit]] = {
    "hour": (30, "minute"), "day": (12, "hour"), "week": (3, "day"), "month": (15, "day"), "season": (45, "day"),
    "year": (6, "month"), "decade": (5, "year"),
}  # fmt: skip


def unit_of(word: str) -> tuple[int, Unit]:
    """How many of which unit a word is: "fortnight" is two weeks, a weekend stands for its week."""
    word = word.lower().removesuffix("s")
    return (2, "week") if word == "fortnight" else (1, _UNITS.get(word, "week"))


def part_of_day(day: Period, word: str) -> Period:
    """Morning 5-12, afternoon 12-18, evening 17-24, night 18-6."""
    return hours_of(day, *_HOURS[word.lower()])


def clock_of(day: Period, match: re.Match[str]) -> Period | None:
    """The time of day that the groups of `CLOCK` name."""
    if match["noon"]:
        return clock_time(day, 12 if match["noon"].lower() == "noon" else 0, None)
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return clock_time(day, hour, int(match["minute"]) if match["minute"] else None)


def _step(which: str) -> int:
    which = which.lower()
    return -1 if which in ("last", "previous", "past", "this past") else 1 if which == "next" else 0


def day_word(match: re.Match[str], clue: Clue) -> Period:
    """Yesterday, tomorrow, last night, this morning and the like."""
    word = match["day"].lower().removeprefix("the ")
    offsets = {"yesterday": -1, "last night": -1, "day before yesterday": -2, "tomorrow": 1, "day after tomorrow": 2}
    day = unit_from(clue.now, offsets.get(word, 0), "day")
    if word == "tonight":
        return part_of_day(day, "evening")
    part = match["part"] or (word.split()[1] if word.startswith(("this", "last")) else None)
    return part_of_day(day, part) if part else day


def _amount(match: re.Match[str]) -> tuple[int, int, Unit]:
    size, unit = unit_of(match["unit"])
    bare_half = match["number"].lower().startswith("half")
    low, high = (0, 0) if bare_half else en_range(match["number"])
    if not (bare_half or match["h1"] or match["h2"]) or unit not in _HALVES:
        return size * low, size * high, unit
    half, finer = _HALVES[unit]
    return half * (2 * low + 1), half * (2 * high + 1), finer


def ago(match: re.Match[str], clue: Clue) -> Period:
    """Three days ago, a few weeks back, two months from now."""
    low, high, unit = _amount(match)
    sign = 1 if match["ahead"] else -1
    if not match["unit"].lower().startswith("weekend"):
        return units_away(clue.now, sign * low, sign * high, unit)
    first, last = sorted((unit_from(clue.now, sign * high, "week"), unit_from(clue.now, sign * low, "week")))
    return between(weekend_of(first).start, weekend_of(last).end)


def in_units(match: re.Match[str], clue: Clue) -> Period | None:
    """So many units from now ("in three weeks"), where the sentence looks ahead."""
    if clue.view == "back" and not match["time"]:
        return None  # "in three weeks" may be a duration
    size, unit = unit_of(match["unit"])
    low, high = en_range(match["number"])
    return units_away(clue.now, size * low, size * high, unit)


def recent_units(match: re.Match[str], clue: Clue) -> Period:
    """The last three days, the past month, the next two weeks."""
    size, unit = unit_of(match["unit"])
    amount = en_range(match["number"])[1] if match["number"] else 1
    return rolling(clue.now, size * amount, unit, ahead=(match["which"] or "").lower() in ("next", "coming"))


def other_day(match: re.Match[str], clue: Clue) -> Period:
    """The other day: some time in the unit above, not today."""
    wider: dict[str, Unit] = {"day": "week", "night": "week", "week": "month", "month": "season"}
    period = rolling(clue.now, 1, wider[match["unit"].lower()])
    return between(period.start, midnight(clue.now))


def this_unit(match: re.Match[str], clue: Clue) -> Period:
    """The unit that now is in."""
    return enclosing(clue.now, unit_of(match["unit"])[1])


def weekday(match: re.Match[str], clue: Clue) -> Period:
    """A weekday alone."""
    return nearest_weekday(WEEKDAYS[match["weekday"].lower()], clue)


def weekend(_match: re.Match[str], clue: Clue) -> Period:
    """The weekend alone."""
    return nearest_weekend(clue)


def day_of_month(match: re.Match[str], clue: Clue) -> Period | None:
    """The day of that number in the nearest month."""
    day = int(match["d1"])
    return nearest_in_month(lambda month: days_of_month(month, day, day), clue)


def clock(match: re.Match[str], clue: Clue) -> Period | None:
    """A time of day alone is today's."""
    return clock_of(enclosing(clue.now, "day"), match)


def year(match: re.Match[str], clue: Clue) -> Period:
    """A year in digits."""
    return year_of(int(match["year"]), clue.now)


def which_unit(match: re.Match[str], clue: Clue) -> Period:
    """Last week, this month, next year."""
    period = unit_from(clue.now, _step(match["which"]), unit_of(match["unit"])[1])
    return weekend_of(period) if match["unit"].lower() == "weekend" else period


def second_next(match: re.Match[str], clue: Clue) -> Period:
    """The week before last, the Friday after next."""
    word, step = match["unit"].lower(), 2 if match["ahead"] else -2
    if word in WEEKDAYS:
        return weekday_of(unit_from(clue.now, step, "week"), WEEKDAYS[word])
    period = unit_from(clue.now, step, unit_of(word)[1])
    return weekend_of(period) if word == "weekend" else period


def which_weekday(match: re.Match[str], clue: Clue) -> Period:
    """Last Friday is the latest before today, this Friday is in this week, next Friday in the next one."""
    which, weekday = match["which"].lower(), WEEKDAYS[match["weekday"].lower()]
    if which == "next":
        return weekday_of(unit_from(clue.now, 1, "week"), weekday)
    day = weekday_of(enclosing(clue.now, "week"), weekday)
    if which == "this":
        return day
    if which in ("coming", "this coming"):
        return day if day.start > clue.now else unit_from(day.start, 7, "day")
    return day if day.start < midnight(clue.now) else unit_from(day.start, -7, "day")


def yearly(make: Callable[[re.Match[str], int, Clue], Period]) -> Reading:
    """Last: the latest that is over; this: this year's; next: the first that has not begun."""

    def read(match: re.Match[str], clue: Clue) -> Period | None:
        which, year = match["which"].lower(), clue.now.year
        if which == "this":
            return make(match, year, clue)
        ahead = which in ("next", "coming", "this coming")
        for each in range(year - 1, year + 3) if ahead else range(year, year - 3, -1):
            period = make(match, each, clue)
            if period.start > clue.now if ahead else period.end <= clue.now:
                return period
        return None

    return read


def dated(make: Callable[[re.Match[str], int, Clue], Period]) -> Reading:
    """In the year given, else in the nearest."""

    def read(match: re.Match[str], clue: Clue) -> Period | None:
        groups = match.groupdict()
        if "month" in groups and not _is_month(match):
            return None
        year = groups.get("year") or groups.get("yearfirst")
        if year or groups.get("whichyear"):
            return make(match, int(year) if year else clue.now.year + _step(groups["whichyear"]), clue)
        return nearest(lambda each: make(match, each, clue), clue)

    return read


def _is_month(match: re.Match[str]) -> bool:
    """Whether "may", "march" or "mar" in small letters is a month: with a year, or in a text without capitals."""
    word = match["month"].rstrip(".")
    return word not in ("may", "march", "mar") or bool(match.groupdict().get("year")) or match.string.islower()


def month(match: re.Match[str], year: int, clue: Clue) -> Period:
    """A month."""
    return month_of(year, MONTHS[match["month"].lower().rstrip(".")], clue.now)


def months(match: re.Match[str], year: int, clue: Clue) -> Period:
    """From a month to a month of the year, which may have begun in the year before."""
    last = month(match, year, clue)
    first = MONTHS[match["m1"].lower().rstrip(".")]
    return between(month_of(year if first <= last.start.month else year - 1, first, clue.now).start, last.end)


def days(match: re.Match[str], year: int, clue: Clue) -> Period:
    """A day of a month, or several."""
    number = MONTHS[match["month"].lower().rstrip(".")]
    first = day_of(year, number, int(match["d1"]), clue.now)
    last = match["d2"]
    return between(first.start, day_of(year, number, int(last), clue.now).end) if last else first


def season(match: re.Match[str], year: int, clue: Clue) -> Period:
    """A season."""
    return season_of(year, _SEASONS[match["season"].lower()], clue.now)


def holiday(match: re.Match[str], year: int, clue: Clue) -> Period:
    """A holiday."""
    return holiday_period(match["holiday"], year, clue.now)


def quarter(match: re.Match[str], year: int, clue: Clue) -> Period:
    """A quarter."""
    return quarter_of(year, int(match["q"]) if match["q"] else ORDINALS[match["qword"].lower()], clue.now)


def half_year(match: re.Match[str], clue: Clue) -> Period:
    """H1 and H2 of a year."""
    first = 1 if (match["half"] or match["h"]) == "1" else 7
    return months_of_year(year_of(int(match["year"] or match["yearfirst"]), clue.now), first, first + 5)


def slashed(match: re.Match[str], clue: Clue) -> Period:
    """Month, day and year with slashes; the day first where the first number is no month."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    month, day = (second, first) if first > 12 else (first, second)
    return day_of(year + 2000 if year < 100 else year, month, day, clue.now)


def years(match: re.Match[str], clue: Clue) -> Period:
    """From a year to a year."""
    last = year_of(int(match["year"]), clue.now)
    return between(year_of(int(match["y1"]), clue.now).start, last.end)


def decade(match: re.Match[str], clue: Clue) -> Period:
    """The 1990s, the 90s."""
    digits = int(match["digits"])
    year = digits if digits > 99 else 2000 + digits if digits <= clue.now.year % 100 else 1900 + digits
    return enclosing(year_of(year, clue.now).start, "decade")


def rest(match: re.Match[str], clue: Clue) -> Period:
    """Earlier and later this year: up to now and from now."""
    period = enclosing(clue.now, unit_of(match["unit"])[1] if match["unit"] else "day")
    this = enclosing(clue.now, "minute")
    return between(this.start, period.end) if match["side"].lower() == "later" else between(period.start, this.end)


def recurring(match: re.Match[str], clue: Clue) -> Period:
    """The latest occurrence."""
    past = Clue(clue.now)
    if named := match["weekday"] or match["weekdays"]:
        return nearest_weekday(WEEKDAYS[named.lower()], past)
    word = match["unit"].lower()
    if word in _HOURS:
        return part_of_day(enclosing(clue.now, "day"), word)
    return nearest_weekend(past) if word == "weekend" else enclosing(clue.now, unit_of(word)[1])
