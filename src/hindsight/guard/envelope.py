"""The envelope around recalled memories, and how its content is kept from coming back as new memories. Pure."""

from __future__ import annotations

import re

OPENING, CLOSING = "<memory_context>", "</memory_context>"
_BLOCK = re.compile(r"<\s*memory_context\b[^>]*>.*?(?:<\s*/\s*memory_context\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def strip_recalled(text: str) -> str:
    """The text without ``<memory_context>`` blocks (an unclosed one runs to the end), so that nothing recalled is stored again."""
    if "memory_context" not in text.lower():
        return text
    return _BLOCK.sub("", text).strip()
