"""What happens to a session while it closes."""

from __future__ import annotations

import asyncio
from datetime import UTC

from hindsight.remember.distil.batch import Distiller
from hindsight.remember.distil.rules import RuleDistiller


class Slow(Distiller):
    """Lets something come in between the reading of a session and its end."""

    def __init__(self, rules: RuleDistiller) -> None:
        super().__init__(rules)
        self.meanwhile = None

    async def distil(self, turns, *, recalled=()):
        found = await super().distil(turns, recalled=recalled)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return found


async def test_a_turn_that_comes_in_while_a_session_closes_is_distilled_too(opened):
    distiller = Slow(UTC)
    one = await opened(distiller=distiller)
    session = one.sessions.session("s1")
    await session.turn("I am allergic to peanuts.")
    distiller.meanwhile = lambda: session.turn("I prefer tea over coffee.")
    closed = await session.close()
    assert len(closed.kept) == 2
    assert await one.sessions.open_sessions() == []


async def test_a_raw_turn_on_its_way_is_waited_for(opened):
    one = await opened()
    session = one.sessions.session("s1")
    plain = one.store.add_turns

    async def late(*arguments):
        await asyncio.sleep(0.05)
        return await plain(*arguments)

    one.store.add_turns = late
    writing = asyncio.create_task(session.turn("I am allergic to peanuts."))
    while not await one.sessions.open_sessions():
        await asyncio.sleep(0)
    closed = await session.close()
    await writing
    assert len(closed.kept) == 1
