"""Blocks of a document packed into chunks that each say one thing and know under which headings they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindsight.text.lengths import estimate_tokens

CHUNK_TOKENS = 360
"""Most estimated tokens of a chunk; a block that is longer alone is cut at sentences, then anywhere."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table, definition …: what should not be cut without need. ``start`` is its place in the document."""

    text: str
    headings: tuple[str, ...] = ()
    start: int = 0
    alone: bool = False
    """Whether it is a chunk of its own, such as a definition in code."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, of at most ``CHUNK_TOKENS``; characters ``start`` to ``end`` of its text."""

    text: str
    headings: tuple[str, ...]
    start: int
    end: int


def packed(blocks: Iterable[Block]) -> Iterator[Chunk]:
    """Chunks in order; blocks under different headings never share one."""
    held: list[Block] = []
    size = 0
    for block in blocks:
        if not block.text.strip():
            continue
        for piece in _pieces(block):
            tokens = estimate_tokens(piece.text)
            if held and (piece.headings != held[0].headings or size + tokens > CHUNK_TOKENS or piece.alone or held[-1].alone):
                yield _chunk(held)
                held, size = [], 0
            held.append(piece)
            size += tokens
    if held:
        yield _chunk(held)


def _chunk(blocks: list[Block]) -> Chunk:
    last = blocks[-1]
    text = "\n\n".join(block.text.strip("\n") for block in blocks)
    return Chunk(text, blocks[0].headings, blocks[0].start, last.start + len(last.text))


def _pieces(block: Block) -> Iterator[Block]:
    if estimate_tokens(block.text) <= CHUNK_TOKENS:
        yield block
        return
    held, place, start = "", block.start, block.start
    for part in _parts(block.text):
        if held and estimate_tokens(held + part) > CHUNK_TOKENS:
            yield Block(held, block.headings, start, alone=block.alone)
            held, start = "", place
        held += part
        place += len(part)
    if held.strip():
        yield Block(held, block.headings, start, alone=block.alone)


def _parts(text: str) -> Iterator[str]:
    """Sentences and lines with what ends them, long ones cut; together the whole text."""
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    for first, last in zip([0, *ends], [*ends, len(text)], strict=True):
        sentence = text[first:last]
        tokens = estimate_tokens(sentence)
        if tokens <= CHUNK_TOKENS:
            if sentence:
                yield sentence
            continue
        width = max(1, len(sentence) * CHUNK_TOKENS // (tokens * 2))
        yield from (sentence[at : at + width] for at in range(0, len(sentence), width))
