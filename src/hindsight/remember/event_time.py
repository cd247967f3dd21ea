"""When what a text tells of happened, where the text says so plainly: "yesterday we signed the lease", "我们三天前换了路由器". Pure.

A time counts only where its own clause states that something took place: not in a quotation, a question, a supposition, a denial,
a plan or a habit, not as a part of something named ("yesterday's report", "昨天的会议"), and not where the text tells of several
days. What is not plain stays undated: the day on which it was said is a better guess than a wrong day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindsight.records import Precision, Role
from hindsight.remember import event_time_en, event_time_zh
from hindsight.remember.distil.clauses import MASK, Clause, mask_quotes, own_words, split_clauses, split_sentences
from hindsight.text.periods import enclosing, midnight, shift
from hindsight.text.times import TimeExpression, find_times

LONGEST = 600
"""Characters; a longer text tells of more than one event."""

_MAY_HOLD = re.compile(
    r"yesterday|\bago\b|\blast\b|day|week|month|year|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|昨|前|上|去年|[年月日号周]|星期|礼拜",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"yesterday|\bago\b|\blast\b|\bprevious\b|昨|前|上个?(?:周|月|星期|礼拜|季度)|去年", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CALENDAR = ("month", "season", "year")
_LIFE = timedelta(days=365 * 120)
"""What lies farther back is history, not something that happened to whoever tells it."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """The beginning of the event's time, how exactly it is known, and the words that say so."""

    at: datetime
    precision: Precision
    words: str


def read_event_time(text: str, said_at: datetime) -> EventTime | None:
    """The time of the one event that ``text`` tells of; None where it does not plainly say.

    Args:
        text: a statement, as it was said or written.
        said_at: when, in the zone in which "yesterday" is read.
    """
    if len(text) > LONGEST or not _MAY_HOLD.search(text):
        return None
    clauses, told = split_clauses(text, Role.USER), list[TimeExpression]()
    for number, sentence in enumerate(split_sentences(own_words(text))):
        masked = mask_quotes(sentence)
        times = [time for time in find_times(masked, said_at) if time.kind != "recurring"]
        if any(time.start > said_at for time in times):
            return None  # a plan stands in it
        of_sentence = [clause for clause in clauses if clause.sentence == number]
        told += [time for time in times if _is_told(masked, time, times, of_sentence)]
    spans = {(time.start, time.end) for time in told}
    return _placed(told[0], said_at) if len(spans) == 1 else None


def _is_told(masked: str, time: TimeExpression, times: list[TimeExpression], clauses: list[Clause]) -> bool:
    """Whether the clause around a time states that something happened then."""
    around = [clause for clause in clauses if clause.start < time.span[1] and time.span[0] < clause.start + len(clause.text)]
    if not around or any(clause.question or clause.in_question or clause.supposed or clause.reported for clause in around):
        return False
    chinese = around[0].language == "zh"
    if (event_time_zh if chinese else event_time_en).UNREAL.search(masked):
        return False
    for other in times:  # other times are no words of the clause
        if other is not time:
            masked = masked[: other.span[0]] + MASK * (other.span[1] - other.span[0]) + masked[other.span[1] :]
    back = bool(_POINTS_BACK.search(time.text) or _YEAR.search(time.text))
    tells = event_time_zh.tells if chinese else event_time_en.tells
    return tells(masked[: time.span[0]], masked[time.span[1] :], points_back=back)


def _placed(time: TimeExpression, said_at: datetime) -> EventTime | None:
    """The time as a record keeps it; None where the day on which it was said is as good."""
    unit = time.precision
    if unit == "decade" or (time.kind == "absolute" and unit in _CALENDAR and _YEAR.search(time.text)):
        return None  # with its year the text itself tells it as exactly; when it was said adds to that
    start, end = time.start, time.end
    if unit == "week":
        week = enclosing(start, unit)
        start, end = (week.start, week.end) if end <= week.end else (start, shift(start, 1, unit))
    elif unit in _CALENDAR:
        whole = enclosing(start, unit)
        if end > whole.end:
            return None
        start, end = whole.start, whole.end
    if end > said_at or start >= midnight(said_at) or said_at - start > _LIFE:
        return None
    return EventTime(start, Precision(unit), time.text)
