"""Two normal forms of text: what may be stored (`sanitise`) and what is compared (`fold`)."""

from __future__ import annotations

import re
import unicodedata

# Characters a reader cannot see: C0/C1 controls that are not white space, soft hyphen, zero-width and bidirectional
# controls, grapheme joiner, Hangul fillers, variation selectors, BOM, interlinear anchors and the tag block.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_ASCII_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")


def sanitise(text: str) -> str:
    """Return `text` as it can be stored and encoded: NUL removed, surrogate pairs joined, lone surrogates → U+FFFD.

    Everything else stays verbatim, so that what is read back equals what was written.
    """
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def visible(text: str) -> str:
    """Return the NFKC form of `text` without invisible characters; case and white space are kept."""
    if text.isascii():
        return _ASCII_CONTROL.sub("", text)
    normal = unicodedata.normalize("NFKC", text)
    shown = _INVISIBLE.sub("", normal)
    # What stood between a letter and its accent may be gone now, so that they compose.
    return shown if len(shown) == len(normal) else _INVISIBLE.sub("", unicodedata.normalize("NFKC", shown))


def fold(text: str) -> str:
    """Return the form in which texts are compared: visible characters, case folded, white space collapsed.

    `fold(fold(text)) == fold(text)`. Traditional and simplified Chinese stay apart.
    """
    text = visible(text)
    if text.isascii():
        return " ".join(text.lower().split())
    # Case folding can undo NFKC and the other way round ("\u0345"); a second round reaches the fixed point.
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(_INVISIBLE.sub("", text).split())
