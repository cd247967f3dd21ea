"""Names in a text, by rules: people, places, organisations, products, identifiers, quoted titles; Chinese and English.

Meant for linking memories, so precision goes before completeness: a name that the rules are unsure of is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindsight.text import names_en, names_zh
from hindsight.text.entity_kinds import EntityKind, Named
from hindsight.text.fold import fold
from hindsight.text.language import Language, detect_language
from hindsight.text.name_lists import EN_NOT_NAMES

MAX_ENTITIES = 64
"""At most this many entities are returned, the first ones."""
MAX_CHARS = 20_000
"""Text after this many characters is not searched."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as written, what it names, and `norm`: its form for matching (folded, without possessive and brackets)."""

    name: str
    kind: EntityKind
    norm: str


def extract_entities(text: str, language: Language | None = None) -> list[Entity]:
    """The names in `text`, each once, in order of appearance; at most `MAX_ENTITIES`.

    `language` (default: detected) decides only about Latin-script names: they are looked for in `en` and `zh`.
    """
    text = text[:MAX_CHARS]
    language = language or detect_language(text)
    found = [*_marked(text), *_identifiers(text)]
    if language != "other":
        taken = [(start, start + len(name) + 1) for start, name, _ in found]
        found.extend(each for each in names_en.find_names(text) if not any(start <= each[0] < end for start, end in taken))
    if not text.isascii():
        found.extend(names_zh.find_names(text))
    found.sort(key=lambda each: (each[0], -len(each[1])))
    entities: dict[str, Entity] = {}
    for _, name, kind in found:
        norm = normal_name(name)
        if norm and (norm not in entities or entities[norm].kind is EntityKind.NAME):
            entities[norm] = Entity(name, kind, norm)
        if len(entities) >= MAX_ENTITIES:
            break
    return list(entities.values())


def normal_name(name: str) -> str:
    """The form in which names are matched."""
    folded = fold(name)
    for ending in ("'s", "’s"):
        folded = folded.removesuffix(ending)
    return folded.strip(" #\"'“”‘’「」『』《》<>.,:;!?()")


_QUOTED = re.compile(
    r"《([^《》\n]{1,40})》|「([^「」\n]{1,30})」|『([^『』\n]{1,30})』|“([^“”\n]{2,30})”|(?<!\w)\"([^\"\n]{2,40})\"(?!\w)|(?<!\w)'([A-Z][^'\n]{2,40})'(?!\w)"
)
_SENTENCE = re.compile("[。！？；，,!?;:：…]|\\. |\\.$")
_TAG = re.compile(r"(?<![\w&/#])#(?![0-9A-Fa-f]{3,8}\b)(?:([^\W\d_][\w-]{1,30}+)(?!#)|([^\s#]{2,30})#)")
_EMAIL = re.compile(r"[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_URL = re.compile(r"https?://([A-Za-z0-9.-]+\.[A-Za-z]{2,})(?::\d+)?(?:[/?#][^\s\"'<>)\]，。]*)?")


def _marked(text: str) -> Iterator[Named]:
    """Names that punctuation shows: quotes, hashtags, e-mail and web addresses."""
    for match in _QUOTED.finditer(text):
        content = next(group for group in match.groups() if group is not None).strip()
        works = match[0][0] in "《'"
        if works or (not _SENTENCE.search(content) and _looks_like_title(content)):
            yield match.start(), content, EntityKind.TITLE
    if "#" in text:
        for match in _TAG.finditer(text):
            yield match.start(), match[1] or match[2], EntityKind.TAG
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield match.start(), match[0], EntityKind.EMAIL
    if "://" in text:
        for match in _URL.finditer(text):
            yield match.start(), match[1].lower(), EntityKind.HOST


def _looks_like_title(content: str) -> bool:
    words = content.split()
    if not content.isascii():
        return 3 <= len(content) <= 20
    return (
        len(words) <= 6
        and content.lower() not in EN_NOT_NAMES
        and content[0].isupper()
        and sum(word[0].isupper() for word in words) * 2 >= len(words)
    )


_IDENTIFIER = re.compile(
    r"(?<![\w./\\-])(?:"
    r"(?P<path>(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.-]+(?:[/\\][\w.-]+)+|[\w-]+(?:/[\w.-]+)*/[\w-]+\.[A-Za-z]{1,5}(?!\w))"
    r"|(?P<file>[\w-]+\.(?:py|js|ts|tsx|jsx|java|go|rs|c|h|cpp|cs|rb|php|sh|sql|json|jsonl|ya?ml|toml|ini|cfg|md|txt|csv|log|html|css|ipynb|pdf|docx?|xlsx?|pptx?))\b"
    r"|(?P<code>(?:HTTP|ERROR|Error|error|status) [45]\d\d\b|0x[0-9A-Fa-f]{4,}\b|[A-Z]{1,6}-?\d{3,6}(?:-\d+)?\b|[A-Z]{2,10}-\d{1,6}\b)"
    r"|(?P<call>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\(\))"
    r"|(?P<snake>[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)"
    r"|(?P<dotted>(?!www\.)[a-z_]\w+(?:\.[A-Za-z_]\w+){2,})"
    r"|(?P<camel>[a-z]{2,}[A-Z][A-Za-z0-9]+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)"
    r"|(?P<version>[A-Z][A-Za-z.+#-]{1,20} v?\d+(?:\.\d+){1,3})"
    r")"
)
_MAY_BE_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[_/\\(]|\.\w|\d")


def _identifiers(text: str) -> Iterator[Named]:
    """Names of code, files, error codes and versioned products."""
    if not _MAY_BE_IDENTIFIER.search(text):
        return
    for match in _IDENTIFIER.finditer(text):
        kind = EntityKind.PRODUCT if match["version"] else EntityKind.IDENTIFIER
        yield match.start(), match[0].removesuffix("()"), kind
