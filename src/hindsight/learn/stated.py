"""Lessons that somebody states in so many words: "when X, do not do Y, because Z", and errors that name the missing step. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hindsight.guard.envelope import strip_recalled
from hindsight.records import Lesson
from hindsight.remember.distil.clauses import language_of
from hindsight.text.fold import sanitise

LONGEST = 2_000
"""Characters of a text that are looked at: a lesson is a sentence, not a document."""
_SENTENCE = re.compile(r"[^。！!\n]+?(?:[。！!\n]|\.(?=\s|$)|$)")
_EN_BECAUSE = r"(?:,?\s*(?:because|since|as|or else|otherwise)[,\s]+(?P<reason>.+?))?"
_EN = (
    re.compile(
        r"^(?:when(?:ever)?|before|after|while|if)\s+(?P<when>.{3,200}?),\s*(?P<no>do not|don't|never|avoid|always|first|make sure to)\s+"
        rf"(?P<do>.+?){_EN_BECAUSE}[.\s]*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?P<no>do not|don't|never|avoid|always)\s+(?P<do>.+?)\s+(?:when(?:ever)?|while|if|before)\s+(?P<when>.+?){_EN_BECAUSE}[.\s]*$",
        re.IGNORECASE,
    ),
)
_ZH_BECAUSE = r"(?:[，,；;]\s*(?:因为|否则|不然|以免|以防)(?P<reason>.+?))?"
_ZH = (
    re.compile(
        r"^(?:当|在|每次|如果|若)?(?P<when>.{2,100}?)(?:的时候|时|之前|前|后|的话)[，,]?\s*"
        rf"(?P<no>不要|别|切勿|禁止|不能|避免|务必|必须|一定要|应当|应该|要先|先)(?P<do>.+?){_ZH_BECAUSE}[。\s]*$"
    ),
)
_FORBIDS = frozenset({"do not", "don't", "never", "avoid", "不要", "别", "切勿", "禁止", "不能", "避免"})
_LOOP = re.compile(
    r"\bI (?:was|got) stuck in a loop (?:in which|where) I (?:continually |repeatedly |kept )?(?P<do>.{5,300}?)(?:\.(?=\s|$)|$)",
    re.IGNORECASE,
)
_REGRET = re.compile(
    r"\bI should (?P<no>not |never )?have (?P<do>.{5,400}?)(?:\.(?=\s|$)|$)|(?:我|当时)?(?:本应该?|本该|原本应该|早该|应该先)(?P<zh>[^。！!\n]{3,200})",
    re.IGNORECASE,
)
_NAME = r"[`'\"“]?(?P<step>[A-Za-z_][\w.\-]{2,60})[`'\"”]?"
_REQUIRED = (
    re.compile(rf"(?:call|run|use|do|complete|invoke)\s+{_NAME}(?:\(\))?\s+(?:first|before)", re.IGNORECASE),
    re.compile(rf"{_NAME}(?:\(\))?\s+(?:must|has to|needs to|should)\s+(?:be\s+\w+|come|run|succeed)\s+(?:first|before)", re.IGNORECASE),
    re.compile(rf"{_NAME}(?:\(\))?\s+(?:is|was)\s+(?:required|needed|missing)", re.IGNORECASE),
    re.compile(rf"(?:requires?|needs?|missing)\s+(?:a\s+|an\s+|prior\s+|successful\s+|call\s+(?:to|of)\s+)*{_NAME}", re.IGNORECASE),
    re.compile(rf"(?:请?先|需要?先|必须先|应先|要先)\s*(?:调用|运行|执行|使用|完成)?\s*{_NAME}"),
    re.compile(rf"{_NAME}\s*(?:必须先|需要先|须先|应先|要先)"),
    re.compile(rf"(?:缺少|需要|要求)\s*(?:先?调用|先?执行)?\s*{_NAME}"),
)


def stated_lessons(text: str) -> list[Lesson]:
    """Every lesson that the text states in the form "when X, (do not) do Y[, because Z]"."""
    clean = strip_recalled(sanitise(text))[:LONGEST]
    found = []
    for sentence in _SENTENCE.findall(clean):
        patterns = _ZH if language_of(sentence) == "zh" else _EN
        match = next((hit for pattern in patterns if (hit := pattern.match(sentence.strip(" .。，,；;")))), None)
        if match is not None:
            found.append(_lesson(match, "zh" if patterns is _ZH else "en"))
    return found


def regrets(text: str, task: str) -> list[Lesson]:
    """Lessons that an agent draws from its own failure: "I should have …", "I was stuck in a loop in which I …", "本应先…"."""
    clean = strip_recalled(sanitise(text))[:LONGEST]
    found = [
        Lesson(condition=f"in the task: {task}", action=f"go on like this: {match['do'].strip()}", reason="it is a loop", avoid=True)
        for match in _LOOP.finditer(clean)
    ]
    for match in _REGRET.finditer(clean):
        chinese = match["zh"] is not None
        action = (match["zh"] if chinese else f"have {match['do']}").strip(" ，,。.")
        condition = f"在任务“{task}”中" if chinese else f"in the task: {task}"
        found.append(Lesson(condition=condition, action=action, avoid=bool(match["no"])))
    return found


def required_steps(message: str, known: Iterable[str]) -> tuple[str, ...]:
    """Tools that an error names as missing steps ("call get_order first", "请先调用 get_order"); only names among ``known``."""
    names = set(known)
    clean = strip_recalled(sanitise(message))[:LONGEST]
    steps = [match["step"].rstrip(".") for pattern in _REQUIRED for match in pattern.finditer(clean)]
    return tuple(dict.fromkeys(step for step in steps if step in names))


def named_steps(message: str) -> tuple[str, ...]:
    """Like :func:`required_steps` where the tools are not known: only names that look like a tool's (``get_order``, ``order.check``)."""
    clean = strip_recalled(sanitise(message))[:LONGEST]
    steps = [match["step"].rstrip(".") for pattern in _REQUIRED for match in pattern.finditer(clean)]
    return tuple(dict.fromkeys(step for step in steps if "_" in step or "." in step))


def _lesson(match: re.Match[str], language: str) -> Lesson:
    forbids = match["no"].lower() in _FORBIDS
    first = match["no"] in ("要先", "先") or match["no"].lower() == "first"
    action = match["do"].strip(" ，,。.")
    if first:
        action = f"先{action}" if language == "zh" else f"first {action}"
    condition = match["when"].strip(" ，,")
    when = f"{condition}时" if language == "zh" else f"when {condition}"
    return Lesson(condition=when, action=action, reason=(match["reason"] or "").strip(" ，,。."), avoid=forbids)
