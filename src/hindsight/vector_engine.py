"""The part of the composition root that puts a vector engine beside a store. Nothing here connects."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import SecretStr

from hindsight.adapters.optional import optional_module
from hindsight.adapters.relational.feeding import EngineIndex
from hindsight.adapters.relational.store import RelationalStore
from hindsight.adapters.seal_files import OFF
from hindsight.clock import SystemClock
from hindsight.errors import ConfigurationError
from hindsight.ports import Embedder
from hindsight.settings import Settings
from hindsight.upkeep.fill import Filler
from hindsight.upkeep.follow import Follower


def follower_of(settings: Settings, store: RelationalStore, embedder: Embedder | None) -> Follower | None:
    """What keeps the engine that the settings name up to the store, which from now on asks it; None where they name none.

    Raises:
        ConfigurationError: its address is none, or there is a key without an address.
        MissingExtra: its client is not installed.
    """
    key = settings.qdrant_api_key.get_secret_value()
    if not settings.qdrant_url.strip():
        if key:
            raise ConfigurationError(
                "HINDSIGHT_QDRANT_API_KEY is set without HINDSIGHT_QDRANT_URL: say where that Qdrant is, or unset the key."
            )
        return None
    optional_module("qdrant_client", purpose="Qdrant (HINDSIGHT_QDRANT_URL)", install="hindsight-memory[qdrant]")
    from hindsight.adapters.qdrant.engine import QdrantEngine

    engine = QdrantEngine(settings.qdrant_url, key=key)
    follower = Follower(store.feed, engine, store.upkeep)
    store.companions.append(engine)
    store.erased = follower.erased
    if embedder is not None:
        store.search_with(EngineIndex(engine, model=embedder.model_id, dimension=embedder.dimension))
    return follower


def filler_of(settings: Settings, store_of: Callable[..., RelationalStore]) -> Filler:
    """What fills the engine that the settings name from their store, made by ``store_of``: without an embedder, the vectors are there.

    Raises:
        ConfigurationError: they name none.
    """
    if not settings.qdrant_url.strip():
        raise ConfigurationError(
            "HINDSIGHT_QDRANT_URL is not set: say in which Qdrant the vectors are to lie, such as http://localhost:6333."
        )
    unsealed = settings.model_copy(update={"seal_key": SecretStr(OFF)})  # no record is written
    store = store_of(unsealed, None, SystemClock(), reindexing=True)
    follower = follower_of(settings, store, None)
    assert follower is not None
    return Filler(store, follower)
