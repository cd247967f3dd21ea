"""How long texts are for a model, without its tokeniser; windows and batches of even cost follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hindsight.adapters.embedders.windows import weights_of, windows_of

_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]")
_TOKENS_A_WIDE_CHARACTER = 0.75
_TOKENS_A_CHARACTER = 0.25
_OVERLAP = 1 / 8


@dataclass(frozen=True, slots=True)
class Parts:
    """Windows of texts; ``owners[i]`` is the number of the text that window ``i`` belongs to, ``weights[i]`` how much it counts."""

    texts: list[str]
    owners: list[int]
    weights: list[float]


def estimated_tokens(text: str) -> float:
    """About how many tokens a multilingual model makes of a text: 3 for 4 Chinese characters, 1 for 4 Latin ones."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return 2 + _TOKENS_A_WIDE_CHARACTER * wide + _TOKENS_A_CHARACTER * (len(text) - wide)


def cut(texts: Sequence[str], *, tokens: int) -> Parts:
    """Texts in overlapping windows of about ``tokens`` each; a short text is one window."""
    parts = Parts([], [], [])
    for owner, text in enumerate(texts):
        needed = estimated_tokens(text)
        size = len(text) if needed <= tokens else max(16, int(len(text) * tokens / needed))
        windows = windows_of(text, size=size, overlap=int(size * _OVERLAP))
        parts.texts.extend(windows)
        parts.owners.extend([owner] * len(windows))
        parts.weights.extend(weights_of(windows))
    return parts


def token_batches(texts: Sequence[str], *, tokens: int = 4096, most: int = 256) -> Iterator[tuple[slice, float]]:
    """Consecutive texts in batches of about ``tokens`` and at most ``most`` texts, each with its estimated tokens.

    An import that embeds batch by batch and counts these tokens, not texts, shows a progress whose rate holds.
    """
    start, gathered = 0, 0.0
    for index, text in enumerate(texts):
        needed = estimated_tokens(text)
        if index > start and (gathered + needed > tokens or index - start >= most):
            yield slice(start, index), gathered
            start, gathered = index, 0.0
        gathered += needed
    if texts:
        yield slice(start, len(texts)), gathered
