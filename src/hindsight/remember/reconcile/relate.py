"""How a new statement relates to a standing one. Pure.

Nothing is judged by similarity. The two are brought into one form and laid side by side: a contradiction needs the same
subject and the same predicate with exactly one place that differs, and there a value of which a subject has only one (a
number with its unit, a date, a name after "is called"), or the same words with the opposite polarity. What says itself that
something changed ("switched from A to B", "不再 …") supersedes what it names. Everything else stands side by side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from hindsight.records import LAYER_OF, Layer, Memory
from hindsight.remember.distil.clauses import language_of
from hindsight.remember.reconcile import frame_en, frame_zh
from hindsight.remember.reconcile.categories import categories_of, exclusive, is_narrower, telling, without_values
from hindsight.remember.reconcile.frame import STATE, Frame, type_of
from hindsight.remember.reconcile.relation import SUPERSEDING, Relation
from hindsight.remember.reconcile.typed import USES, typed_difference
from hindsight.text.fold import fold
from hindsight.text.remembered import remembered

SHORT = {"en": 14, "zh": 24}
"""Tokens of a statement with one thing to say; of longer ones, no rule can tell which part has changed."""
LONGEST_STATEMENT = 1_000
"""A longer text in characters is no single statement; it only ever equals another."""


def relate(old: Memory, new: Memory) -> Relation:
    """The relation of ``new`` to ``old``; only statements of semantic kinds relate, and only those of one subject."""
    if LAYER_OF[old.kind] is not Layer.SEMANTIC or LAYER_OF[new.kind] is not Layer.SEMANTIC:
        return Relation.UNRELATED
    if _folded(old.content) == _folded(new.content):
        return Relation.EXACT
    if bool(old.lesson) != bool(new.lesson):
        return Relation.UNRELATED
    return relate_statements(old.content, new.content, old_speaker=old.speaker, new_speaker=new.speaker)


def relate_statements(old: str, new: str, *, old_speaker: str | None = None, new_speaker: str | None = None) -> Relation:
    """The relation of two statements; "I" and "the user" are whoever spoke."""
    if _folded(old) == _folded(new):
        return Relation.EXACT
    if max(len(old), len(new)) > LONGEST_STATEMENT:
        return Relation.UNRELATED
    first, second = frame_of(old, old_speaker), frame_of(new, new_speaker)
    if _different_speakers(first, second, old_speaker, new_speaker):
        return Relation.UNRELATED
    relation = _relate(first, second)
    long = any(len(frame.tokens) > SHORT[frame.language] for frame in (first, second))
    return Relation.RELATED if long and relation in SUPERSEDING else relation


def _folded(text: str) -> str:
    """The folded text; a statement's is remembered, for it is laid beside many others."""
    return _folded_statement(text) if len(text) <= LONGEST_STATEMENT else fold(text)


_folded_statement = remembered(4_096)(fold)


@remembered(8_192)
def frame_of(text: str, speaker: str | None) -> Frame:
    """The comparable form of a statement."""
    return frame_zh.frame_zh(text, speaker) if language_of(text) == "zh" else frame_en.frame_en(text, speaker)


def _different_speakers(first: Frame, second: Frame, old: str | None, new: str | None) -> bool:
    """Whether "I" in the two stands for two people."""
    mine = frame_en.ME in first.tokens or frame_en.ME in second.tokens
    return mine and old is not None and new is not None and fold(old) != fold(new)


def _relate(old: Frame, new: Frame) -> Relation:
    changes = Relation.UPDATE if new.changed else Relation.CONTRADICTION
    if _ended(old, new):
        return Relation.UPDATE
    if not old.tokens or not new.tokens:
        return Relation.UNRELATED
    if _same_words(old, new):
        if _leads_elsewhere(old, new):
            return Relation.RELATED
        return Relation.SAME if old.negated == new.negated else changes
    if _swapped(old, new):
        return changes
    if old.negated != new.negated:
        return changes if _denies(old, new) and (new.changed or not _denied_aside(old, new)) else _distance(old, new)
    if _subsequence(old.tokens, new.tokens) and not new.changed:
        return Relation.REFINEMENT
    if old.language == new.language:
        found = _one_difference(old, new)
        if found is not None:
            return found if found is not Relation.CONTRADICTION else changes
    if new.changed and _same_slot(old, new):
        return Relation.UPDATE
    if old.content < new.content and not new.changed:
        return Relation.REFINEMENT
    return _distance(old, new)


def _distance(old: Frame, new: Frame) -> Relation:
    return Relation.RELATED if (old.content & new.content) - set(old.subject[:1]) else Relation.UNRELATED


_LEADS = re.compile(r"\b(?:from|to|into|by|for|against|over|under|above|below|behind|through|via|since|until)\b")
"""Prepositions, which tokens leave out."""
_SIGNS = frozenset("$€£¥%")
"""They stand before or behind their amount; any other order of the same words may tell something else ("from A to B", 从甲到乙)."""


def _same_words(old: Frame, new: Frame) -> bool:
    plain = [[token for token in frame.tokens if token not in _SIGNS] for frame in (old, new)]
    return plain[0] == plain[1] and _as_many_words(old, new)


def _leads_elsewhere(old: Frame, new: Frame) -> bool:
    """Whether one preposition stands for another, as in "to Bob" and "from Bob". One that is only there or not ("works at", "works for"; the
    "to" of a verb) decides nothing.
    """
    leads = _LEADS.findall(old.said), _LEADS.findall(new.said)
    return leads[0] != leads[1] and len(leads[0]) == len(leads[1])


def _prefers(frame: Frame) -> bool:
    return bool(_PREFERS.search(frame.said)) or frame.said.count("喜欢") > 1


_PREFERS = re.compile(r"\bprefer|\b(?:more|better|rather)\b.*\bthan\b|比起|胜过")


def _swapped(old: Frame, new: Frame) -> bool:
    """Whether A over B became B over A."""
    return _as_many_words(old, new) and old.subject == new.subject and _prefers(old)


def _as_many_words(old: Frame, new: Frame) -> bool:
    """Whether each word stands as often in one as in the other."""
    return len(old.tokens) == len(new.tokens) and old.content == new.content and sorted(old.tokens) == sorted(new.tokens)


def _ended(old: Frame, new: Frame) -> bool:
    """Whether the new statement says that what the old one tells of has ended or been replaced."""
    if old.negated or _named_apart(old, new):
        return False
    verbs = frame_zh.MULTI if old.language == "zh" else frame_en.VERBS
    for gone in new.gone:
        if gone[0] == STATE:
            if set(gone[1:]) <= set(_rest(old)[:2]) and _subjects_meet(old, new):
                return True
            continue
        words = set(gone) - {frame_en.ME}
        named = words - set(verbs) - (set(old.subject) if old.person or words - set(old.subject) else set())
        things = {word for word in named if not categories_of((word,)) & _TIMES and word not in _PLACES} or words
        # "Rob lost his job" ends no job of Helen's; "Rob took over from Helen" ends hers.
        another = new.person and not set(new.subject) & old.content and not words & set(old.subject)
        share = 0.0 if another else len(things & old.content) / max(1, len(things))
        if share == 1.0 and (_subjects_meet(old, new) or things & set(old.subject)):
            return True
    return False


_PLACES = frozenset({"place", "hous", "home", "job", "account"})
_TIMES = frozenset({"weekday", "month", "season", "frequency"})


def _subjects_meet(old: Frame, new: Frame) -> bool:
    """Whether the subject of one is spoken of in the other."""
    if "zh" in (old.language, new.language):
        return set(old.subject) <= new.content or set(new.subject) <= old.content
    return bool(set(old.subject) & new.content or set(new.subject) & old.content)


def _denies(old: Frame, new: Frame) -> bool:
    """Opposite polarity about the same: everything that the new one says, the old one said too."""
    if old.subject[:1] != new.subject[:1]:
        return False
    return set(new.tokens) <= old.content and len(set(new.tokens) - set(new.subject)) >= 1


_ASIDE = re.compile(r"[，,;；]|\s+[-–—]+\s+|——|\bbut\b")


def _denied_aside(old: Frame, new: Frame) -> bool:
    """Whether the polarities differ only by what follows the main clause ("runs daily, does not stop for rain")."""
    heads = [_ASIDE.split(frame.said, maxsplit=1)[0] for frame in (old, new)]
    if heads == [old.said, new.said]:
        return False
    return frame_of(heads[0], None).negated == frame_of(heads[1], None).negated


def _subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    rest = iter(long)
    return all(token in rest for token in short)


def _one_difference(old: Frame, new: Frame) -> Relation | None:
    """One differing place on the side of the value; None where there are several, or none that decides."""
    place = _place(old, new)
    if place is None or old.event or new.event:
        return None
    start, was, is_now, after = place
    if is_narrower(was, is_now):
        return Relation.REFINEMENT
    kinds = type_of(was), type_of(is_now)
    if kinds[0] is not None and kinds[0] == kinds[1]:
        return typed_difference(old, new, start, was, after)
    if kinds != (None, None) or not _same_subject(old, new, start):
        return None
    single, multi = (frame_zh.SINGLE, frame_zh.MULTI) if old.language == "zh" else (frame_en.SINGLE, frame_en.MULTI)
    governing = old.governing(start)
    predicate = governing[1] if governing else None
    shared = exclusive(categories_of(was) & categories_of(is_now))
    if shared and (predicate not in multi or new.changed):
        return Relation.CONTRADICTION if without_values(was, shared) == without_values(is_now, shared) else None
    if any(character.isdigit() for token in was for character in token) != any(
        character.isdigit() for token in is_now for character in token
    ):
        return None
    if old.language == "zh" and "".join(after).startswith(frame_zh.CLOSING):
        return Relation.CONTRADICTION
    if governing is None or any(
        start < position <= start + len(value) for frame, value in ((old, was), (new, is_now)) for position, _ in frame.predicates
    ):
        return None
    another_version = new.changed and was[0].split()[0] == is_now[0].split()[0]
    if old.person and ((predicate in USES and not another_version) or _WORKS.findall(old.said) != _WORKS.findall(new.said)):
        return None
    other = new.governing(start)
    if other is None or other[1] != predicate or predicate not in single or not _adjoins(old, governing, start):
        return None
    if predicate in ("be", *frame_zh.BE) and not _one_is(old, new):
        return None
    return Relation.CONTRADICTION


_WORKS = re.compile(r"\bwork(?:s|ed|ing)?\s+(at|for|in|on|as|from|with)?")
"""Where, as what and on what somebody works are answers to different questions."""


def _adjoins(frame: Frame, governing: tuple[int, str], start: int) -> bool:
    """Whether the differing place is the predicate's own value; Chinese names may share a first character."""
    between = frame.tokens[governing[0] : start]
    if frame.language == "zh" and governing[1] not in ("用", "办", "付"):
        return len(between) <= 3 and all(not token.isascii() for token in between)
    return set(between) <= frame_en.TITLES


def _one_is(old: Frame, new: Frame) -> bool:
    """Whether "is" gives a value of which there is one: a place or a name of a thing; "is red" and "is electric" go together."""
    return not old.person and bool(old.link) and (old.link == "name") == (new.link == "name") and bool(new.link)


def _place(old: Frame, new: Frame) -> tuple[int, tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """(position, old value, new value, what follows) where the two differ in one place only."""
    start = 0
    while start < min(len(old.tokens), len(new.tokens)) and old.tokens[start] == new.tokens[start]:
        start += 1
    end = 0
    while end < min(len(old.tokens), len(new.tokens)) - start and old.tokens[-1 - end] == new.tokens[-1 - end]:
        end += 1
    was, is_now = old.tokens[start : len(old.tokens) - end], new.tokens[start : len(new.tokens) - end]
    if not was or not is_now:
        return None
    shared = set(was) & set(is_now)
    if any(len(token) > 1 or token.isascii() for token in shared):
        return None  # two places that differ, with something equal between them
    longest = SequenceMatcher(None, was, is_now, autojunk=False).find_longest_match()
    return None if longest.size > 1 else (start, was, is_now, old.tokens[len(old.tokens) - end :])


def _same_subject(old: Frame, new: Frame, start: int) -> bool:
    return old.subject == new.subject and start >= len(old.subject)


def _same_slot(old: Frame, new: Frame) -> bool:
    """A stated change of the same subject, about a value of the same category or the same named thing."""
    if not _subjects_meet(old, new) or _named_apart(old, new):
        return False
    rest_old, rest_new = _rest(old), _rest(new)
    shared = categories_of(rest_old) & categories_of(rest_new)
    if shared and set(rest_old) != set(rest_new):
        subjects = {frame_en.ME, *old.subject, *new.subject}
        others = without_values(old.content, shared) & without_values(new.content, shared) - subjects
        differ = set(rest_old) - without_values(rest_old, shared) != set(rest_new) - without_values(rest_new, shared)
        same_thing = not old.person and bool(set(old.subject) & set(new.subject))
        enough = 2 if old.language == "zh" else 1
        if differ and (len(others - set(frame_en.VERBS)) >= enough or telling(shared) or same_thing):
            return True
    if not set(old.subject) <= set(new.tokens):
        return False
    numbers = _counted(rest_old), _counted(rest_new)
    if old.person:
        shared_words = (set(rest_old) & set(rest_new)) - set(frame_en.VERBS)
        units = {unit for _, unit in numbers[0]} & {unit for _, unit in numbers[1]} - {""}
        one_each = len(numbers[0]) == len(numbers[1]) == 1 and not new.gone
        return one_each and bool(units) and len(shared_words) > 1 and numbers[0] != numbers[1]
    if numbers[0] and numbers[1]:
        (was, unit), (is_now, other_unit) = numbers[0][-1], numbers[1][-1]
        return was != is_now and unit == other_unit
    governing = old.governing(len(old.subject))
    plain = governing is None or (governing[1] in ("be", *frame_zh.BE) and len(old.predicates) == 1)
    values = [tuple(token for token in rest if token not in frame_en.VERBS) for rest in (rest_old, rest_new)]
    kinds = type_of(values[0]), type_of(values[1])
    if kinds[0] is not None and kinds[0] == kinds[1] and values[0] != values[1]:
        return True
    typed = any(type_of((token,)) for token in (*rest_old, *rest_new))
    return plain and old.subject == new.subject and not typed and bool(old.link) and bool(new.link)


def _named_apart(old: Frame, new: Frame) -> bool:
    """Whether numbers tell the subjects of the two apart: "server 1" and "server 2"."""
    was, is_now = _leading_names(old), _leading_names(new)
    return bool(was and is_now) and was != is_now


def _leading_names(frame: Frame) -> set[str]:
    """The naming numbers before the predicate; in Chinese before the last, for 会议室, 办公室 and 应用 look like predicates."""
    governed = [position for position, word in frame.predicates if word not in ("会", "办")]
    boundary = (governed[-1] if frame.language == "zh" else governed[0]) if governed else len(frame.tokens)
    return {frame.tokens[at] for at in frame.names if at < boundary}


def _counted(tokens: Sequence[str]) -> list[tuple[str, str]]:
    """(number, the word after it) of each plain number."""
    return [(token, tokens[at + 1] if at + 1 < len(tokens) else "") for at, token in enumerate(tokens) if type_of((token,)) == "number"]


def _rest(frame: Frame) -> tuple[str, ...]:
    return frame.tokens[len(frame.subject) :]
