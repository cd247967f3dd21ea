"""AutoGen: an assistant that remembers in a second conversation what it was told in the first."""

from __future__ import annotations

import asyncio
import tempfile

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from scripted_model import scripted_model

from hindsight import Hindsight
from hindsight.integrations.autogen import HindsightMemory


async def main() -> None:
    """Run it."""
    with scripted_model() as model, tempfile.TemporaryDirectory() as folder:
        info = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False}
        info["multiple_system_messages"] = True  # the memory is one of its own
        async with Hindsight.open(f"{folder}/memory") as memory:
            for day, request in (("monday", "I am allergic to peanuts."), ("tuesday", "What am I allergic to?")):
                client = OpenAIChatCompletionClient(model="scripted", base_url=model, api_key="none", model_info=info)
                agent = AssistantAgent("assistant", model_client=client, memory=[HindsightMemory(memory)])
                answer = await agent.run(task=request)
                print(f"{day}: {answer.messages[-1].content}")
                await client.close()


if __name__ == "__main__":
    asyncio.run(main())
