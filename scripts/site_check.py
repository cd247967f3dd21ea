"""Hook of mkdocs: the built site loads nothing from another host, so that it reads the same without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["'](?P<src>https?:)?//|<link\b(?=[^>]*stylesheet)[^>]*\bhref=["'](?:https?:)?//"""
)
_IMPORTED = re.compile(r"""@import\s+(?:url\()?["']?https?://|url\(["']?https?://""")


def on_post_build(config: Any, **_: Any) -> None:
    """Look through what was built.

    Raises:
        PluginError: a page or style sheet loads something from elsewhere.
    """
    site = Path(config["site_dir"])
    for pattern, ending in ((_LOADED, "*.html"), (_IMPORTED, "*.css")):
        for path in site.rglob(ending):
            if found := pattern.search(path.read_text(encoding="utf-8")):
                raise PluginError(f"{path.relative_to(site)} loads something from another host: {found.group()[:120]}")
