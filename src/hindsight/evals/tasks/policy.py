"""The scripted agent: one policy for every task. It knows a tool's values and reads what it is given; nothing else.

A value is supported by a text that names it, and opposed by one that names it in a clause that denies ("do not", "is not supported",
不要, 失败; a limit that must not be exceeded denies nothing). Of the texts that support a value other than the default the one of the latest
date decides, among those of one date the first. Where none is supported, a default that is opposed gives way to the first
value that is not. Else the default stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLAUSE = re.compile(r"[.!?;:,](?=\s|$)|[。！？；：，、|·\n]")
_DENIES_WHAT_FOLLOWS = re.compile(
    r"\b(?:not|never|no|avoid(?:ing)?|without|instead of|rather than|cannot|stopped|\w+n['’]t)\b|不|别|勿|禁止|避免|没", re.IGNORECASE
)
_LIMIT = re.compile(r"\bnot (?:exceed|be more than|be over|be later than)|不(?:能|得|可|要)?(?:超过|多于|晚于)", re.IGNORECASE)
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_DENIES_WHAT_PRECEDES = re.compile(
    r"\b(?:not|ignored|fail(?:s|ed|ure)?|incompatible|refused|wrong|timeout|error)\b|不支持|不行|失败|错误|报错|无效", re.IGNORECASE
)


def decide(values: Sequence[str], default: str, texts: Sequence[str]) -> str:
    """The value to call the tool with, after reading ``texts``, the most telling first."""
    opposed: set[str] = set()
    supported: list[tuple[str, int, str]] = []
    for place, text in enumerate(texts):
        named = {value: _stance(value, text) for value in values}
        opposed |= {value for value, stance in named.items() if stance is False}
        chosen = next((value for value in values if named[value] and value != default), None)
        if chosen is not None:
            supported.append((max(_DATE.findall(text), default=""), -place, chosen))
    if supported:
        return max(supported)[2]
    if default in opposed:
        return next((value for value in values if value not in opposed), default)
    return default


def _stance(value: str, text: str) -> bool | None:
    """Whether the text names the value and stands for it; None where it does not name it."""
    pattern = _named(value)
    found = None
    for clause in _CLAUSE.split(_LIMIT.sub("<=", text)):
        for match in pattern.finditer(clause):
            if _DENIES_WHAT_FOLLOWS.search(clause[: match.start()]) or _DENIES_WHAT_PRECEDES.search(clause[match.end() :]):
                return False
            found = True
    return found


def _named(value: str) -> re.Pattern[str]:
    escaped = re.escape(value)
    before = r"(?<![A-Za-z0-9_])" if value[:1].isascii() and value[:1].isalnum() else ""
    after = r"(?:e?s)?(?![A-Za-z0-9_])" if value[-1:].isascii() and value[-1:].isalnum() else ""
    return re.compile(before + escaped + after, re.IGNORECASE)
