"""The shape of a question: what kind of answer it wants. Word lists, Chinese and English. Pure."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from hindsight.text.language import Language

_EN = {
    "when": r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b",
    "who": r"\bwho(?:m|se)?\b",
    "where": r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|town|restaurant|shop|store)\b",
    "how_many": r"\bhow (?:many|much)\b|\bnumber of\b|\btotal\b",
    "how_long": r"\bhow (?:long|old|often|far)\b",
    "why": r"\bwhy\b|\bwhat (?:inspired|motivat\w+|made|reason|prompted)\b|\breasons?\b",
    "how": r"\bhow (?:did|do|does|is|was|has|have|can|would|should)\b",
    "what": r"\b(?:what|which)\b",
    "whether": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will)\b",
    "advice": r"\b(?:suggest|recommend|advi[cs]e|ideas|tips|any thoughts)\w*",
    "earlier_talk": r"\bremind me\b|\b(?:previous|last|earlier|our) (?:conversation|chat|discussion)s?\b|"
    r"\byou (?:told|said|mentioned|recommended|suggested|provided|gave)\b|\bwe (?:talked|discussed|were)\b",
    "likely": r"\bwould\b|\blikely\b|\bmight\b",
    "order": r"\b(?:first|before|after|order|earliest|latest|most recent|last)\b",
}
_ZH = {
    "when": r"什么时候|何时|哪一?天|哪个?月|哪年|几号|几点|什么时间|日期",
    "who": r"谁|哪位|哪些人|何人|哪[两几]个人",
    "where": r"哪里|哪儿|何处|什么地方|哪家|哪个(?:地方|城市|餐厅)|位置|地点",
    "how_many": r"多少|几[次个位条家笔]|总共|一共|次数|总额",
    "how_long": r"多久|多长|间隔|第?几天",
    "why": r"为什么|为何|原因|动机",
    "how": r"怎么|怎样|如何|哪些(?:方式|步骤|措施|行动|方法)|方式",
    "what": r"什么|哪些|哪个|哪本|哪[两几]",
    "whether": r"是否|有没有|吗[?？]?$",
    "advice": r"建议|推荐",
    "earlier_talk": r"提醒我|上次(?:聊|说|讨论)|之前(?:聊|说|讨论|提到)|你(?:说过|提到|推荐过|建议过)",
    "likely": r"可能|会不会",
    "order": r"第一次|首次|最早|最近一次|最后|之前|之后|先后|顺序",
}
SHAPES = tuple(_EN)
_EN_PATTERNS = [re.compile(pattern) for pattern in _EN.values()]
_ZH_PATTERNS = [re.compile(_ZH[name]) for name in SHAPES]
_SELF = re.compile(r"\b(?:i|my|me|mine|i'm|i've)\b|我")
_POINTING_EN = re.compile(
    r"\b(?:do|does|did|it|that|this|these|those|them|one|ones|the|a|an|and|so|now|then|again|once|more|same|way|thing|like|as|before|"
    r"last|time|please|pls|go|on|keep|going|continue|proceed|carry|next|step|retry|redo|repeat|try|another|let|us|lets|can|could|you|we|i|"
    r"what|how|about|for|me|to|with|ok|okay|yes|just|still)\b"
)
_POINTING_ZH = re.compile(
    r"请|再|又|来|做|弄|试|搞|办|跑|一[次遍下个]|继续|接着|下去|下一步|然后呢?|重新|重试|重复|同样|照[旧样]|按|像|跟|和|上[次回]|之前|刚才|"
    r"那个?|这个?|它|他们?|她们?|怎么样?|如何|呢|吧|吗|了|的|地|得|就|还|也|好|行|可以|我们?|你|一样|那样|这样|样"
)


def says_nothing_itself(text: str) -> bool:
    """Whether a query only points at what is going on: "do it again", "再来一次"; also where it is empty."""
    left = _POINTING_ZH.sub("", _POINTING_EN.sub("", text.lower().replace("'", "")))
    return not any(character.isalnum() for character in left)


def asks(text: str, language: Language) -> NDArray[np.float32]:
    """1 for each of :data:`SHAPES` that the question has."""
    folded = text.lower()
    patterns = _ZH_PATTERNS if language == "zh" else _EN_PATTERNS
    return np.array([pattern.search(folded) is not None for pattern in patterns], dtype=np.float32)


def speaks_of_self(text: str) -> bool:
    """Whether the asker asks about himself."""
    return _SELF.search(text.lower()) is not None
