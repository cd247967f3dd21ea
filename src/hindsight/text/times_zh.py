"""The Chinese grammar of time expressions: rules, and what may stand around a match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from hindsight.text import readings_zh as read
from hindsight.text.holidays import ZH_HOLIDAY
from hindsight.text.numerals import ZH_NUMBER
from hindsight.text.periods import Period, enclosing, weekend_of
from hindsight.text.time_rules import Found, Kind, Offset, Reading, Rule, Step, offset_from, since

_ZH_DIGIT = "[〇零○一二三四五六七八九]"
_YEAR = rf"(?:(?P<year>(?:19|20)\d\d|[一二]{_ZH_DIGIT}{{3}}|(?<!\d)\d\d(?= ?年 ?(?:\d\d?|[一二三四五六七八九十]+) ?月)) ?年|(?P<whichyear>今|去|大?前|明|后|本)年)"
_MONTH = (
    r"(?<![\d.个])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]) ?月份?"
    "(?!亮|饼|光|球|薪|租|卡|票|费|供|子|嫂|经|台|销|活|均|度|天(?!气))"
)
_DAY = "(?:3[01]|[12]\\d|0?[1-9]|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])"
_NOT_A_NUMBER = "(?!线|楼|店|院|码|机|门|房|台|车|仓|文|人|方|员|称|召|角|病|航)"
_IN_MONTH = (
    rf"(?: ?的?(?:(?P<d1>{_DAY}) ?[日号]{_NOT_A_NUMBER}(?: ?[至到\-—–~～] ?(?P<d2>{_DAY}) ?[日号]{_NOT_A_NUMBER})?"
    "|(?P<third>上中旬|中下旬|上旬|中旬|下旬|上半月|下半月|月?[初底末]|月?中(?![午秋旬间国考的]))"
    "|第?(?P<nth>[一二三四五1-5]|最后一)个?(?:(?P<nthend>周末)|(?:周|星期|礼拜)(?P<nthday>[一二三四五六日天])?)))?"
)
_WHICH = "(?P<which>上上+|(?<![早晚马以])上|这|本|下下+|(?<![一以])下)一?"
_WEEK = "(?:周|星期|礼拜)"
_PART = "凌晨|清晨|早晨|早上|早间|大早|上午|中午|午间|下午|午后|傍晚|晚上|晚间|夜里|夜间|深夜|半夜"
_NOT_A_MEAL = "(?![餐饭班会高报市操自期年宴茶])"
_CLOCK = (
    r"(?:(?P<hour>2[0-4]|[01]?\d|二十[一二三四]?|十[一二三四五六七八九]?|[一二两三四五六七八九])"
    r"(?:[:：](?=[0-5]\d(?!\d))(?P<minute>[0-5]\d)(?:[:：][0-5]\d)?| ?[点时](?![间候期代刻段点])"
    r"(?:(?P<quarter>半|一刻|三刻)|钟|(?P<zhminute>[0-5]?\d|[零〇]?[一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?)分?)?))"
)
_THREE_DAYS = rf"(?P<number>{ZH_NUMBER}|半) ?多?个?(?P<half>半)?(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|(?<=个)月|季度|年)(?P<half2>半)?"


_TOPIC_WORDS: dict[str, tuple[str, ...]] = {
    "day word": ("天", "日", "昨", "今", "明早", "明晚", "前晚"),
    "ago": ("前", "后"),
    "recent": ("近", "过去", "未来", "接下来", "今后", "往后"),
    "few": ("几", "两"),
    "which": ("上", "这", "本", "下"),
    "week": ("周", "星期", "礼拜"),
    "month": ("月",),
    "year": ("年",),
    "season": ("春", "夏", "秋", "冬", "假"),
    "quarter": ("季度",),
    "holiday": (
        "元旦", "除夕", "三十", "初一", "春节", "过年", "元宵", "情人节", "妇女节", "三八节", "清明", "劳动节", "五一", "青年节", "五四",
        "母亲节", "儿童节", "六一", "618", "端午", "父亲节", "七夕", "教师节", "中秋", "国庆", "十一", "重阳", "万圣节", "双1", "感恩节",
        "双十二", "冬至", "平安夜", "圣诞", "跨年",
    ),
    "decade": ("年代",),
    "part": ("月初", "月底", "月末", "旬"),
    "number": ("号",),
    "clock": ("点", "时", ":", "："),
    "recurring": ("每",),
}  # fmt: skip


def topics_of(text: str) -> set[str]:
    """What the characters of a text may belong to; the rules that need something else cannot match."""
    return {topic for topic, words in _TOPIC_WORDS.items() if any(word in text for word in words)}


_RULES: tuple[tuple[Kind, str, str, Reading], ...] = (
    (
        "relative",
        "day word",
        (
            rf"(?:(?P<day>大前|(?<![之以日年天月周])前|昨|今|明|大后|(?<![之以然今往])后)[天日](?![气空线使津猫堂生然])(?:的?(?P<part>{_PART}|[早晚]{_NOT_A_MEAL}))?"
            rf"|(?P<short>[昨今明前])(?P<part2>[早晚夜晨]){_NOT_A_MEAL}上?)"
        ),
        read.day_word,
    ),
    (
        "relative",
        "ago",
        rf"(?:大约|大概|约|差不多|将近)?{_THREE_DAYS}多?(?:之前|以前|前|(?P<ahead>之后|以后|过后|后))(?![端台面往锋沿期任景缀后续悔果来卫])",
        read.ago,
    ),
    (
        "relative",
        "recent",
        rf"(?P<which>最近|近|过去|未来|接下来|今后|往后)的?(?:这)?{_THREE_DAYS}(?:以来|之内|以内|内|里)?(?![次岁])",
        read.recent_units,
    ),
    (
        "relative",
        "few",
        "(?P<which>这|前|最近|近)(?P<number>几|两)个?(?P<unit>天|日|周|星期|礼拜|(?<=个)月|年)(?![级次岁])(?P<half>)(?P<half2>)",
        read.recent_units,
    ),
    (
        "relative",
        "which, week",
        rf"{_WHICH}个?{_WEEK}(?:的?(?:(?P<weekday>[一二三四五六日天])(?![次个])|(?P<end>末)))?",
        read.which_week,
    ),
    ("relative", "which, week", rf"{_WHICH}个?(?:(?P<end>周末))(?P<weekday>)", read.which_week),
    ("relative", "which, month", rf"{_WHICH}个?月份?{_IN_MONTH}", read.which_month),
    ("relative", "which, season", rf"{_WHICH}个?(?P<season>[春夏秋冬][天季]|暑假|寒假)", read.which_season),
    ("relative", "which, quarter", rf"{_WHICH}个?季度", read.which_quarter),
    ("absolute", "month", rf"(?:{_YEAR} ?的?)?{_MONTH}{_IN_MONTH}", read.dated(read.month)),
    (
        "absolute",
        "year",
        rf"{_YEAR}的?(?P<part>年?[初底末终]|年?中(?![午秋旬国间考的])|[上下]半年)?(?![级代龄轻薪货画纪])",
        read.dated(read.year),
    ),
    (
        "absolute",
        "year",
        "(?<![0-9一二三四五六七八九十几半])(?P<part>年[初底末终]|年中|[上下]半年)(?P<year>)(?P<whichyear>)",
        read.dated(read.year),
    ),
    (
        "absolute",
        "holiday",
        rf"(?:{_YEAR}的?)?(?<![十\d])(?P<holiday>{ZH_HOLIDAY})(?![\d路月上团])(?:(?P<around>当天|当日|那天|前后)|的?(?:期间|小长假|长假|假期|放假))?",
        read.dated(read.holiday),
    ),
    ("absolute", "season", rf"{_YEAR}的?(?P<season>[春夏秋冬][天季]?(?![节分至游装奥])|暑假|寒假)", read.dated(read.season)),
    ("absolute", "season", "(?P<season>[春夏秋冬][天季]|暑假|寒假)(?P<year>)(?P<whichyear>)", read.dated(read.season)),
    ("absolute", "quarter", rf"(?:{_YEAR}的?)?(?:第?(?P<q>[一二三四1-4]) ?季度)", read.dated(read.quarter)),
    (
        "absolute",
        "decade",
        r"(?P<century>上世纪|上个世纪|二十世纪|20世纪|19|20)?(?P<digits>\d0|[二三四五六七八九]十) ?年代",
        read.decade,
    ),
    (
        "relative",
        "week",
        rf"(?<![一二两三四五六七八九十几\d每半个近整]){_WEEK}(?P<weekday>[一二三四五六日天])(?![次个期年岁])",
        read.weekday,
    ),
    ("relative", "week", "(?<![每])周末", read.weekend),
    ("absolute", "part", "(?<![0-9一二三四五六七八九十月个])(?P<third>月[初底末]|[上中下]旬|上中旬|中下旬)", read.part_of_month),
    (
        "absolute",
        "number",
        rf"(?<![\d第月路街道巷弄里村园厦座栋幢楼单元室线\-A-Za-z])(?P<d1>3[01]|[12]\d|[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])号{_NOT_A_NUMBER}",
        read.day_of_month,
    ),
    ("relative", "clock", rf"(?P<part>{_PART}){_CLOCK}", read.clock),
    (
        "recurring",
        "recurring",
        (
            rf"每(?:逢|个|一)*(?:{_WEEK}(?P<weekday>[一二三四五六日天])|月的?(?P<d1>{_DAY})[日号]|"
            "(?P<unit>周末|天|日|早上?|晚上?|晚间|周|星期|礼拜|月|季度|年))"
        ),
        read.recurring,
    ),
)


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, compiled on first use: commands that read no times start without them."""
    return tuple(
        Rule(kind, frozenset(needs.split(", ")), re.compile(pattern), reading, weekday=reading is read.weekday)
        for kind, needs, pattern, reading in _RULES
    )


_STEP = (
    rf"的?(?:(?P<way>之前|以前|前|之后|以后|过后|后)的?(?:头|最初)?(?P<number>{ZH_NUMBER}|半) ?个?(?P<unit>天|日|晚|周末|周|星期|礼拜|(?<=个)月|年)"
    rf"(?P<within>之内|以内|内|里|间|中)?"
    rf"|(?P<number2>{ZH_NUMBER}|半) ?个?(?P<unit2>天|日|周|星期|礼拜|(?<=个)月|年)(?P<way2>之后|以后|过后|后|之前|以前|前)"
    "|(?P<next>后的?第二天|后的?(?:次日|翌日|隔天))|(?P<eve>前夕|前夜))"
)
_STEP_WORD = re.compile("[前后]")
_STEP_AFTER = re.compile(_STEP)
_SECOND_DAY = re.compile("的?(?:第二天|次日|翌日|隔天)")
_RIGHT = re.compile(rf"[，, ]?的?(?P<part>{_PART}|[早晚]{_NOT_A_MEAL})?(?:的?(?: )?{_CLOCK})?")
_SINCE = re.compile("(?:以来|至今|到现在|到今天|(?P<from>起(?![床飞来点])|开始))")
_FROM = re.compile("[从自]$")
_WEEK_OF = re.compile("的?[那这]一?个?(?:周(?P<end>末)?|星期|礼拜)")
LOOKS_AHEAD = re.compile(
    "打算|计划(?=[去在到于下明将])|准备(?=[去在到下明]|于)|将[于会在要去]|要去|会在|预计|预[定约]|即将|下个?(?:周|星期|月)|明[年天早晚]|后天|提醒我|[安排定]在"
)
MAY_LOOK_AHEAD = re.compile(
    "预[定约订]|订[好了]|约[好定了]|定[在于]|改[到期]|推迟到|暂定|提醒|记得|别忘|有效期|截止|到期|出发|筹备|迎接|准备|下个?[周月]|明[天年早晚]|后天"
)
LOOKS_BACK = re.compile("[了过曾昨已刚]|去年|前天|上个?[周月]|当时|最终|当初")
TOGETHER = re.compile(" ?(?:至|到|[-—–~～]|(?P<pair>[和与])) ?")
"""What joins two times to a range; `pair` only after `BETWEEN`."""
BETWEEN = re.compile("(?:在|从|介于)$")
_ANCHOR = re.compile(r"[^\s，。！？；：、,.!?;:（）()\n]{2,20}$")
_ANCHOR_START = re.compile("^(?:在|于|自|从|当|我们?|他们?|她们?|你们?|您)+")
_NO_EVENT = re.compile(
    "[我你他她它们的了在于将会再约还是要就可能这那到个第随此其之然最今往以提待]$|(?:计划|打算|准备|预计|决定|希望|大约|大概|应该|需要|最近|过去)$"
)


def events(text: str, found: list[Found]) -> Iterator[Step]:
    """Steps before or after something that is not itself a time: "出院后两天", "考试前一天"."""
    if not _STEP_WORD.search(text):
        return
    for match in _STEP_AFTER.finditer(text):
        named = _ANCHOR.search(text, max(0, match.start() - 20), match.start())
        # "三天前" counts from now, not from what stands before it.
        counted = any(each.start < match.end() <= each.end for each in found)
        if named is None or (counted and not match["way2"]) or (match["way2"] or "").endswith("前"):
            continue
        start = max((each.end for each in found if each.end <= match.start()), default=0)
        start = max(start, named.start())
        anchor = text[start : match.start()]
        shorter = _ANCHOR_START.sub("", anchor)
        if len(shorter) >= 2 and not _NO_EVENT.search(shorter):
            yield Step(match.start() - len(shorter), match.end(), shorter, _offset(match))


def _offset(match: re.Match[str]) -> Offset:
    groups = match.groupdict()
    if groups["next"]:
        return Offset(1, "day", after=True)
    if groups["eve"]:
        return Offset(1, "day", after=False)
    way, numeral, word = (groups[name] or groups[name + "2"] for name in ("way", "number", "unit"))
    low, _, unit = read.amount_of(numeral, word)
    return Offset(low, unit, way.endswith("后"), within=groups["way"] is not None, weekend=word == "周末")


def widen(found: Found, text: str) -> Found:
    """Take in what follows a match: time of day, "前一天", "后两周内", "那个周末", "以来"."""
    found = _with_time_of_day(found, text)
    if found.rule.kind == "recurring":
        return found
    period: Period | None = None
    if match := _STEP_AFTER.match(text, found.end):
        period = offset_from(found.period, _offset(match))
    elif match := _SECOND_DAY.match(text, found.end):
        period = offset_from(found.period, Offset(1, "day", after=True))
    elif (match := _SINCE.match(text, found.end)) and (not match["from"] or _FROM.search(text, 0, found.start)):
        period = since(found.period, found.clue)
    elif (match := _WEEK_OF.match(text, found.end)) and found.period.precision == "day":
        week = enclosing(found.period.start, "week")
        period = weekend_of(week) if match["end"] else week
    if match is None or period is None:
        return found
    return _with_time_of_day(replace(found, end=match.end(), period=period), text)


def _with_time_of_day(found: Found, text: str) -> Found:
    if found.rule.kind == "recurring" or found.period.precision not in ("day", "hour"):
        return found
    match = _RIGHT.match(text, found.end)
    groups = found.match.groupdict()
    part = match and match["part"]
    if match is None or not (part or match["hour"]):
        return found
    day = enclosing(found.period.start, "day")
    period: Period | None = read.part_of_day(day, part) if part else found.period
    if match["hour"]:
        period = read.clock_of(day, match, part or groups.get("part") or groups.get("part2"))
    return found if period is None else replace(found, end=match.end(), period=period)
