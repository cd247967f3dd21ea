"""What matches of the Chinese time patterns mean: words and numbers → periods. The patterns stand in `times_zh`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from hindsight.text import periods
from hindsight.text.numerals import zh_range
from hindsight.text.periods import Period, Unit, between, enclosing, hours_of, unit_from, units_away, weekday_of, weekend_of, year_of
from hindsight.text.time_rules import (
    Clue,
    Part,
    Reading,
    clock_time,
    holiday_period,
    nearest,
    nearest_in_month,
    nearest_weekday,
    nearest_weekend,
    nth_in_month,
    part_of,
)

PARTS: dict[str, Part] = {
    "初": "early", "月初": "early", "上旬": "early", "中": "middle", "月中": "middle", "中旬": "middle", "底": "late",
    "末": "late", "月底": "late", "月末": "late", "下旬": "late", "上中旬": "early and middle", "中下旬": "middle and late",
    "上半月": "first half", "下半月": "second half", "上半年": "first half", "下半年": "second half",
}  # fmt: skip
_UNITS: dict[str, Unit] = {
    "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "晚": "day", "早": "day", "周": "week",
    "星期": "week", "礼拜": "week", "周末": "week", "月": "month", "季度": "season", "年": "year",
}  # fmt: skip
_HALVES: dict[Unit, tuple[int, Unit]] = {
    "hour": (30, "minute"), "day": (12, "hour"), "week": (3, "day"), "month": (15, "day"), "season": (45, "day"),
    "year": (6, "month"),
}  # fmt: skip
_YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_HOURS: dict[str, tuple[int, int]] = {
    "凌晨": (0, 6), "清晨": (5, 9), "早晨": (5, 10), "早上": (5, 10), "早间": (5, 10), "大早": (5, 9), "早": (5, 10),
    "晨": (5, 9), "上午": (6, 12), "中午": (11, 14), "午间": (11, 14), "下午": (12, 18), "午后": (12, 18),
    "傍晚": (17, 20), "晚上": (18, 24), "晚间": (18, 24), "晚": (18, 24), "夜": (18, 30), "夜里": (20, 30),
    "夜间": (20, 30), "深夜": (22, 30), "半夜": (23, 30),
}  # fmt: skip

_STORY = re.compile("[了过曾]|[0-9一二三四五六七八九十]月|[？?]")
_MONTH_BEFORE = re.compile("(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?:初|底|末|[上中下]旬)[和与、至到及]$")


def number(numeral: str) -> int:
    """The value of a numeral in digits or characters; of a vague one the lowest."""
    return zh_range(numeral)[0]


def amount_of(numeral: str, unit_word: str, *, half: bool = False) -> tuple[int, int, Unit]:
    """Lowest and highest number of which unit: ("半", "年") is six months, ("一", "年", half) eighteen."""
    unit = _UNITS[unit_word]
    bare_half = numeral == "半"
    low, high = (0, 0) if bare_half else zh_range(numeral)
    if not (bare_half or half) or unit not in _HALVES:
        return low, high, unit
    size, finer = _HALVES[unit]
    return size * (2 * low + 1), size * (2 * high + 1), finer


def part_of_day(day: Period, word: str) -> Period:
    """凌晨 0-6, 早上 5-10, 上午 6-12, 中午 11-14, 下午 12-18, 傍晚 17-20, 晚上 18-24, 深夜 22-6 and so on."""
    return hours_of(day, *_HOURS[word])


def clock_of(day: Period, match: re.Match[str], part: str | None) -> Period | None:
    """The time of day that the groups of a clock pattern name, in the half of the day that `part` tells."""
    hour, minute = number(match["hour"]), match["minute"] or match["zhminute"]
    first, last = _HOURS.get(part or "", (0, 24))
    if hour < 12 and (first >= 12 or (first == 11 and hour < 4)):
        # "晚上1点", "夜里2点" are the next morning's.
        hour += 24 if last > 24 and hour < last - 24 else 12
    if hour > 24:
        day, hour = enclosing(day.end, "day"), hour - 24
    if minute is None:
        quarter = match["quarter"]
        return clock_time(day, hour, None if quarter is None else {"半": 30, "一刻": 15, "三刻": 45}[quarter])
    return clock_time(day, hour, number(minute))


def year_given(match: re.Match[str], clue: Clue) -> int | None:
    """The year in digits or characters, of two digits too, or as 去年, 今年 and the like."""
    if which := match["whichyear"]:
        return clue.now.year + _YEARS[which]
    if not match["year"]:
        return None
    year = number(match["year"])
    return year if year > 99 else 2000 + year if year <= clue.now.year % 100 + 10 else 1900 + year


def dated(make: Callable[[re.Match[str], int, Clue], Period]) -> Reading:
    """In the year given, else in the nearest."""

    def read(match: re.Match[str], clue: Clue) -> Period | None:
        year = year_given(match, clue)
        return nearest(lambda each: make(match, each, clue), clue) if year is None else make(match, year, clue)

    return read


def year(match: re.Match[str], year_number: int, clue: Clue) -> Period:
    """A year or a part of it: 年初 January and February, 年中 May to August, 年底 November and December."""
    period, part = year_of(year_number, clue.now), (match["part"] or "").removeprefix("年")
    if part in ("上半年", "下半年"):
        return part_of(period, PARTS[part])
    months = {"初": (1, 2), "中": (5, 8), "底": (11, 12), "末": (11, 12), "终": (11, 12)}
    return periods.months_of_year(period, *months[part]) if part else period


def month(match: re.Match[str], year_number: int, clue: Clue) -> Period:
    """A month, a part of it, a week in it, a day or several."""
    return _in_month(match, periods.month_of(year_number, number(match["month"]), clue.now))


def _in_month(match: re.Match[str], period: Period) -> Period:
    if match["d1"]:
        first = number(match["d1"])
        return periods.days_of_month(period, first, number(match["d2"]) if match["d2"] else first)
    if match["third"]:
        return part_of(period, PARTS[match["third"]])
    if match["nth"]:
        last = match["nth"].startswith("最后")
        weekday = None if match["nthday"] is None else weekday_number(match["nthday"])
        found = nth_in_month(period, 0 if last else number(match["nth"]), weekday, weekend=match["nthend"] is not None)
        if found is None:
            raise ValueError(f"{match[0]} does not exist")
        return found
    return period


def which_month(match: re.Match[str], clue: Clue) -> Period:
    """上个月, 下下个月, …, with what may follow a month."""
    return _in_month(match, unit_from(clue.now, _step(match["which"]), "month"))


def _step(which: str) -> int:
    return which.count("下") - which.count("上")


def weekday_number(word: str) -> int:
    """Monday (一) is 0, Sunday (日, 天) 6."""
    return "一二三四五六日".index(word.replace("天", "日").replace("7", "日"))


def which_week(match: re.Match[str], clue: Clue) -> Period:
    """上周, 上上周三, 这个周末 and the like."""
    week = unit_from(clue.now, _step(match["which"]), "week")
    if match["weekday"]:
        return weekday_of(week, weekday_number(match["weekday"]))
    return weekend_of(week) if match["end"] else week


def weekday(match: re.Match[str], clue: Clue) -> Period:
    """A weekday alone."""
    return nearest_weekday(weekday_number(match["weekday"]), clue)


def weekend(_match: re.Match[str], clue: Clue) -> Period:
    """The weekend alone."""
    return nearest_weekend(clue)


def day_word(match: re.Match[str], clue: Clue) -> Period:
    """昨天, 大前天, 今晚 and the like."""
    day = unit_from(clue.now, _DAYS[match["day"] or match["short"]], "day")
    part = match["part"] or match["part2"]
    return part_of_day(day, part) if part else day


def ago(match: re.Match[str], clue: Clue) -> Period | None:
    """三天前, 半年前, 两周后 and the like."""
    if match["ahead"] and _in_story(match, clue):
        return None
    half = match["half"] is not None or match["half2"] is not None
    low, high, unit = amount_of(match["number"], match["unit"], half=half)
    sign = 1 if match["ahead"] else -1
    return units_away(clue.now, sign * low, sign * high, unit)


def _in_story(match: re.Match[str], clue: Clue) -> bool:
    """Whether "三天后", "接下来一周" counts from what was told before, not from now."""
    around = match.string[max(0, match.start() - 30) : match.end() + 30]
    return clue.view == "back" and _STORY.search(around) is not None


def recent_units(match: re.Match[str], clue: Clue) -> Period | None:
    """最近三天, 过去半年, 未来一周; 前几天 without today."""
    ahead = match["which"] in ("未来", "接下来", "今后", "往后")
    if ahead and _in_story(match, clue):
        return None
    _, high, unit = amount_of(match["number"] or "几", match["unit"], half=False)
    period = periods.rolling(clue.now, high, unit, ahead=ahead)
    today = enclosing(clue.now, "day")
    return between(period.start, today.start) if match["which"] == "前" else period


def season(match: re.Match[str], year_number: int, clue: Clue) -> Period:
    """春夏秋冬 and the school holidays: 暑假 July and August, 寒假 mid-January to the end of February."""
    word = match["season"]
    if word == "暑假":
        return periods.months_of_year(year_of(year_number, clue.now), 7, 8)
    if word == "寒假":
        start = periods.day_of(year_number, 1, 15, clue.now).start
        return between(start, periods.month_of(year_number, 3, clue.now).start)
    return periods.season_of(year_number, _SEASONS[word[0]], clue.now)


def which_season(match: re.Match[str], clue: Clue) -> Period | None:
    """这个夏天 is this year's, 上个冬天 the latest that is over, 下个春天 the first that has not begun."""
    step, this_year = _step(match["which"]), clue.now.year
    if step == 0:
        return season(match, this_year, clue)
    for each in range(this_year, this_year - 3, -1) if step < 0 else range(this_year - 1, this_year + 3):
        period = season(match, each, clue)
        if period.end <= clue.now if step < 0 else period.start > clue.now:
            return period
    return None


def quarter(match: re.Match[str], year_number: int, clue: Clue) -> Period:
    """A quarter of the year."""
    return periods.quarter_of(year_number, number(match["q"]), clue.now)


def which_quarter(match: re.Match[str], clue: Clue) -> Period:
    """上季度, 这个季度, 下个季度."""
    return unit_from(clue.now, _step(match["which"]), "season")


def holiday(match: re.Match[str], year_number: int, clue: Clue) -> Period:
    """A holiday with its days off; 当天 its day alone, 前后 three days more on both sides."""
    period = holiday_period(match["holiday"], year_number, clue.now)
    around = match["around"] or ""
    if around in ("当天", "当日", "那天"):
        # The span of Spring Festival begins with the eve.
        return unit_from(period.start, 1 if match["holiday"] in ("春节", "过年") else 0, "day")
    if around == "前后":
        return between(period.start - timedelta(days=3), period.end + timedelta(days=3))
    return period


def decade(match: re.Match[str], clue: Clue) -> Period:
    """90年代, 上世纪八十年代, 2010年代."""
    digits, century = number(match["digits"]), match["century"]
    if century is None:
        base = 2000 if digits <= clue.now.year % 100 else 1900
    else:
        base = int(century) * 100 if century in ("19", "20") else 1900
    return enclosing(year_of(base + digits, clue.now).start, "decade")


def day_of_month(match: re.Match[str], clue: Clue) -> Period | None:
    """15号."""
    day = number(match["d1"])
    return nearest_in_month(lambda found: periods.days_of_month(found, day, day), clue)


def part_of_month(match: re.Match[str], clue: Clue) -> Period | None:
    """月初, 月底, 中旬 alone: of the month named just before, else of the nearest."""
    part = PARTS[match["third"]]
    if named := _MONTH_BEFORE.search(match.string, max(0, match.start() - 12), match.start()):
        return nearest(lambda year: part_of(periods.month_of(year, number(named[1]), clue.now), part), clue)
    return nearest_in_month(lambda found: part_of(found, part), clue)


def clock(match: re.Match[str], clue: Clue) -> Period | None:
    """A time of day alone is today's."""
    return clock_of(enclosing(clue.now, "day"), match, match["part"])


def recurring(match: re.Match[str], clue: Clue) -> Period | None:
    """The latest occurrence."""
    past = Clue(clue.now)
    if match["weekday"]:
        return nearest_weekday(weekday_number(match["weekday"]), past)
    if match["d1"]:
        return day_of_month(match, past)
    word = match["unit"].removesuffix("上").removesuffix("间")
    if word == "周末":
        return nearest_weekend(past)
    day = enclosing(clue.now, "day")
    return part_of_day(day, word) if word in ("早", "晚") else enclosing(clue.now, _UNITS[word])
