"""Time expressions in Chinese and English text, absolute and relative, resolved against a reference time.

Own grammars rather than a date library: on the expressions of the tests `dateparser` puts a point into half of the English
and a fifth of the Chinese ranges, gives no ranges ("1月中旬", "the week before last"), and takes 2 to 4 ms each (these: 0.15).

How expressions are read:

- Ranges are half-open and in the time zone of `now`; weeks begin on Monday, winter in December.
- What has no year, or is a bare weekday, is the latest that has begun by `now`, unless the sentence looks ahead ("will",
  "plan to", "打算", "将"): then the first to come. Where it may do either ("booked", "预约", both tenses) the nearer
  one is meant; a weekday beside a date decides ("12月10日（周三）").
- "N units ago" is the calendar unit that contains now − N units, for weeks that day with three days on both sides; "last N
  units" are those up to and with today; "last week" is the calendar week before, "last Friday" the latest one before
  today, "上周五" the one of the week before.
- Precision is kept: a year is never 1 January. Where a range is no calendar unit, precision is the smallest unit not
  shorter than it (a weekend: week; ten days: month; a quarter: season).
- Early, middle and late are days 1-10, 11-20 and 21- of a month, months 1-4, 5-8 and 9-12 of a year.
- Recurring expressions ("every Monday", "每周三") give their latest occurrence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from hindsight.errors import InvalidInput
from hindsight.text import times_en, times_zh
from hindsight.text.fold import fold
from hindsight.text.numerals import EN_NUMBER, ZH_NUMBER, en_range, zh_range
from hindsight.text.periods import Period, Precision, between, day_of, month_of
from hindsight.text.time_rules import Clue, Found, Kind, Offset, Rule, Step, View, offset_from, reading_of

MAX_CHARS = 20_000
"""Text after this many characters is not searched for times."""
MAX_EXPRESSIONS = 64
"""At most this many expressions are returned, the first ones."""
_MOST_SECONDS = 1_000 * 365 * 86_400


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time that a text names: the range [start, end), how exactly it is known, and where it stands."""

    start: datetime
    end: datetime
    precision: Precision
    text: str
    span: tuple[int, int]
    kind: Kind


@dataclass(frozen=True, slots=True)
class AnchoredTime:
    """A time given by its distance from an event that the text only names: "the week before the trip", "出院后两天"."""

    anchor: str
    offset: Offset
    text: str
    span: tuple[int, int]
    kind: Literal["anchored"] = "anchored"

    def resolve(self, start: datetime, end: datetime) -> TimeExpression | None:
        """The expression's range, once the event is known to fill [start, end); None outside the years 1 to 9999."""
        try:
            period = offset_from(between(start, end), self.offset)
        except (ValueError, OverflowError):
            return None
        return TimeExpression(*period, self.text, self.span, "relative")


def read_times(text: str, now: datetime) -> tuple[list[TimeExpression], list[AnchoredTime]]:
    """What `find_times` and `find_anchored` find, at the cost of one."""
    found, steps = _scan(text[:MAX_CHARS], now)
    times = [TimeExpression(*each.period, text[each.start : each.end], (each.start, each.end), each.kind) for each in found]
    return times, [AnchoredTime(each.anchor, each.offset, text[each.start : each.end], (each.start, each.end)) for each in steps]


def find_times(text: str, now: datetime) -> list[TimeExpression]:
    """The times that `text` names and that `now` (when it was said) resolves, in order, not overlapping.

    What counts from an event ("the week before the trip") is not among them: see `find_anchored`. Never raises for any
    text; of a date that does not exist (30 February) its month or year is left.
    """
    return read_times(text, now)[0]


def find_anchored(text: str, now: datetime) -> list[AnchoredTime]:
    """The times that `text` gives by their distance from an event."""
    return read_times(text, now)[1]


def _iso(match: re.Match[str], clue: Clue) -> Period:
    if match["d"]:
        return day_of(int(match["y"]), int(match["m"]), int(match["d"]), clue.now)
    return month_of(int(match["y"]), int(match["m2"]), clue.now)


_ISO = Rule(
    "absolute",
    frozenset(),
    re.compile(
        r"(?<![\d.-])(?P<y>(?:19|20)\d\d)(?:(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>3[01]|[12]\d|0?[1-9])"
        r"|[-/](?P<m2>0[1-9]|1[0-2]))(?!\d|[-./]\d)"
    ),
    _iso,
)
_GRAMMARS = (times_zh, times_en)
_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？；;\n]")
_WEEKDAY_GAPS = ("", " ", ", ", ",", "，", "（", "(", " (", "、")


def _scan(text: str, now: datetime) -> tuple[list[Found], list[Step]]:
    found = _without_overlap(_matches(text, now))[: 2 * MAX_EXPRESSIONS]
    found = _without_overlap([_widened(each, text) for each in found])
    found = _said_on(text, _joined(text, found))[:MAX_EXPRESSIONS]
    steps = [step for grammar in _GRAMMARS for step in islice(grammar.events(text, found), MAX_EXPRESSIONS)]
    return [each for each in found if not any(step.start < each.end and each.start < step.end for step in steps)], steps


def _rules(text: str) -> Iterator[Rule]:
    """The rules whose words the text holds."""
    if "19" in text or "20" in text:
        yield _ISO
    if _HAN.search(text):
        topics = times_zh.topics_of(text)
        yield from (rule for rule in times_zh.rules() if rule.needs <= topics)
    if _LATIN.search(text):
        topics = times_en.topics_of(text)
        yield from (rule for rule in times_en.rules() if rule.needs <= topics)


def _matches(text: str, now: datetime) -> list[Found]:
    views: list[tuple[int, int, View]] | None = None
    found: list[Found] = []
    for rule in _rules(text):
        group = "it" if "it" in rule.pattern.groupindex else 0
        for match in islice(rule.pattern.finditer(text), 2 * MAX_EXPRESSIONS):
            start, end = match.span(group)
            if views is None:
                views = _views(text)
            clue = Clue(now, next((view for first, last, view in views if first <= start < last), "back"))
            period = reading_of(rule, match, clue)
            if period is not None:
                kind: Kind = "relative" if match.groupdict().get("whichyear") else rule.kind
                found.append(Found(start, end, period, kind, rule, match, clue))
    return found


def _views(text: str) -> list[tuple[int, int, View]]:
    """Where the sentences that speak of the future stand, and whether of it alone."""
    views: list[tuple[int, int, View]] = []
    last_question = max(text.rfind("?"), text.rfind("？"))
    start = 0
    for end in [*(match.start() for match in _SENTENCE_END.finditer(text)), len(text)]:
        ahead = any(grammar.LOOKS_AHEAD.search(text, start, end) for grammar in _GRAMMARS)
        # A question is put to what was: it looks ahead only where it says so, and even then means the nearer.
        question = start <= last_question
        if ahead and not question and not any(grammar.LOOKS_BACK.search(text, start, end) for grammar in _GRAMMARS):
            views.append((start, end, "ahead"))
        elif ahead or (not question and any(grammar.MAY_LOOK_AHEAD.search(text, start, end) for grammar in _GRAMMARS)):
            views.append((start, end, "near"))
        start = end
    return views


def _without_overlap(candidates: list[Found]) -> list[Found]:
    """From the left, the longest of those that begin together."""
    kept: list[Found] = []
    for found in sorted(candidates, key=lambda each: (each.start, -each.end)):
        if not kept or found.start >= kept[-1].end:
            kept.append(found)
    return kept


def _widened(found: Found, text: str) -> Found:
    for grammar in _GRAMMARS:
        try:
            wider = grammar.widen(found, text)
        except (ValueError, OverflowError):
            continue  # a step out of the calendar: the expression without it still holds
        if wider.period.start < wider.period.end:
            found = wider
    return found


def _joined(text: str, found: list[Found]) -> list[Found]:
    """Make one of two times that form a range ("from 3 May to 5 June", "3月至5月"), and of a date and its weekday."""
    joined: list[Found] = []
    for each in found:
        if joined and each.start < joined[-1].end:
            continue  # a time of day that a date and its weekday took in
        both = _together(text, joined[-1], each) if joined else None
        if both is None:
            joined.append(each)
        else:
            joined[-1] = both
    return joined


def _together(text: str, first: Found, second: Found) -> Found | None:
    gap = text[first.end : second.start]
    if gap in _WEEKDAY_GAPS and first.rule.weekday != second.rule.weekday:
        date, weekday = (second, first) if first.rule.weekday else (first, second)
        if date.kind != "absolute" or date.period.precision not in ("day", "hour", "minute"):
            return None
        end = second.end + (text[second.end : second.end + 1] in ("）", ")") and gap.strip() in ("（", "("))
        return _widened(replace(date, start=first.start, end=end, period=_on_weekday(date, weekday)), text)
    for grammar in _GRAMMARS:
        match = grammar.TOGETHER.fullmatch(gap)
        if match and (not match["pair"] or grammar.BETWEEN.search(text, max(0, first.start - 10), first.start)):
            return _range(first, second)
    return None


def _on_weekday(date: Found, weekday: Found) -> Period:
    """The weekday tells which year's date is meant, where the text does not."""
    if date.has_year or date.period.precision != "day" or date.period.start.weekday() == weekday.period.start.weekday():
        return date.period
    other = reading_of(date.rule, date.match, Clue(date.clue.now, "back" if date.clue.ahead else "ahead"))
    fits = other is not None and other.start.weekday() == weekday.period.start.weekday()
    return other if other is not None and fits else date.period


def _range(first: Found, second: Found) -> Found | None:
    if "recurring" in (first.kind, second.kind):
        return None
    begin, finish = first.period, second.period
    # The time without a year lies next to the one that has it.
    if first.has_year and not second.has_year:
        finish = reading_of(second.rule, second.match, Clue(begin.start, "ahead")) or finish
    elif begin.start >= finish.end or (second.has_year and not first.has_year):
        begin = reading_of(first.rule, first.match, Clue(finish.start)) or begin
    if begin.start >= finish.end:
        return None
    return replace(second, start=first.start, period=between(begin.start, finish.end))


def _said_on(text: str, found: list[Found]) -> list[Found]:
    """Read "last week, as mentioned on 7 May 2023" from that day."""
    kept: list[Found] = []
    for each in found:
        last = kept[-1] if kept else None
        period = None
        if (
            last is not None
            and (last.kind, each.kind, each.period.precision) == ("relative", "absolute", "day")
            and times_en.SAID_ON.fullmatch(text, last.end, each.start)
        ):
            period = reading_of(last.rule, last.match, Clue(each.period.start))
        if last is None or period is None:
            kept.append(each)
        else:
            kept[-1] = replace(each, start=last.start, period=period)
    return kept


_WITHIN_UNITS = {
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "mo": timedelta(days=30),
    "y": timedelta(days=365),
}
_WITHIN_WORDS = {
    word: unit
    for unit, words in {
        "min": "min mins minute minutes 分 分钟",
        "h": "h hr hrs hour hours 小时 钟头",
        "d": "d day days 天 日",
        "w": "w wk wks week weeks 周 星期 礼拜",
        "mo": "mo mon month months 月",
        "y": "y yr yrs year years 年",
    }.items()
    for word in words.split()
}
_WITHIN = re.compile(
    r"(?:(?:the )?(?:last|past) |最近|过去|近)?"
    rf"(?:(?P<number>\d+(?:\.\d+)?|{ZH_NUMBER}|半)\s*个?\s*|(?P<words>{EN_NUMBER}) )?(?P<unit>[a-z]+|[\u4e00-\u9fff]+?)(?P<half>半)?(?:内|以内|之内)?",
    re.IGNORECASE,
)


def parse_within(text: str) -> timedelta:
    """Read a length of time: "30min", "12h", "3d", "2w", "1mo", "1y", "3 days", "past week", "三天", "半年", "最近两周".

    A month counts 30 days, a year 365.

    Raises:
        InvalidInput: not such a length, not positive, or longer than 1,000 years.
    """
    accepted = "give a number and a unit: 30min, 12h, 3d, 2w, 1mo (m alone is neither), 1y, or words: 3 days, past week, 三天, 半年"
    if not isinstance(text, str):
        raise InvalidInput(f"within must be text, not {type(text).__name__}; {accepted}.")
    match = _WITHIN.fullmatch(fold(text))
    unit = _WITHIN_WORDS.get(match["unit"]) if match else None
    # A unit of one letter needs its number: "week" is a week, "w" a slip.
    if match is None or unit is None or (match["unit"] in _WITHIN_UNITS and not (match["number"] or match["words"])):
        raise InvalidInput(f"within={text[:40]!r} is not a length of time; {accepted}.")
    amount = _within_amount(match) + (0.5 if match["half"] else 0.0)
    if not 0 < amount * _WITHIN_UNITS[unit].total_seconds() <= _MOST_SECONDS:
        raise InvalidInput(f"within={text[:40]!r} is not between a minute and 1,000 years; {accepted}.")
    return amount * _WITHIN_UNITS[unit]


def _within_amount(match: re.Match[str]) -> float:
    if match["words"]:
        return float(en_range(match["words"])[1])
    number = match["number"]
    if number is None:
        return 1.0
    if number == "半":
        return 0.5
    try:
        return float(number) if number.isascii() else float(zh_range(number)[1])
    except ValueError:
        return 0.0
