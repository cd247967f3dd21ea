"""The only composition root: ``Settings`` become a ``Hindsight``. Nothing here connects or loads; that is ``open``'s work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import TypedDict
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from hindsight.access import Access
from hindsight.adapters.chat.factory import make_chat
from hindsight.adapters.embedders.counting import BundledTokenCount
from hindsight.adapters.embedders.factory import make_embedder
from hindsight.adapters.embedders.seeds import centring_for
from hindsight.adapters.optional import optional_module
from hindsight.adapters.places import open_place
from hindsight.adapters.relational.sealing import Sealing
from hindsight.adapters.relational.store import RelationalStore
from hindsight.adapters.rerankers.factory import make_reranker
from hindsight.adapters.seal_files import OFF, HeadFiles, KeyFile, default_key_file
from hindsight.adapters.sqlite.files import DATABASE
from hindsight.adapters.sqlite.snapshot import SqliteTarget
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.clock import SystemClock
from hindsight.companions import SharedRates, WakeUps
from hindsight.errors import ConfigurationError, InvalidInput
from hindsight.guard.examine import Guard
from hindsight.guard.seal import Sealer, derive_key
from hindsight.memory import Hindsight
from hindsight.ports import Centring, ChatModel, Clock, Embedder, Reranker, SessionStore
from hindsight.recall.options import RecallOptions
from hindsight.recall.pipeline import Retriever
from hindsight.records import Channel, Principal
from hindsight.remember.attribute import Attribution
from hindsight.remember.distil.batch import Distiller
from hindsight.remember.distil.model import ModelDistiller
from hindsight.remember.queue import Worker
from hindsight.remember.triggers import DISTIL_JOB, TurnTrigger
from hindsight.remember.writer import STORE_JOB, Writer
from hindsight.session.session import SessionTools
from hindsight.session.sessions import Sessions
from hindsight.settings import Settings
from hindsight.snapshots import SnapshotTarget
from hindsight.upkeep.backup import BackupKeeper, BackupOptions
from hindsight.upkeep.cold import ColdStore
from hindsight.upkeep.follow import Follower
from hindsight.upkeep.move import Mover
from hindsight.upkeep.reindex import Reindexer
from hindsight.upkeep.restore import Restorer
from hindsight.upkeep.run import UpkeepOptions, UpkeepTools
from hindsight.upkeep.runner import Upkeep
from hindsight.upkeep.schedule import read_schedule
from hindsight.vector_engine import follower_of

POSTGRES = ("postgresql", "postgres")
"""What the address of a PostgreSQL store begins with."""


class _Common(TypedDict):
    """What every store is made with."""

    embedder: tuple[str, int] | None
    centring: Centring | None
    clock: Clock
    reindexing: bool
    sealing: Sealing
    legal_hold: str


def assemble(settings: Settings, *, channel: str = "user", clock: Clock | None = None, guard: Guard | None = None) -> Hindsight:
    """A memory as the settings describe it, for one caller. ``guard`` stands in for the one that the settings describe.

    Raises:
        ConfigurationError: settings contradict each other or name what does not exist.
    """
    clock = clock or SystemClock()
    embedder = embedder_of(settings)
    store = store_of(settings, embedder, clock)
    shared = shared_of(settings, store, embedder)
    follower = follower_of(settings, store, embedder)
    writer = Writer(
        store, embedder, clock, debug=settings.debug_info == "on", max_queue=settings.max_queue, guard=guard or guard_of(settings)
    )
    zone = zone_of(settings)
    chat = chat_of(settings)
    distiller = Distiller(zone, ModelDistiller(chat, zone) if chat is not None else None)
    attribution = Attribution(Principal(agent=settings.agent, channel=_channel(channel)), settings.namespace, zone)
    session_tools = SessionTools(
        states=shared.sessions, store=store, writer=writer, distiller=distiller, clock=clock, count=token_counter(settings)
    )
    return Hindsight(
        store=store,
        embedder=embedder,
        retriever=Retriever(store, shared.query_embedder, reranker_of(settings), clock, recall_options(settings, zone)),
        writer=writer,
        worker=worker_of(session_tools, attribution, shared.wake_ups, follower) if settings.worker == "on" else None,
        attribution=attribution,
        clock=clock,
        settings=settings,
        session_tools=session_tools,
        learning_store=store.learning,
        access=Access(store.tokens, clock, rates=shared.rates, engines=store.engines),
        chat=chat,
        keeper=BackupKeeper(store, clock, backup_options(settings)),
        upkeep=Upkeep(
            UpkeepTools(
                store=store,
                upkeep=store.upkeep,
                learning=store.learning,
                writer=writer,
                clock=clock,
                options=upkeep_options(settings, zone),
                zone=zone,
                cold=cold_store_of(settings),
                chat=chat,
                legal_hold=settings.legal_hold.strip(),
                follower=follower,
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """What several processes on one store share."""

    sessions: SessionStore
    query_embedder: Embedder | None
    wake_ups: WakeUps | None = None
    rates: SharedRates | None = None


def shared_of(settings: Settings, store: RelationalStore, embedder: Embedder | None) -> _Shared:
    """What Redis holds where the settings name one; else what the store itself offers.

    Raises:
        ConfigurationError: the Redis's address is none.
        MissingExtra: its driver is not installed.
    """
    if not settings.redis_url:
        return _Shared(store.sessions, embedder, store.wake_ups())
    optional_module("redis", purpose="Redis (HINDSIGHT_REDIS_URL)", install="hindsight-memory[server]")
    from hindsight.adapters.redis.blobs import RedisBlobs
    from hindsight.adapters.redis.link import RedisLink
    from hindsight.adapters.redis.rates import RedisRates
    from hindsight.adapters.redis.sessions import RedisSessions
    from hindsight.adapters.redis.vectors import SharedQueryVectors
    from hindsight.adapters.redis.wakeups import RedisWakeUps

    link = RedisLink(settings.redis_url, settings.store)
    wake_ups = RedisWakeUps(link)
    store.companions.append(link)
    store.ring = wake_ups.ring
    if embedder is not None and settings.embedder == "openai":  # a model of this machine is as quick as the way to Redis
        embedder = SharedQueryVectors(embedder, RedisBlobs(link, "query"))
    return _Shared(RedisSessions(store.sessions, link), embedder, wake_ups, RedisRates(link))


def worker_of(tools: SessionTools, attribution: Attribution, wake_ups: WakeUps | None = None, follower: Follower | None = None) -> Worker:
    """What finishes queued work beside the caller: stores, distillation, the end of idle sessions, and the vector engine."""
    turns = TurnTrigger(tools.store, tools.writer, tools.distiller)
    return Worker(
        tools.store,
        tools.clock,
        {STORE_JOB: tools.writer.store_job, DISTIL_JOB: partial(turns.run, attribution=attribution)},
        wake=tools.writer.wake,
        wake_ups=wake_ups,
        now_and_then=Sessions(tools, attribution).end_idle,
        beside=follower,
    )


def store_of(
    settings: Settings, embedder: Embedder | None, clock: Clock, *, reindexing: bool = False, heads: bool = True
) -> RelationalStore:
    """The store at the address that the settings give; an address that cannot be served never falls back to another. ``heads``: whether the
    ends of its chains of seals are kept outside.

    Raises:
        ConfigurationError: no store has such an address.
        MissingExtra: it is PostgreSQL's, and its driver is not installed.
    """
    keys = seal_keys(settings)
    common: _Common = {
        "embedder": (embedder.model_id, embedder.dimension) if embedder is not None else None,
        "centring": centring_for(embedder.model_id) if embedder is not None else None,
        "clock": clock,
        "reindexing": reindexing,
        "sealing": Sealing(
            lambda create: sealer_of(keys, create=create),
            HeadFiles(keys.file.parent / "seal-heads") if heads and keys.file is not None else None,
        ),
        "legal_hold": settings.legal_hold.strip(),
    }
    scheme, separator, _ = settings.store.partition("://")
    if not separator:
        return SqliteStore(Path(settings.store).expanduser(), durability=settings.durability, mapped=settings.map_vectors, **common)
    if scheme not in POSTGRES:
        raise ConfigurationError(f"store: {scheme}:// is not a store that this version serves; name a folder, or postgresql://….")
    for module in ("psycopg", "psycopg_pool"):
        optional_module(module, purpose="A store on PostgreSQL", install="hindsight-memory[server]")
    from hindsight.adapters.postgres.store import PostgresStore

    return PostgresStore(settings.store, **common)


def reindexer(settings: Settings, clock: Clock | None = None) -> Reindexer:
    """What makes every vector of the store anew, with the embedder that the settings name."""
    embedder = embedder_of(settings)
    return Reindexer(store_of(settings, embedder, clock or SystemClock(), reindexing=True), embedder)


def mover(settings: Settings, to: str) -> Mover:
    """What moves the settings' store to another address.

    Raises:
        ConfigurationError: that is no address of a store.
        InvalidInput: it is the same one, or there is nothing to move.
    """
    there, here = settings.model_copy(update={"store": to.strip()}), Path(settings.store).expanduser()
    folders = "://" not in settings.store and "://" not in there.store
    if not there.store or there.store == settings.store or (folders and here.resolve() == Path(there.store).expanduser().resolve()):
        raise InvalidInput(f"--to: {to!r} is not another place than the store's; name an empty folder, or postgresql://….")
    if "://" not in settings.store and not (here / DATABASE).is_file():
        raise InvalidInput(f"there is no store in {here}; name the one to be moved with --store or HINDSIGHT_STORE.")
    seal_keys(there)  # the key must not lie in the new store either
    unsealed = settings.model_copy(update={"seal_key": SecretStr(OFF)})  # the chains are carried as they are
    source = store_of(unsealed, None, SystemClock(), reindexing=True)
    target = store_of(unsealed.model_copy(update={"store": there.store}), None, SystemClock(), reindexing=True)
    # The ends of chains that are kept outside may be those of later writes to the source.
    return Mover(source, target, source.copier_to(target), lambda: store_of(there, None, SystemClock(), reindexing=True, heads=False))


def upkeep_options(settings: Settings, zone: tzinfo) -> UpkeepOptions:
    """How upkeep works, and when.

    Raises:
        ConfigurationError: the schedule names no such job, or no cron line.
    """
    return UpkeepOptions(
        hot_days=settings.hot_days,
        cold_days=settings.cold_days,
        history_days=settings.history_days,
        forget_below=settings.forget_below,
        schedule=read_schedule(settings.upkeep, zone),
    )


def cold_store_of(settings: Settings) -> ColdStore | None:
    """Where archived episodes go whole; None where the store is a database and the settings name no place."""
    place = settings.cold_store.strip()
    if not place and "://" not in settings.store:
        place = str(Path(settings.store).expanduser() / "cold")
    return ColdStore(open_place(place, "archived memories")) if place else None


def backup_options(settings: Settings) -> BackupOptions:
    """How backups are made. An embedded store's go into a folder beside it, unless the settings name another place.

    Raises:
        ConfigurationError: the key file cannot be read, or is empty.
    """
    place = settings.backup_to.strip()
    folder = None if "://" in settings.store else Path(settings.store).expanduser()
    if not place and folder is not None:
        place = str(folder.with_name(f"{folder.name}-backups"))
    return BackupOptions(place, settings.backup_keep, backup_passphrase(settings), open_place, folder)


def backup_passphrase(settings: Settings) -> bytes | None:
    """What encrypts backups, from its setting or its file; None: they are not encrypted."""
    text = settings.backup_key.get_secret_value()
    if not text and settings.backup_key_file:
        file = Path(settings.backup_key_file).expanduser()
        try:
            text = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"HINDSIGHT_BACKUP_KEY_FILE: {file} cannot be read: {error}.") from error
        if not text:
            raise ConfigurationError(f"HINDSIGHT_BACKUP_KEY_FILE: {file} is empty; put the passphrase into it.")
    return text.encode("utf-8") if text else None


def restorer(settings: Settings, clock: Clock | None = None) -> Restorer:
    """What puts a backup back to where the settings say that the store is."""
    keys = seal_keys(settings)
    sealing = Sealing(lambda create: sealer_of(keys, create=create), None)
    heads = HeadFiles(keys.file.parent / "seal-heads") if keys.file is not None else None
    target: SnapshotTarget
    if "://" not in settings.store:
        target = SqliteTarget(Path(settings.store).expanduser())
    else:
        store_of(settings, None, clock or SystemClock())  # an address that cannot be served is refused as always
        from hindsight.adapters.postgres.snapshot import PostgresTarget

        target = PostgresTarget(settings.store)

    def loaded(address: str) -> RelationalStore:
        if target.engine == "sqlite":
            return SqliteStore(Path(address), embedder=None, clock=clock, sealing=sealing)
        from hindsight.adapters.postgres.store import PostgresStore

        return PostgresStore(address, embedder=None, clock=clock, sealing=sealing)

    return Restorer(target, loaded, heads, backup_passphrase(settings), open_place)


def seal_keys(settings: Settings) -> KeyFile:
    """Where the keys of the seals come from."""
    file = Path(settings.seal_key_file).expanduser() if settings.seal_key_file else default_key_file()
    return KeyFile(settings.seal_key.get_secret_value(), file, Path(settings.store).expanduser())


def sealer_of(keys: KeyFile, *, create: bool) -> Sealer | None:
    """What makes the seals; None where seals are off or the key is not at hand. ``create`` makes a key file where there is none."""
    secrets = keys.read(create=create)
    return Sealer([derive_key(secret) for secret in secrets]) if secrets else None


def guard_of(settings: Settings) -> Guard:
    """The guard at the strictness that the settings name."""
    return Guard(settings.guard, personal=settings.guard_personal == "on")


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


def chat_of(settings: Settings) -> ChatModel | None:
    """The language model that distils, where the settings name one."""
    return make_chat(
        model=settings.chat_model, url=settings.chat_url, key=settings.chat_key.get_secret_value(), timeout=settings.chat_timeout
    )


def token_counter(settings: Settings) -> Callable[[str], int]:
    """Counts tokens with the bundled model's vocabulary where it is there, else estimates them. Loaded by the first count."""
    folder = Path(settings.model_cache).expanduser() if settings.model_cache else None
    return BundledTokenCount(folder)


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
        similarity_threshold=settings.similarity_threshold or None,
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
