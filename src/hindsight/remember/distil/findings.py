"""One turn → what in it is worth keeping: clauses judged by every rule, joined where they belong together. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hindsight.records import Outcome, Role
from hindsight.remember.distil.change import find_change, restate
from hindsight.remember.distil.clauses import Clause, language_of, own_words, split_clauses, split_sentences, stands_in_question
from hindsight.remember.distil.constraint import find_constraint
from hindsight.remember.distil.grounding import Ground, belongs, ground, hangs, leads
from hindsight.remember.distil.identity import find_identity
from hindsight.remember.distil.outcome import Ending, error_code, find_outcome, is_bare_success
from hindsight.remember.distil.preference import find_preference
from hindsight.remember.distil.request import Request, find_request
from hindsight.remember.distil.worth import is_for_one_task, is_platitude

LONGEST_STATEMENT = 240
"""Clauses that only explain are joined up to this many characters."""

Signal = Literal["constraint", "preference", "identity", "outcome", "remember"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of a turn that states something worth keeping. ``order`` marks a deed that is asked for, not a fact.

    ``ground.dangling``: only the conversation names what it speaks of. It may stand on a board beside it, but is no memory.
    """

    signals: tuple[Signal, ...]
    text: str
    confidence: float
    language: Literal["zh", "en"]
    ending: Ending | None = None
    order: bool = False
    ground: Ground = field(default_factory=Ground)


@dataclass(frozen=True, slots=True)
class _Judged:
    clause: Clause
    signal: Signal | None
    confidence: float = 0.0
    ending: Ending | None = None
    changes: bool = False


def find_signals(text: str, role: Role, *, before: str = "") -> list[Finding]:
    """Findings of a turn in order. ``before`` is what was said just before it: "remember that" may point there."""
    words = own_words(text)
    sentences = split_sentences(words)
    findings: list[Finding] = []
    taken: set[int] = set()
    clauses = split_clauses(text, role)
    if not clauses:
        return []
    for number, sentence in enumerate(sentences):
        own = [clause for clause in clauses if clause.sentence == number]
        if number in taken or not own:
            continue
        if number and is_bare_success(sentences[number - 1], own[0].language) and _WHY.search(sentence) and not own[-1].question:
            ending = Ending(Outcome.FIXED, 0.75, error_code(sentence))
            findings.append(Finding(("outcome",), sentence, ending.confidence, own[0].language, ending))
            continue
        request = None if own[0].supposed or _reported_only(own) else find_request(sentence, role)
        if request is not None:
            findings += _requested(request, sentences, number, role, before, taken)
        else:
            earlier = [each for each in sentences[max(0, number - 3) : number] if len(each) <= LONGEST_STATEMENT]
            after = sentences[number + 1] if number + 1 < len(sentences) else ""
            found = _joined([_judge(clause) for clause in own], sentence, earlier, role)
            told = [_repaired(each, after) for each in found]
            if told != found:
                taken.add(number + 1)
            findings += told
    return [found for found in findings if self_contained(found) and _lasts(found, sentences, role)]


_WHY = re.compile(
    r"\b(?:the\s+(?:trick|fix|problem|issue|cause)|it\s+was|turned\s+out|because|had\s+to|by\s+\w+ing)\b"
    r"|原来|因为|(?:先|只要|把)[^。]{2,40}(?:就|才)",
    re.IGNORECASE,
)
"""A sentence that tells why something works now."""


def _reported_only(clauses: Sequence[Clause]) -> bool:
    return bool(clauses) and clauses[0].reported and clauses[0].language == "zh"


_FINDERS: tuple[tuple[Signal, Callable[[Clause], float]], ...] = (
    ("constraint", find_constraint),
    ("preference", find_preference),
    ("identity", find_identity),
)
"""In this order: a limit is a limit, even where it is told as a liking."""


def _judge(clause: Clause) -> _Judged:
    if clause.language == "zh" and not stands_in_question(clause):
        return _Judged(clause, None)
    change = find_change(clause)
    if change is not None:
        return _Judged(clause, change[0], change[1], changes=True)
    for signal, find in _FINDERS:
        confidence = 0.0 if clause.role in (Role.ASSISTANT, Role.TOOL) else find(clause)
        if confidence:
            return _Judged(clause, signal, confidence)
    ending = find_outcome(clause)
    if ending is not None:
        return _Judged(clause, "outcome", ending.confidence, ending)
    return _Judged(clause, None)


_RECOVERED = re.compile(
    r"\b(?:eventually|finally|in\s+the\s+end|after\s+(?:a\s+while|that)|luckily|now|then)\b[^.?!]{0,40}?\b(?:got|managed|found|fixed|solved|sorted|works|worked|working|figured|made\s+it|recovered|succeeded|passed)\b"
    r"(?![^.?!]*\b(?:not|n't|never|worse|failed)\b)|\b(?:got|back|working|flowing|running|up)\s+(?:\w+\s+){0,3}again\b"
    r"|(?:后来|最后|终于|总算|现在|之后)[^。？！没不]{0,30}?(?:好了|解决|成功|修好|找到了|恢复|搞定|通过|过了|正常了)",
    re.IGNORECASE,
)
"""The next sentence tells that it came right."""


def _repaired(found: Finding, after: str) -> Finding:
    """A failure that the next sentence tells to be overcome is told with it."""
    if found.ending is None or found.ending.outcome is not Outcome.FAILURE or after.rstrip().endswith(("?", "？")):
        return found
    if not _RECOVERED.search(after) or len(found.text) + len(after) > 2 * LONGEST_STATEMENT:
        return found
    text = f"{found.text}{'' if found.language == 'zh' else ' '}{after}"
    return replace(found, text=text, ending=replace(found.ending, outcome=Outcome.FIXED))


_MOMENT_ZH = re.compile(r"今天|今晚|刚才|刚刚|昨天|昨晚|这次")
_MUSING_ZH = re.compile(r"我(?:们)?(?:也|还)?(?:在想|想着|在考虑)")
_OPINION_ZH = re.compile(r"我(?:们)?(?:总|一直|还是|就)?(?:觉得|认为|猜|估计)[^。]*(?:不行|得|要|必须|不能|只能)|^(?:或许|也许)")
"""An opinion on what should be is no limit that stands."""
_MEAL_ZH = re.compile(r"(?:我|我们|咱)(?:现在|先|今天|就|真的)?不[吃喝玩用]了")
"""As in "我不吃了": of the meal at hand."""


def _lasts(found: Finding, sentences: Sequence[str], role: Role) -> bool:
    """Whether the statement says something of its speaker that holds beyond the task or the talk at hand."""
    if found.signals[0] == "constraint":
        return not (found.language == "zh" and (_OPINION_ZH.search(found.text) or "记下了" in found.text or _MEAL_ZH.match(found.text)))
    if found.signals[0] == "outcome" and found.language == "zh":
        return not is_platitude(found.text, "zh", among_people=False) and not found.text.startswith(("这次", "这下"))
    if found.signals[0] not in ("preference", "identity"):
        return True
    if found.language == "zh" and _MUSING_ZH.search(found.text):
        return False
    if found.language == "zh" and "我" not in found.text and (_MOMENT_ZH.match(found.text) or (role is Role.OTHER and "你" in found.text)):
        return False
    if is_platitude(found.text, found.language, among_people=role is Role.OTHER and found.signals[0] == "preference"):
        return False
    return not (found.signals[0] == "preference" and is_for_one_task(found.text, sentences, found.language))


def _joined(judged: Sequence[_Judged], sentence: str, before: Sequence[str], role: Role) -> list[Finding]:
    """Neighbouring clauses with one signal become one finding; those without any explain the one before, or lead to the next."""
    groups: list[list[_Judged]] = []
    lead: list[_Judged] = []
    asked = False
    for each in judged:
        if each.signal is None:
            if each.clause.question:
                lead, asked = [], True
            elif asked:
                lead.append(each)  # what follows a question belongs to it, not to the statement before
            elif not groups:
                lead.append(each)
            elif len(sentence[groups[-1][0].clause.start : each.clause.start + len(each.clause.text)]) <= LONGEST_STATEMENT:
                groups[-1].append(each)
        elif groups and not asked and each.signal == _signal(groups[-1]):
            groups[-1].append(each)
        else:
            asked = False
            kept = lead if lead and each.clause.start + len(each.clause.text) - lead[0].clause.start <= LONGEST_STATEMENT else []
            groups.append([*kept, each])
            lead = []
    return [_finding(_trimmed(group, sentence), sentence, before, role) for group in groups]


def _trimmed(group: Sequence[_Judged], sentence: str) -> list[_Judged]:
    """Without leading clauses that only open the talk, and cut off where a clause turns to what the statement does not name."""
    core = next(position for position, each in enumerate(group) if each.signal is not None)
    first = next((position for position in range(core) if leads(group[position].clause.text, group[position].clause.language)), core)
    kept = list(group[first : core + 1])
    lasting = group[core].signal in ("preference", "identity")
    for each in group[core + 1 :]:
        if not belongs(each.clause.text, sentence[kept[0].clause.start : each.clause.start], each.clause.language, lasting=lasting):
            break
        kept.append(each)
    while len(kept) > core - first + 1 and hangs(kept[-1].clause.text, kept[-1].clause.language):
        kept.pop()
    return kept


def _signal(group: Sequence[_Judged]) -> Signal:
    return next(each.signal for each in group if each.signal is not None)


def _finding(group: Sequence[_Judged], sentence: str, before: Sequence[str], role: Role) -> Finding:
    language = group[0].clause.language
    last = group[-1].clause
    text = sentence[group[0].clause.start : last.start + len(last.text)].strip(" ,，;；")
    endings = [each.ending for each in group if each.ending is not None]
    stating = next(each.clause for each in group if each.signal is not None)
    core = sentence[group[0].clause.start : stating.start + len(stating.text)].strip(" ,，;；")
    grounds = ground(core, text, before, language, signal=_signal(group), role=role)
    confidence = max(each.confidence for each in group)
    if any(each.changes for each in group):
        # What is said to change stands already: "预算改成…" needs no purpose beside it.
        text = restate(text, language)
        grounds = replace(grounds, dangling=grounds.dangling and _signal(group) != "constraint")
    return Finding((_signal(group),), text.strip(), confidence, language, _worst_to_best(endings), ground=grounds)


def _worst_to_best(endings: Sequence[Ending]) -> Ending | None:
    """One ending of several: failed and then succeeded is repaired."""
    if not endings:
        return None
    outcomes = {str(each.outcome) for each in endings}
    code = next((each.error_code for each in endings if each.error_code), None)
    chosen = endings[-1]
    if "fixed" in outcomes or {"success", "failure"} <= outcomes:
        chosen = next((each for each in endings if str(each.outcome) == "fixed"), endings[-1])
    return replace(chosen, error_code=code)


def _requested(request: Request, sentences: Sequence[str], number: int, role: Role, before: str, taken: set[int]) -> list[Finding]:
    payload = request.payload
    if len(re.sub(r"\W", "", payload)) < 2:
        if number + 1 < len(sentences):
            payload = sentences[number + 1]
            taken.add(number + 1)
        elif number:
            payload = sentences[number - 1]
        else:
            payload = own_words(before)[:500]
    too_short = len(re.sub(r"\W", "", payload)) < 2 or (payload.isascii() and len(payload.split()) < 2 and not re.search(r"\d", payload))
    if too_short or payload.rstrip().endswith(("?", "？")):
        return []
    language = language_of(payload)
    inner = [judged.signal for judged in map(_judge, split_clauses(payload, role)) if judged.signal not in (None, "outcome")]
    signals: tuple[Signal, ...] = ("remember", *(signal for signal in inner[:1] if signal is not None))
    return [Finding(signals, payload, 0.95, language, order=request.order)]


_OPEN_EN = re.compile(
    r"^(?:(?:and|but|so|oh|well|yes|yeah|no|ok|okay|also|because|then|honestly|actually)[,\s]+)*(?:(?:it"
    r"|that|this|these|those|they|he|she|him|them)(?:'s|'re|'ll)?\b(?!\s+(?:week|month|year|weekend"
    r"|repo|project|module|team|company|api|box|morning|evening|summer|winter|box|machine|device|time"
    r"|one\s+is))|there\s+(?:is|are)\s+(?:it|that)\b)",
    re.IGNORECASE,
)
_OPEN_ZH = re.compile(
    r"^(?:它|他|她|他们|她们|这(?:样|个|些)?(?![个周月年台次边里家项模款])|那(?:样|个|些)?|此)(?:都|也|就|是|不|很|真|可|太|挺|还)"
)


_VAGUE_END = re.compile(r"\bwent\s+(?:really\s+|very\s+|pretty\s+)?(?:well|great)\b|\b(?:great|huge|big|real)\s+success\b", re.IGNORECASE)
"""As in "the meetings went really well": which ones, nobody will know."""


def self_contained(found: Finding) -> bool:
    """Whether the statement can be read without what stood around it. A constraint may begin with "it has to": its topic is the project."""
    text = found.text.strip()
    size = len(re.sub(r"\W", "", text))
    if size < (3 if found.language == "zh" else 4):
        return False
    if found.ending is not None and (size < 6 if found.language == "zh" else len(text.split()) <= 6 and _VAGUE_END.search(text)):
        return False
    if found.signals[0] in ("constraint", "remember"):
        return True
    if found.ending is not None and len(text.partition(": ")[2].split()) >= 4:
        return True
    return not (_OPEN_ZH if found.language == "zh" else _OPEN_EN).match(text)
