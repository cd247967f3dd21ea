"""Runs upkeep jobs: one of all processes at a time, by a lease in the store, which also keeps what the last run did."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindsight.errors import HindsightError, InvalidInput, StoreBusy
from hindsight.ports import UpkeepState
from hindsight.records import new_id
from hindsight.telemetry import counts
from hindsight.upkeep.archive import archive
from hindsight.upkeep.compact import compact
from hindsight.upkeep.conflicts import conflicts
from hindsight.upkeep.consolidate import consolidate
from hindsight.upkeep.expire import expire
from hindsight.upkeep.forget import forget
from hindsight.upkeep.history import history
from hindsight.upkeep.patterns import patterns
from hindsight.upkeep.run import Report, Run, UpkeepTools
from hindsight.upkeep.stats import stats

LEASE_SECONDS = 60.0
SPACING = timedelta(seconds=50)
"""A run by schedule is left out where one began within this time: another replica's clock struck first."""
REMOVING = frozenset({"expire", "archive", "forget", "history"})
LONGEST_GAP = timedelta(days=30)
"""Past so long a time without a run, a job that removes something by age waits for the second run by schedule."""
RECONSIDERED = timedelta(hours=20)
_GAP = "nothing was removed: "
_LOG = logging.getLogger(__name__)

Work = Callable[[UpkeepTools, Run], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Job:
    """One upkeep job. ``cron`` is when it runs unless the settings say otherwise; ``meaning`` is for people."""

    name: str
    cron: str
    meaning: str
    work: Work


JOBS: Mapping[str, Job] = {
    job.name: job
    for job in (
        Job("expire", "10 * * * *", "erase memories whose time (expires_at) is over", expire),
        Job("archive", "30 3 * * *", "turn episodes past the hot window into digests, the whole texts going to the cold store", archive),
        Job("compact", "0 4 * * sun", "merge statements that say the same; the others are archived", compact),
        Job("conflicts", "30 4 * * sun", "mark statements that cannot both hold, for review", conflicts),
        Job("patterns", "0 5 * * sun", "look for causes of failure and propose rules, for review", patterns),
        Job("forget", "30 5 * * sun", "put away what nobody needs, and delete it after a grace period", forget),
        Job("consolidate", "0 6 1 1,4,7,10 *", "draw more general statements from experiences, for review", consolidate),
        Job("history", "15 6 * * sun", "cut old entries of the history that nothing needs any more", history),
        Job("stats", "30 6 * * *", "planner statistics, vacuum, checkpoint of the log", stats),
    )
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A job, when it runs (``cron`` empty: by hand alone), and what the store knows of its last run."""

    job: Job
    cron: str
    state: UpkeepState | None


class Upkeep:
    """The jobs of one open store. ``told`` are called with the report of each run."""

    def __init__(self, tools: UpkeepTools) -> None:
        self.tools = tools
        self.told: list[Callable[[Report], None]] = []

    async def planned(self) -> list[Planned]:
        """Every job, in the order of the day."""
        states = {state.name: state for state in await self.tools.upkeep.states()}
        return [Planned(job, self.cron(job.name), states.get(job.name)) for job in JOBS.values()]

    def cron(self, name: str) -> str:
        """When a job runs by itself; empty: never."""
        schedule = self.tools.options.schedule
        return "" if schedule is None else schedule.get(name, "")

    async def run(self, name: str, *, dry_run: bool = False, scheduled: bool = False) -> Report | None:
        """Run a job to its end. None where it is scheduled and another process does it, or did it just now.

        Raises:
            InvalidInput: there is no such job.
            StoreBusy: another process runs it now.
            HindsightError: what stopped it; what it did until then stands, and the next run goes on.
        """
        if name not in JOBS:
            raise InvalidInput(f"{name!r} is no upkeep job; jobs are {', '.join(JOBS)}.")
        now = self.tools.clock.now()
        if dry_run:
            return await self._run(Run(name, "dry run", now, dry_run=True))
        holder = f"{os.getpid()}-{new_id().hex[-12:]}"
        state = next((each for each in await self.tools.upkeep.states() if each.name == name), None)
        if scheduled and name in REMOVING and await self._waits(name, holder, state, now):
            return None
        since = _began(state, now)
        unless = now - SPACING if scheduled else None
        if not await self.tools.upkeep.begin(name, holder, seconds=LEASE_SECONDS, unless_since=unless):
            if scheduled:
                return None
            raise StoreBusy(f"another process runs the upkeep job {name!r} now; wait for it, or try again in a minute if it died.")
        run = Run(name, f"upkeep-{name}-{now:%Y%m%dT%H%M%S}-{holder[-4:]}", now, since=since)
        holding = asyncio.create_task(self._hold(name, holder))
        report: Report | None = None
        error = "stopped before its end"
        try:
            report = await self._run(run)
            error = ""
        except HindsightError as fault:
            error = str(fault)
            self._tell(self._report(run, 0.0, error))
            raise
        finally:
            holding.cancel()
            await self._end(name, holder, report, error)
        self._tell(report)
        return report

    async def leased(self, name: str, work: Callable[[], Awaitable[object]]) -> bool:
        """Do something by the clock that is no job of ours, such as a backup, in one of all processes; whether it was this one."""
        holder = f"{os.getpid()}-{new_id().hex[-12:]}"
        since = self.tools.clock.now() - SPACING
        if not await self.tools.upkeep.begin(name, holder, seconds=LEASE_SECONDS, unless_since=since):
            return False
        holding = asyncio.create_task(self._hold(name, holder))
        error, begun = "stopped before its end", time.perf_counter()
        try:
            await work()
            error = ""
        except HindsightError as fault:
            error = str(fault)
            raise
        finally:
            holding.cancel()
            counts().upkept(name, "failed" if error else "done", time.perf_counter() - begun, {})
            await self._end(name, holder, None, error)
        return True

    async def _run(self, run: Run) -> Report:
        begun = time.perf_counter()
        await JOBS[run.name].work(self.tools, run)
        return self._report(run, time.perf_counter() - begun, None)

    def _report(self, run: Run, seconds: float, error: str | None) -> Report:
        counts = {name: number for name, number in run.counts.items() if number}
        return Report(run.name, run.id, run.dry_run, run.now, seconds, counts, tuple(run.items), tuple(run.notes), error)

    def _tell(self, report: Report) -> None:
        level = logging.WARNING if report.error else logging.INFO
        line = {
            "job": report.name,
            "run": report.run,
            "seconds": round(report.seconds, 2),
            "error": report.error,
            "counts": dict(report.counts),
        }
        _LOG.log(level, "upkeep", extra=line)
        counts().upkept(report.name, "failed" if report.error else "done", report.seconds, report.counts)
        for told in self.told:
            told(report)

    async def _waits(self, name: str, holder: str, state: UpkeepState | None, now: datetime) -> bool:
        """Whether to leave everything for a day, since the clock may have leapt: what is removed by age is not to be had back by setting it right."""
        gap = now - state.started_at if state is not None and state.started_at is not None else timedelta()
        if state is not None and (state.error or "").startswith(_GAP):  # that was said at its last start
            return timedelta() <= gap < RECONSIDERED
        if gap <= LONGEST_GAP:
            return False
        if await self.tools.upkeep.begin(name, holder, seconds=LEASE_SECONDS, unless_since=now - SPACING):
            error = (
                f"{_GAP}{name} did not run for {gap.days:,} days. If the clock is wrong, set it right; otherwise the next run, a day from now or "
                f"later, does what was left, or `hindsight upkeep {name}` at once."
            )
            _LOG.warning("upkeep_waits", extra={"job": name, "error": error})
            counts().upkept(name, "failed", 0.0, {})
            await self._end(name, holder, None, error)
        return True

    async def _hold(self, name: str, holder: str) -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            try:
                await self.tools.upkeep.hold(name, holder, seconds=LEASE_SECONDS)
            except HindsightError as error:
                _LOG.warning("upkeep_lease_not_renewed", extra={"job": name, "error": str(error)})

    async def _end(self, name: str, holder: str, report: Report | None, error: str) -> None:
        told = report.as_json() if report is not None else None
        if told is not None:
            told["items"] = []  # what was done stands in the history; here it would be a second copy of texts
        try:
            await self.tools.upkeep.end(name, holder, report=told, error=error or None)
        except HindsightError as fault:
            _LOG.warning("upkeep_lease_not_returned", extra={"job": name, "error": str(fault)})


def _began(state: UpkeepState | None, now: datetime) -> datetime | None:
    """When the last run that reached its end began; None where the clock was wrong then: everything is looked at again."""
    if state is None or state.report is None:
        return None
    began = datetime.fromisoformat(str(state.report["started"]))
    return began if began <= now else None
