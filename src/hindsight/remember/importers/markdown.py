"""Markdown notes: a file, or a folder of them; each section becomes a record that points to its place in the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from hindsight.errors import ImportFailed
from hindsight.records import Precision, Ref, default_idempotency_key
from hindsight.remember.importers.source import Entry, Format, Head, Source, fault, moment_of, suffix_of, text_lines

SECTION_CHARACTERS = 2_000
"""A section longer than this is cut at the blank lines between its paragraphs."""
_SUFFIXES = (".md", ".markdown")
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_DATE_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})")
_FIELD = re.compile(r"(\w[\w-]*)\s*:\s*(.*)$")


@dataclass(slots=True)
class _Section:
    """Lines under one heading; ``start`` is the place of its first character in the document, a line's end counted as one."""

    line: int
    start: int
    headings: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    size: int = 0


def files(path: Path) -> tuple[Path, ...]:
    """The notes of a folder and of those below it, hidden ones left out; or the file itself."""
    if not path.is_dir():
        return (path,)
    below = (each for suffix in _SUFFIXES for each in path.rglob(f"*{suffix}"))
    found = tuple(
        sorted(each for each in below if each.is_file() and not any(part.startswith(".") for part in each.relative_to(path).parts))
    )
    if not found:
        raise fault(path, None, f"there is no note ({' or '.join(_SUFFIXES)}) in this folder.")
    return found


def read(source: Source) -> Iterator[Entry]:
    """Each section as knowledge: its headings say when it helps, its text is kept verbatim."""
    for path in source.files:
        document = path.relative_to(source.path).as_posix() if source.path.is_dir() else path.name
        yield from _note(path, document, source)


def recognises(head: Head) -> bool:
    """By the file's name."""
    names = head.names if head.folder else (head.path.name,)
    return any(suffix_of(Path(name)) in _SUFFIXES for name in names)


def _note(path: Path, document: str, source: Source) -> Iterator[Entry]:
    lines, front = _front_matter(text_lines(path))
    known: dict[str, Any] = {"kind": "knowledge", "tags": _tags(front.get("tags", ""))}
    if when := _date(front, path, source):
        known["occurred_at"], known["occurred_precision"] = when
    title = front.get("title") or Path(document).stem
    for section in _sections(lines, title):
        for piece in _pieces(section):
            text = "\n".join(piece.lines).strip("\n")
            if not text.strip():
                continue
            key = f"{document}#{'/'.join(section.headings[1:])}" if section.headings[1:] else document
            yield Entry(
                path,
                piece.line,
                draft={
                    **known,
                    "content": text,
                    "query": " > ".join(section.headings),
                    "key": key[:1024],
                    "refs": (Ref(document=document, start=piece.start, end=piece.start + piece.size),),
                    "idempotency_key": default_idempotency_key(text, document, section.headings),
                },
            )


def _front_matter(lines: Iterator[tuple[int, str]]) -> tuple[Iterator[tuple[int, int, str]], dict[str, str]]:
    """The lines after a leading ``---`` block as (number, place, text), and the block's plain fields."""
    placed = _placed(lines)
    first = next(placed, None)
    if first is None:
        return iter(()), {}
    if first[2].strip() != "---":
        return _with_first(first, placed), {}
    fields: dict[str, str] = {}
    name = ""
    for _, _, text in placed:
        if text.strip() in {"---", "..."}:
            break
        if match := _FIELD.match(text):
            name = match[1].lower()
            fields[name] = match[2].strip().strip("\"'")
        elif name and text.strip().startswith("- "):
            fields[name] = f"{fields[name]}, {text.strip()[2:]}".strip(", ")
    return placed, fields


def _placed(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    place = 0
    for number, text in lines:
        yield number, place, text
        place += len(text) + 1


def _with_first(first: tuple[int, int, str], rest: Iterator[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    yield first
    yield from rest


def _sections(lines: Iterator[tuple[int, int, str]], title: str) -> Iterator[_Section]:
    section: _Section | None = None
    levels: list[tuple[int, str]] = []
    fence = ""
    for number, place, text in lines:
        if mark := _FENCE.match(text):
            if not fence:
                fence = mark[1]
            elif text.strip().startswith(fence) and not text.strip().strip(fence[0]):
                fence = ""
        heading = None if fence else _HEADING.match(text)
        if heading is None:
            if section is None:
                section = _Section(number, place, (title,))
            section.lines.append(text)
            section.size = place + len(text) - section.start
            continue
        if section is not None:
            yield section
        depth = len(heading[1])
        levels = [(level, name) for level, name in levels if level < depth] + [(depth, heading[2])]
        names = tuple(name for _, name in levels)
        section = _Section(number, place, names if names[0] == title else (title, *names), [])
        section.start = place + len(text) + 1
    if section is not None:
        yield section


def _pieces(section: _Section) -> Iterator[_Section]:
    """The section itself, or its paragraphs put together up to ``SECTION_CHARACTERS``; fenced code is never cut."""
    if section.size <= SECTION_CHARACTERS:
        yield section
        return
    piece = _Section(section.line, section.start, section.headings)
    place, fence = section.start, False
    for offset, text in enumerate(section.lines):
        if _FENCE.match(text):
            fence = not fence
        if not text.strip() and not fence and piece.size >= SECTION_CHARACTERS // 2:
            yield piece
            piece = _Section(section.line + offset + 1, place + len(text) + 1, section.headings)
        else:
            piece.lines.append(text)
            piece.size += len(text) + 1
        place += len(text) + 1
    yield piece


def _tags(value: str) -> tuple[str, ...]:
    return tuple(tag for part in value.strip("[]").split(",") if (tag := part.strip().strip("\"'#")))


def _date(front: dict[str, str], path: Path, source: Source) -> tuple[datetime, Precision] | None:
    """The note's date: from its front matter, else from a name such as ``2025-03-08.md``; what is no date there is only a word."""
    named = _DATE_NAME.match(path.name)
    given = front.get("date") or front.get("created") or (named[1] if named else "")
    try:
        return moment_of(given, source.zone, path, None)
    except ImportFailed:
        return None


FORMAT = Format(
    name="markdown",
    description="Markdown notes (.md): a file, or a folder of them",
    recognises=recognises,
    files=files,
    read=read,
)
