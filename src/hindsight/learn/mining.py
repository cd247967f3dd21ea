"""Causes of failure, found by counting over many runs, without a language model. Pure.

A *finding* says that runs of a scope (a tool, a task type) with a feature (a tool not called before another, a tool used, left out
or called over and over) fail more often than the scope's other runs. Failures are counted together and error by error, each error
against the successes alone: two causes in one kind of task do not hide each other.

support     runs of the scope that have the feature and failed
confidence  share of the runs with the feature that failed
lift        confidence over the failure rate of the whole scope
p           one-sided Fisher exact test of the 2 × 2 table (R. A. Fisher, 1935), corrected for the number of tests: those that could
            come out significant at all (R. E. Tarone, 1990), over the number of findings (Y. Benjamini and Y. Hochberg, 1995)

Findings are taken one at a time, the surest first, and the failures that one explains are set aside before the rest is counted
again: what merely goes along with a cause is not reported beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, lgamma, log10
from typing import Literal
from uuid import UUID

from hindsight.learn.episodes import Run

Feature = Literal["not_before", "uses", "lacks", "repeats"]
ABOUT_AS_SURE = 1.5
"""Findings whose p lie in the same span of so many powers of ten are about as sure."""
REPEATED = 3
"""A tool called so often in one run is called over and over."""
_LONGEST = 40
"""Of longer call sequences only so many distinct tools are looked at."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Least evidence of a finding."""

    support: int = 4
    confidence: float = 0.6
    lift: float = 1.2
    p: float = 0.05


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause of failure.

    Args:
        feature: what the failing runs have; ``not_before``: ``other`` was not called before ``tool``.
        task_type: the scope's, None where the scope is every run that uses ``tool``.
        tool: the tool that the feature is about.
        other: for ``not_before`` the tool that should have come first.
        confidence: see this module, as are ``lift`` and ``p``.
        failed: the runs for it: with the feature, failed.
        against: with the feature, but succeeded.
        contrast: without the feature, succeeded.
        errors: what the failed runs ended with, the most frequent first.
    """

    feature: Feature
    task_type: str | None
    tool: str
    other: str | None
    confidence: float
    lift: float
    p: float
    failed: tuple[UUID, ...]
    against: tuple[UUID, ...]
    contrast: tuple[UUID, ...]
    errors: tuple[str, ...]

    @property
    def support(self) -> int:
        """Runs that speak for it."""
        return len(self.failed)

    @property
    def signature(self) -> str:
        """Names the finding whatever its counts and its language: the same cause always has the same one."""
        return "\x1f".join((self.feature, self.task_type or "", self.tool, self.other or ""))


_Key = tuple[Feature, str, str | None]
_PREFERRED: dict[Feature, int] = {"uses": 0, "repeats": 1, "not_before": 2, "lacks": 3}
"""Which feature is named where two hold of exactly the same runs: what was done says more than what was not."""


def mine(runs: Sequence[Run], least: Evidence | None = None) -> list[Finding]:
    """The causes of failure that the runs give enough evidence for, the surest first."""
    miner = _Miner(runs, least or Evidence())
    found: list[Finding] = []
    while (best := miner.best()) is not None:
        found.append(best)
        miner.set_aside(best)
    return found


@dataclass(frozen=True, slots=True)
class _Scope:
    """Runs (places) that use a tool, or are of a task type."""

    task_type: str | None
    tool: str | None
    places: tuple[int, ...]
    holding: dict[_Key, frozenset[int]] = field(default_factory=dict)


class _Miner:
    """The runs that no finding explains yet."""

    def __init__(self, runs: Sequence[Run], least: Evidence) -> None:
        self._runs = runs
        self._least = least
        self._left = set(range(len(runs)))
        self._place = {run.id: place for place, run in enumerate(runs)}
        self._taken: set[_Key] = set()
        self._scopes = _scopes(runs, least.support)
        errors = Counter(run.error for run in runs if run.failed and run.error)
        self._errors: list[str | None] = [None, *(error for error, count in errors.items() if count >= least.support)]

    def set_aside(self, finding: Finding) -> None:
        """Count on without the failures that ``finding`` explains."""
        explained = set(finding.failed)
        self._left = {place for place in self._left if self._runs[place].id not in explained}
        self._taken.add((finding.feature, finding.tool, finding.other))

    def best(self) -> Finding | None:
        """The surest finding among the runs that are left."""
        attainable: dict[tuple[frozenset[int], frozenset[int]], float] = {}
        best: tuple[tuple[float, ...], Finding] | None = None
        for scope in self._scopes:
            for error in self._errors:
                inside = self._counted(scope, error)
                failed = frozenset(place for place in inside if self._runs[place].failed)
                if len(failed) < self._least.support or len(failed) == len(inside):
                    continue
                for key, holding in scope.holding.items():
                    having = holding & inside
                    if key in self._taken or len(having) < self._least.support or having == inside:
                        continue
                    attainable[having, failed] = fisher(min(len(having), len(failed)), len(having), len(failed), len(inside))
                    candidate = self._judged(scope, key, having, inside, failed)
                    if candidate is not None:
                        place = self._preference(candidate)
                        if best is None or place < best[0]:
                            best = (place, candidate)
        if best is None:
            return None
        p = min(1.0, best[1].p * _tests(attainable.values(), self._least.p) / (1 + len(self._taken)))
        return None if p > self._least.p else replace(best[1], p=p)

    def _preference(self, finding: Finding) -> tuple[float, ...]:
        """Of findings about as sure the one to report: about the tool that failed; what was done before what was not."""
        failing = sum(self._runs[self._place[id]].failing == finding.tool for id in finding.failed)
        sure = round(log10(max(finding.p, 1e-300)) / ABOUT_AS_SURE)
        return (
            sure,
            -failing,
            finding.p,
            -finding.lift,
            -finding.support,
            _PREFERRED[finding.feature],
            float(finding.task_type is not None),
        )

    def _counted(self, scope: _Scope, error: str | None) -> set[int]:
        """Runs of the scope that are left, without those that failed with another error."""
        inside = self._left.intersection(scope.places)
        if error is None:
            return inside
        return {place for place in inside if not self._runs[place].failed or self._runs[place].error == error}

    def _judged(self, scope: _Scope, key: _Key, having: frozenset[int], inside: set[int], failed: frozenset[int]) -> Finding | None:
        wrong = having & failed
        if len(wrong) < self._least.support:
            return None
        confidence = len(wrong) / len(having)
        lift = confidence / (len(failed) / len(inside))
        if confidence < self._least.confidence or lift < self._least.lift:
            return None
        runs = self._runs
        errors = Counter(error for place in wrong if (error := runs[place].error))
        return Finding(
            feature=key[0],
            task_type=scope.task_type,
            tool=key[1],
            other=key[2],
            confidence=round(confidence, 4),
            lift=round(lift, 3),
            p=fisher(len(wrong), len(having), len(failed), len(inside)),
            failed=_ids(runs, wrong),
            against=_ids(runs, having - failed),
            contrast=_ids(runs, inside - failed - having),
            errors=tuple(error for error, _ in errors.most_common(3)),
        )


def _ids(runs: Sequence[Run], places: Iterable[int]) -> tuple[UUID, ...]:
    return tuple(runs[place].id for place in sorted(places))


def _scopes(runs: Sequence[Run], least: int) -> list[_Scope]:
    """Scopes with enough failures, and which of their runs have which feature."""
    places: dict[tuple[str | None, str | None], list[int]] = {}
    for place, run in enumerate(runs):
        for name in dict.fromkeys(run.tools):
            places.setdefault((None, name), []).append(place)
        if run.task_type is not None:
            places.setdefault((run.task_type, None), []).append(place)
    scopes = []
    for (task_type, tool), inside in places.items():
        if sum(runs[place].failed for place in inside) >= least:
            holding = _not_before(runs, inside, tool) if tool is not None else _in_task(runs, inside)
            scopes.append(_Scope(task_type, tool, tuple(inside), holding))
    return scopes


def _not_before(runs: Sequence[Run], inside: Sequence[int], tool: str) -> dict[_Key, frozenset[int]]:
    """For every other tool that came before ``tool`` somewhere: the runs where it did not."""
    before: dict[str, set[int]] = {}
    for place in inside:
        for other in dict.fromkeys(runs[place].tools[: runs[place].tools.index(tool)][:_LONGEST]):
            before.setdefault(other, set()).add(place)
    return {("not_before", tool, other): frozenset(inside) - having for other, having in before.items()}


def _in_task(runs: Sequence[Run], inside: Sequence[int]) -> dict[_Key, frozenset[int]]:
    """For every tool of a task type: the runs that use it, lack it, call it over and over."""
    holding: dict[_Key, set[int]] = {}
    for place in inside:
        for tool, count in Counter(runs[place].tools).items():
            holding.setdefault(("uses", tool, None), set()).add(place)
            if count >= REPEATED:
                holding.setdefault(("repeats", tool, None), set()).add(place)
    lacking: dict[_Key, set[int]] = {("lacks", key[1], None): set(inside) - having for key, having in holding.items() if key[0] == "uses"}
    return {key: frozenset(having) for key, having in (holding | lacking).items()}


def _tests(attainable: Iterable[float], most: float) -> int:
    """How many tests count: those that could have come out significant at all (R. E. Tarone, 1990), equal ones once."""
    least = sorted(attainable)
    return next((number for number in range(1, len(least) + 1) if sum(p <= most / number for p in least) <= number), 1)


def fisher(both: int, having: int, failures: int, total: int) -> float:
    """One-sided Fisher exact p: at least ``both`` of the ``having`` runs among the ``failures`` of ``total`` by chance.

    >>> round(fisher(3, 3, 3, 6), 4)
    0.05
    """
    return min(1.0, sum(exp(_log_hypergeometric(count, having, failures, total)) for count in range(both, min(having, failures) + 1)))


def _log_hypergeometric(both: int, having: int, failures: int, total: int) -> float:
    if both < having - (total - failures):
        return float("-inf")
    return _log_choose(failures, both) + _log_choose(total - failures, having - both) - _log_choose(total, having)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
