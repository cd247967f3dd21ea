"""The only composition root: ``Settings`` become a ``Hindsight``. Nothing here connects or loads; that is ``open``'s work."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.seeds import centring_for
from hindsight.adapters.rerankers.factory import make_reranker
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import SystemClock
from hindsight.errors import ConfigurationError
from hindsight.memory import Hindsight
from hindsight.ports import Clock, Embedder, RecordStore, Reranker
from hindsight.recall.options import RecallOptions
from hindsight.recall.pipeline import Retriever
from hindsight.records import Channel, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.queue import Worker
from hindsight.remember.writer import Writer
from hindsight.settings import Settings
from hindsight.upkeep.reindex import Reindexer


def assemble(settings: Settings, *, channel: str = "user", clock: Clock | None = None) -> Hindsight:
    """A memory as the settings describe it, for one caller.

    Raises:
        ConfigurationError: settings contradict each other or name what does not exist.
    """
    clock = clock or SystemClock()
    embedder = embedder_of(settings)
    store = store_of(settings, embedder, clock)
    writer = Writer(store, embedder, clock, debug=settings.debug_info == "on", max_queue=settings.max_queue)
    zone = zone_of(settings)
    return Hindsight(
        store=store,
        embedder=embedder,
        retriever=Retriever(store, embedder, reranker_of(settings), clock, recall_options(settings, zone)),
        writer=writer,
        worker=Worker(store, writer, clock),
        attribution=Attribution(Principal(agent=settings.agent, channel=_channel(channel)), settings.namespace, zone),
        clock=clock,
        settings=settings,
    )


def store_of(settings: Settings, embedder: Embedder | None, clock: Clock) -> RecordStore:
    """The store at the address that the settings give; an address that cannot be served never falls back to another."""
    return _sqlite_store(settings, embedder, clock, reindexing=False)


def reindexer(settings: Settings, clock: Clock | None = None) -> Reindexer:
    """What makes every vector of the store anew, with the embedder that the settings name."""
    embedder = embedder_of(settings)
    store = _sqlite_store(settings, embedder, clock or SystemClock(), reindexing=True)
    return Reindexer(store, embedder)


def _sqlite_store(settings: Settings, embedder: Embedder | None, clock: Clock, *, reindexing: bool) -> SqliteStore:
    if "://" in settings.store:
        raise ConfigurationError(f"store: {settings.store.split('://')[0]}:// is not a store that this version serves; name a folder.")
    identity = (embedder.model_id, embedder.dimension) if embedder is not None else None
    centring = centring_for(embedder.model_id) if embedder is not None else None
    return SqliteStore(
        Path(settings.store).expanduser(),
        embedder=identity,
        centring=centring,
        durability=settings.durability,
        clock=clock,
        reindexing=reindexing,
    )


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; None for keyword-only."""
    return make_embedder(
        settings.embedder,
        model=settings.embedder_model,
        url=settings.embedder_url,
        key=settings.embedder_key.get_secret_value(),
        dimensions=settings.embedder_dimensions,
        threads=settings.embedder_threads,
        cache_folder=Path(settings.model_cache).expanduser() if settings.model_cache else None,
    )


def reranker_of(settings: Settings) -> Reranker | None:
    """The cross-encoder that the settings name; None where the fitted features decide."""
    return make_reranker(
        settings.reranker,
        model=settings.reranker_model,
        url=settings.reranker_url,
        key=settings.reranker_key.get_secret_value(),
    )


def zone_of(settings: Settings) -> tzinfo:
    """The zone of times without an offset: the one set, else the machine's."""
    if settings.timezone:
        return ZoneInfo(settings.timezone)
    return datetime.now().astimezone().tzinfo or ZoneInfo("UTC")


def recall_options(settings: Settings, zone: tzinfo) -> RecallOptions:
    """How recall ranks, from the settings; 0 and -1 stand for the fitted values."""
    return RecallOptions(
        profile=settings.profile,
        fusion=settings.fusion,
        routes=tuple(part.strip() for part in settings.routes.split(",") if part.strip()),
        k=settings.k or None,
        token_budget=settings.token_budget,
        min_relevance=settings.min_relevance or None,
        half_life_days=settings.half_life_days,
        decay_floor=settings.decay_floor if settings.decay_floor >= 0 else None,
        budget_ms=settings.retrieval_timeout_ms,
        rerank_budget_ms=settings.rerank_budget_ms,
        zone=zone,
    )


def _channel(name: str) -> Channel:
    try:
        return Channel(name)
    except ValueError:
        raise ConfigurationError(f"channel: {name!r} is not one of {', '.join(Channel)}.") from None
