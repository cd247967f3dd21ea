"""Source code cut where definitions begin: Python by its own parser, other languages where an unindented line opens something."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from hindsight.remember.ingest.chunks import Block
from hindsight.text.lengths import estimate_tokens

LARGE_CLASS_TOKENS = 360
SUFFIXES = frozenset(
    ".py .pyi .js .mjs .cjs .jsx .ts .tsx .go .rs .java .kt .kts .scala .swift .c .h .cc .cpp .hpp .cs .php .rb .lua .sh .bash .zsh .ps1 "
    ".sql .proto .r .jl .ex .exs .erl .hs .ml .clj .dart .vue .svelte .tf .zig".split()
)
_NAME = re.compile(
    r"^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|extern|inline|local|open|"
    r"data|sealed|override|virtual|const)\s+)*"
    r"(?:(?:class|interface|struct|enum|trait|impl|module|namespace|func|fun|fn|function\*?|def|defmodule|defp|type|record|object|protocol|"
    r"extension|message|service|rpc|resource|const|let|var|create\s+(?:or\s+replace\s+)?(?:table|view|function|index|procedure))\s+)"
    r"(?:\([^)]*\)\s*)?([\w.$:<>-]+)",
    re.IGNORECASE,
)
_OPENS = re.compile(r"^(?![\s})\]#]|//|/\*|\*|--|end\b|else\b|elif\b|catch\b|finally\b)\S")


def code_blocks(text: str, title: str, suffix: str) -> Iterator[Block]:
    """Definitions, each with its name as the last heading; what stands between them in chunks of its own."""
    if suffix in (".py", ".pyi"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the code that is read
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            yield from _by_lines(text, title)
            return
        yield from _python(tree, text, title)
        return
    yield from _by_lines(text, title)


def _python(tree: ast.Module, text: str, title: str) -> Iterator[Block]:
    lines = text.splitlines(keepends=True)
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line))
    cuts = [(1, (title,)), *_definitions(tree.body, (title,), lines)]
    for (first, headings), (after, _) in zip(cuts, [*cuts[1:], (len(lines) + 1, ())], strict=True):
        part = "".join(lines[first - 1 : after - 1])
        if part.strip():
            yield Block(part.strip("\n"), headings, places[first - 1], alone=len(headings) > 1)


def _definitions(body: list[ast.stmt], headings: tuple[str, ...], lines: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where definitions begin, and where what follows them does; a large class is cut at its methods."""
    inside = False
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if inside:
                yield node.lineno, headings
                inside = False
            continue
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        path = (*headings, node.name)
        yield first, path
        inside = True
        if isinstance(node, ast.ClassDef) and estimate_tokens("".join(lines[first - 1 : node.end_lineno])) > LARGE_CLASS_TOKENS:
            yield from _definitions(node.body, path, lines)


def _by_lines(text: str, title: str) -> Iterator[Block]:
    held: list[str] = []
    headings: tuple[str, ...] = (title,)
    start, place, blank = 0, 0, True
    for line in text.splitlines(keepends=True):
        named = _NAME.match(line)
        if held and _OPENS.match(line) and (named or blank):
            yield Block("".join(held).strip("\n"), headings, start, alone=len(headings) > 1)
            held, start = [], place
            headings = (title, named[1].rstrip(":<")) if named else (title,)
        elif not held and named:
            headings = (title, named[1].rstrip(":<"))
        held.append(line)
        place += len(line)
        blank = not line.strip()
    if "".join(held).strip():
        yield Block("".join(held).strip("\n"), headings, start, alone=len(headings) > 1)
