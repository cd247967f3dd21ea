"""Names of what is measured, the counting of it, and where log lines go."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from hindsight.records import Stats
    from hindsight.settings import Settings

RETRIEVALS = "hindsight_retrievals"
EMPTY_RETRIEVALS = "hindsight_retrievals_empty"
HITS = "hindsight_hits"
STAGE_SECONDS = "hindsight_retrieval_stage_seconds"
STORES = "hindsight_stores"
QUEUED_JOBS = "hindsight_queued_jobs"
DEAD_JOBS = "hindsight_dead_jobs"
SEAL_ENTRIES = "hindsight_seal_entries"
MEMORIES_BY_STATUS = "hindsight_memories"
ACTIVE_BY_LAYER = "hindsight_active_memories"
"""Counters get ``_total`` at the end when they are exposed."""

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds; dense where the promised latencies lie."""


class Counts:
    """Told of what happens, and counts nothing: for processes that nobody scrapes."""

    def retrieved(self, hits: int, stages: Mapping[str, float]) -> None:
        """One retrieval gave ``hits`` memories; ``stages`` are its parts in seconds, ``total`` among them."""

    def stored(self, statuses: Iterable[str]) -> None:
        """These became of stored texts."""


class PrometheusCounts(Counts):
    """Counts for ``/metrics``, in a registry of its own."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry: CollectorRegistry = CollectorRegistry()
        self._retrievals = Counter(RETRIEVALS, "Retrievals answered.", registry=self.registry)
        self._empty = Counter(EMPTY_RETRIEVALS, "Retrievals that found nothing relevant.", registry=self.registry)
        self._hits = Counter(HITS, "Memories returned by retrievals.", registry=self.registry)
        self._stages = Histogram(STAGE_SECONDS, "Time of a retrieval by stage.", ["stage"], buckets=_BUCKETS, registry=self.registry)
        self._stores = Counter(STORES, "Texts stored, by what became of them.", ["status"], registry=self.registry)
        self._queued = Gauge(QUEUED_JOBS, "Jobs waiting or at work.", registry=self.registry)
        self._dead = Gauge(DEAD_JOBS, "Jobs given up.", registry=self.registry)
        self._sealed = Gauge(SEAL_ENTRIES, "Entries of the chains of seals; never falls in an untouched store.", registry=self.registry)
        self._statuses = Gauge(MEMORIES_BY_STATUS, "Memories by status.", ["status"], registry=self.registry)
        self._layers = Gauge(ACTIVE_BY_LAYER, "Active memories by layer.", ["layer"], registry=self.registry)

    def retrieved(self, hits: int, stages: Mapping[str, float]) -> None:
        self._retrievals.inc()
        self._hits.inc(hits)
        if not hits:
            self._empty.inc()
        for stage, seconds in stages.items():
            self._stages.labels(stage).observe(seconds)

    def stored(self, statuses: Iterable[str]) -> None:
        for status in statuses:
            self._stores.labels(status).inc()

    def exposition(self, stats: Stats) -> bytes:
        """The text that Prometheus scrapes, with the store's own counts as they stand."""
        from prometheus_client import generate_latest

        self._queued.set(stats.queued)
        self._dead.set(stats.dead_jobs)
        self._sealed.set(stats.sealed)
        for gauge, numbers in ((self._statuses, stats.statuses), (self._layers, stats.layers)):
            gauge.clear()
            for name, number in numbers.items():
                gauge.labels(name).set(number)
        return generate_latest(self.registry)


def log_to_stderr(settings: Settings) -> None:
    """Send every log line and warning of the process to stderr: stdout belongs to the protocol, or to a command's output.

    Sets up the standard library's logging only; :func:`log_structured` adds structlog, whose import is not cheap.
    """
    logging.basicConfig(
        stream=sys.stderr, level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    logging.captureWarnings(True)


def log_structured(settings: Settings) -> None:
    """Like :func:`log_to_stderr`, with structlog's lines and the standard library's in one form: for people on a terminal, else JSON."""
    import structlog

    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not sys.stderr.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False) if as_json else structlog.dev.ConsoleRenderer()
    closing = [structlog.processors.format_exc_info, renderer] if as_json else [renderer]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *closing]
        )
    )
    logging.basicConfig(handlers=[handler], level=settings.log_level.upper(), force=True)
    logging.captureWarnings(True)
