"""English patterns of an announced change: switched, no longer, not … anymore, now, stopped, left, used to … but now. Pure."""

from __future__ import annotations

import re
from typing import Literal

from hindsight.remember.distil.clauses import Clause

_ADV = r"(?:(?:have|has|just|recently|finally|also|already|now|since|officially)\s+)*"
_LEAD = r"^(?:(?:actually|correction|update|sorry|wait|well|ok|okay|oh|so|and|but|also|btw|by\s+the\s+way|fyi|apparently|(?:it\s+)?turns\s+out|recently|lately|good\s+news|as\s+of\s+\w+)[\s,:–—-]+)*"
_SELF = r"(?:I|we|(?:my|our)\s+(?:team|company|family|household|project|startup|wife\s+and\s+I|husband\s+and\s+I|partner\s+and\s+I))(?:['’](?:ve|m|re))?"
_WHO = rf"{_LEAD}{_SELF}\s+{_ADV}"
_LIKING = r"prefer|like|love|enjoy|hate|dislike|favou?r"
_POINTED = r"(?:it|that|this|them|him|her|those|these|you|one|what|how|why|where|if|whether)\b"
_STATE = r"use|run|work|live|drive|drink|eat|study|own|smoke|speak|go\s+by|take|teach|play|follow|wear|support|host|deploy|write|cook|run|sleep|wake\s+up|get\s+up"
_HEALTH = (
    r"allergic\s+to|vegan|vegetarian|pescatarian|diabetic|pregnant|lactose[- ]intolerant|gluten[- ]free|intolerant\s+to|on\s+a\s+\w+\s+diet"
)
_FOOD = r"alcohol|meat|pork|beef|fish|dairy|eggs?|gluten|seafood|shellfish|caffeine|sugar|wine|beer|nuts?|salt"
_ATTRIBUTE = r"name|nickname|address|email|number|job|role|title|manager|boss|team|company|employer|editor|database|password|time\s*zone|doctor|dentist|landlord|browser|laptop|phone|car|favou?rite\s+\w+"

_SWITCHED = re.compile(
    rf"{_WHO}(?:switched|migrated|converted|changed(?=\s+from\s)|upgraded|downgraded)\s+(?:(?:everything|(?:all\s+)?(?:my|our|the)\s+\w+(?:\s+\w+)?)\s+)?(?:over\s+)?"
    rf"(?:from\s+\w[^,.;!?]{{0,40}}?\s+)?to\s+(?!{_POINTED}|an?\s+(?:new|different|other|another)\b|another\b|the\s+(?:other|next|new|second|first)\b|(?:be|use|the\s+dark\s+side|first\s+class|business\s+class|economy|premium)\b)\w",
    re.IGNORECASE,
)
_MOVED_FROM = re.compile(
    rf"{_WHO}moved\s+(?:over\s+)?from\s+(?!the\b|an?\b|one\b|here\b|my\b)\w[^,.;!?]{{0,40}}?\s+to\s+(?!{_POINTED}|work\b|bed\b)\w",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    rf"{_WHO}(?:replaced|swapped|ditched|dropped)\s+(?!{_POINTED}|the\b|an?\b)\w[^,.;!?]{{0,40}}?\s+(?:with|for|in\s+favou?r\s+of)\s+(?!{_POINTED}|an?\b|the\b|now\b)\w",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    rf"{_LEAD}(?:{_SELF}\s+(?:(?:am|are|is|do|does|can|have)\s+)?|(?:my|our)\s+(?:{_ATTRIBUTE})\s+is\s+)no\s+longer\s+(?P<what>[^?]{{3,}})$",
    re.IGNORECASE,
)
_ANYMORE = re.compile(
    rf"{_LEAD}{_SELF}\s+(?:(?:am|are|do|does|is|can)\s+not|don['’]t|doesn['’]t|aren['’]t|isn['’]t|can['’]t|cannot|not)\s+(?P<what>[^?]{{3,60}}?)\s+(?:anymore|any\s+more|any\s+longer)\b",
    re.IGNORECASE,
)
_FEELING = re.compile(
    rf"^(?:(?:really|even|just)\s+)*(?:(?:sure|worried|interested|afraid|scared|angry|sad|tired|hungry|thirsty|busy|here|there|available|free|waiting|looking|needed|necessary|valid|see|seeing|get|getting|know|care|feel|understand|remember|think|believe|trust|wait|stand|bear|recogni[sz]e|mind)\b|(?:\w+\s+){{1,3}}?{_POINTED}\s*[.!]*$)",
    re.IGNORECASE,
)
"""What passes, or points at the talk: "no longer sure", "can't do this anymore"."""
_NOW = re.compile(
    rf"{_LEAD}(?:(?:now|these\s+days|nowadays)[,\s]+{_SELF}\s+|{_SELF}\s+(?:now|these\s+days)\s+)(?P<verb>{_LIKING}|{_STATE})\s+(?!{_POINTED})\w"
    rf"|{_LEAD}{_SELF}\s+(?P<verb2>{_LIKING}|{_STATE})\s+(?!{_POINTED})[^,.;!?]{{2,40}}?\s+(?:now|these\s+days|nowadays)\s*[.!]*$",
    re.IGNORECASE,
)
_IS_NOW = re.compile(
    rf"{_LEAD}(?:my|our)\s+(?:new\s+)?(?:{_ATTRIBUTE})\s+(?:is\s+now|has\s+changed\s+to|changed\s+to)\s+(?!{_POINTED})\w", re.IGNORECASE
)
_LIMIT_CHANGED = re.compile(
    rf"{_LEAD}(?:my|our|the)\s+(?:\w+\s+){{0,2}}?(?:budget|deadline|limit)\s+(?:for\s+[\w ]{{2,30}}?\s+)?(?:is\s+now|has\s+(?:been\s+)?(?:changed|moved|raised|cut|extended)\s+to|(?:changed|moved|rose|went\s+up)\s+to|was\s+(?:changed|moved|raised|cut|extended)\s+to)\s+\W?\w",
    re.IGNORECASE,
)
_LIMIT_ORDER = re.compile(
    rf"{_LEAD}(?:(?:let['’]s|please)\s+)?(?:change|raise|cut|set|make|bump|lower|move|extend|increase|reduce)\s+(?:my|our|the)\s+(?P<what>(?:\w+\s+){{0,2}}?(?:budget|deadline))\s+(?:to\s+)?"
    r"(?P<value>\W?(?:\d[\w.,]*(?:\s+(?!instead|then|please)\w+)?|(?:next\s+)?\w+day))(?:\s+(?:instead|then|please))?\s*[.!]*$",
    re.IGNORECASE,
)
_AND_NOW = re.compile(rf"(?<=\w)\s+and\s+now\s+(?=(?:{_LIKING}|{_STATE})\b)", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r",?\s+(?:actually|after\s+all|btw|by\s+the\s+way|though)\s*(?=[.!]*$)", re.IGNORECASE)
_STOPPED = re.compile(
    rf"{_WHO}(?:stopped|quit|gave\s+up|given\s+up)\s+(?P<what>(?:eating|drinking|smoking|using|taking|playing|buying|wearing|watching|working\s+(?:at|for|as|with)|driving|vaping|drugs|{_FOOD}|coffee|tea|sweets)\b[^,;?]{{0,60}})",
    re.IGNORECASE,
)
_PAUSED = re.compile(
    r"\bfor\s+(?:lent|ramadan|one|two|\d+)\b|\b(?:when|because\s+(?:the|it)|for\s+(?:now|a|the)\s*(?:while|moment|minute|second|day)?|to\s+\w+|halfway|until|before)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(
    rf"{_WHO}(?:left|quit|resigned\s+from)\s+(?:my\s+job\b|my\s+(?:position|role|post)\b|(?-i:[A-Z])[\w.&' -]{{1,40}}?\s+(?:and|to)\s+(?:(?:have|just|now|recently)\s+)*(?:joined|join|work(?:ing)?|started|start|moved\s+to)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"{_LEAD}(?:I['’]m|I\s+am|we['’]re|we\s+are)\s+not\s+(?:(?:actually|really|even)\s+)?(?:an?\s+)?(?:{_HEALTH})\b(?!\s+(?:to\s+)?(?:hard\s+work|work|fun|friendly|at\s+all\s+sure))",
    re.IGNORECASE,
)
_USED_TO = re.compile(
    r"^(?P<lead>.{0,40}?)\b(?P<who>I|we)\s+used\s+to\s+(?P<was>[a-z]+\s+[^,.;!?]{2,60}?),?\s+(?:but|and)\s+(?:now\s+(?P<who2>I|we)|(?P<who3>I|we)\s+now)\s+(?:now\s+)?(?P<now>[a-z]+\s+[^;!?]{1,80})$",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:crash\w*|fail\w*|error\w*|broke\w*|bugs?|tests?\s+pass\w*|fixed|resolved|solved|works|seats?|lanes?|sides|gears|topics?|tabs?|branch(?:es)?|lines?"
    r"|messages?|questions?|answers?|prompt|chat|conversation|title|heading|paragraph|code|option|halfway|your|section|chapter|step|part|draft|version|said|says)\b",
    re.IGNORECASE,
)
"""Of things that went wrong or were put right, outcomes tell; what is done to a text or in the talk changes nothing lasting."""


def find_change_en(clause: Clause, text: str) -> tuple[Literal["constraint", "preference", "identity"], float] | None:
    """Of what kind the changed state is, and how surely it is stated. ``text`` is the clause's masked text."""
    if clause.question or _BROKEN.search(text):
        return None
    now = _NOW.match(text)
    if now is not None:
        verb = (now["verb"] or now["verb2"]).lower()
        return ("preference", 0.85) if re.fullmatch(_LIKING, verb) else ("identity", 0.75)
    if (_LIMIT_CHANGED.match(text) or _LIMIT_ORDER.match(text)) and re.search(r"\d|day\b|week|month", text):
        return "constraint", 0.85
    ended = _NO_LONGER.match(text) or _ANYMORE.match(text)
    if ended is not None:
        return None if _FEELING.match(ended["what"]) else (_kind_of_end(ended["what"]), 0.85)
    stopped = _STOPPED.match(text)
    if stopped is not None and not _PAUSED.search(stopped["what"]) and not _FEELING.match(stopped["what"]):
        return _kind_of_end(stopped["what"]), 0.8
    used_to = _USED_TO.match(text)
    if used_to is not None:
        return ("preference" if re.match(rf"(?:{_LIKING})\b", used_to["now"], re.IGNORECASE) else "identity"), 0.8
    if any(pattern.match(text) for pattern in (_SWITCHED, _MOVED_FROM, _REPLACED, _LEFT, _DENIED, _IS_NOW)):
        return "identity", 0.8
    return None


def restate_en(text: str) -> str:
    """What ended and what is now: "I used to V X but now I W Y" as "I no longer V X; I now W Y", "make the budget 500" as "my budget is now 500"."""
    order = _LIMIT_ORDER.match(text)
    if order is not None:
        return f"My {order['what']} is now {order['value']}"
    match = _USED_TO.match(text)
    if match is None:
        return _AND_NOW.sub(" and I now ", _AFTERTHOUGHT.sub("", text))
    who = match["who"]
    return f"{match['lead']}{who} no longer {match['was']}; {who} now {match['now']}"


_BARE_LIMIT = re.compile(r"^(?:my|our|the)\s+(?=(?P<what>budget|deadline)\s+(?:is\s+now|has|was|moved|changed|rose|went)\b)", re.IGNORECASE)
_NAMED_LIMIT = re.compile(
    r"\b(?:my|our|the)\s+(?P<purpose>(?!(?:total|overall|max|maximum|whole|new|old|current|final|monthly|weekly)\b)[\w-]+)\s+(?P<what>budget|deadline)\b",
    re.IGNORECASE,
)


def name_limit_en(text: str, earlier: str) -> str | None:
    """What the limit is for: "my budget is now 500" after "my camera budget is 300": "my camera budget is now 500"; None where the earlier words name no such limit."""
    bare, named = _BARE_LIMIT.match(text), _NAMED_LIMIT.search(earlier)
    if bare is None or named is None or bare["what"].lower() != named["what"].lower():
        return None
    return f"My {named['purpose']} {text[bare.end() :]}"


def _kind_of_end(what: str) -> Literal["constraint", "preference", "identity"]:
    """What is no longer eaten or drunk is shunned: a constraint; what is no longer liked, a preference; anything else, a fact."""
    if re.match(rf"(?:{_LIKING})\b", what, re.IGNORECASE):
        return "preference"
    return "constraint" if re.match(rf"(?:(?:eat|drink)(?:ing)?\s+)?(?:any\s+)?(?:{_FOOD})\b", what, re.IGNORECASE) else "identity"
