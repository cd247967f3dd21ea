"""First stage: what a query asks for. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.questions import asks, says_nothing_itself, speaks_of_self
from hindsight.text.dialogue import said_terms
from hindsight.text.entities import Entity, extract_entities
from hindsight.text.fold import fold, sanitise
from hindsight.text.language import Language, detect_language
from hindsight.text.synonyms import infer_task_type, neighbours
from hindsight.text.times import AnchoredTime, TimeExpression, read_times
from hindsight.text.tokens import index_tokens, query_tokens

MAX_QUERY_CHARS = 8_000
"""Longer queries are read to this length: the rest adds cost, not meaning."""
MAX_TERMS = 96
_MAX_LENT_TERMS = 32
_COMPLEX_TERMS = 18
_SIMPLE_TERMS = 5


@dataclass(frozen=True, slots=True)
class Understood:
    """A query, read.

    Args:
        text: the query without what cannot be encoded, cut to ``MAX_QUERY_CHARS``.
        terms: what keyword search looks for; ``about_name`` marks the terms that only repeat a named speaker's name.
        said: the same terms among what a person said in a stored conversation; empty where none is stored.
        entities: names in the query but those of speakers, who are looked for as such.
        times: when, resolved against ``now``; ``dateless`` marks those that name no year.
        anchored: when, counted from an event that is only named.
        task_type: with the types whose experience serves it too, nearest first; empty where the query shows none.
        speakers: the store's codes of the speakers that the query names.
        asks: the shape of the question, one number a :data:`~hindsight.recall.questions.SHAPES`.
        of_self: whether the asker speaks of himself.
        leaning: whether it says nothing itself, so that the session's words stand in.
        complexity: how many memories are worth showing: 2 (simple), 3 or 5 (complex).
    """

    text: str
    language: Language
    terms: tuple[str, ...]
    about_name: NDArray[np.bool_]
    said: tuple[str, ...]
    entities: tuple[Entity, ...]
    times: tuple[TimeExpression, ...]
    dateless: tuple[bool, ...]
    anchored: tuple[AnchoredTime, ...]
    task_types: tuple[str, ...]
    speakers: tuple[int, ...]
    asks: NDArray[np.float32] = field(repr=False)
    of_self: bool
    leaning: bool
    complexity: int

    @property
    def task_type(self) -> str | None:
        """The task that the query is about."""
        return self.task_types[0] if self.task_types else None


def understand(
    query: str, *, now: datetime, zone: tzinfo, speakers: Mapping[str, int], dialogues: bool = True, context: str = ""
) -> Understood:
    """Read a query as of ``now``; any text is understood, an empty one as asking for nothing.

    Args:
        query: as asked.
        now: what relative times count from.
        zone: whose calendar they follow.
        speakers: folded names of everybody who speaks in the namespace, and their codes.
        dialogues: whether the namespace holds records whose person's words are indexed apart.
        context: what the session is about; its words are looked for where the query has none of its own ("do it again").
    """
    text, context = readable(query), readable(context)
    language = detect_language(text or context)
    own = tuple(dict.fromkeys(query_tokens(text)))[:MAX_TERMS]
    leaning = bool(context) and says_nothing_itself(text)
    terms = tuple(dict.fromkeys(query_tokens(context)))[:_MAX_LENT_TERMS] if leaning else own
    folded = f" {fold(text)} "
    named = {name: code for name, code in speakers.items() if name in folded and names(folded, name)}
    of_names = {token for name in named for token in index_tokens(name)}
    moment = now.astimezone(zone)
    times, anchored = read_times(text, moment)
    task_type = infer_task_type(text) or (infer_task_type(context) if leaning else None)
    named_things = extract_entities(context if leaning else text, language)
    return Understood(
        text=text,
        language=language,
        terms=terms,
        about_name=np.array([term in of_names for term in terms], dtype=np.bool_),
        said=tuple(said_terms(terms)) if dialogues else (),
        entities=tuple(each for each in named_things if each.norm not in named),
        times=tuple(times),
        dateless=tuple(each.kind == "absolute" and not _YEAR.search(each.text) for each in times),
        anchored=tuple(anchored),
        task_types=(task_type, *neighbours(task_type)) if task_type else (),
        speakers=tuple(named.values()),
        asks=asks(text, language),
        of_self=speaks_of_self(text),
        leaning=leaning,
        complexity=2 if len(own) <= _SIMPLE_TERMS else 5 if len(own) >= _COMPLEX_TERMS else 3,
    )


def readable(query: str) -> str:
    """A query without what cannot be encoded, as far as it is read."""
    return sanitise(query)[:MAX_QUERY_CHARS].strip()


_YEAR = re.compile(r"(?:19|20)\d\d")


def names(folded: str, name: str) -> bool:
    """Whether the folded query (a blank at both ends) names the speaker: a whole word in Latin script, anywhere in others."""
    if len(name) < 2:
        return False
    start = folded.find(name)
    while start >= 0:
        before, after = folded[start - 1], folded[start + len(name)]
        if not name.isascii() or (not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalnum())):
            return True
        start = folded.find(name, start + 1)
    return False
