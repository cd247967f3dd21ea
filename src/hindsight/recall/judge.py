"""Last selection: which of the best are shown, in what order, with what labels. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.hit import Hit, Label
from hindsight.recall.lessons import applies
from hindsight.recall.state import SessionState
from hindsight.recall.understand import Understood
from hindsight.records import LAYER_OF, Layer, Memory, Outcome, Source, Status
from hindsight.remember.reconcile.relation import SUPERSEDING

DEMOTION = 0.5
"""A memory that the session contradicts keeps this share of its score."""
SOURCE_SHARE = 0.6
"""At most this share of an answer, and two at least, may come from one session or document."""
ALIKE = 0.85
"""A memory whose cosine to a shown one is above this says the same and is left out."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the judge may do.

    Args:
        k: how many are shown.
        threshold: least relevance; None: none.
        free: whether source cap and diversity apply.
        past: whether superseded memories were asked for.
    """

    k: int
    threshold: float | None
    free: bool
    past: bool


@dataclass(slots=True)
class Judged:
    """What is shown, and what was left out and why."""

    hits: list[Hit] = field(default_factory=list)
    dropped: dict[UUID, str] = field(default_factory=dict)


def judge(
    hits: Sequence[Hit],
    rules: Rules,
    query: Understood,
    *,
    vectors: NDArray[np.float32] | None = None,
    state: SessionState | None = None,
) -> Judged:
    """Select from ``hits``, best first. ``vectors`` are theirs, of length 1, zeros where there is none."""
    judged = Judged()
    place = {hit.memory.id: number for number, hit in enumerate(hits)}
    heirs = {} if rules.past else {hit.memory.supersedes: hit.memory.id for hit in hits if hit.memory.supersedes is not None}
    standing = [hit for hit in hits if hit.memory.id not in heirs]
    judged.dropped.update((hit.memory.id, f"superseded by {heirs[hit.memory.id]}") for hit in hits if hit.memory.id in heirs)
    ordered = _lessons_first(_in_order(_unconfirmed(standing, state)), query, state, rules)
    shown: list[int] = []
    sources: dict[str, int] = {}
    for hit in ordered:
        reserved = "lesson" in hit.labels
        against = _against(hit, rules, judged, sources, reserved=reserved)
        if against is None and rules.free and not reserved and vectors is not None:
            against = _says_the_same(vectors, place[hit.memory.id], shown)
        if against is not None:
            judged.dropped[hit.memory.id] = against
            continue
        judged.hits.append(replace(hit, labels=labels_of(hit)))
        shown.append(place[hit.memory.id])
        source = source_of(hit.memory)
        if source is not None:
            sources[source] = sources.get(source, 0) + 1
    return judged


def by_rules(hits: Iterable[Hit], tools: Sequence[str] = ()) -> list[Hit]:
    """Best first; equal scores by rule: success before failure, a recent day before an old one, the same tool chain before another."""
    wanted = tuple(tools)

    def key(hit: Hit) -> tuple[float, int, int, int, float]:
        memory, moment = hit.memory, hit.memory.event_time.astimezone(UTC)
        return (
            -hit.score,
            1 if memory.outcome is Outcome.FAILURE else 0,
            -moment.toordinal(),
            0 if wanted and memory.tools == wanted else 1,
            -moment.timestamp(),
        )

    return sorted(hits, key=key)


def source_of(memory: Memory) -> str | None:
    """Where a memory comes from: its session, or the document it points to."""
    if memory.session_id is not None:
        return f"session {memory.session_id}"
    return next((f"document {ref.document}" for ref in memory.refs if ref.document is not None), None)


def labels_of(hit: Hit) -> tuple[Label, ...]:
    """What a reader must know of a memory, with what was already said of it."""
    memory = hit.memory
    told: dict[Label, bool] = {
        "inferred": memory.source is Source.INFERRED,
        "conflict": bool(memory.conflicts_with),
        "superseded": memory.status is Status.SUPERSEDED,
        "archived": memory.status is Status.ARCHIVED,
    }
    return tuple(dict.fromkeys((*hit.labels, *(label for label, holds in told.items() if holds))))


def _unconfirmed(hits: list[Hit], state: SessionState | None) -> list[Hit]:
    """Demote what the session itself contradicts."""
    said = state.statements() if state is not None else ()
    if not said:
        return hits
    weighed = [
        replace(hit, score=hit.score * DEMOTION, labels=(*hit.labels, "unconfirmed"))
        if any(contradicts(line, hit.memory) for line in said)
        else hit
        for hit in hits
    ]
    return sorted(weighed, key=lambda hit: -hit.score) if any("unconfirmed" in hit.labels for hit in weighed) else weighed


def contradicts(said: str, memory: Memory) -> bool:
    """Whether what is said now and the memory cannot both hold; what happened (an episode) is contradicted by nothing."""
    if LAYER_OF[memory.kind] is not Layer.SEMANTIC:
        return False
    # Its patterns take time to compile: a process that is never asked within a session does without.
    from hindsight.remember.reconcile.relate import frame_of, relate_statements

    kept, now = frame_of(memory.content, memory.speaker), frame_of(said, None)
    if not now.gone and not (kept.content & now.content) - set(kept.subject[:1]):
        return False  # most pairs share no more than "I", and the forms are cached
    return relate_statements(memory.content, said, old_speaker=memory.speaker) in SUPERSEDING


def _in_order(hits: list[Hit]) -> list[Hit]:
    """Of two that conflict the one of higher priority, then newer version, then later time, takes the better place."""
    place = {hit.memory.id: number for number, hit in enumerate(hits)}
    for number in range(len(hits)):
        for other in hits[number].memory.conflicts_with:
            if other not in place:
                continue
            first, second = sorted((place[hits[number].memory.id], place[other]))
            if _standing(hits[second].memory) > _standing(hits[first].memory):
                hits[first], hits[second] = hits[second], hits[first]
                place[hits[first].memory.id], place[hits[second].memory.id] = first, second
    return hits


def _standing(memory: Memory) -> tuple[int, int, float]:
    return (memory.priority, memory.version, memory.event_time.timestamp())


def _lessons_first(hits: list[Hit], query: Understood, state: SessionState | None, rules: Rules) -> list[Hit]:
    """The best avoid-lesson whose condition and task are those of the query takes the first place."""
    for number, hit in enumerate(hits):
        lesson = hit.memory.lesson
        if lesson is not None and lesson.avoid and applies(hit.memory, hit.relevance, query, state, rules.threshold):
            return [replace(hit, labels=(*hit.labels, "lesson")), *hits[:number], *hits[number + 1 :]]
    return hits


def _against(hit: Hit, rules: Rules, judged: Judged, sources: dict[str, int], *, reserved: bool) -> str | None:
    """What keeps a memory out, other than saying the same as another."""
    if len(judged.hits) >= rules.k:
        return f"beyond the {rules.k} shown"
    if reserved:
        return None
    if rules.threshold is not None and hit.relevance < rules.threshold:
        return f"relevance {hit.relevance:.2f} is below {rules.threshold:.2f}"
    source = source_of(hit.memory)
    cap = max(2, math.ceil(SOURCE_SHARE * rules.k))
    if rules.free and source is not None and sources.get(source, 0) >= cap:
        return f"{cap} from the same {source.split(' ', 1)[0]} are shown already"
    return None


def _says_the_same(vectors: NDArray[np.float32], own: int, shown: Sequence[int]) -> str | None:
    if not shown or not vectors[own].any():
        return None
    closest = float((vectors[list(shown)] @ vectors[own]).max())
    return f"says the same as one that is shown (cosine {closest:.2f})" if closest > ALIKE else None
