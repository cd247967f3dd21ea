"""Markdown, HTML and plain text as blocks under their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hindsight.remember.ingest.chunks import Block

_DROPPED = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg", "iframe", "button")
_BLOCKS = frozenset("p li pre blockquote td th dt dd figcaption caption summary address".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_FRONT_MATTER = re.compile(r"\A---\r?\n.*?\r?\n---\r?\n", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


class _Headings:
    """The path of headings that stands at a place of a document."""

    def __init__(self, title: str) -> None:
        self._stack: list[tuple[int, str]] = [(0, title)] if title else []

    def enter(self, level: int, text: str) -> None:
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        if self._stack and self._stack[-1] == (0, text):
            return  # the first heading repeats the title
        self._stack.append((level, text))

    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._stack)


def markdown_blocks(text: str, title: str) -> Iterator[Block]:
    """The blocks between headings, each as its source stands (CommonMark with tables); code is never taken for headings."""
    from markdown_it import MarkdownIt

    front = _FRONT_MATTER.match(text)
    if front is not None and (named := _TITLE.search(front[0])):
        title = named[1]
    body = text[front.end() :] if front is not None else text
    offset = len(text) - len(body)
    lines = body.splitlines(keepends=True)
    places = [offset]
    for line in lines:
        places.append(places[-1] + len(line))
    headings = _Headings(title)
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    for number, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        if token.type == "heading_open":
            headings.enter(int(token.tag[1]), _plain(tokens[number + 1]))
            continue
        if token.type == "html_block" and token.content.lstrip().startswith("<!--"):
            continue
        first, last = token.map
        yield Block("".join(lines[first:last]).rstrip(), headings.path(), places[first])


def _plain(inline: Any) -> str:
    parts = [each.content for each in inline.children or () if each.type in ("text", "code_inline")]
    return " ".join("".join(parts).split())


def html_blocks(text: str, title: str) -> Iterator[Block]:
    """The readable blocks of a page; navigation, scripts and the like are left out."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(text)
    named = tree.css_first("title")
    headings = _Headings((named.text(strip=True) if named is not None else "") or title)
    for name in _DROPPED:
        for node in tree.css(name):
            node.decompose()
    body = tree.css_first("main") or tree.css_first("article") or tree.body
    place = 0
    if body is None:
        return
    for kind, content in _told(body):
        if kind in _HEADINGS:
            headings.enter(_HEADINGS[kind], content)
        else:
            yield Block(content, headings.path(), place)
        place += len(content) + 1


def _told(root: Any) -> Iterator[tuple[str, str]]:
    """Headings and blocks in order; what stands outside any block is one by itself."""
    loose: list[str] = []
    for node in root.iter(include_text=True):
        tag = node.tag
        if tag == "-text":
            loose.append(node.text_content or "")
            continue
        inner = tag in _HEADINGS or (
            tag in _BLOCKS and not any(node.css_first(each) is not None for each in ("p", "li", "pre") if each != tag)
        )
        if not inner and tag in ("a", "b", "i", "em", "strong", "span", "code", "br", "small", "sub", "sup", "mark", "kbd", "time"):
            loose.append(" " if tag == "br" else node.text(deep=True))
            continue
        if whole := " ".join("".join(loose).split()):
            yield "p", whole
        loose = []
        if not inner:
            yield from _told(node)
            continue
        raw = node.text(deep=True)
        content = raw.strip("\n") if tag == "pre" else " ".join(raw.split())
        if content.strip():
            yield tag, content
    if whole := " ".join("".join(loose).split()):
        yield "p", whole


def text_blocks(text: str, title: str) -> Iterator[Block]:
    """Paragraphs: what stands between blank lines."""
    place = 0
    for part in re.split(r"(\n[ \t]*\n+)", text):
        if part.strip():
            yield Block(part.strip("\n"), (title,), place + len(part) - len(part.lstrip("\n")))
        place += len(part)
