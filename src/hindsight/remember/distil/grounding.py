"""Findings made readable alone: what points outside is cut off, or explained by the sentence before, or marked as dangling. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hindsight.records import Role
from hindsight.remember.distil import dangling_en, dangling_zh
from hindsight.remember.distil.clauses import asks, judge, mask_quotes
from hindsight.remember.distil.worth import is_platitude

LONGEST_CONTEXT = 160
"""A longer sentence explains too little for its length."""
_LEAST_CONTEXT = {"en": 4, "zh": 6}
"""Words, or characters: "Thanks, Ana!" explains nothing."""
_FIRST_EN = re.compile(r"\b(?:I|i|my|me|im)\b|\b[Ii]['’]")
_SPEAKS_OF_SELF = re.compile(_FIRST_EN.pattern + r"|\b[Ww]e\b|\b[Oo]ur\b|[我咱俺]")
_WE_EN = re.compile(r"\b(?:we|our|us|ours|ourselves)\b|\bwe['’]", re.IGNORECASE)
_BUDGET_EN = re.compile(r"\bbudget\b", re.IGNORECASE)
_PURPOSE_EN = re.compile(
    r"\bbudget\b[^.]*\b(?:for|on)\s+(?!me\b|us\b|now\b|this\b|that\b|it\b|a\s+budget|average)[A-Za-z]|\bfor\s+(?:the|a|an|my|our|each|every)\s+\w+[^.]*\bbudget\b"
    r"|\b(?!(?:my|our|the|a|an|total|overall|max|maximum|tight|whole|limited|strict|small|big|tiny|monthly|weekly|daily|annual|yearly|current|of|with|is|on|own|whose|certain|low|hard|fixed|rough|and|same)\b)[a-z]+\s+budget\b",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"^(?:(?:my|our|the)\s+)?(?:deadline|due\s+date)\s*(?::|is\b|was\b)|^(?:我的?|我们的?)?(?:截止(?:日期|时间)?|期限|deadline)(?:是|：|:|在)",
    re.IGNORECASE,
)
_AIM_EN = re.compile(
    r"\b(?:looking|look|want|need|plan|planning|plan\s+to|thinking|buy|buying|get|getting|book|booking|search|searching|shopping(?!\s+for\s+(?:myself|me)\b)|organi[sz]ing|hosting|renting|building|trip|saving)\b",
    re.IGNORECASE,
)
_BUDGET_ZH = re.compile(r"预算")
_PURPOSE_ZH = re.compile(
    r"(?<!我)(?<!我们)(?<!大概)(?<!总)(?<!整体)(?<!目前)(?<!总体)(?<!的)(?<!^)(?<![，,。、])[\u3400-\u9fffA-Za-z]{2,}(?:的)?(?:总)?预算"
    r"|预算[^。]*(?:买|租|订|办|装|请|修|换|旅|婚|每|一个月|一晚|人均)|(?:买|租|订|办|装修?|请|换|旅|婚|每)[^。]*预算|项目|部门|团队"
)
_AIM_ZH = re.compile(r"想|打算|准备|计划|需要|要|买|租|订|找|看|装修|旅行|旅游|办")


@dataclass(frozen=True, slots=True)
class Ground:
    """What a statement needs to be read alone. ``company``: whom its "we" means; ``dangling``: nothing near explains it."""

    context: str = ""
    company: str = ""
    dangling: bool = False


def belongs(tail: str, before: str, language: Literal["zh", "en"], *, lasting: bool) -> bool:
    """Whether a clause that follows a statement explains it, and does not turn to the conversation instead."""
    if language == "zh":
        return not dangling_zh.talks_about_talk(tail, before, lasting=lasting)
    return not dangling_en.talks_about_talk(tail, before)


def hangs(tail: str, language: Literal["zh", "en"]) -> bool:
    """Whether a last clause only leads over to one that was left out ("对于这种情况，…")."""
    return language == "zh" and dangling_zh.hangs(tail)


def leads(lead: str, language: Literal["zh", "en"]) -> bool:
    """Whether a clause that stands before a statement carries something of it."""
    if language == "zh":
        return not dangling_zh.opens_talk(lead)
    return not dangling_en.opens_talk(lead) and not dangling_en.dangles_en(lead, strict=False)


def ground(core: str, text: str, before: Sequence[str], language: Literal["zh", "en"], *, signal: str, role: Role) -> Ground:
    """How the statement can stand alone. ``core``: it up to the clause that states; ``before``: the sentences of the turn before it."""
    among_people = role is Role.OTHER
    company = ""
    if language == "en":
        if _WE_EN.search(text):
            company = dangling_en.companion_of(text) or dangling_en.companion_of(" ".join(before[-2:]))
            if among_people and not company and not _FIRST_EN.search(text):
                return Ground(dangling=True)
        if signal == "outcome" and among_people and not _FIRST_EN.search(text) and not company:
            return Ground(dangling=True)
    if signal == "constraint":
        if language == "zh" and dangling_zh.hangs(core):
            return Ground(dangling=True)
        if _lacks_purpose(text, language):
            aim = _AIM_ZH if language == "zh" else _AIM_EN
            labelled = bool(re.match(r"(?:deadline|due\s+date|截止\w*|期限)\s*[:：]", text, re.IGNORECASE))
            context = (
                "" if labelled else next((each for each in reversed(before[-3:]) if aim.search(each) and _explains(each, language)), "")
            )
            return Ground(context, company, dangling=not context)
        return Ground(company=company)
    if language == "zh" and signal == "outcome" and before and not _SPEAKS_OF_SELF.search(text):
        # In the middle of a talk, an ending without a person is that of what was spoken of.
        context = before[-1] if _explains(before[-1], language) and len(before[-1]) + len(text) <= 2 * LONGEST_CONTEXT else ""
        return Ground(context, company, dangling=not context)
    # What a person tells an assistant about happens in their project: "the build failed" is understood there, so it gains a context but needs none.
    lenient = signal == "outcome" and not among_people
    ordered = signal == "preference" and not among_people and not _SPEAKS_OF_SELF.search(core)
    if not _dangles(core, language, strict=not ordered):
        return Ground(company=company)
    context = before[-1] if before and _explains(before[-1], language) and len(before[-1]) + len(text) <= 2 * LONGEST_CONTEXT else ""
    if dangling_en.incomplete(core) if language == "en" else dangling_zh.hangs(core):
        return Ground(company=company, dangling=True)
    return Ground(context, company, dangling=not context and not (lenient and not _dangles(core, language, strict=language == "zh")))


def _dangles(text: str, language: Literal["zh", "en"], *, strict: bool) -> bool:
    return dangling_zh.dangles_zh(text, strict=strict) if language == "zh" else dangling_en.dangles_en(text, strict=strict)


def _lacks_purpose(text: str, language: Literal["zh", "en"]) -> bool:
    """Whether the text sets a budget or a deadline without telling for what."""
    if _DEADLINE.match(text):
        return True
    if language == "zh":
        return bool(_BUDGET_ZH.search(text)) and bool(re.search(r"[\d一二三四五六七八九十百千万]", text)) and not _PURPOSE_ZH.search(text)
    return bool(_BUDGET_EN.search(text)) and bool(re.search(r"\d", text)) and not _PURPOSE_EN.search(text)


def _explains(sentence: str, language: Literal["zh", "en"]) -> bool:
    """Whether a sentence states something by itself, so that the next one may lean on it."""
    if is_platitude(sentence, language, among_people=False):
        return False
    masked = mask_quotes(sentence)
    size = len(re.findall(r"[\u3400-\u9fff]", sentence)) if language == "zh" else len(sentence.split())
    if size < _LEAST_CONTEXT[language] or len(sentence) > LONGEST_CONTEXT or sentence.rstrip().endswith(("?", "？")):
        return False
    if asks(masked, language) or any(judge(masked, language)[:2]):
        return False
    if language == "zh":
        return (
            not dangling_zh.opens_talk(sentence) and not dangling_zh.dangles_zh(sentence, strict=True) and not re.search(r"你|您", sentence)
        )
    if re.search(r"\byou(?:r|'re|'ve|'ll|'d)?\b", sentence, re.IGNORECASE) and not _FIRST_EN.search(sentence):
        return False
    return not dangling_en.opens_talk(sentence) and not dangling_en.dangles_en(sentence, strict=True)
