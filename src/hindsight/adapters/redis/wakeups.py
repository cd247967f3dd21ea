"""Wake-ups of workers by publishing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from redis.asyncio import Redis

from hindsight.adapters.redis.link import REST_SECONDS, RedisLink
from hindsight.errors import ConfigurationError

_HEARD_SECONDS = 20.0


class RedisWakeUps:
    """``WakeUps`` on a channel of the store's."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._channel = link.prefix + b"jobs"
        self._task: asyncio.Task[None] | None = None

    async def ring(self) -> None:
        """Tell all processes."""

        async def publish(client: Redis) -> int:
            return int(await client.publish(self._channel, b""))

        await self._link.ask(publish)

    def listen(self, woken: Callable[[], object]) -> None:
        """Call ``woken`` at each ring, and once whenever the line was down: something may have been missed."""
        self._task = asyncio.get_running_loop().create_task(self._hear(woken), name="hindsight-wakeups")

    async def silence(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _hear(self, woken: Callable[[], object]) -> None:
        from redis.exceptions import RedisError

        while True:
            try:
                client = self._link.connection(answer_seconds=None)
                try:
                    async with client.pubsub() as line:
                        await line.subscribe(self._channel)
                        woken()
                        while True:
                            if await line.get_message(ignore_subscribe_messages=True, timeout=_HEARD_SECONDS) is not None:
                                woken()
                finally:
                    await client.aclose()
            except (RedisError, OSError, TimeoutError, ConfigurationError):
                await asyncio.sleep(REST_SECONDS)  # the link itself says that Redis does not answer; workers look by themselves
