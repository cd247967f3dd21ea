"""How many tokens of a language model a text will cost, estimated without a tokenizer."""

from __future__ import annotations

import math

_DIGITS = b"0123456789"
_PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LETTERS_ONLY = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
# First bytes of UTF-8 characters of two, three and four bytes: accented and Cyrillic letters; Han, kana, hangul; emoji.
_LEAD_2, _LEAD_3, _LEAD_4 = bytes(range(0xC2, 0xE0)), bytes(range(0xE0, 0xF0)), bytes(range(0xF0, 0xF5))


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of `text`, 0 for none, from counts of words, digits, punctuation and wide characters.

    Fitted between two byte-pair tokenizers: one that packs Chinese well (Qwen, 0.64 tokens a Han character) and one that
    does not (Claude 2, 1.1). Of 2,500 turns, notes, code files and JSON logs of 60 characters and more 99 % cost at most
    30 % more than estimated, whichever of the two counts. Median error with one and the other: English prose +3 and 0 %,
    code +12 and +5 %, JSON +5 and +12 %, Chinese +11 and -1 % (at most +54 %).
    """
    data = text.encode("utf-8", "surrogatepass")

    def count(characters: bytes) -> int:
        return len(data) - len(data.translate(None, characters))

    words = data.translate(_LETTERS_ONLY).split()
    # Long words are cut into pieces; keys and hashes into many.
    long = sum(len(word) - 7 for word in words if len(word) > 7)
    very_long = sum(len(word) - 14 for word in words if len(word) > 14)
    return math.ceil(
        1.05 * len(words)
        + 0.12 * long
        + 0.3 * very_long
        + 1.0 * count(_DIGITS)
        + 0.6 * count(_PUNCTUATION)
        + 1.0 * data.count(b"\n")
        + 0.3 * data.count(b"  ")
        + 0.75 * count(_LEAD_2)
        + 0.95 * count(_LEAD_3)
        + 4.0 * count(_LEAD_4)
    )
