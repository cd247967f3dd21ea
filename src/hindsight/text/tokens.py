"""Tokens for keyword search, the same for index and query.

- Words: visible, case folded, accents removed, English stemmed, possessive and contracted endings dropped.
- Han, kana, hangul and scripts written without spaces: single characters and pairs, so that a word of two characters is
  found without a dictionary; a number with the character after it ("3月", "5楼").
- Identifiers (CamelCase, snake_case, kebab-case, dotted, paths, codes): the whole, and its parts. The whole is written
  without `_` and `-`, so that `userName`, `user_name` and `user-name` are one token; dots, slashes and `@` stay.
- Numbers: "1,000" is "1000"; versions, dates and addresses are kept whole, with their prefixes ("3.11.2", "3.11").

Every token is non-empty and has neither white space nor control characters. Stop words are left in the index and dropped
from queries, unless nothing else is left.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice, pairwise

from hindsight.text.fold import visible
from hindsight.text.remembered import remembered
from hindsight.text.stem import stem

TOKENISER_VERSION = 1
"""Raised whenever the same text would give other tokens: the index must then be rebuilt."""
MAX_CHARS = 1_000_000
"""Text after this many characters is not indexed."""
MAX_TOKENS = 200_000
"""A text gives at most this many tokens, the first ones."""
MAX_QUERY_TOKENS = 256
"""A query gives at most this many different tokens, the first ones."""
MAX_TOKEN_CHARS = 64
"""Longer tokens are cut to this length, in the index and in queries."""

_GRAMS = (
    "\u3005-\u3007\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u104a\u1780-\u17d3"  # Thai, Lao, Myanmar, Khmer
)
# Vowel signs and accents belong to their word, but are not \w.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u06d6-\u06dc"
    "\u0900-\u0963\u0970-\u0d4d\u1ab0-\u1aff\u1dc0-\u1dff"
)
_PICTURES = "\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff"


def _run_pattern(word: str, *alternatives: str) -> re.Pattern[str]:
    # No possessive quantifier around a group: up to Python 3.11.4 it loses characters (CPython gh-106052).
    joined = rf"{word}(?:(?:_++|[-./\\@'’]|::|(?<=\d):(?=\d)){word})*"
    thousands = r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?"
    return re.compile("|".join([*alternatives, thousands, r"[A-Za-z](?:\+\+|#)(?![A-Za-z0-9_])", joined]))


_ASCII_RUN = _run_pattern("[A-Za-z0-9]++")
_RUN = _run_pattern(rf"(?:[^\W_{_GRAMS}]++|[{_MARKS}]++)+", rf"\d{{0,8}}[{_GRAMS}]++", f"[{_PICTURES}]")
_GRAM_RUN = re.compile(rf"(\d*)([{_GRAMS}]+)$")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_NUMERIC = re.compile(r"[vV]?(\d+(?:[-.:/]\d+)+)$")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)$")
_ENDING = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_DATE = re.compile(r"\d{4}([-./])(0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])$")
_WRITTEN_MONTH = re.compile("(十[一二]?|[一二三四五六七八九])月(?!台|饼|子|亮|光|球|经)")
_ZH_NUMERALS = {numeral: number for number, numeral in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), 1)}
_MONTHS = {
    name: number
    for number, names in enumerate(
        "January january|February february|March|April april|May|June june|July july|August|September september|"
        "October october|November november|December december".split("|"),
        1,
    )
    for name in names.split()
}
_MAX_PARTS = 6

_STOP_WORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being both but by can could did do does "
    "doing down each few for from had has have having he her here hers him his how i if in into is it its just many me mine "
    "more most much my no nor not of off on once only or other our ours out over own same shall she should so some such than "
    "that the their theirs them then there these they this those to too under until up very was we were what when where "
    "which while who whom whose why will with would you your yours "
    # What a person says around a question put to a memory.
    "chat conversation conversations discussed follow know maybe mention mentioned please previous previously recommended "
    "remember remind talked tell think thinking thought wanted wonder wondering".split()
)
_STOP_TOKENS = frozenset(stem(word) for word in _STOP_WORDS)
_STOP_PHRASES = re.compile(
    "为什么|什么时候|什么样|什么|怎么样|怎么|怎样|如何|哪一个|哪一天|哪一|哪些|哪个|哪家|哪里|哪儿|哪种|哪几|多少|多久|是否|是不是|有没有|能不能|"
    "请问|我们|你们|他们|她们|它们|以及|或者|并且|而且|但是|因为|所以|如果|关于|对于|那个|这个|那些|这些|一个|一些|之前|"
    "还记得|记得|告诉我|帮我|提到|聊到|说过"
)
_STOP_CHARACTERS = frozenset("的了着过吗呢吧啊是在和与及或也都就又还被把给让向对从到于为以之其我你您他她它这那哪几个")


def index_tokens(text: str) -> list[str]:
    """Return the tokens of a text to be stored, in order, with repetitions; at most `MAX_TOKENS`."""
    text = visible(text[:MAX_CHARS])
    tokens: list[str] = []
    for run in _runs(text):
        if run.isascii() or not (match := _GRAM_RUN.match(run)):
            tokens.extend(_word_tokens(run))
        else:
            tokens.extend(_gram_tokens(*match.groups()))
        if len(tokens) >= MAX_TOKENS:
            return tokens[:MAX_TOKENS]
    return tokens


def query_tokens(text: str) -> list[str]:
    """Return the different tokens of a query in order of appearance, without stop words; at most `MAX_QUERY_TOKENS`.

    They are always a subset of `index_tokens(text)`. Where all are stop words all are returned.
    """
    text = visible(text[:MAX_CHARS])
    tokens: dict[str, None] = {}
    shouted = text.isupper()
    for position, run in enumerate(_runs(text)):
        if not run.isascii() and (match := _GRAM_RUN.match(run)):
            number, grams = match.groups()
            pieces = _STOP_PHRASES.split(grams)
            found = _gram_tokens(number, pieces[0])
            for piece in pieces[1:]:
                found += _gram_tokens("", piece)
            tokens.update((token, None) for token in found if token not in _STOP_CHARACTERS)
        else:
            # A capital inside a sentence tells the name from the function word: Will, US, IT, May.
            name = position > 0 and run[0].isupper() and not shouted and run != "I"
            found_words = _word_tokens(run)
            tokens.update((token, None) for token in found_words if name or token not in _STOP_TOKENS)
        if len(tokens) >= MAX_QUERY_TOKENS:
            break
    if not tokens:
        tokens = dict.fromkeys(index_tokens(text))
    return list(islice(tokens, MAX_QUERY_TOKENS))


def _runs(text: str) -> list[str]:
    runs: list[str] = (_ASCII_RUN if text.isascii() else _RUN).findall(text)
    return runs


def _gram_tokens(number: str, grams: str) -> list[str]:
    """Tokens of a run of unspaced script, with the digits that stand before it."""
    grams = grams.lower()
    tokens = [character for character in grams if character >= "\u1100"] if len(grams) > 1 else [*grams]
    tokens.extend(map("".join, pairwise(grams)))
    if number:
        tokens.append(number)
        tokens.append(number + grams[:1])
        if grams.startswith("月") and 1 <= int(number) <= 12:
            tokens.append(_month(int(number)))
    if "月" in grams:
        tokens.extend(_month(_ZH_NUMERALS[match[1]]) for match in _WRITTEN_MONTH.finditer(grams))
    return tokens


def _month(number: int) -> str:
    """One token for a month however it is written: "2023-09-04", "9月", "九月", "September"."""
    return f"month{number:02d}"


@remembered(16_384)
def _word_tokens(run: str) -> tuple[str, ...]:
    """Tokens of one run of letters, digits and joiners."""
    if not run.isascii():
        run = _without_accents(run).replace("’", "'")
    if "'" in run:
        bare = _ENDING.sub("", run)
        return _word_tokens(bare if bare != run else run.replace("'", ""))
    if run.isalpha() and (run[1:].islower() or run.isupper() or len(run) == 1):
        word = (_normal(run)[:MAX_TOKEN_CHARS],)
        return (*word, _month(_MONTHS[run])) if run in _MONTHS else word
    if match := _NUMERIC.match(run):
        return _numeric_tokens(match[1])
    if match := _ORDINAL.match(run):
        return (match[1][:MAX_TOKEN_CHARS],)
    if "," in run:
        return (run.replace(",", ""),)
    return _identifier_tokens(run.replace("\\", "/"))


def _identifier_tokens(run: str) -> tuple[str, ...]:
    places = re.split("[/@]", run)
    # "and/or" is two words, not a path.
    tokens = [] if len(places) == 2 and "/" in run and run.replace("/", "").isalpha() else [_whole(run)]
    tokens.extend(_whole(place) for place in places)
    for segment in re.split(r"[/@.]|::?", run):
        tokens.extend(_parts(segment))
    return tuple(dict.fromkeys(token[:MAX_TOKEN_CHARS] for token in tokens if token))


def _whole(run: str) -> str:
    return _normal(run.replace("_", "").replace("-", ""))


def _parts(segment: str) -> list[str]:
    """Words and numbers inside an identifier; hashes and the like, where they alternate, stay whole."""
    parts: list[str] = []
    for piece in segment.replace("_", "-").split("-"):
        found = _PART.findall(piece)
        mixed = len(found) > _MAX_PARTS or sum(part.isdigit() for part in found) > 1
        parts.extend((piece,) if mixed else found)
    return [_normal(part) for part in parts if len(part) > 1 or part.isdigit()]


def _numeric_tokens(number: str) -> tuple[str, ...]:
    """A version, date, time or address, and its prefixes; a date also gives its month."""
    ends = [match.start() for match in re.finditer(r"[-.:/]", number)]
    tokens = [number, *(number[:end] for end in ends[1:8])]
    if match := _DATE.match(number):
        tokens.append(_month(int(match[2])))
    return tuple(dict.fromkeys(token[:MAX_TOKEN_CHARS] for token in tokens))


def _without_accents(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word)
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", decomposed))


def _normal(word: str) -> str:
    if word.isascii():
        word = word.lower()
        return stem(word) if word.isalpha() else word
    return unicodedata.normalize("NFC", word.casefold())
