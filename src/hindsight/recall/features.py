"""From evidence to features: one row a candidate, one column a feature. The same code serves and is fitted. Pure numpy.

Families: keyword match (``B…``, ``cov…``, ``said…``), cosine (``A…`` adapted, ``R…`` plain), turns beside (``…_before``,
``…_after``, ``beside…``), session and day of the candidate (``session_…``, ``day_…``), closeness in time to other good
candidates (``near_…``), the time that the query names (``when_…``), who speaks (``speaker_…``, ``role_…``), size, and the
shape of the question (``ask_…``), and how the statement's form fits it (``…_told``, ``reply``, ``is_question``).

Age against the query and "after the question" are left out on purpose: on pooled evaluation data they would learn how the
pool was made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.recall.evidence import Evidence
from hindsight.recall.questions import SHAPES
from hindsight.recall.understand import Understood
from hindsight.records import Role
from hindsight.text.indexing import CUES, NUMBER, QUESTION, SELF, TIME

Floats = NDArray[np.float32]
Table = dict[str, Any]
"""Feature by name: an array over the candidates, or one number for all of them."""

_DAY = 86_400.0
_GOOD = 64
"""So many of the best candidates count for closeness in time; the weight of the others is next to nothing."""
_KERNELS = {"near_10min": 600.0, "near_2h": 7_200.0, "near_1d": _DAY, "near_4d": 4 * _DAY}
_ROLES = {role: position for position, role in enumerate(Role)}
_FAR = -2.0
"""What stands for "there is none" among z-scores."""


def features(query: Understood, evidence: Evidence) -> tuple[tuple[str, ...], Floats]:
    """Names, and the (candidates, features) matrix, float32."""
    # numpy reports "invalid value in matmul" on some processors for tables without any: vector registers read past the end.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return _features(query, evidence)


def _features(query: Understood, evidence: Evidence) -> tuple[tuple[str, ...], Floats]:
    table: Table = {}
    n = evidence.count
    base = _matches(query, evidence, table)
    _beside(query, evidence, base, table)
    _groups(query, evidence, base[:n], table)
    _near(evidence, base[:n], table)
    _when(evidence, table)
    _speakers(query, evidence, table)
    _cues(query, evidence, base, table)
    _sizes(evidence, table)
    _question(query, evidence, table)
    matrix = np.empty((len(table), n), dtype=np.float32)
    for position, values in enumerate(table.values()):
        matrix[position] = values
    return tuple(table), matrix.T


def standardiser(values: NDArray[np.floating]) -> Callable[[NDArray[np.floating]], Floats]:
    """The map to z-scores of ``values``; to zeros where they are all equal."""
    mean, spread = float(values.mean()), float(values.std())
    scale = 1.0 / spread if spread > 1e-6 * (1.0 + abs(mean)) else 0.0  # equal numbers differ from their mean by rounding
    return lambda wanted: ((wanted - mean) * scale).astype(np.float32)


def log_ranks(values: NDArray[np.floating]) -> Floats:
    """``ln(1 + rank)``, the best having the rank 0."""
    ranks = np.empty(len(values), dtype=np.float32)
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values), dtype=np.float32)
    return np.log1p(ranks)


def _matches(query: Understood, evidence: Evidence, table: Table) -> Floats:
    """How well each candidate matches alone; returns the mixed match of all rows, the measure of later families."""
    n = evidence.count
    bm25 = evidence.terms.worth.sum(axis=1)
    weights = evidence.terms.idf
    total = max(float(weights.sum()), 1e-6)
    adapted, plain = _filled(evidence.adapted, n), _filled(evidence.plain, n)
    standard_a, standard_b = standardiser(adapted[:n]), standardiser(bm25[:n])
    base: Floats = standard_a(adapted) + np.float32(0.8) * standard_b(bm25)
    table["B"] = bm25[:n] / total
    table["B_z"] = standard_b(bm25[:n])
    table["B_rank"] = log_ranks(bm25[:n])
    table["B_gap"] = (bm25[:n] - bm25[:n].max()) / total
    said = evidence.said.worth[:n].sum(axis=1)
    table["said"] = said / max(float(evidence.said.idf.sum()), 1e-6)
    table["said_z"] = standardiser(said)(said)
    held = evidence.terms.worth[:n] > 0
    content, content_total = _content(query, weights)
    table["cov"] = held @ weights / total
    table["cov_content"] = held @ content / content_total
    table["held"] = (held & (content > 0)).sum(axis=1)
    table["rarest"] = (held * content).max(axis=1, initial=0.0)
    table["A"], table["A_z"], table["A_rank"] = adapted[:n], standard_a(adapted[:n]), log_ranks(adapted[:n])
    table["A_gap"] = adapted[:n] - adapted[:n].max()
    table["R"], table["R_z"], table["R_gap"] = plain[:n], standardiser(plain[:n])(plain[:n]), plain[:n] - plain[:n].max()
    table["base"] = base[:n]
    return base


def _content(query: Understood, weights: Floats) -> tuple[Floats, float]:
    """The terms' idf without those that only repeat the name of a speaker who is asked about, and its sum."""
    content = np.where(query.about_name, 0.0, weights).astype(np.float32)
    return content, max(float(content.sum()), 1e-6)


def _filled(cosines: Floats, n: int) -> Floats:
    """Cosines with the least of the candidates' for rows without a vector; zeros where none has one."""
    known = cosines[:n][~np.isnan(cosines[:n])]
    return np.where(np.isnan(cosines), known.min() if len(known) else 0.0, cosines).astype(np.float32)


def _beside(query: Understood, evidence: Evidence, base: Floats, table: Table) -> None:
    """What stands before and after in the session: the evidence of a question is often the turn beside the one that matches."""
    n, beside = evidence.count, evidence.beside
    there = beside >= 0
    mixed = np.where(there, base[beside], np.float32(-3.0))
    weights = evidence.terms.idf
    total = max(float(weights.sum()), 1e-6)
    bm25 = np.where(there, evidence.terms.worth.sum(axis=1)[beside] / total, 0.0)
    adapted = _filled(evidence.adapted, n)
    cosine = np.where(there, adapted[beside], adapted[:n].min())
    held = evidence.terms.worth > 0
    content, content_total = _content(query, weights)
    covered = held @ content / content_total
    speaker = evidence.columns.speaker
    for name, column in (("before", 1), ("after", 2)):
        ok, at = there[:, column], beside[:, column]
        table[f"base_{name}"] = np.where(ok, mixed[:, column], _FAR)
        table[f"cov_{name}"] = np.where(ok, covered[at], 0.0)
        table[f"same_{name}"] = np.where(ok, speaker[at] == speaker[:n], 0.0)
        table[f"any_{name}"] = ok
    for name, column in (("before2", 0), ("before", 1), ("after", 2), ("after2", 3)):
        table[f"A_{name}"], table[f"B_{name}"] = cosine[:, column], bm25[:, column]
    table["beside_best"] = mixed.max(axis=1)
    window = held[:n] | (there[:, 1, None] & held[beside[:, 1]]) | (there[:, 2, None] & held[beside[:, 2]])
    table["cov_window"] = window @ content / content_total


def _groups(query: Understood, evidence: Evidence, base: Floats, table: Table) -> None:
    """How well the rest of the candidate's session, and of its day, matches."""
    n = evidence.count
    content, content_total = _content(query, evidence.terms.idf)
    held = (evidence.terms.worth[:n] > 0).astype(np.float32)
    days = np.floor(np.nan_to_num(evidence.columns.occurred[:n], nan=-_DAY) / _DAY).astype(np.int64)
    for name, codes in (("session", evidence.columns.session[:n]), ("day", days)):
        groups, member = np.unique(codes, return_inverse=True)
        count = np.bincount(member)
        order = np.lexsort((-base, member))
        starts = np.concatenate(([0], np.cumsum(count)[:-1]))
        within = np.empty(n, dtype=np.int64)
        within[order] = np.arange(n) - starts[member[order]]
        best = base[order[starts]]
        second = np.full(len(groups), -9.0)
        second[member[within == 1]] = base[within == 1]
        top = np.bincount(member, weights=np.where(within < 3, base, 0.0)) / 3
        covered = np.maximum.reduceat(held[order], starts, axis=0)
        real = codes >= 0
        table[f"{name}_best"] = np.where(real, best[member], _FAR)
        table[f"{name}_top"] = np.where(real, top[member], _FAR)
        table[f"{name}_rank"] = np.where(real, log_ranks(np.where(groups >= 0, top + 0.5 * best, -9.0))[member], 5.0)
        table[f"{name}_size"] = np.where(real, np.log1p(count[member]), 0.0)
        table[f"{name}_within"] = np.where(real, np.log1p(within), 5.0)
        table[f"{name}_others"] = np.where(real, np.where(within == 0, second[member], best[member]), _FAR)
        table[f"{name}_cov"] = np.where(real, (covered @ content)[member] / content_total, 0.0)


def _near(evidence: Evidence, base: Floats, table: Table) -> None:
    """Good candidates close in time: records of one event lie together. Kernels of several widths over a softmax of the match."""
    n = evidence.count
    moments = evidence.columns.occurred[:n]
    known = ~np.isnan(moments)
    # From the first moment on, so that float32 still tells seconds apart.
    moments = np.where(known, moments - (moments[known].min() if known.any() else 0.0), 0.0).astype(np.float32)
    weight = np.exp(1.5 * (base - base.max()))
    weight = np.where(known, weight / weight.sum(), 0.0).astype(np.float32)
    good = np.argsort(-weight, kind="stable")[:_GOOD]
    distance = np.abs(moments[:, None] - moments[good][None, :])
    for name, width in _KERNELS.items():
        kernel = np.exp(distance * np.float32(-1.0 / width))
        kernel[good, np.arange(len(good))] = 0.0  # not close to itself
        table[name] = np.log(np.where(known, kernel @ weight[good], 0.0) + 1e-4)


def _when(evidence: Evidence, table: Table) -> None:
    """Whether the candidate happened when the query says."""
    n, moments = evidence.count, evidence.columns.occurred[: evidence.count]
    if not evidence.ranges:
        table.update(dict.fromkeys(("when_in", "when_distance", "when_asked", "when_width", "when_share"), 0.0))
        return
    inside = np.zeros(n, dtype=np.bool_)
    distance = np.full(n, np.inf)
    for start, end in evidence.ranges:
        inside |= (moments >= start) & (moments < end)
        distance = np.fmin(distance, np.maximum(np.maximum(start - moments, moments - end), 0.0))
    days = np.where(np.isfinite(distance), distance / _DAY, 60.0)
    table["when_in"] = np.where(inside, 1.0, -1.0)
    table["when_distance"] = np.log1p(days)
    table["when_asked"] = 1.0
    table["when_width"] = np.log1p(sum(end - start for start, end in evidence.ranges) / _DAY)
    table["when_share"] = inside.mean()


def _speakers(query: Understood, evidence: Evidence, table: Table) -> None:
    """Who speaks: the one asked about, another one, the person or the assistant."""
    n, speaker, role = evidence.count, evidence.columns.speaker[: evidence.count], evidence.columns.role[: evidence.count]
    named = np.isin(speaker, np.array(query.speakers, dtype=np.int64)) if query.speakers else np.zeros(n, dtype=np.bool_)
    other = (speaker >= 0) & ~named & bool(query.speakers)
    table["speaker_named"], table["speaker_other"] = named, other
    table["speaker_only"] = (named.astype(np.float32) - other) if len(query.speakers) == 1 else 0.0
    table["speakers_named"] = min(len(query.speakers), 3)
    codes, member, count = np.unique(speaker, return_inverse=True, return_counts=True)
    table["speaker_share"] = np.where(codes[member] >= 0, count[member] / n, 0.0)
    user, assistant = role == _ROLES[Role.USER], role == _ROLES[Role.ASSISTANT]
    earlier, advice = query.asks[SHAPES.index("earlier_talk")], query.asks[SHAPES.index("advice")]
    table["role_user"], table["role_assistant"] = user, assistant
    table["role_assistant_earlier"], table["role_user_earlier"] = assistant * earlier, user * earlier
    table["role_user_advice"] = user * advice


def _cues(query: Understood, evidence: Evidence, base: Floats, table: Table) -> None:
    """The form of the statement against that of the question: a reply to a matching one, a time told where "when" is asked."""
    n, beside = evidence.count, evidence.beside
    cue = {name: evidence.cues[:, CUES.index(name)] for name in CUES}
    asked = dict(zip(SHAPES, query.asks.tolist(), strict=True))
    before = (beside[:, 1] >= 0) & cue[QUESTION][beside[:, 1]]
    table["is_question"], table["question_before"] = cue[QUESTION][:n], before
    table["question_after"] = (beside[:, 2] >= 0) & cue[QUESTION][beside[:, 2]]
    table["reply"] = np.where(before, base[beside[:, 1]], _FAR)
    table["tells_time"], table["tells_number"], table["tells_self"] = cue[TIME][:n], cue[NUMBER][:n], cue[SELF][:n]
    table["when_told"] = asked["when"] * np.where(cue[TIME][:n], 1.0, -1.0)
    table["number_told"] = max(asked["how_many"], asked["how_long"]) * np.where(cue[NUMBER][:n], 1.0, -1.0)
    table["self_told"] = cue[SELF][:n] * float(query.of_self)


def _sizes(evidence: Evidence, table: Table) -> None:
    n = evidence.count
    length = np.log1p(np.maximum(evidence.columns.length[:n], 0).astype(np.float32))
    table["length"], table["length_here"] = length, length.mean()
    table["length_relative"] = length - length.mean()
    table["candidates"] = np.log1p(n)


def _question(query: Understood, evidence: Evidence, table: Table) -> None:
    for name, value in zip(SHAPES, query.asks.tolist(), strict=True):
        table[f"ask_{name}"] = value
    table["ask_zh"], table["ask_of_self"] = float(query.language == "zh"), float(query.of_self)
    table["ask_terms"] = len(query.terms)
    table["ask_rarity"] = float(evidence.terms.idf.mean()) if len(query.terms) else 0.0
