"""Upkeep by the clock: cron lines in the server, with APScheduler; of several replicas one runs a job, by its lease."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, tzinfo
from typing import Any

from hindsight.errors import ConfigurationError, HindsightError
from hindsight.upkeep.runner import JOBS, Upkeep

OFF = "off"
OTHERS = {"backup": "0 3 * * *"}
"""What else runs by the clock, and when."""
MISFIRE_SECONDS = 3_600
_LOG = logging.getLogger(__name__)


def read_schedule(text: str, zone: tzinfo) -> dict[str, str] | None:
    """The cron line of every job, from changes to the defaults such as ``archive=0 2 * * *; forget=off``; None where it is ``off``.

    Raises:
        ConfigurationError: a job or line is none; the message names it.
    """
    if text.strip().lower() == OFF:
        return None
    schedule = {name: job.cron for name, job in JOBS.items()} | OTHERS
    for part in filter(None, (each.strip() for each in text.split(";"))):
        name, equals, line = (each.strip() for each in part.partition("="))
        if not equals or name not in schedule:
            raise ConfigurationError(f"HINDSIGHT_UPKEEP: {part!r} is not JOB=CRON LINE or JOB=off; jobs are {', '.join(schedule)}.")
        schedule[name] = "" if line.lower() == OFF else line
        if schedule[name]:
            next_run(line, zone, datetime.now(zone))
    return schedule


def next_run(cron: str, zone: tzinfo, now: datetime) -> datetime | None:
    """When a cron line strikes next; None for an empty one.

    Raises:
        ConfigurationError: it is no cron line.
    """
    if not cron:
        return None
    found: datetime | None = _trigger(cron, zone).get_next_fire_time(None, now)
    return found


class Schedule:
    """Runs the jobs of an open memory by the clock, from :meth:`start` to :meth:`stop`, in the running event loop."""

    def __init__(self, upkeep: Upkeep, zone: tzinfo, *, others: Mapping[str, Callable[[], Awaitable[Any]]] | None = None) -> None:
        self._upkeep = upkeep
        self._zone = zone
        self._others = dict(others or {})
        self._scheduler: Any = None

    def start(self) -> None:
        """Begin; nothing where the settings say ``off``."""
        if self._upkeep.tools.options.schedule is None:
            return
        from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]

        self._scheduler = AsyncIOScheduler(
            timezone=self._zone, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": MISFIRE_SECONDS}
        )
        for name in JOBS:
            if cron := self._upkeep.cron(name):
                self._scheduler.add_job(self._run, _trigger(cron, self._zone), args=[name], id=name)
        for name, work in self._others.items():
            if cron := self._upkeep.cron(name):
                self._scheduler.add_job(self._other, _trigger(cron, self._zone), args=[name, work], id=name)
        self._scheduler.start()

    async def stop(self) -> None:
        """End; a job that runs is cut short, and goes on where it stopped the next time."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None

    async def _run(self, name: str) -> None:
        try:
            await self._upkeep.run(name, scheduled=True)
        except HindsightError as error:
            _LOG.warning("upkeep_failed", extra={"job": name, "error": str(error)})

    async def _other(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            await self._upkeep.leased(name, work)
        except HindsightError as error:
            _LOG.warning("upkeep_failed", extra={"job": name, "error": str(error)})


def _trigger(cron: str, zone: tzinfo) -> Any:
    from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]

    try:
        return CronTrigger.from_crontab(cron, timezone=zone)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"HINDSIGHT_UPKEEP: {cron!r} is no cron line such as `30 3 * * *` ({error}).") from error
