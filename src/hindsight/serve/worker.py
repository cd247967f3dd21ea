"""``hindsight worker``: finishes queued work in a process of its own, beside servers that only take it in."""

from __future__ import annotations

import asyncio
import logging
import sys

from hindsight import __version__
from hindsight.serve.desk import assembled
from hindsight.serve.stopping import stop_signals
from hindsight.settings import Settings
from hindsight.telemetry import log_structured
from hindsight.tracing import trace_to_collector

_log = logging.getLogger(__name__)


def run(settings: Settings) -> None:
    """Work until SIGINT or SIGTERM; what was taken and not finished is given back.

    Raises:
        HindsightError: the settings do not fit, or an engine cannot be opened.
    """
    log_structured(settings)
    trace_to_collector(settings)
    asyncio.run(_work(settings.model_copy(update={"worker": "on"})))


async def _work(settings: Settings) -> None:
    with stop_signals() as stopped:
        async with assembled(settings) as memory:
            schedule = memory.schedule()
            schedule.start()
            _log.info("the worker is ready")
            sys.stderr.write(f"hindsight {__version__} works on what is queued; SIGINT or SIGTERM ends it\n")
            sys.stderr.flush()
            try:
                await stopped.wait()
            finally:
                await schedule.stop()
