"""Names in Latin script: runs of capitalised words inside sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindsight.text.entity_kinds import EntityKind, Named
from hindsight.text.name_lists import EN_GIVEN_NAMES, EN_NOT_NAMES, EN_ORGANISATION_ENDS, EN_PLACE_ENDS, EN_PLACES, EN_TITLES

_LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_WORD = rf"(?:[A-Z\u00c0-\u00d6\u00d8-\u00de][{_LETTER}0-9'’&-]*|[A-Z]\.)"
_TITLED_WORD = rf"(?:(?:Mrs?|Ms|Dr|Prof|St)\.|{_WORD})"
_CAPITALS = re.compile(
    rf"(?<![{_LETTER}0-9_@#/.\\-]){_TITLED_WORD}(?:(?: of the| of| de| van| von| der|) (?:{_WORD}|\d{{1,4}}\b(?![.:%,]\d|[a-z%])))*(?![{_LETTER}_])"
)
_HEADING = re.compile(r"\*\*[^*\n]{1,80}\*\*|^#{1,6} .*$|^[^.!?\n]{1,60}:$", re.MULTILINE)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n。！？：；]|[-*•] |\d[.)])[\s\"“'(*\[-]*$")
_ACTS = re.compile(r" (?:said|says|told|asked|lives|lived|works|worked|loves|loved|likes|liked|went|came|called|texted|wrote|and I)\b")
_POSSESSIVE = re.compile(r"['’](?:s|m|re|ve|ll|d|t)?$")
_LINKS = frozenset(["of", "the", "de", "van", "von", "der"])


def find_names(text: str) -> Iterator[Named]:
    """Capitalised names. Headings of lists and texts in capitals are no evidence and are passed over."""
    if text.isupper():
        return
    if "*" in text or "\n" in text:
        text = _HEADING.sub(lambda match: "\n" * len(match[0]), text)
    for match in _CAPITALS.finditer(text):
        initial = _SENTENCE_START.search(text, max(0, match.start() - 8), match.start()) is not None
        for start, words in _names_in(match):
            if not (initial and start == match.start()) or _is_name_at_start(words, text, start):
                kind = _kind(words)
                if kind is not None:
                    yield start, " ".join(words), kind


def _names_in(match: re.Match[str]) -> Iterator[tuple[int, list[str]]]:
    """The run of capitalised words, cut at words that are no names and after a possessive."""
    words: list[str] = []
    begin = position = match.start()
    for word in match[0].split(" "):
        bare = _POSSESSIVE.sub("", word)
        linked = words and word in _LINKS
        if not linked and (_is_common(bare) or not bare or (not words and not bare[0].isupper())):
            yield from _trimmed(begin, words)
            words = []
        else:
            begin = begin if words else position
            words.append(bare)
            if bare != word:
                yield from _trimmed(begin, words)
                words = []
        position += len(word) + 1
    yield from _trimmed(begin, words)


def _is_common(word: str) -> bool:
    word = word.lower().rstrip(".")
    return word in EN_NOT_NAMES or (word.endswith("days") and word[:-1] in EN_NOT_NAMES)


def _trimmed(begin: int, words: list[str]) -> Iterator[tuple[int, list[str]]]:
    while words and words[-1] in _LINKS:
        words = words[:-1]
    if words:
        yield begin, words


def _is_name_at_start(words: list[str], text: str, start: int) -> bool:
    """A capital that begins a sentence is no evidence: the word must be known, do what people do, or come again inside."""
    first, name = words[0].rstrip(".").lower(), " ".join(words)
    if first in EN_GIVEN_NAMES or first in EN_TITLES or len(words) > 2 or name.lower() in EN_PLACES:
        return True
    after = start + len(name)
    return bool(_ACTS.match(text, after)) or bool(re.search(rf"[a-z,] {re.escape(name)}\b", text[after : after + 400]))


def _kind(words: list[str]) -> EntityKind | None:
    """The kind that the words of a name show; None where they are no name (a letter, a title alone)."""
    first, last = words[0].rstrip(".").lower(), words[-1].rstrip(".").lower()
    if " ".join(words).lower() in EN_PLACES:
        return EntityKind.PLACE
    if len(words) == 1:
        if len(first) < 2 or first in EN_TITLES or first in EN_PLACE_ENDS or first in EN_ORGANISATION_ENDS:
            return None
    elif last in EN_ORGANISATION_ENDS or first == "university":
        return EntityKind.ORGANISATION
    elif last in EN_PLACE_ENDS or first in ("lake", "mount"):
        return EntityKind.PLACE
    if first in EN_TITLES or (first in EN_GIVEN_NAMES and not words[0].isupper()):
        return EntityKind.PERSON
    return EntityKind.PRODUCT if any(character.isdigit() for character in words[-1]) else EntityKind.NAME
