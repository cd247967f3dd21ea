"""JSON as it comes over a wire, before a strict parser sees it."""

from __future__ import annotations

import json
import re

from hindsight.text.fold import sanitise

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def repaired(body: bytes) -> bytes:
    r"""The JSON text with lone surrogate escapes (``"\ud800"``) replaced by U+FFFD, as the store does it too.

    Strict parsers refuse such a text as a whole, and a client that sent it would wait for an answer for ever. Text that is no
    JSON is returned as it is.
    """
    if not _SURROGATE_ESCAPE.search(body):
        return body
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return sanitise(json.dumps(value, ensure_ascii=False)).encode("utf-8")
