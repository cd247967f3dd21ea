"""What every model is spared: NUL and lone surrogates, which tokenisers and JSON refuse or stumble over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight.errors import InvalidInput

_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_text(text: object) -> str:
    """A text with a space for NUL and U+FFFD for a lone surrogate; surrogate pairs become their character.

    Raises:
        InvalidInput: not a text.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"A model reads texts, not {type(text).__name__}.")
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", " ")


def plain_texts(texts: Sequence[str]) -> list[str]:
    """The plain form of each text.

    Raises:
        InvalidInput: a lone string, or an element that is not a string.
    """
    if isinstance(texts, str):
        raise InvalidInput("A list of texts is expected, not one text: pass [text].")
    return [plain_text(text) for text in texts]
