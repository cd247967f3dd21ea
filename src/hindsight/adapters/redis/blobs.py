"""Bytes for a while."""

from __future__ import annotations

from redis.asyncio import Redis

from hindsight.adapters.redis.link import RedisLink


class RedisBlobs:
    """``Blobs`` in Redis. ``name`` tells what they are."""

    def __init__(self, link: RedisLink, name: str) -> None:
        self._link = link
        self._prefix = link.prefix + name.encode() + b":"

    async def get(self, key: bytes) -> bytes | None:
        """What was put under the key; None where it ran out or Redis does not answer."""

        async def get(client: Redis) -> bytes | None:
            found = await client.get(self._prefix + key)
            return found if isinstance(found, bytes) else None

        return await self._link.ask(get)

    async def put(self, key: bytes, value: bytes, *, seconds: float) -> None:
        """Keep for ``seconds``; nothing happens where Redis does not answer."""

        async def put(client: Redis) -> bool:
            return bool(await client.set(self._prefix + key, value, px=max(1, int(seconds * 1000))))

        await self._link.ask(put)
