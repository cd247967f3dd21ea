"""``QdrantEngine``: the ``VectorEngine`` on a Qdrant server."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any
from uuid import UUID

import numpy as np
from qdrant_client import QdrantClient, models

from hindsight.adapters.qdrant.address import Address, read_address
from hindsight.adapters.qdrant.collection import make_collection, mark_point, shard_of
from hindsight.adapters.qdrant.filters import any_of, is_one, translated, within
from hindsight.adapters.qdrant.link import CollectionMissing, Connect, QdrantLink, connecting
from hindsight.adapters.qdrant.points import MARK, PASSAGES, WHOLE, numbers, same, size_of, struct_of
from hindsight.errors import IndexUnavailable
from hindsight.following import IndexPoint, Nearest
from hindsight.ports import Rows

Work = Callable[[QdrantClient], models.UpdateResult]
Through = Callable[[Work], models.UpdateResult]

_TOGETHER = 1_000
"""Vectors in one request: about 4 MB of JSON."""
_WIDER = (1, 4, 16)
"""Times as many rows are asked for as are wanted, until enough pass."""
_LEAST_EF = 256
_OVERSAMPLED = 2.0
_MARK_ALONE = models.HasIdCondition(has_id=[str(MARK)])


class QdrantEngine:
    """Points of one or more stores, each store's in a collection of its own.

    Args:
        url: see :func:`hindsight.adapters.qdrant.address.read_address`.
        key: API key; empty: none.
        connect: makes clients of another kind.

    Raises:
        ConfigurationError: this is no address of a Qdrant.
    """

    name = "qdrant"

    def __init__(self, url: str, *, key: str = "", connect: Connect | None = None) -> None:
        self._address: Address = read_address(url)
        self.place = self._address.place
        self._link = QdrantLink(self.place, connect or connecting(self._address, key))

    async def open(self) -> None:
        """Look whether it answers; that it does not is no error yet.

        Raises:
            ConfigurationError: it refuses the key, or is too old.
        """
        await self._link.open()

    async def close(self) -> None:
        """Disconnect."""
        await self._link.close()

    async def fault(self) -> str | None:
        """Why searches go on without it."""
        return await self._link.fault()

    def create(self, collection: str, dimension: int, mark: str) -> None:
        """Make an empty collection."""
        self._link.write(lambda client: make_collection(client, collection, dimension, self._address, mark))

    def drop(self, collection: str) -> None:
        """Remove a collection, where there is one."""
        self._link.write(lambda client: client.delete_collection(collection))

    def mark(self, collection: str) -> str | None:
        """The mark of the last batch."""
        try:
            found = self._link.write(lambda client: client.retrieve(collection, [str(MARK)], with_payload=True))
        except CollectionMissing:
            return None
        return str((found[0].payload or {}).get("mark", "")) if found else ""

    def write(self, collection: str, points: Sequence[IndexPoint], gone: Sequence[int], mark: str | None) -> None:
        """Put points, remove rows, set the mark; each confirmed before the next."""
        for shard, part in self._parts(points):
            structs = [struct_of(point) for point in part]
            self._put(collection, structs, shard)
        if gone:
            self._delete(collection, models.Filter(must=[any_of("row", gone)]))
        if mark is not None:
            self._put(collection, [mark_point(mark)], shard_of(self._address, ""))

    def sweep(self, collection: str, after: int, upto: int | None, keep: Sequence[int]) -> None:
        """Remove the rows of a range but those to keep."""
        bounds: dict[str, float] = {"gt": after} if upto is None else {"gt": after, "lte": upto}
        kept: list[models.Condition] = [any_of("row", keep)] if keep else []
        self._delete(collection, models.Filter(must=[within("row", **bounds)], must_not=kept))

    def remove(self, collection: str, ids: Sequence[UUID]) -> None:
        """Remove records, and see that they are gone; nothing is tried while searches rest."""
        which = models.Filter(must=[models.HasIdCondition(has_id=[str(id) for id in ids])])
        self._delete(collection, which, self._link.hurried)

    def nearest(self, collection: str, asked: Nearest) -> Iterator[Rows]:
        """See the port. A language's mean moves the scores of all its records alike, so each is searched for itself."""
        filter = translated(asked.filter, asked.now)
        query = numbers(asked.vector)
        shard = shard_of(self._address, asked.filter.namespace)
        names = (WHOLE, PASSAGES) if asked.passages else (WHOLE,)
        for times in _WIDER:
            limit = times * asked.wanted
            requests = [_request(query, name, filter, code, limit, shard) for name in names for code in asked.languages]
            found = self._link.search(lambda client, requests=requests: client.query_batch_points(collection, requests))  # type: ignore[misc]
            lists = [[int((point.payload or {})["row"]) for point in each.points] for each in found]
            yield np.array([row for ranks in zip_longest(*lists) for row in ranks if row is not None], dtype=np.int64)
            if all(len(each) < limit for each in lists):
                return

    def count(self, collection: str) -> int:
        """How many points there are, the mark left aside."""
        return self._counted(collection, models.Filter(must_not=[_MARK_ALONE]))

    def held(self, collection: str, ids: Sequence[UUID]) -> int:
        """How many of these there are."""
        return self._counted(collection, models.Filter(must=[models.HasIdCondition(has_id=[str(id) for id in ids])])) if ids else 0

    def differing(self, collection: str, points: Sequence[IndexPoint]) -> builtins.list[UUID]:
        """Those that are not there just so."""
        wanted = {str(point.id): point for point in points}
        found = self._link.write(lambda client: client.retrieve(collection, list(wanted), with_payload=True, with_vectors=True))
        fine = {str(each.id) for each in found if same(each, wanted[str(each.id)])}
        return [point.id for id, point in wanted.items() if id not in fine]

    def snapshot(self, collection: str) -> str:
        """Let the server write a snapshot of the collection into its own folder of snapshots.

        Raises:
            IndexUnavailable: it does not, or cannot.
        """
        made = self._link.patient(lambda client: client.create_snapshot(collection, wait=True))
        if made is None:
            raise IndexUnavailable(f"Qdrant at {self.place} made no snapshot of {collection}.")
        return made.name

    def _parts(self, points: Sequence[IndexPoint]) -> Iterator[tuple[str | None, builtins.list[IndexPoint]]]:
        """Points that go together: of one shard, and not too large."""
        by_shard: dict[str | None, list[IndexPoint]] = defaultdict(list)
        for point in points:
            by_shard[shard_of(self._address, point.memory.namespace)].append(point)
        for shard, those in by_shard.items():
            part: list[IndexPoint] = []
            size = 0
            for point in those:
                if part and size + size_of(point) > _TOGETHER:
                    yield shard, part
                    part, size = [], 0
                part.append(point)
                size += size_of(point)
            yield shard, part

    def _put(self, collection: str, structs: Sequence[models.PointStruct], shard: str | None) -> None:
        self._confirmed(lambda client: client.upsert(collection, list(structs), wait=True, shard_key_selector=shard))

    def _delete(self, collection: str, which: models.Filter, through: Through | None = None) -> None:
        """Remove points, and look that none is left: a confirmation that is not one must not pass for one."""
        selector = models.FilterSelector(filter=which)
        self._confirmed(lambda client: client.delete(collection, selector, wait=True), through)
        if left := self._counted(collection, which):
            raise IndexUnavailable(f"Qdrant at {self.place} still has {left:,} points that it was told to delete.")

    def _counted(self, collection: str, which: models.Filter) -> int:
        return self._link.write(lambda client: client.count(collection, count_filter=which, exact=True)).count

    def _confirmed(self, work: Work, through: Through | None = None) -> None:
        done = (through or self._link.write)(work)
        if done.status != models.UpdateStatus.COMPLETED:
            raise IndexUnavailable(f"Qdrant at {self.place} has not finished a write in time ({done.status}); it is done again.")


def _request(
    query: builtins.list[float], name: str, filter: models.Filter, language: int, limit: int, shard: str | None
) -> models.QueryRequest:
    return models.QueryRequest(
        query=[query] if name == PASSAGES else query,
        using=name,
        filter=models.Filter(must=[*_listed(filter.must), is_one("language", language)], must_not=filter.must_not),
        params=models.SearchParams(
            hnsw_ef=max(_LEAST_EF, limit),
            quantization=models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLED),
        ),
        limit=limit,
        with_payload=["row"],
        shard_key=shard,
    )


def _listed(conditions: Any) -> builtins.list[Any]:
    return list(conditions) if isinstance(conditions, list) else [conditions]
