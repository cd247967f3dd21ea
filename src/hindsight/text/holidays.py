"""Dates of holidays, Chinese and Western, by name; each as the span of days that people mean by it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

Span = tuple[date, int]
"""First day and number of days."""

# Gregorian dates of the lunar calendar, as published for China, 2015 to 2035 (month-day): Spring Festival,
# Dragon Boat, Qixi, Mid-Autumn, Double Ninth, Qingming, winter solstice. A table is exact and needs no dependency.
_FIRST_YEAR = 2015
_LUNAR = """
0219 0620 0820 0927 1021 0405 1222|0208 0609 0809 0915 1009 0404 1221|0128 0530 0828 1004 1028 0404 1222
0216 0618 0817 0924 1017 0405 1222|0205 0607 0807 0913 1007 0405 1222|0125 0625 0825 1001 1025 0404 1221
0212 0614 0814 0921 1014 0404 1221|0201 0603 0804 0910 1004 0405 1222|0122 0622 0822 0929 1023 0405 1222
0210 0610 0810 0917 1011 0404 1221|0129 0531 0829 1006 1029 0404 1221|0217 0619 0819 0925 1018 0405 1222
0206 0609 0808 0915 1008 0405 1222|0126 0528 0826 1003 1026 0404 1221|0213 0616 0816 0922 1016 0404 1221
0203 0605 0805 0912 1005 0405 1222|0123 0624 0824 1001 1024 0405 1222|0211 0612 0812 0919 1012 0404 1221
0131 0601 0801 0908 1001 0404 1221|0219 0620 0820 0927 1020 0405 1222|0208 0610 0810 0916 1009 0405 1222
"""
_LUNAR_BY_YEAR = dict(enumerate((row.split() for row in _LUNAR.strip().replace("\n", "|").split("|")), _FIRST_YEAR))
LUNAR_YEARS = range(_FIRST_YEAR, _FIRST_YEAR + len(_LUNAR_BY_YEAR))
"""Years in which holidays of the lunar calendar are known; outside they resolve to nothing."""


def _fixed(month: int, day: int, days: int = 1) -> Callable[[int], Span]:
    return lambda year: (date(year, month, day), days)


def _lunar(column: int, offset: int = 0, days: int = 1) -> Callable[[int], Span]:
    def span(year: int) -> Span:
        if year not in LUNAR_YEARS:
            raise ValueError(f"no lunar calendar for {year}")
        entry = _LUNAR_BY_YEAR[year][column]
        return date(year, int(entry[:2]), int(entry[2:])) + timedelta(days=offset), days

    return span


def _nth_weekday(month: int, weekday: int, number: int, offset: int = 0) -> Callable[[int], Span]:
    def span(year: int) -> Span:
        first = date(year, month, 1)
        day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
        return day + timedelta(days=offset), 1

    return span


def _memorial_day(year: int) -> Span:
    last = date(year, 5, 31)
    return last - timedelta(days=last.weekday()), 1


def _easter(offset: int = 0, days: int = 1) -> Callable[[int], Span]:
    def span(year: int) -> Span:
        # Gregorian computus after Meeus, Astronomical Algorithms (1991), chapter 8.
        a, (b, c) = year % 19, divmod(year, 100)
        d, e = divmod(b, 4)
        g = (8 * b + 13) // 25
        h = (19 * a + b - d - g + 15) % 30
        i, k = divmod(c, 4)
        weekday = (32 + 2 * e + 2 * i - h - k) % 7
        m = (a + 11 * h + 22 * weekday) // 451
        month, day = divmod(h + weekday - 7 * m + 114, 31)
        return date(year, month, day + 1) + timedelta(days=offset), days

    return span


_SPRING_FESTIVAL = _lunar(0, -1, 8)
_ZH: dict[str, Callable[[int], Span]] = {
    "元旦": _fixed(1, 1),
    "除夕|大年三十|年三十": _lunar(0, -1),
    "大年初一|正月初一": _lunar(0),
    "春节|过年": _SPRING_FESTIVAL,
    "元宵节?": _lunar(0, 14),
    "情人节": _fixed(2, 14),
    "妇女节|三八节": _fixed(3, 8),
    "清明节?": _lunar(5),
    "劳动节|五一(?:节|黄金周)?": _fixed(5, 1, 5),
    "青年节|五四": _fixed(5, 4),
    "母亲节": _nth_weekday(5, 6, 2),
    "儿童节|六一节?": _fixed(6, 1),
    "端午节?": _lunar(1),
    "父亲节": _nth_weekday(6, 6, 3),
    "六一八|618": _fixed(6, 18),
    "七夕节?": _lunar(2),
    "教师节": _fixed(9, 10),
    "中秋节?": _lunar(3),
    "国庆节?|十一(?:黄金周|长假|假期)": _fixed(10, 1, 7),
    "重阳节?": _lunar(4),
    "万圣节": _fixed(10, 31),
    "双十一|双11": _fixed(11, 11),
    "感恩节": _nth_weekday(11, 3, 4),
    "双十二|双12": _fixed(12, 12),
    "冬至": _lunar(6),
    "平安夜": _fixed(12, 24),
    "圣诞节?": _fixed(12, 25),
    "跨年夜?": _fixed(12, 31),
}
_EN: dict[str, Callable[[int], Span]] = {
    r"new year'?s day": _fixed(1, 1),
    r"(?:chinese|lunar) new year|spring festival": _SPRING_FESTIVAL,
    r"lantern festival": _lunar(0, 14),
    r"valentine'?s(?: day)?": _fixed(2, 14),
    r"(?:st\.? |saint )patrick'?s day": _fixed(3, 17),
    r"maundy thursday": _easter(-3),
    r"good friday": _easter(-2),
    r"easter(?: sunday| weekend)?": _easter(),
    r"easter monday": _easter(1),
    r"qingming(?: festival)?": _lunar(5),
    r"mother'?s day": _nth_weekday(5, 6, 2),
    r"memorial day": _memorial_day,
    r"dragon boat festival": _lunar(1),
    r"father'?s day": _nth_weekday(6, 6, 3),
    r"independence day|(?:the )?(?:4th|fourth) of july": _fixed(7, 4),
    r"labou?r day": _nth_weekday(9, 0, 1),
    r"mid[- ]autumn festival": _lunar(3),
    r"halloween": _fixed(10, 31),
    r"thanksgiving(?: day)?": _nth_weekday(11, 3, 4),
    r"black friday": _nth_weekday(11, 3, 4, 1),
    r"christmas eve": _fixed(12, 24),
    r"(?:christmas|xmas)(?: day)?": _fixed(12, 25),
    r"boxing day": _fixed(12, 26),
    r"new year'?s eve": _fixed(12, 31),
}


def _pattern(table: dict[str, Callable[[int], Span]]) -> str:
    return "(?:" + "|".join(sorted(table, key=len, reverse=True)) + ")"


ZH_HOLIDAY = _pattern(_ZH)
EN_HOLIDAY = _pattern(_EN)
_BY_NAME = [(re.compile(names, re.IGNORECASE), span) for names, span in [*_ZH.items(), *_EN.items()]]


def holiday(name: str, year: int) -> Span:
    """First day and number of days of the holiday `name` (matching `ZH_HOLIDAY` or `EN_HOLIDAY`) in `year`.

    Spring Festival is the eve and seven days, National Day seven days, Labour Day in Chinese five, others one.

    Raises:
        ValueError: no such holiday, or a lunar one outside `LUNAR_YEARS`.
    """
    for pattern, span in _BY_NAME:
        if pattern.fullmatch(name):
            return span(year)
    raise ValueError(f"{name!r} is not a known holiday")
