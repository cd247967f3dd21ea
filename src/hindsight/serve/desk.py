"""Where calls from outside meet the memory: opened when the first one needs it, seen through the caller's eyes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from hindsight.records import Channel, Scope
from hindsight.serve.caller import Caller, current
from hindsight.telemetry import Counts, count_with

if TYPE_CHECKING:
    from hindsight.memory import Hindsight
    from hindsight.settings import Settings

_AGENTS: frozenset[Scope] = frozenset({"read", "write"})


class Desk:
    """One open memory for all calls of a process.

    ``counts`` is where this process counts from now on. ``open_memory`` gives a context manager of the memory; it is entered once, by the first :meth:`memory`, and left by
    :meth:`close`. A failure to open is raised to the call that needed it, and the next call tries again.
    """

    def __init__(self, settings: Settings, open_memory: Callable[[], AbstractAsyncContextManager[Hindsight]], counts: Counts) -> None:
        self.settings = settings
        count_with(counts)
        self._open_memory = open_memory
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._memory: Hindsight | None = None

    async def memory(self) -> Hindsight:
        """The open memory, speaking for the process itself.

        Raises:
            HindsightError: it cannot be opened.
        """
        async with self._opening:
            if self._memory is None:
                self._memory = await self._stack.enter_async_context(self._open_memory())
            return self._memory

    async def agents_memory(self) -> Hindsight:
        """The open memory as an agent sees it: who calls over MCP writes as the channel ``agent``, whatever the call's text says.

        Approving is no agent's: a token's further scopes count elsewhere.
        """
        caller = current() or Caller(agent=self.settings.agent, scopes=_AGENTS)
        principal = caller.principal(Channel.AGENT).model_copy(update={"scopes": caller.scopes & (_AGENTS | {"relay"})})
        return (await self.memory()).acting_as(principal, namespace=caller.namespace(self.settings.namespace))

    async def close(self) -> None:
        """Close the memory where it was opened."""
        async with self._opening:
            self._memory = None
            await self._stack.aclose()


@asynccontextmanager
async def assembled(settings: Settings) -> AsyncIterator[Hindsight]:
    """The memory that the settings describe. Its modules are imported here and not before: a client waits for the handshake."""
    await asyncio.to_thread(import_module, "hindsight.assemble")
    from hindsight.assemble import assemble

    async with assemble(settings) as memory:
        yield memory
