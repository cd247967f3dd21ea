"""AutoGen: a memory for ``AssistantAgent(…, memory=[HindsightMemory(memory)])``."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from hindsight.client.agent import AgentMemory
from hindsight.integrations.talking import careful, missing

try:
    from autogen_core import CancellationToken  # type: ignore[import-not-found]
    from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult  # type: ignore[import-not-found]
    from autogen_core.model_context import ChatCompletionContext  # type: ignore[import-not-found]
    from autogen_core.models import SystemMessage, UserMessage  # type: ignore[import-not-found]
except ImportError as error:
    raise missing("autogen-core", error) from error

_FIELDS = ("kind", "query", "outcome", "task_type", "tools", "tags", "importance", "visibility", "occurred_at")
"""What an entry's metadata may say of it."""


class HindsightMemory(Memory):  # type: ignore[misc]
    """What helps with the user's last message comes before the model's turn; what people state is remembered beyond the conversation.

    Args:
        memory: any memory of an agent; it is not closed here.
        observe: hand over what the user says.
        options: for every look-up, such as ``k=3``.
    """

    component_type = "memory"

    def __init__(self, memory: AgentMemory, *, observe: bool = True, **options: Any) -> None:
        self._memory = careful(memory)
        self._observe = observe
        self._options = options
        self._session = f"autogen-{uuid4()}"
        self._said = 0
        self._last = ""
        self._added: list[UUID] = []

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Put the block for the user's last message into the context, once a message."""
        messages = await model_context.get_messages()
        request = next((_text(each.content) for each in reversed(messages) if isinstance(each, UserMessage)), "")
        if not request.strip() or request == self._last:
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        self._last = request
        found = await self._memory.retrieve(request, **self._options)
        if block := found.render():
            await model_context.add_message(SystemMessage(content=block))
        if self._observe:
            await self._memory.observe([{"session_id": self._session, "position": self._said, "content": request, "role": "user"}])
            self._said += 1
        return UpdateContextResult(memories=MemoryQueryResult(results=[_entry(hit) for hit in found.hits]))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """The memories that help; ``kwargs`` are filters of the look-up."""
        del cancellation_token
        asked = query if isinstance(query, str) else str(query.content)
        found = await self._memory.retrieve(asked, **{**self._options, **kwargs})
        return MemoryQueryResult(results=[_entry(hit) for hit in found.hits])

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Keep an entry's text as a fact, or as what its metadata says (``kind``, ``tags`` …)."""
        del cancellation_token
        told = {name: value for name, value in (content.metadata or {}).items() if name in _FIELDS}
        result = await self._memory.store(_text(content.content), **{"kind": "fact", **told})
        if result.id is not None:
            self._added.append(result.id)

    async def clear(self) -> None:
        """Erase what was added through this object; what the memory holds beside that stays."""
        while self._added:
            await self._memory.forget(self._added[-1])
            self._added.pop()

    async def close(self) -> None:
        """Nothing: whoever opened the memory closes it."""


def _text(content: Any) -> str:
    """The words of a content, which may be a text, a mapping, or a list with images in it."""
    if isinstance(content, list):
        return "\n".join(each for each in content if isinstance(each, str))
    return content if isinstance(content, str) else str(content)


def _entry(hit: Any) -> MemoryContent:
    memory = hit.memory
    told = {"id": str(memory.id), "kind": str(memory.kind), "score": hit.score, "date": memory.event_time.date().isoformat()}
    return MemoryContent(content=memory.content, mime_type=MemoryMimeType.TEXT, metadata=told)
