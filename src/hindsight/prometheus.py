"""Counting for Prometheus, and the text that it scrapes: counters of this process (or, with several workers, of all), and the store as it is.

Names end in ``_total`` where they are counters, and are listed in ``METRICS``; the dashboard and the alert rules use no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hindsight.telemetry import Counts

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from hindsight.upkeep.standing import Standing

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Seconds; dense where the promised latencies lie."""
_USUAL = frozenset({"cached", "cold", "abstained", "empty_query"})
"""Flags of retrievals that are as they should be."""
_LONG = (0.1, 1.0, 10.0, 60.0, 300.0, 1800.0, 7200.0)

COUNTERS = {
    "hindsight_retrievals": ("Retrievals answered.", ()),
    "hindsight_retrievals_empty": ("Retrievals that found nothing relevant.", ()),
    "hindsight_retrievals_degraded": ("Retrievals that were not as usual, by why.", ("flag",)),
    "hindsight_hits": ("Memories returned by retrievals.", ()),
    "hindsight_candidates": ("Candidates that the routes of retrievals found.", ("route",)),
    "hindsight_judged_retrievals": ("Retrievals that a caller judged, by the verdict.", ("verdict",)),
    "hindsight_judged_memories": ("Memories that callers judged, by the verdict.", ("verdict",)),
    "hindsight_stores": ("Texts stored, by what became of them.", ("status",)),
    "hindsight_guard_verdicts": ("Texts that the guard looked at, by its verdict.", ("verdict",)),
    "hindsight_cache_hits": ("Look-ups that a cache answered.", ("cache",)),
    "hindsight_cache_misses": ("Look-ups that a cache did not answer.", ("cache",)),
    "hindsight_llm_tokens": ("Tokens of the language model.", ("direction",)),
    "hindsight_llm_requests": ("Requests that the language model answered.", ()),
    "hindsight_llm_errors": ("Requests that the language model did not answer.", ()),
    "hindsight_upkeep_runs": ("Runs of upkeep jobs.", ("task", "outcome")),
    "hindsight_upkeep_records": ("Records that upkeep jobs changed, by what they did.", ("task", "action")),
}
"""Exposed with ``_total`` at the end."""
HISTOGRAMS = {
    "hindsight_retrieval_stage_seconds": ("Time of a retrieval by stage.", ("stage",), _BUCKETS),
    "hindsight_store_seconds": ("Time in which texts were stored, from the check to the commit.", (), _BUCKETS),
    "hindsight_upkeep_seconds": ("Time of an upkeep job.", ("task",), _LONG),
}
"""Exposed with ``_bucket``, ``_sum`` and ``_count`` at the end."""
GAUGES = {
    "hindsight_queued_jobs": "Jobs waiting or at work.",
    "hindsight_queue_age_seconds": "Age of the oldest job that waits or is at work.",
    "hindsight_stale_leases": "Jobs whose worker does not renew its lease.",
    "hindsight_dead_jobs": "Jobs given up.",
    "hindsight_seal_entries": "Entries of the chains of seals; never falls in an untouched store.",
    "hindsight_memories": "Memories by status.",
    "hindsight_active_memories": "Active memories by layer.",
    "hindsight_review_backlog": "Memories that wait for a person's decision.",
    "hindsight_conflicts": "Active memories that contradict another one.",
    "hindsight_backup_age_seconds": "Age of the last backup; +Inf where there is none.",
    "hindsight_store_bytes": "Bytes of the store on disk.",
    "hindsight_disk_free_bytes": "Bytes free where an embedded store lies.",
    "hindsight_vector_engine_up": "0 where an engine holds vectors beside the store and does not answer, else 1.",
    "hindsight_vector_engine_behind": "Changes of the store that are not in that engine yet.",
}
METRICS = frozenset(
    {f"{name}_total" for name in COUNTERS} | {f"{name}_{end}" for name in HISTOGRAMS for end in ("bucket", "sum", "count")} | set(GAUGES)
)


class PrometheusCounts(Counts):
    """Counts for ``/metrics``, in a registry of its own."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self.registry: CollectorRegistry = CollectorRegistry()
        self._counters = {name: Counter(name, text, labels, registry=self.registry) for name, (text, labels) in COUNTERS.items()}
        self._histograms = {
            name: Histogram(name, text, labels, buckets=buckets, registry=self.registry)
            for name, (text, labels, buckets) in HISTOGRAMS.items()
        }

    def retrieved(self, hits: int, stages: Mapping[str, float], routes: Mapping[str, int], flags: Iterable[str]) -> None:
        self._add("hindsight_retrievals")
        self._add("hindsight_hits", number=hits)
        if not hits:
            self._add("hindsight_retrievals_empty")
        for flag in set(flags) - _USUAL:
            self._add("hindsight_retrievals_degraded", flag)
        for route, number in routes.items():
            self._add("hindsight_candidates", route, number=number)
        for stage, seconds in stages.items():
            self._histograms["hindsight_retrieval_stage_seconds"].labels(stage).observe(seconds)

    def judged(self, verdict: str, memories: int) -> None:
        self._add("hindsight_judged_retrievals", verdict)
        self._add("hindsight_judged_memories", verdict, number=memories)

    def stored(self, statuses: Iterable[str], seconds: float | None = None) -> None:
        for status in statuses:
            self._add("hindsight_stores", status)
        if seconds is not None:
            self._histograms["hindsight_store_seconds"].observe(seconds)

    def guarded(self, verdicts: Iterable[str]) -> None:
        for verdict in verdicts:
            self._add("hindsight_guard_verdicts", verdict)

    def looked_up(self, cache: str, hits: int, misses: int) -> None:
        self._add("hindsight_cache_hits", cache, number=hits)
        self._add("hindsight_cache_misses", cache, number=misses)

    def asked_model(self, model: str, input_tokens: int, output_tokens: int) -> None:  # noqa: ARG002 - one model a process
        self._add("hindsight_llm_requests")
        self._add("hindsight_llm_tokens", "input", number=input_tokens)
        self._add("hindsight_llm_tokens", "output", number=output_tokens)

    def model_failed(self, model: str) -> None:  # noqa: ARG002 - the same
        self._add("hindsight_llm_errors")

    def upkept(self, job: str, outcome: str, seconds: float, records: Mapping[str, int]) -> None:
        self._add("hindsight_upkeep_runs", job, outcome)
        self._histograms["hindsight_upkeep_seconds"].labels(job).observe(seconds)
        for action, number in records.items():
            self._add("hindsight_upkeep_records", job, action, number=number)

    def exposition(self, standing: Standing) -> bytes:
        """The text that Prometheus scrapes."""
        from prometheus_client import CollectorRegistry, generate_latest

        store = CollectorRegistry(auto_describe=False)
        store.register(_Gauges(standing))
        return generate_latest(self._counted()) + generate_latest(store)

    def _counted(self) -> CollectorRegistry:
        from prometheus_client import CollectorRegistry, values
        from prometheus_client.multiprocess import MultiProcessCollector

        if values.ValueClass.__name__ != "MmapedValue":
            return self.registry
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return everyone

    def _add(self, name: str, *labels: str, number: float = 1) -> None:
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc(number)


class _Gauges:
    """The store's own numbers, as families."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        found, stats, engine = self._standing.condition, self._standing.stats, self._standing.engine
        single: dict[str, float] = {
            "hindsight_queued_jobs": stats.queued,
            "hindsight_queue_age_seconds": found.queue_age,
            "hindsight_stale_leases": found.stale_leases,
            "hindsight_dead_jobs": stats.dead_jobs,
            "hindsight_seal_entries": stats.sealed,
            "hindsight_review_backlog": found.review_backlog,
            "hindsight_conflicts": found.conflicts,
            "hindsight_backup_age_seconds": math.inf if self._standing.backup_age is None else self._standing.backup_age,
            "hindsight_store_bytes": stats.bytes_on_disk,
            "hindsight_vector_engine_up": float(engine is None or engine.fault is None),
            "hindsight_vector_engine_behind": 0 if engine is None else engine.behind,
        }
        if self._standing.disk_free is not None:
            single["hindsight_disk_free_bytes"] = self._standing.disk_free
        for name, number in single.items():
            yield GaugeMetricFamily(name, GAUGES[name], value=number)
        for name, label, numbers in (
            ("hindsight_memories", "status", stats.statuses),
            ("hindsight_active_memories", "layer", stats.layers),
        ):
            family = GaugeMetricFamily(name, GAUGES[name], labels=[label])
            for key, number in numbers.items():
                family.add_metric([key], number)
            yield family
