"""Which format a source has: the one named, else the one that its beginning shows."""

from __future__ import annotations

from pathlib import Path

from hindsight.errors import ImportFailed
from hindsight.remember.importers import beir, chatgpt, claude_code, langchain, markdown, openai, own
from hindsight.remember.importers.source import Format, Head, fault, head_of, suffix_of

FORMATS: tuple[Format, ...] = (
    beir.FORMAT,
    chatgpt.FORMAT,
    claude_code.FORMAT,
    langchain.FORMAT,
    own.FORMAT,
    openai.FORMAT,
    markdown.FORMAT,
)
"""In the order in which they are tried."""


def format_for(path: Path, name: str = "auto") -> Format:
    """The format of ``path``.

    Raises:
        ImportFailed: there is nothing at the path, it is empty, its format is unknown, or ``name`` is no format.
    """
    named = {format.name: format for format in FORMATS}
    if name not in {"auto", *named}:
        raise ImportFailed(f"format: {name!r} is not one of auto, {', '.join(sorted(named))}.")
    if not path.exists():
        raise fault(path, None, "there is no such file or folder.")
    if not path.is_dir() and not path.is_file():
        raise fault(path, None, "this is neither a file nor a folder; write the text to a file first.")
    if path.is_file() and path.stat().st_size == 0:
        raise fault(path, None, "the file is empty; there is nothing to import.")
    if name != "auto":
        return named[name]
    head = _head(path)
    for format in FORMATS:
        if format.recognises(head):
            return format
    known = "\n".join(f"  {format.name:<12} {format.description}" for format in sorted(FORMATS, key=lambda each: each.name))
    raise fault(path, None, f"its beginning fits none of the known formats; name one with --format (format=):\n{known}")


def _head(path: Path) -> Head:
    if not path.is_dir():
        return head_of(path) if suffix_of(path) not in {".md", ".markdown"} else Head(path, folder=False)
    names = tuple(sorted(each.name for each in path.iterdir()))
    logs = [name for name in names if name.endswith(".jsonl")]
    value = head_of(path / logs[0]).value if logs else None
    return Head(path, folder=True, names=names, value=value)
