"""LlamaIndex: a memory block, and a retriever over what was ingested."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from hindsight.client.agent import AgentMemory
from hindsight.integrations.talking import block_for, careful, last_request, missing, turns_of

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    raise missing("llama-index-core", error) from error


class HindsightMemoryBlock(BaseMemoryBlock[str]):
    """For ``Memory.from_defaults(…, memory_blocks=[HindsightMemoryBlock.on(memory)])``.

    What leaves the short-term memory is handed over; what helps with the user's last message comes back.
    """

    name: str = Field(default="hindsight")
    _memory: Any = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr(default_factory=dict)
    _positions: dict[str, int] = PrivateAttr(default_factory=dict)
    _session: str = PrivateAttr(default="")

    @classmethod
    def on(cls, memory: AgentMemory, *, name: str = "hindsight", **options: Any) -> HindsightMemoryBlock:
        """A block on a memory; ``options`` go to every look-up."""
        made = cls(name=name)
        made._memory, made._options, made._session = careful(memory), options, f"llama-index-{uuid4()}"
        return made

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        del block_kwargs
        return await block_for(self._memory, last_request(messages or []), self._options)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        first = self._positions.get(self._session, 0)
        self._positions[self._session] = first + len(messages)
        if turns := turns_of(messages, self._session, first):
            await self._memory.observe(turns)
