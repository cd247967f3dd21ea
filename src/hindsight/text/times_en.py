"""The English grammar of time expressions: rules, and what may stand before and after a match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from hindsight.text import readings_en as read
from hindsight.text.holidays import EN_HOLIDAY
from hindsight.text.numerals import EN_NUMBER, en_range
from hindsight.text.periods import Period, enclosing, weekend_of
from hindsight.text.time_rules import (
    Clue,
    Found,
    Kind,
    Offset,
    Part,
    Reading,
    Rule,
    Step,
    nth_in_month,
    offset_from,
    part_of,
    since,
)

_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_WEEKDAY = "(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
_UNIT = "(?:minute|min|hour|hr|day|night|weekend|week|fortnight|month|quarter|year|yr|decade)"
_LONG_UNIT = "(?:day|night|weekend|week|fortnight|month|year)"
_YEAR = r"(?:19|20)\d\d(?![\d:%]|[.,]\d)"
_MONTH = (
    "(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
_CLEAR_MONTH = "(?-i:January|February|July|September|October|November|December)"
_CLOCK = (
    r"(?:(?P<noon>noon|midnight)\b|(?P<hour>[01]?\d|2[0-4])(?=:[0-5]\d(?!\d)|\s?[ap]\.?m\b|\s?o'clock)"
    r"(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?)?(?:\s?(?P<half>[ap])(?:m\b|\.m\b\.?)|\s?o'clock)?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_DAYS = rf"(?P<d1>{_DAY})(?:st|nd|rd|th)?(?:(?: ?[-–—] ?| to | and )(?:the )?(?P<d2>{_DAY})(?:st|nd|rd|th)?)?"
_IN_YEAR = rf"(?:,? ?(?:of |in )?(?P<year>{_YEAR})\b| (?:of )?(?P<whichyear>last|this|next) year\b)?"
_PART = "(?:morning|afternoon|evening|night)"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_WHICH = "(?P<which>last|this past|past|previous|this coming|coming|this|next)"
_BEFORE_MONTH = (
    "(?:in|during|since|until|till|from|through|throughout|between|early|mid|late|around|month of|"
    "(?:week|weekend|half|end|beginning|start|middle|part|days?|(?:mon|tues|wednes|thurs|fri|satur|sun)day) of)"
)
_NOT_COUNTED = r"(?![\w%/-]| (?:%|k|km|dollars|calories|people|steps|words|times|pounds|tokens|points|followers|miles)\b)"
_NOT_A_DAY = r"(?! (?:tree|eggs?|lights?|gifts?|presents?|cards?|carols?|sweaters?|movies?|cookies|decor|ornaments?|costumes?))"


_TOPIC_WORDS = {
    "which": "last past this next previous coming recent",
    "ago": "ago back from",
    "unit": "minute min hour hr day night weekend week fortnight month quarter year yr decade",
    "day word": "yesterday today tomorrow tonight night this",
    "month": " ".join(read.MONTHS),
    "weekday": " ".join(read.WEEKDAYS),
    "season": "spring summer autumn fall winter",
    "holiday": (
        "christmas xmas easter new valentine patrick thursday friday festival qingming mother father memorial independence "
        "fourth july labor labour halloween thanksgiving boxing"
    ),
    "quarter": "q quarter",
    "half year": "h",
    "decade": "s",
    "weekend": "weekend",
    "of": "of",
    "in": "in",
    "other": "other",
    "rest": "earlier later",
    "second": "last next",
    "on": "on",
    "recurring": "every each " + " ".join(f"{name}s" for name in read.WEEKDAYS if name.endswith("day")),
    "at": "at",
}
_TOPICS_OF: dict[str, set[str]] = {}
for _topic, _words in _TOPIC_WORDS.items():
    for _word in _words.split():
        _TOPICS_OF.setdefault(_word, set()).add(_topic)
        if _topic == "unit":
            _TOPICS_OF.setdefault(f"{_word}s", set()).add(_topic)
_WORDS = re.compile(r"[a-z]+|\d+")


def topics_of(text: str) -> set[str]:
    """What the words of a text may belong to; the rules that need something else cannot match."""
    topics: set[str] = set()
    for word in set(_WORDS.findall(text.lower())):
        if word in _TOPICS_OF:
            topics |= _TOPICS_OF[word]
        elif word.isdigit():
            topics.add("number")
            if len(word) == 4 and word.startswith(("19", "20")):
                topics.add("year")
    return topics


_RULES: tuple[tuple[Kind, str, str, Reading], ...] = (
    (
        "relative",
        "day word",
        (
            r"\b(?P<day>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tomorrow|tonight|last night|"
            rf"this (?:morning|afternoon|evening))\b(?: (?:in the )?(?P<part>{_PART})\b)?"
        ),
        read.day_word,
    ),
    (
        "relative",
        "ago",
        (
            rf"\b(?:(?:about|around|roughly|over|almost|nearly) )?(?P<number>half an?|{EN_NUMBER})(?P<h1> and a half)?[ -]"
            rf"(?P<unit>{_UNIT})s?(?P<h2> and a half)? (?:ago|back|(?P<ahead>from (?:now|today)))\b"
        ),
        read.ago,
    ),
    ("relative", "in, unit", rf"\bin (?P<number>{EN_NUMBER}) (?P<unit>{_UNIT})s?(?P<time>'? time)?\b", read.in_units),
    (
        "relative",
        "which, unit",
        (
            rf"\b(?:the )?(?:(?P<which>last|past|previous|recent|next|coming) (?P<number>{EN_NUMBER}) |past )"
            r"(?P<unit>minute|min|hour|hr|day|night|week|fortnight|month|quarter|year|yr|decade)s?\b"
        ),
        read.recent_units,
    ),
    ("relative", "other", r"\bthe other (?P<unit>day|week|night|month)\b", read.other_day),
    ("relative", "which, unit", rf"\b(?:the )?{_WHICH} (?P<unit>week|weekend|month|year|quarter|decade)\b", read.which_unit),
    (
        "relative",
        "second",
        rf"\bthe (?P<unit>week|weekend|month|year|quarter|{_WEEKDAY}) (?:before last|(?P<ahead>after next))\b",
        read.second_next,
    ),
    ("relative", "which, weekday", rf"\b{_WHICH} (?P<weekday>{_WEEKDAY}|mon|tues?|wed|thu(?:rs?)?|fri)\b", read.which_weekday),
    ("relative", "which, month", rf"\b{_WHICH} (?P<month>{_MONTH})(?! ?\d)", read.yearly(read.month)),
    ("relative", "which, season", rf"\b{_WHICH} {_SEASON}\b(?! semester)", read.yearly(read.season)),
    ("relative", "which, holiday", rf"\b{_WHICH} (?P<holiday>{EN_HOLIDAY})\b", read.yearly(read.holiday)),
    ("relative", "rest", r"\b(?P<side>earlier|later) (?:today|this (?P<unit>week|month|quarter|year))\b", read.rest),
    (
        "relative",
        "of, unit",
        r"\b(?:beginning|start|middle|mid|end|rest|half) of (?P<it>the (?P<unit>day|week|month|quarter|year))\b(?! of)",
        read.this_unit,
    ),
    (
        "absolute",
        "month, number",
        rf"\b(?P<month>{_MONTH}) ?(?:the )?{_DAYS}(?![\d:]|\.\d| ?[ap]m\b){_IN_YEAR}",
        read.dated(read.days),
    ),
    ("absolute", "month, number", rf"\b(?:the )?{_DAYS}(?: of)? ?(?P<month>{_MONTH}){_IN_YEAR}", read.dated(read.days)),
    ("absolute", "month, year", rf"\b(?P<month>{_MONTH}),? (?:of |in )?(?P<year>{_YEAR})\b", read.dated(read.month)),
    ("absolute", "month, which", rf"\b(?P<month>{_MONTH}) (?:of )?(?P<whichyear>last|this|next) year\b", read.dated(read.month)),
    ("absolute", "month", rf"\b{_BEFORE_MONTH}[ -](?:the month of )?(?P<it>(?P<month>{_MONTH}))(?! ?\d)", read.dated(read.month)),
    ("absolute", "month", rf"\b(?P<month>{_CLEAR_MONTH})\b(?! ?\d)", read.dated(read.month)),
    (
        "absolute",
        "month",
        rf"\b(?P<m1>{_MONTH})(?: to | through | until | and | ?[-–—] ?)(?P<month>{_MONTH}){_IN_YEAR}(?! ?\d)",
        read.dated(read.months),
    ),
    ("absolute", "number", r"(?<![\d/.-])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d\d)(?![\d/])", read.slashed),
    (
        "absolute",
        "year",
        (
            r"\b(?:in|during|since|from|until|till|by|before|after|throughout|of|early|mid|late|year|between)[ -](?:the year )?"
            rf"(?P<it>(?P<year>{_YEAR})){_NOT_COUNTED}"
        ),
        read.year,
    ),
    ("absolute", "year", rf"\b(?P<y1>{_YEAR}) ?(?:to|and|through|until|[-–—]) ?(?P<year>{_YEAR}){_NOT_COUNTED}", read.years),
    (
        "absolute",
        "season",
        rf"\b{_SEASON}(?:,? (?:of |in )?(?P<year>{_YEAR})| (?:of )?(?P<whichyear>last|this|next) year)\b",
        read.dated(read.season),
    ),
    (
        "absolute",
        "season",
        rf"\b(?:in|during|over|since|throughout|for) (?:the )?(?:early |late )?(?P<it>{_SEASON})\b",
        read.dated(read.season),
    ),
    (
        "absolute",
        "quarter",
        (
            rf"\b(?:(?P<yearfirst>{_YEAR}) ?)?(?:Q(?P<q>[1-4])|(?P<qword>first|second|third|fourth|1st|2nd|3rd|4th) quarter"
            rf"(?= (?:of )?(?:the year|this year|last year|next year|{_YEAR})))\b(?: of the year)?{_IN_YEAR}"
        ),
        read.dated(read.quarter),
    ),
    (
        "absolute",
        "half year, year",
        rf"\b(?:(?P<yearfirst>{_YEAR}) ?H(?P<h>[12])|H(?P<half>[12]),? (?P<year>{_YEAR}))\b",
        read.half_year,
    ),
    ("absolute", "decade, number", r"\bthe (?:early |late |mid[- ])?(?P<it>'?(?P<digits>(?:19|20)?\d0)'?s)\b", read.decade),
    ("absolute", "holiday", rf"\b(?P<holiday>{EN_HOLIDAY})\b{_NOT_A_DAY}{_IN_YEAR}", read.dated(read.holiday)),
    ("relative", "weekday", rf"\b(?P<weekday>{_WEEKDAY})\b", read.weekday),
    ("relative", "weekday", rf"\bon (?P<it>(?P<weekday>{_SHORT_WEEKDAY}))\b", read.weekday),
    ("relative", "weekend", r"\b(?:over|on|during|at|for) (?P<it>the weekend)\b(?! of)", read.weekend),
    (
        "absolute",
        "on, number",
        rf"\bon (?P<it>the (?P<d1>{_DAY})(?:st|nd|rd|th))\b(?! (?:of|floor|street|avenue|birthday|century|anniversary|place))",
        read.day_of_month,
    ),
    (
        "recurring",
        "recurring",
        (
            rf"\b(?:(?:every|each)(?: other| second| single)? (?:(?P<weekday>{_WEEKDAY})|(?P<unit>{_PART}|{_UNIT}))s?|"
            rf"(?:on )?(?P<weekdays>{_WEEKDAY})s)\b"
        ),
        read.recurring,
    ),
    ("relative", "at", rf"\bat {_CLOCK}", read.clock),
)


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, compiled on first use: commands that read no times start without them."""
    return tuple(
        Rule(kind, frozenset(needs.split(", ")), re.compile(pattern, re.IGNORECASE), reading, weekday=reading is read.weekday)
        for kind, needs, pattern, reading in _RULES
    )


_DIRECTION = "(?:(?:right |just |immediately |shortly )?(?P<way>before|prior to|preceding|leading up to|after|following))"
_STEP = rf"(?P<the>the |a |an )?(?:(?P<within>last|first|next) )?(?:(?P<number>{EN_NUMBER}) )?(?P<unit>{_LONG_UNIT}|{_WEEKDAY}|{_PART})s? {_DIRECTION}"
_LOOSE_END = re.compile(
    r"\s(?:in|on|at|of|during|from|to|and|the|for|,)+\s*$|\s(?:in|on|at|of|during|from|to|and|for) the\s*$", re.IGNORECASE
)
_NO_EVENT = re.compile(r"(?:that|this|it|then|now|last|today|the|a|me|him|her|them|us)", re.IGNORECASE)
_LEFT = re.compile(
    rf"(?:\b(?:the )?(?:very )?(?:(?P<early>early|beginning|start)|(?P<middle>mid(?:dle)?)|(?P<late>late|end)|"
    r"(?P<halves>first half|second half))(?: of| in)?(?: the)?[ -]"
    rf"|\b(?:the )?(?P<ordinal>first|1st|second|2nd|third|3rd|fourth|4th|last) (?P<what>week|weekend|{_WEEKDAY}) (?:of|in) "
    r"|\b(?:the )?(?P<wide>week|weekend) of (?:the )?"
    rf"|\b(?:on |in )?(?:the )?(?P<part>{_PART}) of (?:the )?"
    rf"|\b{_CLOCK}(?:,? on|,)? (?:the )?"
    rf"|\b{_STEP} (?:on )?"
    r"|\b(?P<since>since) (?:the )?)$",
    re.IGNORECASE,
)
_RIGHT = re.compile(rf"(?:,? (?:in |on )?(?:the )?(?P<part>{_PART})\b)?(?:(?:T|,? (?:at |around |by )?){_CLOCK})?", re.IGNORECASE)
# Cheap looks that spare the dear ones.
_STEP_WORD = re.compile("before|after|prior to|preceding|leading up to|following")
_LEFT_WORD = re.compile(
    r"early|beginning|start|mid|late|end|half|week|day|orning|evening|night|noon|ince|before|after|prior|following|preceding|\d|E|L|M"
)
_EVENT = re.compile(rf"\b{_STEP} (?P<anchor>[^.,;:!?\n\"()]{{2,60}})", re.IGNORECASE)
LOOKS_AHEAD = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|plan(?:s|ning)? (?:to|on|for)|tomorrow|upcoming|scheduled|looking forward|"
    r"can't wait|next)\b|'ll\b|\b(?:i'm|we're|he's|she's|they're|am|is|are) (?:meeting|visiting|leaving|flying|seeing|starting)\b",
    re.IGNORECASE,
)
MAY_LOOK_AHEAD = re.compile(r"\b(?:booked|reserved|appointment|reminder|don't forget|deadline|due|rsvp|invited?|tickets?)\b", re.IGNORECASE)
LOOKS_BACK = re.compile(r"\b(?:did|was|were|had|ago|last|yesterday|went|used to)\b", re.IGNORECASE)
TOGETHER = re.compile(r"\s?(?:to|through|until|till|[-–—~]|(?P<pair>and))\s?(?:the )?", re.IGNORECASE)
"""What joins two times to a range; `pair` only after `BETWEEN`."""
BETWEEN = re.compile(r"\bbetween (?:the )?$", re.IGNORECASE)
SAID_ON = re.compile(
    r",? ?(?:as )?(?:(?:she |he |i |they |was )?(?:mentioned|said|stated|discussed|shared|told)(?: on| in)?|on|before|from) (?:the )?",
    re.IGNORECASE,
)
"""What stands between a relative time and the day from which it counts."""


def events(text: str, found: list[Found]) -> Iterator[Step]:
    """Steps before or after something that is not itself a time: "the week before the trip"."""
    if not _STEP_WORD.search(text):
        return
    for match in _EVENT.finditer(text):
        offset = _offset(match)
        start, end = match.span("anchor")
        if any(each.start <= match.start() and start <= each.end for each in found):
            continue
        # The event's name ends where a time of its own begins ("the trip in May").
        end = min((each.start for each in found if start <= each.start < end), default=end)
        anchor = _LOOSE_END.sub("", text[start:end]).strip()
        if offset is not None and anchor and not _NO_EVENT.fullmatch(anchor):
            yield Step(match.start(), start + len(anchor), anchor, offset)


def _offset(match: re.Match[str]) -> Offset | None:
    """How far a step reaches; None for "days after", which says nothing exact."""
    word, number = match["unit"].lower(), match["number"]
    after = match["way"].lower() in ("after", "following")
    if word in read.WEEKDAYS:
        return Offset(1, "week", after, weekday=read.WEEKDAYS[word])
    if number is None and not match["the"]:
        return None
    size, unit = read.unit_of("day" if re.fullmatch(_PART, word) else word)
    amount = size * (en_range(number)[0] if number else 1)
    return Offset(amount, unit, after, within=match["within"] is not None, weekend=word == "weekend" and amount == 1)


def widen(found: Found, text: str) -> Found:
    """Take in what stands around a match: time of day, "early", "the first week of", "two days before", "since"."""
    found = _take_right(found, text)
    for _ in range(3):
        before = max(0, found.start - 48)
        if not _LEFT_WORD.search(text, before, found.start):
            break
        match = _LEFT.search(text, before, found.start)
        period = _left_period(found.period, match, found.clue) if match else None
        if match is None or period is None:
            break
        kind: Kind = "relative" if found.kind == "relative" else "absolute"
        found = replace(found, start=match.start(), period=period, kind=kind)
    return found


def _take_right(found: Found, text: str) -> Found:
    if found.period.precision != "day" or found.kind == "recurring":
        return found
    match = _RIGHT.match(text, found.end)
    if match is None or match.end() == found.end:
        return found
    day = enclosing(found.period.start, "day")
    period: Period | None = found.period
    if match["part"]:
        period = read.part_of_day(day, match["part"])
    if match["noon"] or match["hour"]:
        period = read.clock_of(day, match)
    return found if period is None else replace(found, end=match.end(), period=period)


def _left_period(period: Period, match: re.Match[str], clue: Clue) -> Period | None:
    if match["way"]:
        offset = _offset(match)
        return offset_from(period, offset) if offset else None
    if match["since"]:
        return since(period, clue)
    if match["ordinal"]:
        what = match["what"].lower()
        number = 0 if match["ordinal"].lower() == "last" else read.ORDINALS[match["ordinal"].lower()]
        return nth_in_month(period, number, read.WEEKDAYS.get(what), weekend=what == "weekend") if period.precision == "month" else None
    if match["wide"]:
        week = enclosing(period.start, "week")
        return weekend_of(week) if match["wide"].lower() == "weekend" else week
    day = period.precision == "day" and period.start.hour == 0
    if match["part"]:
        return read.part_of_day(period, match["part"]) if day else None
    if match["noon"] or match["hour"]:
        return read.clock_of(period, match) if day else None
    if period.precision in ("minute", "hour", "day"):
        return None
    part: Part = "early" if match["early"] else "middle" if match["middle"] else "late"
    if match["halves"]:
        part = "first half" if match["halves"].lower().startswith("first") else "second half"
    return part_of(period, part)
