"""``thaw``: archived memories come back, from the store or from the cold store; and a search in what lies cold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from hindsight.errors import InvalidInput, StoreCorrupt
from hindsight.records import Memory, Status
from hindsight.remember.attribute import Attribution
from hindsight.remember.change import Changer
from hindsight.remember.commit import build_write, event_of
from hindsight.text.tokens import index_tokens, query_tokens
from hindsight.upkeep.archive import CATEGORY
from hindsight.upkeep.cold import ColdStore
from hindsight.upkeep.run import UpkeepTools

Effect = Literal["thawed", "active already", "not there"]
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Thawed:
    """What became of one id. ``memory`` is the record as it is now."""

    id: UUID
    effect: Effect
    memory: Memory | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"id": str(self.id), "effect": self.effect, "status": None if self.memory is None else str(self.memory.status)}


class Thawer:
    """Brings back for one caller."""

    def __init__(self, tools: UpkeepTools, changer: Changer, attribution: Attribution) -> None:
        self._tools = tools
        self._changer = changer
        self._attribution = attribution

    async def thaw(self, ids: Sequence[UUID]) -> list[Thawed]:
        """Bring archived memories back; of a digest, the episodes that it stands for. What waits for review comes back to waiting."""
        wanted: dict[UUID, None] = {}
        for id in ids:
            memory = await self._changer.visible(id)
            digest = memory is not None and memory.status is Status.ACTIVE and CATEGORY in memory.tags and memory.parents
            wanted.update(dict.fromkeys(memory.parents if memory is not None and digest else (id,)))
        cold = [id for id in wanted if await self._tools.store.get(id) is None]
        copies = await self._copies(cold)
        if self._tools.cold is not None and len(copies) < len(cold) and self._tools.cold.damaged:
            raise StoreCorrupt(next(iter(self._tools.cold.damaged.values())))
        done = [await self._one(id, copies.get(id)) for id in wanted]
        back = [each.id for each in done if each.memory is not None]
        if self._tools.cold is not None and back:  # those of a run that was cut short here, too
            await self._tools.cold.remove(back)
        return done

    async def search(self, query: str, *, namespace: str | None = None, limit: int = SHOWN) -> list[Memory]:
        """Memories in the cold store alone that share the most words with ``query``, best first."""
        words = set(query_tokens(query))
        if not words:
            raise InvalidInput("name some words to look for in the cold store.")
        chosen = self._attribution.namespace_for(namespace)
        found: dict[UUID, tuple[float, Memory]] = {}
        cold = self._cold()
        for segment in await cold.segments():
            if segment.namespace != chosen:
                continue
            for memory in await cold.read(segment):
                shared = len(words & set(index_tokens(memory.text())))
                if shared and self._may_see(memory):
                    found[memory.id] = (shared / len(words), memory)
        if cold.damaged and not found:
            raise StoreCorrupt(next(iter(cold.damaged.values())))
        best = sorted(found.values(), key=lambda each: (-each[0], -each[1].event_time.timestamp()))
        return [memory for _, memory in best[:limit]]

    async def _one(self, id: UUID, copy: Memory | None) -> Thawed:
        memory = await self._changer.visible(id)
        if memory is not None:
            if memory.status is not Status.ARCHIVED:
                return Thawed(id, "active already", memory)
            return Thawed(id, "thawed", await self._changer.restore(id))
        if copy is None or not self._may_see(copy):
            return Thawed(id, "not there")
        return Thawed(id, "thawed", await self._put_back(copy))

    async def _put_back(self, copy: Memory) -> Memory:
        """Into the store; out of the cold one comes last."""
        tools, now = self._tools, self._tools.clock.now()
        status = tools.writer.guard.status_after_archive(copy.model_copy(update={"status": Status.ARCHIVED}))
        changes = {"status": status, "version": copy.version + 2, "updated_at": max(now, copy.created_at), "seal": None}
        memory = copy.model_copy(update=changes)
        embedded = (await tools.writer.embed([memory.text()]))[0]
        event = event_of("restored", self._attribution.principal, now, reason="thawed from the cold store")
        done = (await tools.store.commit([build_write(memory, embedded, event)]))[0]
        return await tools.store.get(done.id) or memory

    async def _copies(self, ids: Sequence[UUID]) -> dict[UUID, Memory]:
        if not ids or self._tools.cold is None:
            return {}
        found: dict[UUID, Memory] = {}
        places = await self._tools.cold.where(ids)
        for segment in {segment.name: segment for segment, _ in places.values()}.values():
            for memory in await self._tools.cold.read(segment):
                if memory.id in places and places[memory.id][1] == memory.version:
                    found[memory.id] = memory
        return found

    def _may_see(self, memory: Memory) -> bool:
        principal = self._attribution.principal
        return principal.may_use(memory.namespace) and (memory.agent == principal.agent or "admin" in principal.scopes)

    def _cold(self) -> ColdStore:
        if self._tools.cold is None:
            raise InvalidInput("no cold store is set; name one with HINDSIGHT_COLD_STORE.")
        return self._tools.cold
