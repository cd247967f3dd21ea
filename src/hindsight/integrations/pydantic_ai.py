"""Pydantic AI: a toolset with ``recall`` and ``remember`` that also puts what helps into the instructions."""

from __future__ import annotations

from typing import Any

from hindsight.client.agent import AgentMemory
from hindsight.integrations.talking import RECALL, REMEMBER, block_for, careful, missing, text_of, tools_for

try:
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise missing("pydantic-ai-slim", error) from error


def memory_toolset(memory: AgentMemory, *, instructions: bool = True, **options: Any) -> FunctionToolset[Any]:
    """For ``Agent(…, toolsets=[memory_toolset(memory)])``.

    Args:
        memory: any memory of an agent.
        instructions: look up what helps with the user's prompt, and put it after the agent's instructions.
        options: for every look-up.
    """
    recall, remember = tools_for(memory, options)
    kept = careful(memory)

    async def recalled(context: RunContext[Any]) -> str:
        return await block_for(kept, text_of(context.prompt or ""), options)

    tools = [Tool(recall, name="recall", description=RECALL), Tool(remember, name="remember", description=REMEMBER)]
    return FunctionToolset(tools, id="hindsight", instructions=recalled if instructions else None)
