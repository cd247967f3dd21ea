"""OpenAI Agents SDK: a session that the memory listens to, tools, and a filter that puts what helps into the instructions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from hindsight.client.agent import AgentMemory
from hindsight.integrations.talking import RECALL, REMEMBER, block_for, careful, last_request, missing, tools_for, turns_of

try:
    from agents import FunctionTool, SQLiteSession, function_tool
    from agents.items import TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.run_config import CallModelData, ModelInputData
except ImportError as error:
    raise missing("openai-agents", error) from error


class HindsightSession(SessionABC):
    """A conversation that the SDK keeps, and the memory listens to: ``Runner.run(agent, "…", session=HindsightSession("chat-1", memory))``.

    The SDK gets its items back as they were; what people state in them is remembered beyond the conversation. With ``recall_filter``
    in the run's configuration, it comes back in other conversations.

    Args:
        session_id: of the conversation.
        memory: any memory of an agent.
        inner: keeps the items; default: the SDK's own session, in memory.
    """

    def __init__(self, session_id: str, memory: AgentMemory, *, inner: SessionABC | None = None) -> None:
        self.session_id = session_id
        self._memory = careful(memory)
        self._inner = inner or SQLiteSession(session_id)
        self._position: int | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The conversation's items, or the last ``limit``."""
        return await self._inner.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items, and tell the memory what was said in them."""
        if self._position is None:
            self._position = len(await self._inner.get_items())
        await self._inner.add_items(items)
        if turns := turns_of(items, self.session_id, self._position):
            await self._memory.observe(turns)
        self._position += len(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item back. What the memory took from it stays; forget it there."""
        return await self._inner.pop_item()

    async def clear_session(self) -> None:
        """End the conversation. What the memory kept of it stays."""
        await self._inner.clear_session()


def recall_filter(memory: AgentMemory, **options: Any) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For ``RunConfig(call_model_input_filter=…)``: what helps with the user's last message stands after the instructions."""
    kept = careful(memory)
    last: dict[str, str] = {}

    async def recall(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        request = last_request(given.input)
        if request not in last:  # a run calls the model several times about one request
            last.clear()
            last[request] = await block_for(kept, request, options)
        instructions = "\n\n".join(filter(None, (given.instructions, last[request])))
        return replace(given, instructions=instructions or None)

    return recall


def memory_tools(memory: AgentMemory, **options: Any) -> list[FunctionTool]:
    """The tools ``recall`` and ``remember``; ``options`` go to every look-up."""
    recall, remember = tools_for(memory, options)
    return [
        function_tool(recall, name_override="recall", description_override=RECALL),
        function_tool(remember, name_override="remember", description_override=REMEMBER),
    ]
