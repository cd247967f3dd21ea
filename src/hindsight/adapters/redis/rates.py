"""Rates of tokens over all processes: one bucket a token, refilled evenly by Redis's own clock."""

from __future__ import annotations

from redis.asyncio import Redis

from hindsight.adapters.redis.link import RedisLink
from hindsight.values import Token

# KEYS: the bucket. ARGV: requests a minute. Answers how many microseconds the request has to wait, 0 where it may come.
_TAKE = """
local size = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local kept = redis.call('HMGET', KEYS[1], 'left', 'since')
local left = math.min(size, (tonumber(kept[1]) or size) + (now - (tonumber(kept[2]) or now)) * size / 60000000)
local wait = 0
if left < 1 then wait = math.ceil((1 - left) * 60000000 / size) else left = left - 1 end
redis.call('HSET', KEYS[1], 'left', string.format('%.6f', left), 'since', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 70000)
return wait
"""


class RedisRates:
    """``SharedRates`` in Redis."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link

    async def wait(self, token: Token) -> float | None:
        """Seconds to wait, 0 where the request may come; None where Redis does not answer."""
        if not token.per_minute:
            return 0.0

        async def take(client: Redis) -> int:
            key = self._link.prefix + b"rate:" + token.id.hex.encode()
            return int(await client.eval(_TAKE, 1, key, token.per_minute))

        micros = await self._link.ask(take)
        return None if micros is None else micros / 1_000_000
