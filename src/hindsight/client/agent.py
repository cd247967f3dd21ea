"""What an agent needs of a memory, whichever way it is reached; and the answer that stands for none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol
from uuid import UUID

from hindsight.client.answers import ContextAnswer, RecallAnswer

NOWHERE = UUID(int=0)
"""Id of an answer that no server gave; there is nothing to give feedback on."""


Awaited = Callable[..., Awaitable[Any]]


class AgentMemory(Protocol):
    """The calls of an agent's loop.

    :class:`hindsight.Hindsight`, the REST client, the MCP client and the resilient layer over any of them offer these, so that the
    same loop runs in one process, or against a server. Each takes what :class:`hindsight.Hindsight` takes, or less.
    """

    @property
    def retrieve(self) -> Awaited:
        """The memories that help with a query; ``.hits``, ``.flags`` and ``.render()``."""
        ...

    @property
    def context(self) -> Awaited:
        """Experience and knowledge under one budget; ``.flags`` and ``.render()``."""
        ...

    @property
    def store(self) -> Awaited:
        """Keep one text."""
        ...

    @property
    def observe(self) -> Awaited:
        """Hand over turns of a conversation."""
        ...

    @property
    def task_finished(self) -> Awaited:
        """End a task: one episode."""
        ...

    @property
    def feedback(self) -> Awaited:
        """Say how what a retrieval showed proved itself."""
        ...

    @property
    def reflect(self) -> Awaited:
        """Look for causes of failure."""
        ...

    async def close(self) -> None:
        """Free what is held."""
        ...


def no_answer(query: str, *flags: str) -> RecallAnswer:
    """A retrieval that found nothing, and says why."""
    return RecallAnswer(id=NOWHERE, query=query, hits=[], flags=[*flags], language="", took_ms=0.0, timings={}, rendered="")


def no_context(query: str, *flags: str) -> ContextAnswer:
    """A context without anything in it, and why."""
    return ContextAnswer(query=query, experience=None, knowledge=None, standing=[], external=[], flags=[*flags], tokens=0, rendered="")
