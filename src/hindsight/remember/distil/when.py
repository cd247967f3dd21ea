"""Relative times of a statement made absolute against the moment it was said, and the end of what holds only for a while. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from hindsight.records import Precision
from hindsight.text.periods import shift
from hindsight.text.times import TimeExpression, find_times

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_POINTING = re.compile(
    r"\b(?:last|next|this|ago|yesterday|today|tomorrow|tonight|past|coming)\b|(?:上|下)个?(?:上|下|周|月"
    r"|星期|礼拜|季度|半年|学期|次)|这|本(?:周|月|年)|昨|今|明(?:天|早|晚|年|后)|前天|后天|去年|前年|大前|(?:天|周|月|年|小时|分钟)(?:之)?前",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|^(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE)
_UNTIL_EN = re.compile(r"\b(?:until|till|through|thru|up\s+to)\s+(?:the\s+|at\s+least\s+)?$", re.IGNORECASE)
_UNTIL_DAY_EN = re.compile(r"\b(?:until|till|through)\s+the\s+(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_UNTIL_ZH = re.compile(r"(?:到|直到|至)\s*$")
_UNTIL_AFTER_ZH = re.compile(r"^\s*(?:之前|以前|前|为止|才|都)")
_PRESENT = re.compile(
    r"^(?:this\s+(?:week|month|weekend|morning|afternoon|evening)|today|tonight|这周|本周|这个月|本月|这星期|今天|今晚|这个周末|这几天)",
    re.IGNORECASE,
)
_STATE_EN = re.compile(r"\b(?:i'm|i\s+am|we're|we\s+are|is|are|i'll\s+be|we'll\s+be|will\s+be)\b", re.IGNORECASE)
_EVENT_EN = re.compile(r"\b(?:just|moved|got|turned|started|became|adopted|bought|married|born|joined)\b", re.IGNORECASE)
_STATE_ZH = re.compile(r"在|出差|休|请假|不在|放假|只能|不能|没空")
_EVENT_ZH = re.compile(r"一定要|必须|务必|上线|提交|完成|截止|搬到|搬了|结婚|入职|离职|生了|买了|当了|毕业|领养|订婚")


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement with its dates written in; when it stops to hold; and when what it tells of happened, if earlier."""

    text: str
    expires_at: datetime | None = None
    happened_at: datetime | None = None
    precision: Precision | None = None


def place_in_time(text: str, said_at: datetime | None, language: Literal["zh", "en"], *, past: bool = False) -> Placed:
    """``text`` with the absolute date behind each relative time. ``past``: the statement tells of what has happened.

    A weekday without "last" or "next" is dated only where its direction is plain: the past, or an "until".
    Without ``said_at`` nothing can be placed, and the text stays as it is.
    """
    if said_at is None:
        return Placed(text)
    times = find_times(text, said_at)
    expires = _end_of_state(text, times, said_at, language)
    happened = next((time for time in times if past and time.kind == "relative" and time.start <= said_at), None)
    placed, offset = text, 0
    for time in times:
        until = _is_until(text, time, language)
        if not _worth_dating(time, past=past, until=until):
            continue
        dated = _forward(time, said_at) if until else time
        note = f"（{date_text(dated, language)}）" if language == "zh" else f" ({date_text(dated, language)})"
        end = time.span[1] + offset
        placed = placed[:end] + note + placed[end:]
        offset += len(note)
    precision = Precision(happened.precision) if happened is not None else None
    return Placed(placed, expires, happened.start if happened is not None else None, precision)


def date_text(time: TimeExpression, language: Literal["zh", "en"]) -> str:
    """The range in words, as coarse as it is known: "February 2026", "2026年3月9日至15日"."""
    start, last = time.start, max(time.start, time.end - timedelta(seconds=1))
    whole_months = start.day == 1 and (last + timedelta(seconds=1)).day == 1
    if whole_months and (start.month, last.month) == (1, 12):
        years = f"{start.year}" if start.year == last.year else f"{start.year}–{last.year}"
        return years if language == "en" else years + "年"
    if language == "zh":
        return _date_zh(start, last, whole_months=whole_months)
    if whole_months:
        if (start.year, start.month) == (last.year, last.month):
            return f"{_MONTHS[start.month - 1]} {start.year}"
        return f"{_MONTHS[start.month - 1]} {start.year} – {_MONTHS[last.month - 1]} {last.year}"
    if start.date() == last.date() or last - start < timedelta(hours=24):
        return f"{start.day} {_MONTHS[start.month - 1]} {start.year}"
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}–{last.day} {_MONTHS[start.month - 1]} {start.year}"
    return f"{start.day} {_MONTHS[start.month - 1]} {start.year} – {last.day} {_MONTHS[last.month - 1]} {last.year}"


def _date_zh(start: datetime, last: datetime, *, whole_months: bool) -> str:
    if whole_months:
        if (start.year, start.month) == (last.year, last.month):
            return f"{start.year}年{start.month}月"
        return f"{start.year}年{start.month}月至{last.year}年{last.month}月"
    if start.date() == last.date() or last - start < timedelta(hours=24):
        return f"{start.year}年{start.month}月{start.day}日"
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.year}年{start.month}月{start.day}日至{last.day}日"
    return f"{start.year}年{start.month}月{start.day}日至{last.year}年{last.month}月{last.day}日"


def _worth_dating(time: TimeExpression, *, past: bool, until: bool) -> bool:
    if time.kind == "recurring" or time.precision == "decade":
        return False
    if until:
        return True
    return time.kind == "relative" and (past or bool(_POINTING.search(time.text)))


def _is_until(text: str, time: TimeExpression, language: Literal["zh", "en"]) -> bool:
    if time.precision in ("minute", "hour"):
        return False  # "before ten" holds every day
    before, after = text[: time.span[0]], text[time.span[1] :]
    if language == "en":
        return bool(_UNTIL_EN.search(before))
    return bool(_UNTIL_ZH.search(before) or _UNTIL_AFTER_ZH.match(after))


def _forward(time: TimeExpression, now: datetime) -> TimeExpression:
    """What lies behind ``now`` and is meant ahead: the next such weekday, day of the month, or date of the year."""
    start, end = time.start, time.end
    while end <= now:
        if _WEEKDAY.search(time.text):
            start, end = shift(start, 1, "week"), shift(end, 1, "week")
        elif re.search(r"月|[A-Za-z]{3}", time.text):
            start, end = shift(start, 1, "year"), shift(end, 1, "year")
        else:
            start, end = shift(start, 1, "month"), shift(end, 1, "month")
    return TimeExpression(start, end, time.precision, time.text, time.span, time.kind)


def _end_of_state(text: str, times: list[TimeExpression], now: datetime, language: Literal["zh", "en"]) -> datetime | None:
    """When a passing circumstance ends: at its "until", or with the "this week" that it names."""
    state, event = (_STATE_ZH, _EVENT_ZH) if language == "zh" else (_STATE_EN, _EVENT_EN)
    if not state.search(text) or event.search(text):
        return None
    for time in times:
        if time.kind != "recurring" and _is_until(text, time, language):
            ahead = _forward(time, now)
            # Until September is until its beginning; until Friday includes the day.
            return ahead.start if ahead.precision in ("month", "season", "year", "decade") else ahead.end
        if _PRESENT.match(time.text) and time.start <= now < time.end:
            return time.end
    match = _UNTIL_DAY_EN.search(text)
    if match is None or not 1 <= int(match[1]) <= 31:
        return None
    day = int(match[1])
    month = now if now.day <= day else shift(now.replace(day=1), 1, "month")
    try:
        return month.replace(day=day, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    except ValueError:
        return None  # the 31st of a month without one: no date can be named
