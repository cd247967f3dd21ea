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

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, lgamma, log, log10
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
    """Runs that use a tool, or are of a task type. Sets of runs are integers here, bit n for run n: thousands are compared at once."""

    task_type: str | None
    tool: str | None
    runs: int
    holding: dict[_Key, int]


class _Miner:
    """The runs that no finding explains yet."""

    def __init__(self, runs: Sequence[Run], least: Evidence) -> None:
        self._runs = runs
        self._least = least
        self._left = (1 << len(runs)) - 1
        self._failed = _set(place for place, run in enumerate(runs) if run.failed)
        self._taken: set[_Key] = set()
        self._scopes = _scopes(runs, self._failed, least.support)
        places: dict[str, list[int]] = {}
        failing: dict[str, list[int]] = {}
        for place, run in enumerate(runs):
            if run.failed and run.error:
                places.setdefault(run.error, []).append(place)
            if run.failed and run.failing:
                failing.setdefault(run.failing, []).append(place)
        self._failing = {tool: _set(each) for tool, each in failing.items()}
        succeeded = self._left & ~self._failed
        # What is counted: every failure together, or one error against the successes.
        self._counted = [self._left, *(succeeded | _set(each) for each in places.values() if len(each) >= least.support)]
        logs = accumulate((log(number) for number in range(1, len(runs) + 1)), initial=0.0)
        self._log_factorials = list(logs)

    def set_aside(self, finding: Finding) -> None:
        """Count on without the failures that ``finding`` explains."""
        explained = set(finding.failed)
        self._left &= ~_set(place for place, run in enumerate(self._runs) if run.id in explained)
        self._taken.add((finding.feature, finding.tool, finding.other))

    def best(self) -> Finding | None:
        """The surest finding among the runs that are left."""
        attainable: dict[tuple[int, int], float] = {}
        best: tuple[tuple[float, ...], _Table] | None = None
        for table in self._tables():
            if (table.having, table.failed) not in attainable:
                most = min(table.having.bit_count(), table.failed.bit_count())
                attainable[table.having, table.failed] = self._p(table, most)
            if (table.having & table.failed).bit_count() < self._least.support:
                continue
            confidence, lift = table.rates()
            if confidence < self._least.confidence or lift < self._least.lift:
                continue
            place = self._preference(table, self._p(table, (table.having & table.failed).bit_count()), lift)
            if best is None or place < best[0]:
                best = (place, table)
        if best is None:
            return None
        tests = _tests(attainable.values(), self._least.p)
        table = best[1]
        p = min(1.0, self._p(table, (table.having & table.failed).bit_count()) * tests / (1 + len(self._taken)))
        return None if p > self._least.p else self._finding(table, p)

    def _tables(self) -> Iterator[_Table]:
        for scope in self._scopes:
            for counted in self._counted:
                inside = scope.runs & counted & self._left
                failed = inside & self._failed
                if failed.bit_count() < self._least.support or failed == inside:
                    continue
                for key, holding in scope.holding.items():
                    having = holding & inside
                    if having != inside and having.bit_count() >= self._least.support and key not in self._taken:
                        yield _Table(scope, key, having, inside, failed)

    def _preference(self, table: _Table, p: float, lift: float) -> tuple[float, ...]:
        """Of findings about as sure the one to report: about the tool that failed; what was done before what was not."""
        wrong = table.having & table.failed
        failing = (wrong & self._failing.get(table.key[1], 0)).bit_count()
        sure = round(log10(max(p, 1e-300)) / ABOUT_AS_SURE)
        whole = float(table.scope.task_type is not None)
        return (sure, -failing, p, -round(lift, 3), -wrong.bit_count(), _PREFERRED[table.key[0]], whole)

    def _p(self, table: _Table, both: int) -> float:
        sizes = (table.having.bit_count(), table.failed.bit_count(), table.inside.bit_count())
        return fisher(both, *sizes, log_factorials=self._log_factorials)

    def _finding(self, table: _Table, p: float) -> Finding:
        confidence, lift = table.rates()
        wrong = table.having & table.failed
        errors = Counter(error for place in _places(wrong) if (error := self._runs[place].error))
        return Finding(
            feature=table.key[0],
            task_type=table.scope.task_type,
            tool=table.key[1],
            other=table.key[2],
            confidence=round(confidence, 4),
            lift=round(lift, 3),
            p=p,
            failed=self._ids(wrong),
            against=self._ids(table.having & ~table.failed),
            contrast=self._ids(table.inside & ~table.failed & ~table.having),
            errors=tuple(error for error, _ in errors.most_common(3)),
        )

    def _ids(self, runs: int) -> tuple[UUID, ...]:
        return tuple(self._runs[place].id for place in _places(runs))


@dataclass(frozen=True, slots=True)
class _Table:
    """A 2 × 2 table: the runs counted, those that have the feature, those that failed."""

    scope: _Scope
    key: _Key
    having: int
    inside: int
    failed: int

    def rates(self) -> tuple[float, float]:
        """(confidence, lift)."""
        confidence = (self.having & self.failed).bit_count() / self.having.bit_count()
        return confidence, confidence / (self.failed.bit_count() / self.inside.bit_count())


def _set(places: Iterable[int]) -> int:
    made = 0
    for place in places:
        made |= 1 << place
    return made


def _places(runs: int) -> Iterator[int]:
    while runs:
        lowest = runs & -runs
        yield lowest.bit_length() - 1
        runs ^= lowest


def _scopes(runs: Sequence[Run], failed: int, least: int) -> list[_Scope]:
    """Scopes with enough failures, and which of their runs have which feature."""
    places: dict[tuple[str | None, str | None], list[int]] = {}
    for place, run in enumerate(runs):
        for name in dict.fromkeys(run.tools):
            places.setdefault((None, name), []).append(place)
        if run.task_type is not None:
            places.setdefault((run.task_type, None), []).append(place)
    scopes = []
    for (task_type, tool), within in places.items():
        inside = _set(within)
        if (inside & failed).bit_count() >= least:
            holding = _not_before(runs, within, inside, tool) if tool is not None else _in_task(runs, within, inside)
            scopes.append(_Scope(task_type, tool, inside, holding))
    return scopes


def _not_before(runs: Sequence[Run], within: Sequence[int], inside: int, tool: str) -> dict[_Key, int]:
    """For every other tool that came before ``tool`` somewhere: the runs where it did not."""
    before: dict[str, list[int]] = {}
    for place in within:
        for other in dict.fromkeys(runs[place].tools[: runs[place].tools.index(tool)][:_LONGEST]):
            before.setdefault(other, []).append(place)
    return {("not_before", tool, other): inside & ~_set(having) for other, having in before.items()}


def _in_task(runs: Sequence[Run], within: Sequence[int], inside: int) -> dict[_Key, int]:
    """For every tool of a task type: the runs that use it, lack it, call it over and over."""
    found: dict[_Key, list[int]] = {}
    for place in within:
        for tool, count in Counter(runs[place].tools).items():
            found.setdefault(("uses", tool, None), []).append(place)
            if count >= REPEATED:
                found.setdefault(("repeats", tool, None), []).append(place)
    holding = {key: _set(having) for key, having in found.items()}
    return holding | {("lacks", key[1], None): inside & ~having for key, having in holding.items() if key[0] == "uses"}


def _tests(attainable: Iterable[float], most: float) -> int:
    """How many tests count: those that could have come out significant at all (R. E. Tarone, 1990), equal ones once."""
    least = sorted(attainable)
    return next((number for number in range(1, len(least) + 1) if bisect_right(least, most / number) <= number), 1)


def fisher(both: int, having: int, failures: int, total: int, *, log_factorials: Sequence[float] | None = None) -> float:
    """One-sided Fisher exact p: at least ``both`` of the ``having`` runs among the ``failures`` of ``total`` by chance.

    ``log_factorials`` saves time: ln 0!, ln 1!, …, ln total!.

    >>> round(fisher(3, 3, 3, 6), 4)
    0.05
    """
    logs = log_factorials or [lgamma(number + 1) for number in range(total + 1)]

    def log_choose(n: int, k: int) -> float:
        return logs[n] - logs[k] - logs[n - k]

    whole = log_choose(total, having)
    least = max(both, having - (total - failures))
    ways = range(least, min(having, failures) + 1)
    return min(1.0, sum(exp(log_choose(failures, count) + log_choose(total - failures, having - count) - whole) for count in ways))
