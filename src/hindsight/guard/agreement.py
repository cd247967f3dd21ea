"""Agreement: advice that stands alone against what its neighbours say, and texts written to be found by every question. Pure.

Advice has a direction: to do something, or to leave it. Each word that leaves or denies ("never", "skip", "without", 不要, 跳过)
turns the direction round, so that "never deploy without tests" and "run the tests before you deploy" point the same way. Advice
against which most neighbours on its topic point is an outlier: after A-MemGuard's consensus (arXiv 2510.02373), without a model.

A magnet is recognised by density alone: a few words that make up the text, one question in many wordings, or a long list of
topics that is said to be what the text is about. All measures are linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise

from hindsight.text.tokens import query_tokens

LONGEST_ADVICE = 300
"""Characters of a text that gives one piece of advice; a longer one gives several, and has no one direction."""
SOUGHT = 10
SAME_TOPIC = 0.4
"""Share of the shorter text's telling words that two texts on one topic have in common."""
AGAINST = 3
"""Neighbours that must point the other way."""
MAJORITY = 0.75
"""Share of the neighbours on the topic that must point the other way."""
STUFFED_FROM = 30
STUFFED = 0.45
"""A text of so many words is stuffed where its four commonest telling words make up such a share of them."""
NUMBERS = 0.1
REWORDED = 5
"""Questions that share half of their words with the one before, in a text that is mostly questions."""
TOPICS = 14
"""Items of a list of topics."""
SHORT_ITEM = 30
CLAIMS = 3
"""So many places that introduce a list are looked at."""
LOOKED_AT = 20_000
"""Characters of a text that are looked at."""

_LEAVES = re.compile(
    r"\b(?:never|not|(?:do|does|should|must|need|ca|wo)n['’]?t|cannot|no need|skip(?:s|ped|ping)?|avoid(?:s|ing)?|without|bypass(?:es|ing)?|disabl(?:e|es|ing)|omit(?:s|ting)?"
    r"|unnecessary|stop|refrain|ignor(?:e|es|ing)|instead of|rather than|waste of time|useless|pointless)\b"
    r"|不要|不必|不用|不需要|无需|无须|切勿|请勿|禁止|跳过|省略|省掉|避免|绕过|关闭|停用|禁用|忽略|没必要|没有必要|多余|浪费时间|别(?!人|的|处|名|墅)|不(?=先|经|做|跑|备|检|核|确|运|测|审)",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:always|must|should|needs? to|have to|make sure|ensure|required?|first|before|after|remember to|check|verify|confirm|run|use|keep|wait|ask|call|open|back ?up|test|review|deploy|update|set|enable|pays? off|best)\b"
    r"|必须|应该|应当|务必|一定要|需要|记得|先|之前|确保|总是|每次|检查|核对|确认|备份|测试|审核|使用|启用|运行|最好|建议",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]{2}|[^\W\d_]+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[?？]?")
_ASKS = re.compile(
    r"^\s*(?:what|who|when|where|which|why|how|is|are|can|could|does|do|should|请问|如何|怎么|怎样|什么|哪)\b|[?？]$|^\s*(?:如何|怎么|怎样)"
)
_LISTED = re.compile(
    r"\b(?:key ?words?|search terms?|tags|related (?:topics|queries|questions|searches)|relevant (?:to|for|when)|appl(?:y|ies) to|matches|topics|useful for)\b"
    r"|关键词|搜索词|标签|相关(?:问题|话题|查询|主题)|适用于|凡是?涉及|涉及|无论(?:问|谈|聊)|话题",
)
_ITEM = re.compile(r"[^,;、，；|/]+")
_END = re.compile(r"[.。!！?？\n]")
_STRUCTURE = frozenset(
    "the a an of to and or in on for is are was be with it this that you your i we at by from as if not no do 的 了 是".split()
)


def direction(text: str) -> int:
    """1 where the text advises to do something, -1 where it advises to leave it, 0 where it is too long or advises nothing."""
    if len(text) > LONGEST_ADVICE:
        return 0
    leaves = len(_LEAVES.findall(text))
    if not leaves and not _DOES.search(text):
        return 0
    return -1 if leaves % 2 else 1


def outlier(text: str, neighbours: Sequence[str]) -> str | None:
    """Why the advice of ``text`` stands against that of its ``neighbours``; None where it does not."""
    own = direction(text)
    if not own or len(neighbours) < AGAINST:
        return None
    topic = _topic(text)
    others = [direction(each) for each in neighbours if _same_topic(topic, _topic(each))]
    said = [each for each in others if each]
    against = sum(each != own for each in said)
    if against < AGAINST or against < MAJORITY * len(said):
        return None
    return f"advises against what {against} of {len(said)} memories on its topic say"


def magnet(text: str) -> str | None:
    """Why the text looks as though it was written to be found by every question; None where it does not."""
    looked = text[:LOOKED_AT].lower()
    return _stuffed(looked) or _reworded(looked) or _claims_topics(looked)


def topic_words(text: str) -> list[str]:
    """The few words by which neighbours of a piece of advice are looked for: its longest."""
    return sorted(_topic(text), key=lambda word: (-len(word), word))[:SOUGHT]


def _topic(text: str) -> frozenset[str]:
    told = _LEAVES.sub(" ", _DOES.sub(" ", text[:LONGEST_ADVICE]))
    return frozenset(token for token in query_tokens(told) if len(token) > 1)


def _same_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= 2 and shared >= SAME_TOPIC * min(len(one), len(other))


def _stuffed(text: str) -> str | None:
    found = _WORD.findall(text)
    if len(found) < STUFFED_FROM:
        return None
    words = [word for word in found if not word.isdigit()]
    # Numbers in between tell a log or a table, whose lines are alike by nature.
    if len(words) < STUFFED_FROM or len(set(words)) < 3 or len(found) - len(words) > NUMBERS * len(found):
        return None
    commonest = Counter(word for word in words if word not in _STRUCTURE and len(word) > 1).most_common(4)
    if sum(count for _, count in commonest) < STUFFED * len(words):
        return None
    return f"stuffed with the words {', '.join(word[:30] for word, _ in commonest)}"


def _reworded(text: str) -> str | None:
    sentences = [each.strip() for each in _SENTENCE.findall(text)]
    if len(sentences) < REWORDED:
        return None
    asked = [each for each in sentences if _ASKS.search(each)]
    if 2 * sum(map(len, asked)) < sum(map(len, sentences)):
        return None
    words = [frozenset(_WORD.findall(each)) - _STRUCTURE for each in asked]
    alike = sum(bool(one and other) and 2 * len(one & other) >= len(one | other) for one, other in pairwise(words))
    return f"one question in {alike + 1} wordings" if alike + 1 >= REWORDED else None


def _claims_topics(text: str) -> str | None:
    """A list of many short items right behind words that say that these are what the text is to be found by."""
    for claim in islice(_LISTED.finditer(text), CLAIMS):
        listed = _END.split(text[claim.end() :], maxsplit=1)[0]
        items = {item.strip() for item in _ITEM.findall(listed)}
        short = sum(0 < len(item) <= SHORT_ITEM for item in items)
        if short >= TOPICS:
            return f"names {short} topics to be found by"
    return None
