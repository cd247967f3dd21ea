"""Echoes: statements that only repeat, nearly word for word, what was recalled before. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hindsight.remember.reconcile.relate import relate_statements
from hindsight.remember.reconcile.relation import SUPERSEDING
from hindsight.text.fold import fold
from hindsight.text.tokens import query_tokens

_GRAM = 4
_NEARLY = 0.85
_LEAST = 12
"""Shorter texts are compared whole: few grams agree by chance."""


def is_echo(text: str, recalled: Iterable[str]) -> bool:
    """Whether the text says nothing that one of the recalled texts does not say.

    At least 85 % of its character 4-grams and every one of its terms stand there, and it does not contradict it: a corrected
    number or a "no longer" is news, however alike the sentences are.
    """
    plain = _plain(text)
    if not plain:
        return False
    grams, terms = _grams(plain), set(query_tokens(text))
    for each in recalled:
        other = _plain(each)
        if plain == other:
            return True
        if len(plain) < _LEAST or len(grams & _grams(other)) < _NEARLY * len(grams):
            continue
        if terms <= set(query_tokens(each)) and relate_statements(each, text) not in SUPERSEDING:
            return True
    return False


def _plain(text: str) -> str:
    return re.sub(r"[^\w\u3400-\u9fff]+", "", fold(text))


def _grams(text: str) -> set[str]:
    return {text[start : start + _GRAM] for start in range(max(1, len(text) - _GRAM + 1))}
