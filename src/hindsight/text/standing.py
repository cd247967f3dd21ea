"""Whether a word stands in a text: a Latin one as a whole, a Chinese one anywhere, since Han has no word boundaries."""

from __future__ import annotations


def stands(word: str, text: str) -> bool:
    """Whether the folded ``word`` (not empty; it may have spaces) stands in the folded ``text``."""
    start = text.find(word)
    while start >= 0:
        before, after = text[max(0, start - 1) : start], text[start + len(word) : start + len(word) + 1]
        if not (_joins(word[0]) and _joins(before)) and not (_joins(word[-1]) and _joins(after)):
            return True
        start = text.find(word, start + 1)
    return False


def _joins(character: str) -> bool:
    """Whether a letter or digit of a script that writes words apart."""
    return character.isalnum() and not "\u2e80" <= character <= "\u9fff"
