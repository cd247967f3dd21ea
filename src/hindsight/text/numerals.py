"""Small numbers in Chinese and English words, vague ones as a range."""

from __future__ import annotations

import re

ZH_NUMBER = "(?:[0-9]{1,4}|好?几十?|十几|数|[〇零一二两三四五六七八九十百]{1,6})"
"""Pattern of what `zh_range` reads."""
EN_NUMBER = (
    r"(?:[0-9]{1,4}|a couple(?: of)?|couple(?: of)?|a few|few|several|an?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|ninety|hundred)"
)
"""Pattern of what `en_range` reads."""

_ZH_DIGITS = {
    digit: value for value, digits in enumerate(("〇零", "一", "二两", "三", "四", "五", "六", "七", "八", "九")) for digit in digits
}
_ZH_VAGUE = {"几": (2, 5), "好几": (3, 8), "数": (2, 5), "十几": (11, 19), "几十": (20, 90), "好几十": (30, 90)}
_EN_VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7)}
_EN_VALUES = {
    word: value
    for value, word in [
        *enumerate("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(), 1),
        *[(1, "a"), (1, "an"), (18, "eighteen"), (20, "twenty"), (30, "thirty"), (40, "forty"), (50, "fifty"), (90, "ninety")],
        (100, "hundred"),
    ]
}


def zh_range(text: str) -> tuple[int, int]:
    """Lowest and highest value of a numeral: "三" (3, 3), "两三" (2, 3), "几" (2, 5), "二〇二三" (2023, 2023).

    Raises:
        ValueError: `text` does not match `ZH_NUMBER`, or has no value ("十百").
    """
    if text.isascii():
        return int(text), int(text)
    if text in _ZH_VAGUE:
        return _ZH_VAGUE[text]
    if all(character in _ZH_DIGITS for character in text):
        digits = [_ZH_DIGITS[character] for character in text]
        if len(digits) == 2 and digits[1] == digits[0] + 1 and digits[0] > 0:
            return digits[0], digits[1]
        value = int("".join(map(str, digits)))
        return value, value
    match = re.fullmatch("(?:([一二两三四五六七八九])百零?)?(?:([一二三四五六七八九])?(十))?([一二三四五六七八九])?", text)
    if match is None:
        raise ValueError(f"{text!r} is not a number")
    hundreds, tens, ten, ones = match.groups()
    value = 100 * _ZH_DIGITS.get(hundreds or "零", 0) + _ZH_DIGITS.get(ones or "零", 0)
    value += 10 * _ZH_DIGITS[tens] if tens else 10 if ten else 0
    return value, value


def en_range(text: str) -> tuple[int, int]:
    """Lowest and highest value of a number: "three" (3, 3), "a few" (2, 5), "a couple of" (2, 3).

    Raises:
        ValueError: `text` does not match `EN_NUMBER`.
    """
    word = text.lower().removesuffix(" of").removeprefix("a ").strip()
    if word in _EN_VAGUE:
        return _EN_VAGUE[word]
    value = int(word) if word.isdecimal() else _EN_VALUES.get(word)
    if value is None:
        raise ValueError(f"{text!r} is not a number")
    return value, value
