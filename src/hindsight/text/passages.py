"""Cutting a long text into passages that each say one thing, so that one of them can match where the whole is too mixed. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hindsight.text.lengths import estimate_tokens

LONG_TOKENS = 512
"""A text of at most this many estimated tokens is one passage: its own vector says what it says."""
PASSAGE_TOKENS = 160
MOST_PASSAGES = 64
"""A longer text gets longer passages, so that one record cannot fill the index."""

_LABEL = re.compile(r"([^\W\d_][\w.'-]{0,23}(?: [\w.'-]{1,24})?)[:：] ?\S")
_TURNS = 2
"""A label that begins this many lines of a text ("user: …") is taken for a speaker."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")


def split_passages(text: str) -> list[str]:
    """The passages of a long text in order, together the whole text but for white space; nothing for a text that is not long.

    Cuts are made at line breaks, in longer lines at the ends of sentences, in longer sentences anywhere; a line that begins
    with a speaker ("user: …") begins a passage.
    """
    total = estimate_tokens(text)
    if total <= LONG_TOKENS:
        return []
    limit = max(PASSAGE_TOKENS, 2 * total // MOST_PASSAGES)
    passages: list[str] = []
    held: list[str] = []
    size = 0
    for piece, tokens, opens in _pieces(text, limit):
        if held and (size + tokens > limit or (opens and 2 * len(passages) < MOST_PASSAGES)):
            passages.append("\n".join(held))
            held, size = [], 0
        held.append(piece)
        size += tokens
    if held:
        passages.append("\n".join(held))
    return passages


def _pieces(text: str, limit: int) -> Iterator[tuple[str, int, bool]]:
    """Pieces of at most ``limit`` tokens, their sizes, and whether one begins with a speaker."""
    labels = Counter(match[1] for line in text.splitlines() if (match := _LABEL.match(line)))
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped:
            continue
        label = _LABEL.match(line)
        opens = label is not None and labels[label[1]] >= _TURNS
        tokens = estimate_tokens(stripped)
        if tokens <= limit:
            yield stripped, tokens, opens
            continue
        for sentence in _SENTENCE.split(stripped):
            for part in _cut(sentence.strip(), limit):
                yield part, estimate_tokens(part), opens
                opens = False


def _cut(sentence: str, limit: int) -> Iterator[str]:
    tokens = estimate_tokens(sentence)
    if not sentence:
        return
    if tokens <= limit:
        yield sentence
        return
    width = max(1, len(sentence) * limit // tokens)
    for start in range(0, len(sentence), width):
        if part := sentence[start : start + width].strip():
            yield part
