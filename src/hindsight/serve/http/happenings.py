"""What happens in a memory while somebody watches: new memories and retrievals, as the caller may see them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from hindsight.client.operating_answers import HappeningAnswer
from hindsight.errors import Overloaded
from hindsight.records import Status

if TYPE_CHECKING:
    from hindsight.memory import Hindsight

MOST_WATCHERS = 16
EVERY_SECONDS = 1.0
_LATEST = 50
_SHORT = 300
_STATUSES = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED)


class Watchers:
    """How many watch at the same time; each costs two small reads a second."""

    def __init__(self) -> None:
        self._watching = 0

    async def watch(self, memory: Hindsight, seconds: float, *, namespace: str | None = None) -> AsyncIterator[HappeningAnswer | None]:
        """What happens from now on, oldest first, for so long; None after each look, first when watching has begun.

        Raises:
            Overloaded: too many watch already.
        """
        if self._watching >= MOST_WATCHERS:
            raise Overloaded(f"{MOST_WATCHERS} already watch this process; close one of them, or ask again later.")
        self._watching += 1
        try:
            seen = {each.id for each in await _latest(memory, namespace)}
            yield None
            for _ in range(max(int(seconds / EVERY_SECONDS), 1)):
                await asyncio.sleep(EVERY_SECONDS)
                now = await _latest(memory, namespace)
                for each in sorted(now, key=lambda happening: happening.at):
                    if each.id not in seen:
                        yield each
                seen = {each.id for each in now}
                yield None
        finally:
            self._watching -= 1


async def _latest(memory: Hindsight, namespace: str | None) -> list[HappeningAnswer]:
    written = (await memory.list(namespace=namespace, limit=_LATEST, status=_STATUSES)).items
    asked = await memory.retrievals(namespace=namespace, limit=_LATEST)
    return [
        *(
            HappeningAnswer(
                what="memory", id=each.id, at=each.created_at, agent=each.agent, text=each.content[:_SHORT], kind=each.kind, shown=None
            )
            for each in written
        ),
        *(
            HappeningAnswer(
                what="retrieval", id=each.id, at=each.at, agent=each.agent, text=each.query[:_SHORT], kind=None, shown=len(each.shown)
            )
            for each in asked
        ),
    ]
