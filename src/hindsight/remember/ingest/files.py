"""Which files of a folder are documents, and what each says."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hindsight.errors import InvalidInput
from hindsight.remember.ingest.chunks import Block, Chunk, packed
from hindsight.remember.ingest.code import SUFFIXES as CODE
from hindsight.remember.ingest.code import code_blocks
from hindsight.remember.ingest.markup import html_blocks, markdown_blocks, text_blocks

MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
HTML = frozenset({".html", ".htm", ".xhtml"})
TEXT = frozenset({".txt", ".rst", ".adoc", ".org", ".tex", ".log", ".csv", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"})
PDF = frozenset({".pdf"})
READ_IN_FOLDERS = MARKDOWN | HTML | PDF | CODE | frozenset({".txt", ".rst", ".adoc", ".org"})
"""In a folder only these are read; a file that is named itself is read whatever it is called, if it is text."""
LEFT_OUT = frozenset(
    "node_modules __pycache__ venv env site-packages dist build target vendor out bower_components coverage htmlcov Pods".split()
)
MOST_TEXT_BYTES = 4 * 1024 * 1024
MOST_PDF_BYTES = 64 * 1024 * 1024
MOST_FILES = 50_000


class Unreadable(Exception):
    """A file that is no document, or cannot be read now; the message says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document and its chunks."""

    path: Path
    format: str
    chunks: tuple[Chunk, ...]


def documents_in(root: Path, exclude: Sequence[str] = ()) -> Iterator[Path]:
    """The files to read: the file itself, or what lies in the folder and below, in order.

    Hidden files and folders, links, dependencies and build results are left out, and what ``exclude`` names (glob patterns of the path
    below the folder).

    Raises:
        InvalidInput: there is nothing at the path, or far too much.
    """
    if not root.exists():
        raise InvalidInput(f"{root} does not exist; nothing was ingested.")
    if root.is_file():
        yield root
        return
    count = 0
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in LEFT_OUT
            and not (here / name).is_symlink()
            and not _excluded(here / name, root, exclude)
        )
        for name in sorted(files):
            path = here / name
            if name.startswith(".") or path.suffix.lower() not in READ_IN_FOLDERS or path.is_symlink() or _excluded(path, root, exclude):
                continue
            count += 1
            if count > MOST_FILES:
                raise InvalidInput(f"{root} holds more than {MOST_FILES:,} documents; name folders inside it, or exclude some.")
            yield path


def _excluded(path: Path, root: Path, patterns: Sequence[str]) -> bool:
    name = path.relative_to(root).as_posix()
    return any(
        fnmatch.fnmatch(name, each) or fnmatch.fnmatch(path.name, each) or name.startswith(f"{each.rstrip('/')}/") for each in patterns
    )


def read_document(path: Path) -> Document:
    """The document's chunks.

    Raises:
        Unreadable: it is too large, no text, or damaged.
    """
    suffix, title = path.suffix.lower(), path.stem
    try:
        size = path.stat().st_size
        limit = MOST_PDF_BYTES if suffix in PDF else MOST_TEXT_BYTES
        if size > limit:
            raise Unreadable(f"is larger than {limit // 1024 // 1024} MiB ({size:,} bytes)")
        content = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from error
    if suffix in PDF or content.startswith(b"%PDF-"):
        return Document(path, "pdf", tuple(packed(_pdf_blocks(path, title))))
    return document_of(path, _decoded(content))


def document_of(path: Path, text: str) -> Document:
    """The chunks of a text that is, or could be, the file at ``path``: its ending tells what is written there."""
    suffix, title = path.suffix.lower(), path.stem
    if suffix in MARKDOWN:
        return Document(path, "markdown", tuple(packed(markdown_blocks(text, title))))
    if suffix in HTML:
        return Document(path, "html", tuple(packed(html_blocks(text, title))))
    if suffix in CODE:
        return Document(path, "code", tuple(packed(code_blocks(text, path.name, suffix))))
    return Document(path, "text", tuple(packed(text_blocks(text, title))))


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\x00" in content:
        raise Unreadable("is no text")
    else:
        encodings = ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise Unreadable("is no text in UTF-8, UTF-16 or GB 18030")


def _pdf_blocks(path: Path, title: str) -> Iterator[Block]:
    """Pages of a PDF; its outline is not read, so that the page is the heading."""
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    place = 0
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("is encrypted")
        named = str((reader.metadata.title if reader.metadata is not None else None) or title)
        for number, page in enumerate(reader.pages, 1):
            text = page.extract_text()
            yield Block(text.strip(), (named, f"p. {number}"), place)
            place += len(text) + 1
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"is damaged, or no PDF: {error}") from error
    if place == len(reader.pages):
        raise Unreadable("holds no text (scanned pages?); run text recognition first")
