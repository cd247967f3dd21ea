"""Stored texts as people should see them: escaped, what is invisible made visible, what the guard stumbled over marked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from markupsafe import Markup, escape

_INVISIBLE = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]|(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])"
)
"""What no reader sees, but a model reads. Joiners within emoji and the scripts that need them stay as they are."""
REASON = re.compile(r"; (?=flag: |redacted: |score |[a-z][a-z_ ]{2,30}: )")
"""Between the parts of a guard's note."""
_LEAST_MARKED = 3


def plainly(text: object) -> Markup:
    """A text with its invisible characters as their code points, so that nothing hides in it and nothing turns its direction."""
    given, pieces, end = str(text), [], 0
    for found in _INVISIBLE.finditer(given):
        pieces += [escape(given[end : found.start()]), _code(found.group())]
        end = found.end()
    return Markup("").join([*pieces, escape(given[end:])])


def highlighted(text: str, note: str) -> Markup:
    """A text in which what the guard's note quotes is marked."""
    spans = sorted(_found(text, quoted(note)))
    pieces, end = [], 0
    for start, stop in spans:
        if stop > end:
            first = max(start, end)
            pieces += [plainly(text[end:first]), Markup("<mark>"), plainly(text[first:stop]), Markup("</mark>")]
            end = stop
    return Markup("").join([*pieces, plainly(text[end:])])


def quoted(note: str) -> list[str]:
    """The words of the text that a guard's note quotes as its reasons."""
    found = []
    for reason in REASON.split(note)[1:]:
        told = reason.removeprefix("flag: ").partition(": ")[2].strip()
        if len(told) >= _LEAST_MARKED:
            found.append(told)
    return found


def _code(letter: str) -> Markup:
    name = f"U+{ord(letter):04X}"
    return Markup('<span class="unseen" title="{}">{}</span>').format(unicodedata.name(letter, name), name)


def _found(text: str, wanted: Iterable[str]) -> list[tuple[int, int]]:
    """Where the words stand in the text, however it writes them: compared without case, width, white space and what is invisible."""
    letters, places = [], []
    for place, letter in enumerate(text):
        if letter.isspace() or unicodedata.category(letter) == "Cf":
            continue
        for each in unicodedata.normalize("NFKC", letter).casefold():
            letters.append(each)
            places.append(place)
    whole, spans = "".join(letters), []
    for told in wanted:
        sought = "".join(unicodedata.normalize("NFKC", each).casefold() for each in told if not each.isspace())
        start = whole.find(sought) if sought else -1
        while start >= 0:
            spans.append((places[start], places[start + len(sought) - 1] + 1))
            start = whole.find(sought, start + len(sought))
    return spans
