"""How a collection is made: quantised, one graph a namespace, an index for every field that filters ask for."""

from __future__ import annotations

import hashlib

from qdrant_client import QdrantClient, models

from hindsight.adapters.qdrant.address import Address
from hindsight.adapters.qdrant.points import INDEXED, MARK, PASSAGES, WHOLE

_QUANTISED = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, memory=models.Memory.PINNED)
)
_GRAPH = models.HnswConfigDiff(m=0, payload_m=16, ef_construct=128)
"""No graph over everything: each search is in one namespace, and each namespace has its own."""
VACUUM = models.OptimizersConfigDiff(deleted_threshold=0.01, vacuum_min_vector_number=101)
"""A segment is written anew, without what was deleted, once a hundredth of it was; Qdrant looks at none of a hundred vectors or fewer."""


def make_collection(client: QdrantClient, name: str, dimension: int, address: Address, mark: str) -> None:
    """An empty collection with its indexes and mark; what is there already is left as it is."""
    if not client.collection_exists(name):
        client.create_collection(
            name,
            vectors_config={WHOLE: _vectors(dimension), PASSAGES: _vectors(dimension, several=True)},
            hnsw_config=_GRAPH,
            optimizers_config=VACUUM,
            quantization_config=_QUANTISED,
            replication_factor=address.replicas,
            sharding_method=models.ShardingMethod.CUSTOM if address.shards else None,
        )
    if address.shards:
        known = {each.key for each in client.list_shard_keys(name).shard_keys or []}
        for number in range(address.shards):
            if str(number) not in known:
                client.create_shard_key(name, str(number), replication_factor=address.replicas)
    for field, schema in INDEXED.items():
        client.create_payload_index(name, field, field_schema=schema, wait=True)
    client.upsert(name, [mark_point(mark)], wait=True, shard_key_selector=shard_of(address, ""))


def mark_point(mark: str) -> models.PointStruct:
    """The point that holds the mark: no vector, and no field that a search asks for."""
    return models.PointStruct(id=str(MARK), vector={}, payload={"mark": mark})


def shard_of(address: Address, namespace: str) -> str | None:
    """The shard key of a namespace; None where Qdrant spreads points by itself."""
    if not address.shards:
        return None
    digest = hashlib.blake2b(namespace.encode(), digest_size=8).digest()
    return str(int.from_bytes(digest, "big") % address.shards)


def _vectors(dimension: int, *, several: bool = False) -> models.VectorParams:
    """Vectors as they are lie on disk, and rescore what the quantised ones in memory find."""
    return models.VectorParams(
        size=dimension,
        distance=models.Distance.DOT,
        memory=models.Memory.CACHED,
        multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM) if several else None,
    )
