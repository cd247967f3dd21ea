"""Everything that is indexed of a record: its words, the person's words in a conversation, and cues about its form.

Cues are tokens like any other, so that ranking may ask which records hold them without reading texts. No query looks for
them by itself.
"""

from __future__ import annotations

import re

from hindsight.text.dialogue import said_tokens
from hindsight.text.literals import holds, lowered
from hindsight.text.tokens import index_tokens

QUESTION, TIME, NUMBER, SELF = "c:question", "c:time", "c:number", "c:self"
CUES = (QUESTION, TIME, NUMBER, SELF)
DIALOGUE = "c:dialogue"
"""Ends with a question; speaks of a time relative to its own; holds a number; speaks of the speaker. ``DIALOGUE``: holds a conversation
whose person's words are indexed apart."""
_CUE_CHARS = 4_000

_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|ago|(?:last|next|this) (?:night|day|week|weekend|month|year|summer|spring|fall|autumn|"
    r"winter|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:since|in) (?:19|20)\d\d|for (?:\d+|a few|several|two|three|four|five|six) "
    r"(?:days|weeks|months|years)|(?:january|february|march|april|june|july|august|september|october|november|december))\b"
    r"|[昨今明前后]天|[上下本这]个?(?:周|月|星期|礼拜)|去年|今年|明年|刚[刚才]|最近|\d{1,2}月",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|once|twice)\b|[一二两三四五六七八九十百千]+[个次条位天年月周岁元块]",
    re.IGNORECASE,
)
_OF_TIME = tuple(
    "day night tomorrow recent ago week month year summer spring fall autumn winter morning 19 20 uary march april may june july august "
    "ember october 天 周 月 星期 礼拜 去年 今年 明年 刚 最近".split()
)
_OF_NUMBER = tuple("0 1 2 3 4 5 6 7 8 9 one two three four five six seven eight nine ten dozen hundred once twice".split())
"""In a text written small each match has one of these; numbers may be written in other ways where a text is not ASCII."""
_SELF = re.compile(r"\b(?:i|me|my|mine|i'm|i've|i'd|i'll|we|our)\b|我", re.IGNORECASE)


def indexed_tokens(text: str, content: str) -> list[str]:
    """The tokens of a record to be stored.

    Args:
        text: what is searched: situation, speaker and statement (``Memory.text()``).
        content: the statement alone.
    """
    said = said_tokens(content)
    return [*index_tokens(text), *said, *cue_tokens(content), *([DIALOGUE] if said else [])]


def cue_tokens(content: str) -> list[str]:
    """Which of :data:`CUES` a statement shows; of a long one its beginning decides."""
    shown = content[:_CUE_CHARS]
    small = lowered(shown)
    told = {
        QUESTION: content.rstrip()[-1:] in ("?", "？"),
        TIME: holds(small, _OF_TIME) and _TIME.search(shown) is not None,
        NUMBER: (not shown.isascii() or holds(small, _OF_NUMBER)) and _NUMBER.search(shown) is not None,
        SELF: _SELF.search(shown) is not None,
    }
    return [cue for cue, is_shown in told.items() if is_shown]
