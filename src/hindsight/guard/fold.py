"""Copies of a text for scanning: what a reader, or a model, would make of it. Nothing of this is stored.

One copy with every disguise of characters undone, and one for each thing found encoded in it, decoded once.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from hindsight.text.fold import fold, visible

SCANNED = 262_144
"""Characters of a text that are looked at: its first and last half of this. What stands between is longer than a memory should be."""
SHIFTED = 20
"""Passages of strange words for which every shift of the letters is tried."""
MAX_DECODED = 16
"""Encoded pieces that are decoded."""

_CONFUSABLE = str.maketrans(
    "аәеёіїјкмոорсѕтухһԁԛԝгпвнАВЕКМНОРСТХІЈЅαβεικνορτυχγηωΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡɩʏᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢ",
    "aaeeiijkmoopcstyxhdqwrnbhABEKMHOPCTXIJSabeiknoptuxynwABEZHIKMNOPTYXiagiyabcdeghijklmnoprstuvwz",
)
_LOOKALIKE = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0131\u0251\u0261\u0269\u028f\u0299\u029c\u0262\u026a\u029f\u0274\u0280\u1d00-\u1d22\ua730\ua731]"
)
_MIXED_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_ZERO_WIDTH = re.compile("(?<=[^\\W_])[\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe00-\ufe0f](?=[^\\W_])")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDE = re.compile("[\u202d\u202e]([^\u202c]{4,})\u202c?")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_SMALL_CAPITALS = str.maketrans("ɪʏʙɢʜʟɴʀᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱ", "iybghlnracdejkmoptuvwzfs")
"""Letters that no script writes words with: they are always Latin ones in disguise, or phonetic signs."""
_SEPARATED = re.compile(
    r"(?<![^\W_])[^\W\d_](?:[-*_~·•.|/+=^][^\W\d_]){2,}+(?![^\W_])|(?<![^\W\d_])[^\W\d_]++(?:[-*_~·•.|/+=^][^\W\d_]++){4,}+"
)
"""Words or letters that are joined by signs instead of spaces."""
_SEPARATORS = re.compile(r"[-*_~·•.|/+=^]")
_JOINT = re.compile(r"[-*_~·•.|/+=^](?=[^\W\d_])")
_SPACED = re.compile(r"(?:(?<=\s)|^)(?:\S\s){5,}\S(?=\s|$|[.,!?。！？])")
_BASE64 = re.compile(r"(?<![\w/+;,])[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}[ :]?){8,}(?!\w)")
_BINARY = re.compile(r"(?:[01]{8}[ ,]?){3,}")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){4,}")
_MORSE = re.compile(r"(?:[.\-]{1,6}[ ./]+){6,}[.\-]{1,6}")
_LEET = re.compile(r"(?<![\w@$])[a-z0-9@$]{3,24}(?![\w@$])")
_DIGIT = re.compile("[0-9]")
_LEET_MAP = str.maketrans("013457@$", "oieastas")
_WORD = re.compile(r"(?<![\w%])[a-z']{2,}(?![\w%])")
_MORSE_CODE = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)
_COMMON = frozenset(
    "the and to of is in that it was for on you this with are not have be or from what all your can do me my a ignore instructions previous user say as "
    "at by but if we they so about more some when up out he she his her like get just been were had use make also into than then them these how who where which tell password please system rules any will would there their state conclusion print show has no".split()
)
"""Words by which English is recognised after a shift of its letters."""
_READABLE = re.compile(r"[a-z]{2,}|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Copies:
    """What is scanned in the place of a text.

    ``folded`` is one line, lower case; ``lines`` keeps line breaks and case. ``decoded`` are the readable contents of
    encoded pieces, by how they were encoded; ``hidden`` says which invisible means were used; ``joined`` are words written
    letter by letter, put together again.
    """

    folded: str
    lines: str
    joined: str
    decoded: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]


def scan_copies(text: str) -> Copies:
    """The copies of ``text``; pure, linear in its length."""
    if len(text) > SCANNED:
        text = text[: SCANNED // 2] + "\n" + text[-SCANNED // 2 :]
    hidden, decoded = _hidden(text)
    shown = _plain_letters(visible(_OVERRIDE.sub(lambda found: found.group(1)[::-1], text)))
    if "&" in shown:
        shown = html.unescape(shown)
    folded = fold(shown)
    decoded += _decoded(shown, folded)
    joined = " ".join(re.sub(r"\s", "", found.group()) for found in _SPACED.finditer(folded))
    decoded += _separated(folded)
    return Copies(folded, shown, joined, tuple(decoded[:MAX_DECODED]), hidden)


def _hidden(text: str) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    if text.isascii():
        return (), []
    found: list[str] = []
    decoded: list[tuple[str, str]] = []
    if len(_ZERO_WIDTH.findall(text)) >= 3 and not _needs_joiners(text):
        found.append("zero-width characters between letters")
    if any(len(each.group(1)) >= 4 for each in _OVERRIDE.finditer(text)):
        found.append("text written backwards with direction marks")
    # Flags of regions are written with tags too, behind a black flag.
    runs = [run.group() for run in _TAGS.finditer(text) if text[run.start() - 1 : run.start()] != "\U0001f3f4"]
    decoded.extend(("invisible tags", fold("".join(chr(ord(each) - 0xE0000) for each in run))) for run in runs)
    if decoded:
        found.append("invisible tag characters")
    return tuple(found), decoded


def _separated(folded: str) -> list[tuple[str, str]]:
    """The text with its words freed of the signs between them: letter by letter they are one word, else words of their own."""
    if len(_JOINT.findall(folded)) < 2 or not _SEPARATED.search(folded):
        return []

    def freed(chain: re.Match[str]) -> str:
        parts = _SEPARATORS.split(chain.group())
        return ("" if max(map(len, parts)) == 1 else " ").join(parts)

    return [("signs between", _SEPARATED.sub(freed, folded))]


def _needs_joiners(text: str) -> bool:
    """Scripts that are written with zero-width joiners (Arabic, Persian, the Indic ones, Thai, Khmer)."""
    return bool(re.search("[\u0600-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1780-\u17ff]", text))


def _plain_letters(text: str) -> str:
    """Look-alike letters of other scripts in words that also have Latin ones, or in a text without any other word of that script."""
    if text.isascii() or not _LOOKALIKE.search(text):
        return text
    text = text.translate(_SMALL_CAPITALS)

    def plain(word: re.Match[str]) -> str:
        given = word.group()
        if not _LOOKALIKE.search(given):
            return given
        latin = given.translate(_CONFUSABLE)
        return latin if _LATIN.search(given) or (latin.isascii() and mostly_latin) else given

    letters = sum(map(str.isalpha, text))
    mostly_latin = letters > 0 and len(_LATIN.findall(text)) >= 0.4 * letters
    return _MIXED_WORD.sub(plain, text)


def _decoded(shown: str, folded: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, pattern, read in (
        ("base64", _BASE64, _base64),
        ("hexadecimal", _HEX, _hexadecimal),
        ("binary", _BINARY, _binary),
        ("escapes", _ESCAPES, _escapes),
        ("Morse", _MORSE, _morse),
    ):
        pieces = (fold(read(each.group())) for each in islice(pattern.finditer(shown), MAX_DECODED))
        found.extend((name, piece) for piece in pieces if readable(piece))
    if shown.count("%") >= 4 and readable(piece := _percent(shown)):
        found.append(("percent signs", piece))
    if len(_DIGIT.findall(folded)) >= 3 and (
        sum(each.isalnum() and not each.isalpha() and not each.isdigit() for each in _LEET.findall(folded)) >= 3
    ):
        found.append(("digits for letters", " ".join(word.translate(_LEET_MAP) for word in folded.split())))
    shifted = _shifted(folded)
    if shifted:
        found.append(("shifted letters", shifted))
    return found


def readable(text: str) -> bool:
    """Whether a decoded piece is language: words of letters, hardly anything else."""
    if not text or "\ufffd" in text:
        return False
    letters = sum(each.isalpha() or each.isspace() or each in ".,;:!?'\"，。！？：" for each in text)
    return letters >= 0.75 * len(text) and len(_READABLE.findall(text)) >= 3


def _base64(given: str) -> str:
    if given.isdigit() or given.islower() or given.isupper() or ("-" in given and "_" not in given and given.count("-") > 1):
        return ""
    padded = given.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _hexadecimal(given: str) -> str:
    digits = re.sub(r"[ :]", "", given)
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return ""


def _percent(shown: str) -> str:
    """Words with several percent-encoded characters that are no address."""
    words = [word for word in shown.split() if "://" not in word and len(_PERCENT.findall(word)) >= 4]
    return fold(" ".join(map(unquote, words[:MAX_DECODED])))


def _binary(given: str) -> str:
    return bytes(int(octet, 2) for octet in re.findall("[01]{8}", given)).decode("utf-8", "replace")


def _escapes(given: str) -> str:
    return "".join(chr(int(code.lstrip("\\ux"), 16)) for code in re.findall(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}", given)).replace(
        "\0", ""
    )


def _morse(given: str) -> str:
    words = [[_MORSE_CODE.get(letter, "") for letter in word.split()] for word in re.split(r"\s*/\s*", given)]
    return " ".join("".join(word) for word in words)


def _shifted(folded: str) -> str:
    """The text behind a Caesar cipher, where words of a longer Latin passage only make sense after a shift."""
    sample = folded if len(folded) <= 4_000 else folded[-4_000:]
    words = _WORD.findall(unicodedata.normalize("NFKD", sample))
    if len(words) < 6:
        return ""
    starts = range(0, max(1, len(words) - 11), 6)
    odd = [words[start : start + 12] for start in starts if sum(word in _COMMON for word in words[start : start + 12]) < 2][:SHIFTED]
    if not odd:
        return ""
    hits, place, shift = max(
        (sum(word.translate(table) in _COMMON for word in passage), place, shift)
        for shift, table in _SHIFTS
        for place, passage in enumerate(odd)
    )
    if hits < max(4, 0.4 * len(odd[place])):
        return ""
    return sample.translate(dict(_SHIFTS)[shift])


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHIFTS = tuple((shift, str.maketrans(_LETTERS, _LETTERS[shift:] + _LETTERS[:shift])) for shift in range(1, 26))
