"""Distilling by rules, without a model: turns → drafts, each self-contained (who, what, when), with its source turn as reference. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Literal

from hindsight.records import DebugInfo, Draft, Kind, Outcome, Ref, Role, Source, Turn
from hindsight.remember.distil.change import name_limit
from hindsight.remember.distil.findings import Finding, Signal, find_signals
from hindsight.remember.distil.person_en import EnglishTeller
from hindsight.remember.distil.person_zh import tell_zh
from hindsight.remember.distil.when import Placed, place_in_time
from hindsight.text.entities import extract_entities
from hindsight.text.fold import fold

DISTILLER = "rules-2"
KIND_OF: dict[Signal, Kind] = {
    "constraint": Kind.CONSTRAINT,
    "preference": Kind.PREFERENCE,
    "identity": Kind.FACT,
    "outcome": Kind.EPISODE,
    "remember": Kind.FACT,
}
IMPORTANCE: dict[Signal, float] = {"constraint": 0.9, "remember": 0.8, "identity": 0.7, "preference": 0.6, "outcome": 0.5}
_LEAD_EN = re.compile(
    r"^(?:(?:(?:hey|hi|hello|woah|wow|oh|thanks|yes|yeah|no)[\s,]+[A-Z]\w+(?=[,!])|you\s+know(?:\s+that)?(?=\s+I\b)|honestly|actually|correction|update|anyway|anyways|well|so|ok|okay|oh|also|and|but|yeah|yes|yep|hey|hi"
    r"|hello|thanks|plus|heads\s+up|by\s+the\s+way|btw|to\s+be\s+honest|fyi|quick\s+note|just"
    r"|one\s+thing[^:,]{0,30}|on\s+another\s+note|guess\s+what|speaking\s+of\s+which)[\s,:!–—-]+)+(?=\S)",
    re.IGNORECASE,
)
_ANNOUNCED_EN = re.compile(
    r"^[^.;:]{0,60}?\b(?:wanted|want|have|had|got|need)\s+to\s+(?:let\s+you\s+know|tell\s+you|share\s+(?:that|with\s+you))(?:\s+(?:that|how))?[,:]?\s+(?=(?:I|my|we|our)\b)",
    re.IGNORECASE,
)
"""The announcement of what is then told."""
_LEAD_ZH = re.compile(
    r"^(?:(?:(?:[\u3400-\u9fff]{1,5}?)?(?:您好|你好|大家好|早上好|上午好|中午好|下午好|晚上好)[，,、：！!。\s]*)"
    r"|(?:对了|更正一下|更正|纠正一下|完全正确|没错|确实|确实如此|明白了?|了解了?|太好了|好主意|有道理|对|对啊|对的|嗨|嗯|哦|哎|好|好的|是|是的|是啊|那|那么|总之|话说回来|说回来|谢谢|hi|你知道|你说得对)[，,、：！!\s]+"
    r"|(?:说实话|老实说|其实|另外|还有|顺便说一下|顺便|不过|但是|所以|而且|毕竟|比如说|特别是)[，,、：\s]*|(?:但|那|那么)(?=[我咱]))+(?=\S)",
    re.IGNORECASE,
)
_IMPERATIVE_EN = re.compile(
    r"^(?:please\b|never\b|always\b|don't\b|do\s+not\b|only\b|no\s|nothing\s+(?:over|above|under|newer|older|longer|more)\b|whatever\s+you\s+do|under\s+no"
    r"|make\s+sure|you\s+(?:must|may|should|can|are|shouldn't|mustn't)|whenever|when\s+you|from\s+now"
    r"|for\s+\w+,|call\s+me\b|use\b|keep\b|let\s+me|give\b|could\s+you|can\s+you|stop\b|let's\b)",
    re.IGNORECASE,
)
_IMPERATIVE_ZH = re.compile(
    r"^(?:请|别|不要|千万|切记|切勿|绝对|禁止|严禁|不准|不许|以后|今后|任何情况|务必|一定要|没有我|未经|能不能|可不可以|回复|给我|帮我|跟我|叫我|你讲|报表|提醒我)"
)
_PLEASE = re.compile(
    r"^(?:please\s+(?=\w)|make\s+sure\s+(?:that\s+)?you\s+(?=never)|(?:can|could|would|will)\s+you\s+(?:please\s+)?(?=\w))", re.IGNORECASE
)
_PLEASE_ZH = re.compile(r"^(?:请|麻烦|能不能|可不可以|可以)+(?=\S)")
_SPEAKS_OF_SELF_EN = re.compile(r"\b(?:I|i|im|me|my|mine|we|us|our|myself)\b|\b(?:I|i|we)['’]", re.IGNORECASE)


class RuleDistiller:
    """Finds preferences, constraints, identity, requests to remember, outcomes and errors in turns, by rules of two languages.

    Args:
        zone: the time zone in which "yesterday" and "这周" are read.
    """

    name = DISTILLER

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def distil(self, turns: Sequence[Turn], *, in_context: bool = False) -> list[Draft]:
        """One draft a finding, in the order of the turns; a statement made twice is drafted once, with both turns as references.

        ``in_context``: what points at the conversation ("my budget is 300") is drafted too, for a reader who has it before them.
        """
        speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker and turn.role in (Role.USER, Role.OTHER)))
        peers = len(speakers) > 1
        drafts: dict[tuple[Kind, str], Draft] = {}
        before = ""
        limits: list[str] = []
        for turn in turns:
            # Among people an imperative is advice; only towards an assistant is it an order.
            role = Role.OTHER if peers and turn.role is Role.USER else turn.role
            for found in find_signals(turn.content, role, before=before):
                if found.ground.dangling and not in_context:
                    continue
                text = name_limit(found.text, limits, found.language)
                if found.signals[-1] == "constraint":
                    limits.append(text)
                draft = self._draft(replace(found, text=text), turn, speakers if peers else [])
                key = (draft.kind, fold(draft.content))
                drafts[key] = _united(drafts[key], draft) if key in drafts else draft
            before = turn.content
        return list(drafts.values())

    def _draft(self, found: Finding, turn: Turn, speakers: Sequence[str]) -> Draft:
        others = [name for name in speakers if name != turn.speaker]
        listener = others[0] if len(others) == 1 else ""
        signal = found.signals[0]
        kind = KIND_OF[found.signals[1]] if len(found.signals) > 1 else KIND_OF[signal]
        said_at = turn.at.astimezone(self._zone) if turn.at is not None else None
        words = _without_lead(found.text, found.language)
        if found.ground.context:
            words = _closed(_without_lead(found.ground.context, found.language), ".") + ("" if found.language == "zh" else " ") + words
        placed = place_in_time(words, said_at, found.language, past=signal == "outcome")
        content = tell(found, placed.text, turn.speaker, turn.role, listener)
        ending = found.ending if signal == "outcome" else None
        return Draft(
            content=content,
            kind=kind,
            speaker=turn.speaker,
            role=turn.role,
            refs=(Ref(session_id=turn.session_id, first=turn.position, last=turn.position),),
            tags=("remember",) if signal == "remember" else (),
            entities=tuple(entity.name for entity in extract_entities(content)),
            source=Source.OBSERVED,
            confidence=found.confidence,
            importance=IMPORTANCE[signal],
            expires_at=_expiry(placed, signal),
            session_id=turn.session_id,
            turn_ids=(turn.id,) if turn.id else (),
            debug=DebugInfo(session_id=turn.session_id, turn_ids=(turn.id,) if turn.id else (), distiller=DISTILLER),
            occurred_at=placed.happened_at or turn.at,
            occurred_precision=placed.precision,
            outcome=ending.outcome if ending is not None else Outcome.UNKNOWN,
            error_code=ending.error_code if ending is not None else None,
        )


def tell(found: Finding, text: str, speaker: str | None, role: Role, listener: str) -> str:
    """The statement told of its speaker; an order is told as one."""
    if role is Role.TOOL:
        return text
    name = speaker or _default_name(role, found.language)
    if found.language == "zh":
        asked = found.order or (found.signals[0] in ("preference", "constraint") and bool(_IMPERATIVE_ZH.search(text)))
        text = _PLEASE_ZH.sub("", text).rstrip("？?") if asked else text
        told = tell_zh(text, "自己" if asked else name, listener or _default_listener(role, "zh"))
        if asked:
            told = f"{name}要求记住：{told}" if found.order else f"{name}要求：{told}"
        elif found.signals[0] in ("preference", "constraint") and name not in told:
            told = f"{name}说：{told}"
        return _closed(told, "。")
    said, text = text, _PLEASE.sub("", text).rstrip("?") if role is Role.USER else text
    ordered = found.signals[0] in ("preference", "constraint") and role is Role.USER and _is_order(said, text)
    told = EnglishTeller(name, listener or _default_listener(role, "en"), named=ordered or found.order, company=found.ground.company).tell(
        text
    )
    told = re.sub(r"(?<=[.!?] )the (?=user\b|assistant\b)", "The ", told)
    if found.order:
        told = f"{name} asks to remember: {_lower_first(told)}"
    elif ordered:
        told = f"{name} asks: {_lower_first(told)}"
    elif found.signals[0] == "preference" and not _SPEAKS_OF_SELF_EN.search(text):
        told = f"{name} says: {_lower_first(told)}"
    return _closed(_capitalised(told), ".")


def _capitalised(text: str) -> str:
    """First letter in upper case, unless the first word is code ("workers=4", "utils.py")."""
    first = text.split(" ", 1)[0]
    return text if re.search(r"[=_/.\d]\w|^--", first) else text[:1].upper() + text[1:]


def _is_order(said: str, text: str) -> bool:
    """Whether the words tell an assistant what to do; "For running, I prefer …" tells of its speaker."""
    if _PLEASE.match(said):
        return True
    opening = _IMPERATIVE_EN.match(text)
    return opening is not None and not (opening[0].lower().startswith("for") and re.search(r"\bI\b", text))


def _default_name(role: Role, language: Literal["zh", "en"]) -> str:
    if role is Role.ASSISTANT:
        return "助手" if language == "zh" else "the assistant"
    return "用户" if language == "zh" else "the user"


def _default_listener(role: Role, language: Literal["zh", "en"]) -> str:
    if role is Role.OTHER:  # someone in a talk among people, who is not known here
        return "对方" if language == "zh" else "the other person"
    return _default_name(Role.USER if role is Role.ASSISTANT else Role.ASSISTANT, language)


def _without_lead(text: str, language: Literal["zh", "en"]) -> str:
    if language == "zh":
        return _LEAD_ZH.sub("", text).strip()
    return _ANNOUNCED_EN.sub("", _LEAD_EN.sub("", text)).strip()


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _closed(text: str, stop: str) -> str:
    text = text.strip().rstrip(" ,，;；：:")
    stop = "。" if "，" in text else stop
    return text if text.endswith((".", "!", "?", "。", "！", "？", "…", "”", '"')) else text + stop


def _expiry(placed: Placed, signal: Signal) -> datetime | None:
    return placed.expires_at if signal in ("identity", "constraint", "preference") else None


def _united(first: Draft, second: Draft) -> Draft:
    """The same statement from two turns: both references, and a little more confidence."""
    refs = first.refs + tuple(ref for ref in second.refs if ref not in first.refs)
    turn_ids = first.turn_ids + tuple(id for id in second.turn_ids if id not in first.turn_ids)
    confidence = max(first.confidence, second.confidence)
    return first.model_copy(update={"refs": refs, "turn_ids": turn_ids, "confidence": confidence + (1 - confidence) * 0.3})
