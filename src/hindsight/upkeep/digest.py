"""Digests: what an episode comes down to, in at most 200 characters. Extractive and pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from hindsight.records import Memory
from hindsight.remember.distil.clauses import language_of, split_sentences
from hindsight.text.fold import fold
from hindsight.text.tokens import query_tokens

LONGEST = 200
"""Characters of a digest."""
_TELLS = re.compile(
    r"\b(?:error|fail(?:ed|s|ure)?|fix(?:ed)?|repair(?:ed)?|because|cause|solution|result|must|never|always|password|key|address|port|version|"
    r"deadline|budget|decided|agreed)\b|错误|失败|修复|解决|原因|因为|结果|必须|不要|决定|约定|地址|端口|版本|截止|预算",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d|[A-Z][A-Za-z]+[A-Z_\-]|[「“\"'`]")

_NAMED = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}(?![A-Za-z0-9])|\w[/\\@]\w|(?<=[a-z,] )[A-Z][a-z]+ [A-Z][a-z]+")
"""Identifiers, paths, addresses and names of several words: what nobody can work out again."""


def digest_text(memory: Memory) -> str:
    """The sentences of an episode that tell most, in their order, within :data:`LONGEST` characters."""
    text = " ".join(memory.content.split())
    if len(text) <= LONGEST:
        return text
    sentences = split_sentences(text) or [text]
    asked = set(query_tokens(memory.query)) if memory.query else set()
    ranked = sorted(range(len(sentences)), key=lambda place: -_worth(sentences[place], place, len(sentences), asked))
    joint = "" if language_of(text) == "zh" else " "
    chosen: list[int] = []
    for place in ranked:
        if len(joint.join(sentences[each] for each in sorted((*chosen, place)))) <= LONGEST:
            chosen.append(place)
    if not chosen:
        return cut(sentences[ranked[0]])
    return joint.join(sentences[each] for each in sorted(chosen))


def digest_key(memory: Memory) -> str:
    """The same for episodes that say the same of the same: these share one digest."""
    parts = (
        fold(memory.query),
        fold(memory.content),
        str(memory.outcome),
        memory.task_type or "",
        memory.error_code or "",
        fold(memory.speaker or ""),
        str(memory.visibility),
    )
    return "digest:" + hashlib.blake2b("\x1f".join(parts).encode("utf-8"), digest_size=16).hexdigest()


def cut(text: str) -> str:
    """The beginning of a text, at a word's end."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    space = head.rfind(" ")
    return (head[:space] if space > LONGEST * 2 // 3 else head).rstrip() + "…"


def _worth(sentence: str, place: int, count: int, asked: set[str]) -> float:
    tokens = query_tokens(sentence)
    shared = sum(token in asked for token in tokens) / (len(tokens) or 1)
    ends = 0.5 if place == 0 else 0.4 if place == count - 1 else 0.0
    return ends + 0.8 * bool(_TELLS.search(sentence)) + 0.4 * bool(_VALUE.search(sentence)) + 0.8 * bool(_NAMED.search(sentence)) + shared


def united(lists: Sequence[Sequence[str]], most: int) -> tuple[str, ...]:
    """Every item once, in order, at most so many."""
    return tuple(dict.fromkeys(item for each in lists for item in each))[:most]
